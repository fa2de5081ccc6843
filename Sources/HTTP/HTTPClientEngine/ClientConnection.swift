internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanCore

/// One connection of a client from the search for addresses to its end. Confined to the loop's thread.
///
/// It asks nobody and waits for nothing: the loop tells it what happened and does what it says.
final class ClientConnection {
  enum Phase {
    case resolving
    case connecting
    case handshaking
    case open
    case closed
  }

  /// What the loop has to do after a turn.
  enum Verdict {
    case waits
    /// There is more to do, and others come first.
    case goesOn
    /// It is closed; requests in flight have their outcome.
    case closed
    /// No connection came about.
    case failed(HTTPClientError)
  }

  /// Reads in one turn, after which other connections come first.
  private static let readsPerTurn = 16

  let id: Int32
  /// Tells it from earlier connections with the same ``id``.
  let serial: Int
  let origin: ClientOrigin
  private(set) var phase = Phase.resolving
  private(set) var session: (any ClientSession)?
  /// Requests it has carried.
  var carriedCount = 0
  var isRunnable = false
  /// When ``expire(now:)`` is to be called, in monotonic nanoseconds.
  private(set) var deadline: Int64

  /// When an open connection without a request is given up.
  private var idleDeadline = Int64.max
  /// When it is given up unless a PING is answered before.
  private var pongDeadline = Int64.max
  /// Reads that brought something, and how many there were when the last PING was sent.
  private var heardCount = 0
  private var heardBefore = 0
  /// When the server is asked whether it is still there, since requests are under way and nothing comes.
  private var silenceDeadline = Int64.max
  /// When bytes came last.
  private var lastHeard: Int64 = 0
  private let deadlines: ClientDeadlines
  private let outputBytes: Int
  private let connectDeadline: Int64
  private var addresses: ArraySlice<SocketAddress> = []
  private var attempts: [(socket: Socket, address: SocketAddress)] = []
  private var lastError: HTTPClientError?
  private var transport: (any Transport)?
  private var output = OutputQueue(keepsMemory: true)
  private var isReadable = true
  /// The server's end, or the socket's, was announced: it has to be read, and is not announced again.
  private var isEndAnnounced = false
  private var isBlocked = false
  private var hasMore = false
  private var wasIdle = false

  init(
    id: Int32, serial: Int, _ origin: ClientOrigin, _ deadlines: ClientDeadlines, outputBytes: Int, now: Int64
  ) {
    self.id = id
    self.serial = serial
    self.origin = origin
    self.deadlines = deadlines
    self.outputBytes = outputBytes
    connectDeadline = Self.time(now, after: deadlines.connect)
    deadline = connectDeadline
  }

  private static func time(_ now: Int64, after duration: Duration) -> Int64 {
    let (sum, overflow) = now.addingReportingOverflow(duration.nanoseconds)
    return overflow ? .max : sum
  }

  var room: Int { phase == .open ? session?.room ?? 0 : 0 }

  /// Whether it takes requests, now or later.
  var isUsable: Bool {
    switch phase {
    case .resolving, .connecting, .handshaking: true
    case .open: session?.isLeaving == false
    case .closed: false
    }
  }

  var isIdle: Bool { phase == .open && session?.inFlightCount == 0 }

  // MARK: - Connecting

  /// Begins with the first address; `watch` has the loop tell of a socket's news, or says why it cannot.
  func connect(_ addresses: [SocketAddress], now: Int64, watch: (Socket) -> String?) -> Verdict {
    phase = .connecting
    self.addresses = addresses[...]
    return tryNext(now: now, watch: watch)
  }

