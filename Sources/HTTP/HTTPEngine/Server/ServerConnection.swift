internal import HTTPTransport
internal import LinkspanCore

/// One accepted connection: carries bytes between its transport and its protocol, and knows its deadline.
///
/// Confined to the thread of its loop. It sees no socket and no clock of its own, so a test drives it with a
/// transport made of arrays.
final class ServerConnection {
  enum Verdict: Equatable {
    /// Until the transport has news or the deadline passes.
    case waits
    /// It has used up its turn and has more to do.
    case goesOn
    /// Over; the transport is closed.
    case closed
  }

  /// Reads in one turn, after which others come first.
  static let readsPerTurn = 8
  /// Bytes written in one turn, after which others come first: a streamed answer may never end. A guess.
  static let writtenPerTurnBytes = 4_194_304

  /// When ``expire(_:)`` is due: monotonic nanoseconds.
  private(set) var deadline: Int64 = .max

  /// Why it ended, or will when what is under way has ended.
  private(set) var closing: ServerClosing?

  private let transport: any Transport
  private let rules: ConnectionRules
  private let place: ConnectionPlace?
  private let makeProtocol: (String?) -> any ServerProtocol
  private var conversation: (any ServerProtocol)?
  private var output = OutputQueue()
  private var isReadable = true
  private var isEndAnnounced = false
  private var isGone = false
  private var isBlocked = false
  private var peerEnded = false
  private var hasMore = false
  /// Answers were delivered since the last turn.
  private var hasAnswers = false
  private var isStopping = false
  private var isDiscarding = false
  private var isClosed = false
  private var discardedBytes = 0
  private var writtenBytes = 0
  private var hasReceived = false
  private var timed: Timed?
  /// Of ``output``, as they were counted last.
  private var notedBytes = 0

  /// What a deadline is set for; another value starts another one.
  private struct Timed: Equatable {
    var wait: ServerWait
    var progress: Int
  }

  /// - Parameters:
  ///   - place: Left when the connection ends.
  ///   - makeProtocol: Makes the conversation for the protocol agreed on in the handshake.
  init(
    _ transport: any Transport, _ rules: ConnectionRules, place: ConnectionPlace? = nil,
    makeProtocol: @escaping (String?) -> any ServerProtocol
  ) {
    self.transport = transport
    self.rules = rules
    self.place = place
    self.makeProtocol = makeProtocol
  }

  /// Takes note of what the socket says; ``turn(_:)`` acts on it.
  ///
  /// - Parameters:
  ///   - ends: The peer's end has been announced, and has to be read.
  ///   - isGone: The socket has failed; reading would say so.
  func ready(toRead: Bool, toWrite: Bool, ends: Bool = false, isGone: Bool = false) {
    if isGone { self.isGone = true }
    if toRead {
      isReadable = true
      transport.noteReadable()
    }
    if ends { isEndAnnounced = true }
    if toWrite { isBlocked = false }
  }

  /// Does all that can be done now.
  func turn(_ turn: ServerTurn) -> Verdict {
    hasAnswers = false
    let verdict = go(on: turn)
    if !isClosed {
      transport.endTurn()
      noteOutput()
    }
    return verdict
  }

  /// Acts on a deadline that has passed.
  func expire(_ turn: ServerTurn) -> Verdict {
    guard let conversation, let timed else { return close(.handshakeDeadline, reset: true) }
    closing =
      closing ?? conversation.closing
      ?? { () -> ServerClosing? in
        switch timed.wait {
        case .handshake: .handshakeDeadline
        case .request: hasReceived ? .idle : .headerDeadline
        case .lastRequest: .stopped
        case .header: .headerDeadline
        // HTTP/2 gives up one request for it and goes on.
        case .body: conversation is HTTP1Server ? .bodyDeadline : nil
        case .handler: nil
        case .write: .writeDeadline
        // A client of HTTP/2 that does not answer the notice of the stop.
        case .close where isStopping && !isDiscarding: .stopped
        case .close, .nothing, .nothingYetSending: .closeDeadline
        }
      }()
    switch timed.wait {
    case .handshake, .nothing, .nothingYetSending: return close(.closeDeadline, reset: true)
    // Each answer has its own deadline, which is the loop's.
    case .handler: return .waits
    case .write, .close:
      // Either the socket is at a stop, which no protocol can mend, or the conversation is.
      guard output.isEmpty, !isDiscarding else { return close(.closeDeadline, reset: true) }
      fallthrough
    case .request, .lastRequest, .header, .body:
      conversation.expire(into: &output, date: turn.date)
      return self.turn(turn)
    }
  }

