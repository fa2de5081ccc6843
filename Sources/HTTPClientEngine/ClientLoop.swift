internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanCore

/// The loop behind ``HTTPClient``: lives on the stack of one thread and owns all requests, origins and connections.
///
/// A turn of the loop: wait for news, let connections with news have their turn, take what lies in the mailbox, hand
/// waiting requests to connections with room, let those connections write, act on deadlines. So requests that begin
/// together leave together.
final class ClientLoop {
  private let configuration: HTTPClientConfiguration
  private let mailbox: ClientMailbox
  private let wakeup: Wakeup
  private let resolver: ResolverThreads
  private let poller: Poller
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private let http2: HTTP2ClientSettings
  private var transports: ClientTransports
  private var now: Int64
  private let requestNanoseconds: Int64
  private let answerNanoseconds: Int64

  private var exchanges: ExchangeTable

  private var origins: OriginDispatch
  private var writable = WritableRequests()

  private var connections: [ClientConnection?] = []
  private var freeConnections: [Int32] = []
  private var connectionCount = 0
  private var connectionWheel: DeadlineWheel
  private var nextSerial = 0
  /// Which connection a descriptor belongs to.
  private var owners: [Int32] = []
  private var runnable: [ClientConnection] = []

  init(
    _ configuration: HTTPClientConfiguration, _ mailbox: ClientMailbox, _ wakeup: Wakeup
  ) throws(HTTPServerError) {
    self.configuration = configuration
    self.mailbox = mailbox
    self.wakeup = wakeup
    resolver = ResolverThreads(mailbox, resolve: configuration.resolve)
    http2 = HTTP2ClientSettings(
      messages: configuration.messages, limits: configuration.http2, cutsBody: configuration.cutsBody)
    requestNanoseconds = configuration.deadlines.request.nanoseconds
    answerNanoseconds = configuration.deadlines.answer.nanoseconds
    origins = OriginDispatch(configuration)
    transports = ClientTransports(configuration)
    now = configuration.clock.monotonic()
    exchanges = ExchangeTable(now: now)
    connectionWheel = DeadlineWheel(now: now)
    poller = try Poller()
    if let reason = poller.watch(wakeup.descriptor) {
      throw HTTPServerError("cannot watch an event descriptor: \(reason)")
    }
  }

  deinit { memory.deallocate() }

  /// Runs until the client is shut down; every request has its completion then.
  func run() throws(HTTPServerError) {
    defer { abandonAll() }
    var mail = ClientMailbox.Mail()
    while true {
      mailbox.take(into: &mail, thenSleeping: runnable.isEmpty && origins.isSettled)
      if mail.isEmpty {
        let count = try poller.wait(milliseconds: timeout)
        now = configuration.clock.monotonic()
        // Completions put requests here as well, and have nobody to wake.
        mailbox.stayAwake()
        for index in 0..<count { handle(poller.event(index)) }
        mailbox.take(into: &mail, thenSleeping: false)
      } else {
        now = configuration.clock.monotonic()
      }
      if mail.isStopping { return }
      for resolved in mail.resolved { found(resolved) }
      for exchange in mail.exchanges { begin(exchange) }
      mail.clear()
      dispatchTouched()
      runRunnable()
      expireDue()
    }
  }

  private var timeout: Int32 {
    if !runnable.isEmpty || !origins.isSettled { return 0 }
    let first = exchanges.timeoutMilliseconds(now: now)
    let second = connectionWheel.timeoutMilliseconds(now: now)
    return min(first ?? .max, second ?? .max) == .max ? -1 : min(first ?? .max, second ?? .max)
  }

  private func expireDue() {
    for number in exchanges.advance(to: now) { expireExchange(number) }
    for key in connectionWheel.advance(to: now) {
      guard let connection = connections[Int(key)] else { continue }
      if connection.deadline <= now {
        act(on: connection, connection.expire(now: now, watch: watcher(connection.id)))
      }
      setDeadline(of: connection)
    }
  }

  // MARK: - Requests

  private func begin(_ exchange: ClientExchange) {
    guard writable.contains(exchange.call.request), let origin = origins.origin(of: exchange) else {
      let authority = exchange.call.request.authority
      let reason = "the request has bytes that do not belong there"
      exchange.call.completion(.failure(HTTPClientError(.unusableRequest, authority, reason)))
      return
    }
    guard origin.waitingCount < configuration.limits.waitingRequests else {
      let reason = "more than \(configuration.limits.waitingRequests) requests wait"
      exchange.call.completion(.failure(HTTPClientError(.tooManyWaiting, origin.place, reason)))
      origins.touch(origin)
      return
    }
    let (end, overflow) = now.addingReportingOverflow(
      exchange.call.deadline?.nanoseconds ?? requestNanoseconds)
    exchanges.add(exchange, to: origin, deadline: overflow ? .max : end)
    origin.append(exchange)
    origins.touch(origin)
  }

  private func finish(_ exchange: ClientExchange, _ result: Result<HTTPAnswer, HTTPClientError>) {
    guard exchanges.remove(exchange) else { return }
    exchange.origin.forget(exchange)
    exchange.connection = nil
    exchange.call.completion(result)
  }