  private func tryNext(now: Int64, watch: (Socket) -> String?) -> Verdict {
    while let address = addresses.popFirst() {
      switch ConnectAttempt.begin(address) {
      case .failed(let code): lastError = ConnectAttempt.error(code, address, origin.place)
      case .begun(let socket):
        if let reason = watch(socket) {
          lastError = HTTPClientError(.cannotConnect, origin.place, "watching a socket: \(reason)")
          continue
        }
        attempts.append((socket, address))
        let next = Self.time(now, after: deadlines.nextAddress)
        deadline = addresses.isEmpty ? connectDeadline : min(connectDeadline, next)
        return .waits
      }
    }
    deadline = connectDeadline
    guard attempts.isEmpty else { return .waits }
    return .failed(
      lastError ?? HTTPClientError(.cannotConnect, origin.place, "there is no address to connect to"))
  }

  /// News of a socket that is connecting.
  ///
  /// - Returns: The socket when it is the first that is connected, and otherwise what to do.
  func decided(_ descriptor: CInt, now: Int64, watch: (Socket) -> String?) -> (Socket?, Verdict) {
    guard let index = attempts.firstIndex(where: { $0.socket.descriptor == descriptor }) else {
      return (nil, .waits)
    }
    let (socket, address) = attempts[index]
    let code = ConnectAttempt.outcome(of: socket)
    if code == 0 {
      attempts.remove(at: index)
      for other in attempts { other.socket.close(reset: true) }
      attempts = []
      addresses = []
      return (socket, .waits)
    }
    // News of an earlier socket of the same number.
    if code == EINPROGRESS { return (nil, .waits) }
    attempts.remove(at: index)
    socket.close(reset: true)
    lastError = ConnectAttempt.error(code, address, origin.place)
    return (nil, attempts.isEmpty || !addresses.isEmpty ? tryNext(now: now, watch: watch) : .waits)
  }

  /// Goes on with a socket that is connected.
  func begin(_ transport: any Transport, now: Int64) {
    self.transport = transport
    phase = .handshaking
    deadline = Self.time(now, after: deadlines.handshake)
  }

  // MARK: - Turns

  func ready(toRead: Bool, toWrite: Bool, isEnd: Bool) {
    if toRead || isEnd {
      isReadable = true
      transport?.noteReadable()
    }
    if isEnd { isEndAnnounced = true }
    if toWrite { isBlocked = false }
  }

  /// Does what can be done without waiting.
  ///
  /// - Parameters:
  ///   - memory: To read into.
  ///   - makeSession: Makes the session for the protocol agreed on.
  func turn(
    _ memory: UnsafeMutableRawBufferPointer, now: Int64, makeSession: (String?) -> any ClientSession
  ) -> Verdict {
    guard let transport, phase != .closed else { return phase == .closed ? .closed : .waits }
    defer { transport.endTurn() }
    if phase == .handshaking {
      switch transport.handshake() {
      case .wouldBlock:
        isReadable = false
        return .waits
      case .failed(let reason): return .failed(handshakeError(transport, reason))
      case .done:
        session = makeSession(transport.applicationProtocol)
        phase = .open
        noteIdleness(now)
        // What waits for the connection goes before what the server may say of itself.
        return .goesOn
      }
    }
    guard let session else { return .waits }
    var reads = 0
    while true {
      if !isBlocked { write(session, transport) }
      if session.isFinished, output.isEmpty || isBlocked { return close() }
      guard isReadable else { return hasMore && !isBlocked ? .goesOn : .waits }
      guard reads < Self.readsPerTurn else { return .goesOn }
      reads += 1
      switch transport.read(into: memory) {
      case .bytes(let count):
        lastHeard = now
        heardCount += 1
        session.receive(
          UnsafeBufferPointer(
            UnsafeMutableRawBufferPointer(rebasing: memory[..<count]).assumingMemoryBound(to: UInt8.self)))
        if transport.isDrained, !isEndAnnounced { isReadable = false }
      case .wouldBlock: isReadable = false
      case .end:
        session.receiveEnd(nil)
        return close()
      case .failed(let reason):
        session.receiveEnd(reason)
        return close()
      }
    }
  }