  /// Has an answer that was not there at once; ``turn(_:)`` sends it, with others that have come.
  ///
  /// - Returns: Whether the connection needs a turn for it and was not told so before.
  func deliver(
    _ response: HTTPResponse, _ number: Int, at place: PendingAnswers.Place, _ turn: ServerTurn
  ) -> Bool {
    guard !isClosed, let conversation else { return false }
    conversation.deliver(response, number: number, stream: place.stream, into: &output, date: turn.date)
    // What came behind the request has waited.
    hasMore = !isDiscarding
    defer { hasAnswers = true }
    return !hasAnswers
  }

  /// Has news of a streamed body.
  func resume(body number: Int, at place: PendingAnswers.Place, _ turn: ServerTurn) -> Verdict {
    guard !isClosed, let conversation else { return isClosed ? .closed : .waits }
    conversation.resume(body: number, stream: place.stream)
    hasMore = !isDiscarding
    return self.turn(turn)
  }

  /// Finishes what is in flight, takes nothing new, then closes.
  func stop(_ turn: ServerTurn) -> Verdict {
    guard !isStopping, !isClosed else { return isClosed ? .closed : .waits }
    isStopping = true
    guard let conversation else { return self.turn(turn) }
    conversation.stop()
    // HTTP/2 has something to say about it, even if nothing comes in.
    hasMore = !isDiscarding
    // A request that has arrived is in flight, even if nobody has read it yet.
    if !isDiscarding, !peerEnded, read(conversation, turn) == .closed { return .closed }
    return self.turn(turn)
  }

  /// Drops the connection without a word.
  func abort(_ reason: ServerClosing = .failed) {
    _ = close(conversation == nil ? .handshakeDropped : reason, reset: true)
  }

  /// Whether room in the socket is news for it.
  var waitsForRoom: Bool { transport.hasBeenFull }

  /// Since when it has waited for a request, in monotonic nanoseconds; nil while it does anything else.
  var idleSince: Int64? {
    guard !isClosed, !isStopping, timed?.wait == .request else { return nil }
    return deadline == .max ? 0 : deadline - (hasReceived ? rules.idle : rules.header)
  }

  /// Gives its place away, being idle: in HTTP/2 with GOAWAY, in HTTP/1.1 without a word.
  func makeRoom(_ turn: ServerTurn) -> Verdict {
    closing = closing ?? .pressure
    return expire(turn)
  }

  private func go(on turn: ServerTurn) -> Verdict {
    guard !isClosed else { return .closed }
    if isDiscarding { return discard(turn) ?? .waits }
    guard let conversation = shakeHands() else {
      if isClosed { return .closed }
      if isDiscarding { return discard(turn) ?? .waits }
      setDeadline(for: .handshake, turn)
      return .waits
    }
    var reads = 0
    let writtenBefore = writtenBytes
    while true {
      if !output.isEmpty, !isBlocked, !flush() { return close(.failed, reset: true) }
      if isDiscarding { return discard(turn) ?? .waits }
      if hasMore, output.count < rules.limits.outputBytes {
        guard writtenBytes - writtenBefore < Self.writtenPerTurnBytes else {
          setDeadline(for: .write, turn)
          return .goesOn
        }
        produce(conversation, turn)
      }
      if !output.isEmpty {
        guard isBlocked else { continue }
        setDeadline(for: .write, turn)
        return .waits
      }
      if hasMore { continue }
      switch conversation.waiting {
      case .nothing: return finish()
      case .nothingYetSending:
        if peerEnded { return finish() }
        transport.finishWriting()
        isDiscarding = true
        isReadable = true
        continue
      case .handler(isReading: false):
        if isGone { return close(.failed, reset: true) }
        setDeadline(for: .handler(isReading: false), turn)
        return .waits
      case let waiting:
        guard isReadable, !peerEnded else {
          setDeadline(for: waiting, turn)
          return .waits
        }
      }
      guard reads < Self.readsPerTurn else {
        setDeadline(for: conversation.waiting, turn)
        return .goesOn
      }
      reads += 1
      if read(conversation, turn) == .closed { return .closed }
    }
  }

  private func read(_ conversation: any ServerProtocol, _ turn: ServerTurn) -> Verdict {
    switch transport.read(into: turn.plain) {
    case .bytes(let count):
      rules.counters.add(count, to: .bytesReceived)
      conversation.receive(turn.bytes(count))
      // Which of two protocols it is, the first bytes nearly always say.
      if !hasReceived { self.conversation = conversation.current }
      hasReceived = true
      if transport.isDrained, !isEndAnnounced { isReadable = false }
      produce(conversation, turn)
    case .wouldBlock: isReadable = false
    case .end:
      peerEnded = true
      conversation.receiveEnd()
    case .failed:
      guard transport.hasSentAlert else {
        // Browsers and curl leave without a word of TLS, or with a reset, and nothing was under way.
        return close(conversation.waiting == .request ? .peer : .failed, reset: true)
      }
      awaitEnd(.failed)
    }
    return .goesOn
  }

