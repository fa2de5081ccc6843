internal import CLinkspanPlatform
internal import Glibc
internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanSystem

/// One of the loops behind ``HTTPServer``: lives on the stack of one thread and owns the connections it accepted.
///
/// A turn of the loop: wait for news, let connections with news and those with work left have their turn, accept
/// new ones, act on deadlines. A connection's number is its descriptor.
final class ServerLoop {
  /// Connections accepted in one turn, after which those already here come first.
  private static let acceptsPerTurn = 64
  /// Idle connections that make room when descriptors or memory have run out. A guess.
  private static let placesPerExhaustion = 16

  /// A class, so that looking at one copies nothing.
  private final class Held {
    let connection: ServerConnection
    var isWatched = false
    var isWatchedForRoom = false

    init(_ connection: ServerConnection) { self.connection = connection }
  }

  private let configuration: HTTPServerConfiguration
  private let listeners: [ListenerSocket]
  private let wakeup: Wakeup
  private let control: ServerControl
  private let replaceableResponder: ReplaceableResponder
  private let service: LoopService
  private let arrived: ArrivedAnswers
  private let rules: ConnectionRules
  private let poller: Poller
  private let turn: ServerTurn
  private let readAhead = ReadAhead()
  private let http2: HTTP2Settings
  private let http1 = HTTP1ResponseWriter()
  private let signals: StopSignals?
  private var wheel: DeadlineWheel
  private var memory = MemoryRelease()
  private var held: [Held?] = []
  private var heldCount = 0
  private var runnable: [CInt] = []
  private var admission: Admission
  private var idle = IdleConnections()
  private enum Stop {
    case no
    /// This loop refuses connections and waits for the others to do so.
    case refusing
    /// Connections finish what they have begun.
    case finishing
  }
  private var stop = Stop.no

  init(_ parts: ServerLoopParts, _ control: ServerControl) throws(HTTPServerError) {
    configuration = parts.configuration
    listeners = parts.listeners
    wakeup = parts.wakeup
    self.control = control
    rules = ConnectionRules(configuration.connections, configuration.deadlines, parts.counters)
    replaceableResponder = parts.responder
    arrived = ArrivedAnswers(parts.wakeup)
    let pending = PendingAnswers(
      arrived, patience: configuration.deadlines.handler.nanoseconds, parts.counters,
      completionLimit: configuration.offload.completions)
    service = LoopService(
      parts.responder.current, pending, streams: StreamedBodies(arrived), parts.counters,
      bodies: control.bodies,
      observer: configuration.observer, refusalForm: configuration.refusalForm, clock: configuration.clock)
    turn = ServerTurn(configuration.clock)
    http2 = HTTP2Settings(messages: configuration.messages, limits: configuration.http2)
    wheel = DeadlineWheel(now: turn.now)
    admission = Admission(listeners: listeners.count)
    poller = try Poller()
    signals = configuration.stopSignals.isEmpty ? nil : try StopSignals(configuration.stopSignals)
    let own = [wakeup.descriptor] + (signals.map { [$0.descriptor] } ?? []) + listeners.map(\.descriptor)
    for descriptor in own {
      if let reason = poller.watch(descriptor) { throw HTTPServerError("cannot watch a listener: \(reason)") }
    }
  }

  /// Runs until the server is stopped and every connection of this loop has ended.
  func run() throws(HTTPServerError) {
    // A peer that goes away while we write is an error to read, not a signal that ends the process.
    signal(SIGPIPE, SIG_IGN)
    while true {
      let count = try poller.wait(milliseconds: timeout)
      turn.readClock()
      service.counters.add(to: .turns)
      if let responder = replaceableResponder.takeNew() { service.responder = responder }
      // Before the events: a client that is refused a new connection and asks on an old one is told that the old one ends.
      if stop == .refusing, control.allRefuse { finish() }
      for index in 0..<count { handle(poller.event(index)) }
      if !runnable.isEmpty {
        let waiting = runnable
        runnable.removeAll(keepingCapacity: true)
        for descriptor in waiting { take(descriptor) { $0.turn(turn) } }
      }
      accept()
      for descriptor in wheel.advance(to: turn.now) { expire(descriptor) }
      if !service.pending.isEmpty { expirePending() }
      if let deadline = control.stopDeadline, stops(by: deadline) { return }
      if service.pending.hasFresh { offload() }
      let bodyBytes = service.counters.value(.bodyBytesNow)
      if memory.isDue(connections: heldCount, bodyBytes: bodyBytes, now: turn.now) {
        linkspan_release_memory()
        service.counters.add(to: .memoryReleases)
      }
    }
  }

  private func expirePending() {
    for number in service.pending.expired(at: turn.now) {
      service.counters.add(to: .handlerDeadlines)
      // Whoever works on it is not told, and may still do what was asked for.
      refuse(number, .tooSlow)
    }
  }

