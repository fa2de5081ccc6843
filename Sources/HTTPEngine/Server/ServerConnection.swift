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
  /// Bytes for which ``ServerDeadlines/write`` is given anew.
  static let writeProgressBytes = 65_536

  /// When ``expire(_:)`` is due: monotonic nanoseconds.
  private(set) var deadline: Int64 = .max

  /// Why it ended, or will when what is under way has ended.
  private(set) var closing: ServerClosing?

  private let transport: any Transport
  private let rules: ConnectionRules
  private let makeProtocol: (String?) -> any ServerProtocol
  private var conversation: (any ServerProtocol)?
  private var output = OutputQueue()
  private var isReadable = true
  private var isEndAnnounced = false
  private var isBlocked = false
  private var peerEnded = false
  private var hasMore = false
  private var isStopping = false
  private var isDiscarding = false
  private var isClosed = false
  private var discardedBytes = 0
  private var writtenBytes = 0
  private var hasReceived = false
  private var timed: Timed?

  /// What a deadline is set for; another value starts another one.
  private struct Timed: Equatable {
    var wait: ServerWait
    var progress: Int
  }

  /// - Parameter makeProtocol: Makes the conversation for the protocol agreed on in the handshake.
  init(
    _ transport: any Transport, _ rules: ConnectionRules,
    makeProtocol: @escaping (String?) -> any ServerProtocol
  ) {
    self.transport = transport
    self.rules = rules
    self.makeProtocol = makeProtocol
  }

  /// Takes note of what the socket says; ``turn(_:)`` acts on it.
  ///
  /// - Parameter ends: The peer's end has been announced, and has to be read.
  func ready(toRead: Bool, toWrite: Bool, ends: Bool = false) {
    if toRead { isReadable = true }
    if ends { isEndAnnounced = true }
    if toWrite { isBlocked = false }
  }

  /// Does all that can be done now.
  func turn(_ turn: ServerTurn) -> Verdict {
    let verdict = go(on: turn)
    if !isClosed { transport.endTurn() }
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
        case .write: .writeDeadline
        case .close, .nothing, .nothingYetSending: .closeDeadline
        }
      }()
    switch timed.wait {
    case .handshake, .nothing, .nothingYetSending: return close(.closeDeadline, reset: true)
    case .write, .close:
      // Either the socket is at a stop, which no protocol can mend, or the conversation is.
      guard output.isEmpty, !isDiscarding else { return close(.closeDeadline, reset: true) }
      fallthrough
    case .request, .lastRequest, .header, .body:
      conversation.expire(into: &output, date: turn.date)
      return self.turn(turn)
    }
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
    guard let conversation = shakeHands() else {
      if isClosed { return .closed }
      setDeadline(for: .handshake, turn)
      return .waits
    }
    var reads = 0
    while true {
      if !output.isEmpty, !isBlocked, !flush() { return close(.failed, reset: true) }
      if isDiscarding {
        switch discard(turn) {
        case .none: break
        case .some(let verdict): return verdict
        }
        return .waits
      }
      if hasMore, output.count < rules.limits.outputBytes { produce(conversation, turn) }
      if !output.isEmpty {
        guard isBlocked else { continue }
        setDeadline(for: .write, turn)
        return .waits
      }
      if hasMore { continue }
      switch conversation.waiting {
      case .nothing:
        transport.finishWriting()
        return close(.peer, reset: false)
      case .nothingYetSending:
        transport.finishWriting()
        if peerEnded { return close(.peer, reset: false) }
        isDiscarding = true
        isReadable = true
        continue
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
      if !hasReceived { self.conversation = conversation.settled }
      hasReceived = true
      if transport.isDrained, !isEndAnnounced { isReadable = false }
      produce(conversation, turn)
    case .wouldBlock: isReadable = false
    case .end:
      peerEnded = true
      conversation.receiveEnd()
    case .failed: return close(.failed, reset: true)
    }
    return .goesOn
  }

  private func shakeHands() -> (any ServerProtocol)? {
    if let conversation { return conversation }
    switch transport.handshake() {
    case .wouldBlock: return nil
    case .failed:
      _ = close(.handshakeFailed, reset: false)
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

  /// Reads on after a refusal, for closing with unread bytes would tear the refusal out of the peer's hands.
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

  /// - Parameter reason: Counts where nothing was the matter before.
  private func close(_ reason: ServerClosing, reset: Bool) -> Verdict {
    if !isClosed {
      isClosed = true
      closing = closing ?? conversation?.closing ?? (isStopping && reason == .peer ? .stopped : reason)
      deadline = .max
      transport.close(reset: reset)
    }
    return .closed
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
      // The socket is at a stop, or the peer's windows are.
      case .write where output.isEmpty: (rules.write, done)
      case .write: (rules.write, writtenBytes / Self.writeProgressBytes)
      case .close, .nothing, .nothingYetSending: (rules.close, 0)
      }
    let timed = Timed(wait: wait, progress: progress)
    guard timed != self.timed else { return }
    self.timed = timed
    let (sum, overflow) = turn.now.addingReportingOverflow(patience)
    deadline = overflow ? .max : sum
  }
}

extension ServerTurn {
  /// The first `count` bytes of the shared memory.
  fileprivate func bytes(_ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      UnsafeMutableRawBufferPointer(rebasing: plain[..<count]).assumingMemoryBound(to: UInt8.self))
  }
}