  private func shakeHands() -> (any ServerProtocol)? {
    if let conversation { return conversation }
    switch transport.handshake() {
    case .wouldBlock: return nil
    case .failed:
      if transport.hasSentAlert {
        awaitEnd(.handshakeFailed)
      } else {
        _ = close(.handshakeFailed, reset: false)
      }
      return nil
    case .done:
      let conversation = makeProtocol(transport.applicationProtocol)
      if isStopping {
        conversation.stop()
        hasMore = true
      }
      if transport.isEncrypted { rules.counters.add(to: .handshakesDone) }
      self.conversation = conversation
      return conversation
    }
  }

  private func produce(_ conversation: any ServerProtocol, _ turn: ServerTurn) {
    hasMore = !conversation.produce(into: &output, date: turn.date, limitBytes: rules.limits.outputBytes)
  }

  /// - Returns: False when the peer has gone.
  private func flush() -> Bool {
    if !hasMore, let conversation, conversation.waiting.isEnd { transport.expectEnd() }
    var isAlive = true
    while !output.isEmpty, !isBlocked, isAlive {
      output.write { bytes in
        switch transport.write(bytes) {
        case .bytes(let count):
          writtenBytes += count
          rules.counters.add(count, to: .bytesSent)
          return count
        case .wouldBlock:
          isBlocked = true
          return 0
        case .failed:
          isAlive = false
          return 0
        }
      }
    }
    return isAlive
  }

  /// Nothing more is said after an alert; what the peer still sends is read over, for a reset could discard the alert
  /// before the peer reads it.
  private func awaitEnd(_ reason: ServerClosing) {
    closing = closing ?? conversation?.closing ?? reason
    conversation?.abandon()
    output = OutputQueue()
    hasMore = false
    transport.finishWriting()
    isDiscarding = true
    isReadable = true
  }

  /// Reads on after a refusal, for closing with unread bytes could discard the refusal before the peer reads it.
  private func discard(_ turn: ServerTurn) -> Verdict? {
    setDeadline(for: .close, turn)
    for _ in 0..<Self.readsPerTurn {
      guard isReadable else { return nil }
      switch transport.read(into: turn.plain) {
      case .bytes(let count):
        discardedBytes += count
        if discardedBytes > rules.limits.discardedBytes { return close(.discardedBytes, reset: true) }
      case .wouldBlock: isReadable = false
      case .end: return close(.peer, reset: false)
      case .failed: return close(.failed, reset: true)
      }
    }
    return .goesOn
  }

  /// All is said and written.
  private func finish() -> Verdict {
    end(.peer)
    transport.finishWriting()
    transport.close(reset: false)
    return .closed
  }

  /// - Parameter reason: Counts where nothing was the matter before.
  private func close(_ reason: ServerClosing, reset: Bool) -> Verdict {
    if !isClosed {
      end(reason)
      transport.close(reset: reset)
    }
    return .closed
  }

  /// Decrements the connection count, before the peer can see that it is over: it may be back at once, on another loop.
  private func end(_ reason: ServerClosing) {
    isClosed = true
    let reason = closing ?? conversation?.closing ?? (isStopping && reason == .peer ? .stopped : reason)
    closing = reason
    deadline = .max
    conversation?.abandon()
    output = OutputQueue()
    noteOutput()
    rules.counters.add(reason)
    place?.leave()
  }

  private func noteOutput() {
    if output.count != notedBytes { rules.counters.add(output.count - notedBytes, to: .queuedBytesNow) }
    notedBytes = output.count
  }

  private func setDeadline(for wait: ServerWait, _ turn: ServerTurn) {
    let done = conversation?.progress ?? 0
    let (patience, progress): (Int64, Int) =
      switch wait {
      case .handshake: (rules.handshake, 0)
      case .request: hasReceived ? (rules.idle, done) : (rules.header, -1)
      case .lastRequest: (rules.lastRequest, done)
      case .header: (rules.header, done)
      case .body: (rules.body, done)
      case .handler: (.max, 0)
      // The socket is at a stop, or the peer's windows are.
      case .write where output.isEmpty: (rules.write, done)
      case .write: (rules.write, writtenBytes / ServerWait.progressBytes)
      case .close, .nothing, .nothingYetSending: (rules.close, 0)
      }
    let timed = Timed(wait: wait, progress: progress)
    guard timed != self.timed else { return }
    self.timed = timed
    let (sum, overflow) = turn.now.addingReportingOverflow(patience)
    deadline = overflow ? .max : sum
  }
}