  private func expireExchange(_ number: Int) {
    guard let exchange = exchanges[number] else { return }
    let received = exchange.connection?.session?.receivedBytes(of: number) ?? 0
    let error =
      received == 0
      ? HTTPClientError(.timeout, exchange.origin.place, "no answer in time")
      : HTTPClientError(
        .unfinished(receivedBytes: received), exchange.origin.place,
        "the answer was not whole in time; \(received) bytes had come")
    if let connection = exchange.connection {
      connection.session?.cancel(number)
      makeRunnable(connection)
    }
    finish(exchange, .failure(error))
  }

  private func take(
    _ outcome: consuming ClientOutcome, from connection: ClientConnection, _ session: any ClientSession
  ) {
    guard let exchange = exchanges[outcome.number], exchange.connection === connection else { return }
    switch (consume outcome).result {
    case .success(let response):
      let answer = HTTPAnswer(response: response, version: session.version, isReused: exchange.isReused)
      finish(exchange, .success(answer))
    case .failure(let failure):
      let mayRepeat =
        failure.kind == .notProcessed
        || failure.isUnheard && exchange.isReused && exchange.isIdempotent
      if mayRepeat, exchange.retryCount < configuration.retries {
        exchange.retryCount += 1
        exchange.connection = nil
        exchanges.setDeadline(of: exchange, to: exchange.deadline)
        exchange.origin.append(exchange)
        origins.touch(exchange.origin)
      } else {
        finish(
          exchange,
          .failure(
            HTTPClientError(failure.kind, exchange.origin.place, failure.reason, goAway: failure.goAway)))
      }
    }
  }

  private func dispatchTouched() {
    while !origins.isSettled {
      for origin in origins.takeTouched() { dispatch(origin) }
    }
  }

  /// Hands requests to connections with room, and opens connections for the others.
  private func dispatch(_ origin: ClientOrigin) {
    for connection in origin.connections {
      while connection.room > 0, let exchange = origin.takeFirst() { submit(exchange, to: connection) }
      // The usual end: nothing waits, and the origin has a connection to be kept for.
      if origin.waitingCount == 0 { return }
    }
    var usable = origin.connections.count { $0.isUsable }
    var opening = origin.connections.count { $0.isUsable && $0.phase != .open }
    while opening < origin.waitingCount, usable < origins.connectionLimit(of: origin) {
      guard makeRoomForConnection() else { return origins.starve(origin) }
      usable += 1
      opening += 1
      open(origin)
    }
    if origin.waitingCount == 0, origin.connections.isEmpty { origins.remove(origin) }
  }

  private func submit(_ exchange: ClientExchange, to connection: ClientConnection) {
    exchange.connection = connection
    exchange.isReused = connection.carriedCount > 0
    connection.carriedCount += 1
    connection.session?.submit(exchange.call.request, as: exchange.number)
    let (end, overflow) = now.addingReportingOverflow(answerNanoseconds)
    if !overflow, end < exchange.deadline { exchanges.setDeadline(of: exchange, to: end) }
    makeRunnable(connection)
  }

  // MARK: - Connections

  /// Closes an idle connection when there are too many.
  private func makeRoomForConnection() -> Bool {
    guard connectionCount >= configuration.limits.connections else { return true }
    guard let idle = connections.lazy.compactMap({ $0 }).first(where: { $0.isIdle }) else { return false }
    act(on: idle, idle.end())
    return true
  }

  private func open(_ origin: ClientOrigin) {
    let id = freeConnections.popLast() ?? Int32(connections.count)
    if Int(id) == connections.count { connections.append(nil) }
    nextSerial += 1
    let connection = ClientConnection(
      id: id, serial: nextSerial, origin, configuration.deadlines,
      outputBytes: configuration.limits.outputBytes, now: now)
    connections[Int(id)] = connection
    connectionCount += 1
    origin.connections.append(connection)
    setDeadline(of: connection)
    if let addresses = origin.key.addresses {
      connect(connection, addresses)
    } else {
      resolver.ask(
        ResolverThreads.Question(
          host: origin.key.host, port: origin.key.port, connection: id, serial: nextSerial))
    }
  }

  private func found(_ resolved: ClientMailbox.Resolved) {
    guard let connection = connections[Int(resolved.connection)], connection.serial == resolved.serial,
      connection.phase == .resolving
    else { return }
    switch resolved.result {
    case .success(let addresses): connect(connection, addresses)
    case .failure(let error): act(on: connection, .failed(error))
    }
  }

  private func connect(_ connection: ClientConnection, _ addresses: [SocketAddress]) {
    if let hidden = addresses.first(where: { !configuration.permits($0) }) {
      let reason = "the host has the address \(hidden.host), which is not to be asked"
      act(
        on: connection,
        .failed(HTTPClientError(.forbiddenAddress(hidden), connection.origin.place, reason)))
      return
    }
    let verdict = connection.connect(addresses, now: now, watch: watcher(connection.id))
    act(on: connection, verdict)
    setDeadline(of: connection)
  }