  /// Offloads the work of this turn; what the pool cannot take on is answered at once.
  private func offload() {
    let fresh = service.pending.takeFresh()
    let refused = control.workers.take(fresh)
    service.counters.add(fresh.count - refused.count, to: .offloaded)
    service.counters.add(refused.count, to: .offloadRefused)
    for work in refused { refuse(work.number, .tooManyAwaited) }
  }

  private func refuse(_ number: Int, _ rejection: HTTPRejection) {
    deliver([.init(number: number, response: service.refusal(rejection, ofPending: number))])
  }

  /// Each connection has one turn for all its answers, so that they leave together.
  private func deliver(_ answers: [ArrivedAnswers.Answer]) {
    var descriptors: [CInt] = []
    for answer in answers {
      guard let place = service.end(answer.number, with: answer.response),
        let connection = held(place.descriptor)?.connection
      else { continue }
      if connection.deliver(answer.response, answer.number, at: place, turn) {
        descriptors.append(place.descriptor)
      }
    }
    for descriptor in descriptors { take(descriptor) { $0.turn(turn) } }
  }

  /// Goes on with stopping.
  ///
  /// - Returns: Whether every connection of this loop has ended.
  private func stops(by deadline: Int64) -> Bool {
    if stop == .no { refuse() }
    let dropsAll = turn.now >= deadline || control.dropsEverything
    if stop == .refusing, control.allRefuse || dropsAll { finish() }
    if dropsAll { abortAll() }
    return stop == .finishing && heldCount == 0
  }

  private var timeout: Int32 {
    if !runnable.isEmpty || admission.isReady { return 0 }
    if service.pending.hasFresh { return 0 }
    var next = wheel.timeoutMilliseconds(now: turn.now)
    if let wait = memory.timeoutMilliseconds(now: turn.now) { next = min(next ?? wait, wait) }
    guard admission.isPaused || stop != .no || !service.pending.isEmpty else { return next ?? -1 }
    let tick = Int32(DeadlineWheel.tickNanoseconds / 1_000_000)
    return min(next ?? tick, tick)
  }

  private func handle(_ event: Poller.Event) {
    if let held = held(event.descriptor) {
      take(event.descriptor, held) { connection in
        connection.ready(
          toRead: event.isReadable, toWrite: event.isWritable, ends: event.isEnd, isGone: event.isGone)
        return connection.turn(turn)
      }
    } else if event.descriptor == wakeup.descriptor {
      wakeup.drain()
      let (answers, streams) = arrived.take()
      deliver(answers)
      for number in streams {
        guard let place = service.streams.place(of: number) else { continue }
        take(place.descriptor) { $0.resume(body: number, at: place, turn) }
      }
    } else if let signals, event.descriptor == signals.descriptor {
      let count = signals.take()
      if count > 0 { control.stop(signals: count) }
    } else if let index = listeners.firstIndex(where: { $0.descriptor == event.descriptor }) {
      if stop == .no { admission.note(index) }
    }
  }

  /// Lets a connection do something and acts on what it says then.
  private func take(_ descriptor: CInt, _ body: (ServerConnection) -> ServerConnection.Verdict) {
    // News of a connection that ended earlier in this turn is no news.
    if let held = held(descriptor) { take(descriptor, held, body) }
  }

  private func held(_ descriptor: CInt) -> Held? {
    held.indices.contains(Int(descriptor)) ? held[Int(descriptor)] : nil
  }

  private func take(
    _ descriptor: CInt, _ held: Held, _ body: (ServerConnection) -> ServerConnection.Verdict
  ) {
    let connection = held.connection
    let before = connection.deadline
    switch body(connection) {
    case .closed: release(descriptor)
    case .goesOn:
      runnable.append(descriptor)
      fallthrough
    case .waits:
      if connection.deadline != before { wheel.set(descriptor, to: connection.deadline) }
      watch(descriptor, held)
    }
  }

  /// Adds a connection to the set when it first has to wait; one that is over in its first turn never gets there.
  private func watch(_ descriptor: CInt, _ held: Held) {
    var problem: String?
    if !held.isWatched {
      held.isWatched = true
      held.isWatchedForRoom = held.connection.waitsForRoom
      problem = poller.watch(descriptor, forRoom: held.isWatchedForRoom)
    } else if !held.isWatchedForRoom, held.connection.waitsForRoom {
      // Most connections never fill their socket, and are spared being told that there is room.
      held.isWatchedForRoom = true
      problem = poller.watchForRoom(descriptor)
    }
    guard problem != nil else { return }
    held.connection.abort()
    release(descriptor)
  }

  private func release(_ descriptor: CInt) {
    guard held[Int(descriptor)] != nil else { return }
    wheel.cancel(descriptor)
    held[Int(descriptor)] = nil
    heldCount -= 1
    admission.resume()
  }