  /// Has what was submitted since leave, without reading.
  private func write(_ session: any ClientSession, _ transport: any Transport) {
    repeat {
      hasMore = !session.produce(into: &output, limitBytes: outputBytes)
      while !output.isEmpty, !isBlocked {
        var isLost = false
        output.write { bytes in
          switch transport.write(bytes) {
          case .bytes(let count): return count
          case .wouldBlock:
            isBlocked = true
            return 0
          case .failed:
            isLost = true
            return 0
          }
        }
        if isLost {
          // A server that refuses early may have an answer for us to read, or the next read says what happened.
          isBlocked = true
          isReadable = true
        }
      }
    } while hasMore && !isBlocked
  }

  /// Notes when the connection is given up if nobody asks for anything, or asked for a sign of life if nothing comes.
  func noteIdleness(_ now: Int64) {
    let isIdle = session?.inFlightCount == 0
    // Whatever comes shows that somebody is there.
    let isAnswered = pongDeadline != .max && heardCount > heardBefore
    guard isIdle != wasIdle || isAnswered else { return }
    if isAnswered { pongDeadline = .max }
    if isIdle != wasIdle { idleDeadline = isIdle ? Self.time(now, after: deadlines.idle) : .max }
    wasIdle = isIdle
    silenceDeadline = deadlines.silence.map { isIdle ? .max : Self.time(now, after: $0) } ?? .max
    updateDeadline()
  }

  private func updateDeadline() { deadline = min(idleDeadline, pongDeadline, silenceDeadline) }

  /// Asks the server whether it is still there, unless it is being asked.
  ///
  /// - Returns: Whether there is something to write.
  func ping(_ now: Int64) -> Bool {
    guard phase == .open, pongDeadline == .max, let session, session.ping() else { return false }
    heardBefore = heardCount
    pongDeadline = Self.time(now, after: deadlines.pong)
    updateDeadline()
    return true
  }

  /// Asks the server whether it is still there if nothing has come for long enough.
  private func askWhenSilent(_ silence: Duration, now: Int64) -> Verdict {
    let due = Self.time(lastHeard, after: silence)
    silenceDeadline = due > now ? due : .max
    defer { updateDeadline() }
    return due <= now && ping(now) ? .goesOn : .waits
  }

  // MARK: - The end

  /// The deadline has passed.
  func expire(now: Int64, watch: (Socket) -> String?) -> Verdict {
    switch phase {
    case .connecting where now < connectDeadline: return tryNext(now: now, watch: watch)
    case .resolving:
      return .failed(HTTPClientError(.timeout, origin.place, "no address was found in time"))
    case .connecting:
      return .failed(HTTPClientError(.timeout, origin.place, "no address takes the connection in time"))
    case .handshaking:
      return .failed(HTTPClientError(.timeout, origin.place, "no TLS handshake in time"))
    case .open where now >= pongDeadline:
      session?.receiveEnd("the server did not answer a PING")
      return close()
    case .open where now >= silenceDeadline: return askWhenSilent(deadlines.silence ?? .zero, now: now)
    case .open: return isIdle && now >= idleDeadline ? end() : .waits
    case .closed: return .closed
    }
  }

  /// Says goodbye and closes.
  func end() -> Verdict {
    if let session, let transport, phase == .open {
      session.end()
      if !isBlocked { write(session, transport) }
      transport.finishWriting()
    }
    return close()
  }

  @discardableResult
  func close() -> Verdict {
    guard phase != .closed else { return .closed }
    phase = .closed
    session?.receiveEnd(nil)
    for attempt in attempts { attempt.socket.close(reset: true) }
    attempts = []
    transport?.close(reset: false)
    return .closed
  }

  private func handshakeError(_ transport: any Transport, _ reason: String) -> HTTPClientError {
    let problem = (transport as? TLSTransport)?.certificateProblem
    let text =
      switch problem {
      case .expired: "the certificate has expired"
      case .notYetValid: "the certificate is not valid yet"
      case .unknownIssuer: "the certificate's issuer is not trusted"
      case .wrongName: "the certificate is for other hosts"
      case .other(let text): text
      case nil: "the TLS handshake failed: \(reason)"
      }
    return HTTPClientError(problem.map { .tls($0) } ?? .handshake, origin.place, text)
  }
}