  /// Has the news of a socket come to a connection.
  private func watcher(_ id: Int32) -> (Socket) -> String? {
    { [unowned self] socket in
      if let reason = poller.watch(socket.descriptor, forRoom: true) { return reason }
      while owners.count <= Int(socket.descriptor) { owners.append(-1) }
      owners[Int(socket.descriptor)] = id
      return nil
    }
  }

  private func handle(_ event: Poller.Event) {
    if event.descriptor == wakeup.descriptor {
      wakeup.drain()
      return
    }
    guard owners.indices.contains(Int(event.descriptor)), owners[Int(event.descriptor)] >= 0,
      let connection = connections[Int(owners[Int(event.descriptor)])]
    else { return }
    switch connection.phase {
    case .connecting:
      let watch = watcher(connection.id)
      let (socket, verdict) = connection.decided(event.descriptor, now: now, watch: watch)
      if let socket {
        begin(connection, socket)
      } else {
        act(on: connection, verdict)
        setDeadline(of: connection)
      }
    case .handshaking, .open:
      connection.ready(
        toRead: event.isReadable, toWrite: event.isWritable, isEnd: event.isEnd || event.isGone)
      turn(connection)
    case .resolving, .closed: break
    }
  }

  private func begin(_ connection: ClientConnection, _ socket: Socket) {
    do throws(TLSError) {
      connection.begin(try transports.make(socket, to: connection.origin.key), now: now)
      turn(connection)
    } catch {
      act(
        on: connection,
        .failed(HTTPClientError(.unusableTrust, connection.origin.place, error.description)))
    }
  }

  private func makeSession(_ agreed: String?, _ connection: ClientConnection) -> any ClientSession {
    let isHTTP2 = agreed == "h2" || configuration.protocols == .http2
    connection.origin.version = isHTTP2 ? .http2 : .http1
    return isHTTP2
      ? HTTP2ClientSession(http2)
      : HTTP1ClientSession(limits: configuration.messages, cutsBody: configuration.cutsBody)
  }

  private func makeRunnable(_ connection: ClientConnection) {
    guard !connection.isRunnable else { return }
    connection.isRunnable = true
    runnable.append(connection)
  }

  private func runRunnable() {
    let connections = runnable
    runnable.removeAll(keepingCapacity: true)
    for connection in connections {
      connection.isRunnable = false
      if connection.phase != .closed { turn(connection) }
    }
  }

  private func turn(_ connection: ClientConnection) {
    let before = connection.deadline
    let verdict = connection.turn(memory, now: now) { makeSession($0, connection) }
    act(on: connection, verdict)
    guard connection.phase != .closed else { return }
    if connection.phase == .open { connection.noteIdleness(now) }
    if connection.deadline != before { setDeadline(of: connection) }
    // It may have room now, or be the one that others waited for.
    if connection.origin.waitingCount > 0 { origins.touch(connection.origin) }
  }

  private func setDeadline(of connection: ClientConnection) {
    guard connection.phase != .closed else { return }
    if connection.deadline > Int64.max - DeadlineWheel.tickNanoseconds {
      connectionWheel.cancel(connection.id)
    } else {
      connectionWheel.set(connection.id, to: connection.deadline)
    }
  }

  /// Does what a connection's verdict asks for, and takes its outcomes.
  private func act(on connection: ClientConnection, _ verdict: ClientConnection.Verdict) {
    if let session = connection.session {
      // From the end of a reversed list, so that each outcome is moved out and not copied.
      var outcomes = session.takeOutcomes()
      outcomes.reverse()
      while let outcome = outcomes.popLast() { take(outcome, from: connection, session) }
    }
    switch verdict {
    case .waits: break
    case .goesOn: makeRunnable(connection)
    case .closed where connection.carriedCount == 0:
      // Another one would end like it.
      let reason = "the connection ended before a request was sent"
      fail(connection, HTTPClientError(.connectionLost, connection.origin.place, reason))
    case .closed: release(connection)
    case .failed(let error): fail(connection, error)
    }
  }

  /// No connection came about: others may still carry what waits; if there is none, nobody will.
  private func fail(_ connection: ClientConnection, _ error: HTTPClientError) {
    connection.close()
    release(connection)
    guard !connection.origin.connections.contains(where: { $0.isUsable }) else { return }
    for exchange in connection.origin.takeAll() { finish(exchange, .failure(error)) }
  }

  private func release(_ connection: ClientConnection) {
    guard connections[Int(connection.id)] === connection else { return }
    connections[Int(connection.id)] = nil
    freeConnections.append(connection.id)
    connectionCount -= 1
    connectionWheel.cancel(connection.id)
    connection.origin.connections.removeAll { $0 === connection }
    origins.touch(connection.origin)
    origins.touchStarved()
  }

  private func abandonAll() {
    for connection in connections { _ = connection?.end() }
    let end = HTTPClientError(.shutDown, "", "the client was shut down")
    for exchange in exchanges.all {
      finish(exchange, .failure(HTTPClientError(end.kind, exchange.origin.place, end.reason)))
    }
    mailbox.close(end)
  }
}