  private func expire(_ descriptor: CInt) {
    take(descriptor) { connection in
      connection.deadline <= turn.now ? connection.expire(turn) : .waits
    }
    // The wheel has let go of it, whether the deadline has changed or not.
    if let connection = held[Int(descriptor)]?.connection { wheel.set(descriptor, to: connection.deadline) }
  }

  private func accept() {
    var left = Self.acceptsPerTurn
    while left > 0, let index = admission.next(at: turn.now) {
      left -= 1
      switch listeners[index].accept() {
      case .none: admission.forget(index)
      case .exhausted:
        service.counters.add(to: .exhausted)
        if makeRoom(Self.placesPerExhaustion) == 0 {
          admission.pause(until: turn.now + DeadlineWheel.tickNanoseconds)
        }
      case .connection(let descriptor, let peer): hold(descriptor, peer, from: listeners[index])
      }
    }
    admission.endTurn(isFull: left == 0)
    service.isCrowded = admission.isCrowded
  }

  private func hold(_ descriptor: CInt, _ peer: SocketAddress?, from listener: ListenerSocket) {
    let socket = Socket(descriptor)
    service.counters.add(to: .accepted)
    let total = configuration.connections.total
    guard control.addConnection(limit: total) || makeRoom(1) > 0 && control.addConnection(limit: total) else {
      service.counters.add(to: .refusedTotal)
      socket.close(reset: true)
      return
    }
    guard peer.map({ control.peers.add($0, limit: configuration.connections.perAddress) }) ?? true else {
      control.removeConnection()
      service.counters.add(to: .refusedPerAddress)
      socket.close(reset: true)
      return
    }
    let place = ConnectionPlace(control: control, peer: peer)
    let credentials = listener.credentials
    let transport: any Transport
    do throws(TLSError) {
      transport =
        try credentials.map { credentials throws(TLSError) in
          try TLSTransport(server: socket, credentials, readAhead: readAhead)
        } ?? PlainTransport(socket)
    } catch {
      // The library is out of memory; this connection is lost and the others go on.
      service.counters.add(to: .refusedMemory)
      socket.close(reset: true)
      place.leave()
      return
    }
    if credentials != nil { service.counters.add(to: .handshakesStarted) }
    let scheme = credentials == nil ? "http" : "https"
    let (messages, http1, http2, service) = (configuration.messages, http1, http2, service)
    var request = RequestOrigin(peer: peer, isEncrypted: credentials != nil)
    request.connection = control.nextConnectionNumber()
    let connection = ServerConnection(transport, rules, place: place) { [request] agreed in
      func conversation(isHTTP2: Bool) -> any ServerProtocol {
        var origin = ConnectionOrigin(descriptor: descriptor, request: request)
        origin.request.isHTTP2 = isHTTP2
        origin.request.certificate = transport.peerCertificate
        return isHTTP2
          ? HTTP2Server(scheme: scheme, http2, service, origin: origin)
          : HTTP1Server(scheme: scheme, limits: messages, http1, service, origin: origin)
      }
      switch agreed {
      case "h2": return conversation(isHTTP2: true)
      case "http/1.1": return conversation(isHTTP2: false)
      default:
        return ServerByPreface {
          conversation(isHTTP2: false)
        } http2: {
          conversation(isHTTP2: true)
        }
      }
    }
    while held.count <= Int(descriptor) { held.append(nil) }
    held[Int(descriptor)] = Held(connection)
    heldCount += 1
    take(descriptor) { $0.turn(turn) }
  }

  /// Closes the connections that have been idle longest.
  ///
  /// - Returns: How many places became free, at most `count`.
  private func makeRoom(_ count: Int) -> Int {
    var freed = 0
    while freed < count, let (since, descriptor) = idle.next(at: turn.now, among: idleConnections) {
      guard held[Int(descriptor)]?.connection.idleSince == since else { continue }
      take(descriptor) { $0.makeRoom(turn) }
      if held[Int(descriptor)] == nil { freed += 1 }
    }
    return freed
  }

  private func idleConnections() -> [IdleConnections.Place] {
    held.indices.compactMap { descriptor in
      held[descriptor]?.connection.idleSince.map { ($0, CInt(descriptor)) }
    }
  }

  private func refuse() {
    stop = .refusing
    // Whoever has connected already is let in; the next one is refused.
    admission = Admission(listeners: listeners.count)
    while admission.isReady { accept() }
    admission = Admission(listeners: 0)
    for listener in listeners { listener.refuse() }
    control.refuses()
  }

  private func finish() {
    stop = .finishing
    service.streams.stop()
    for descriptor in held.indices { take(CInt(descriptor)) { $0.stop(turn) } }
  }

  private func abortAll() {
    for descriptor in held.indices {
      held[descriptor]?.connection.abort(.stopDeadline)
      release(CInt(descriptor))
    }
  }
}
