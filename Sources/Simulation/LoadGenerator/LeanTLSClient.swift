internal import CGnuTLS
internal import Glibc

/// The client's side of TLS 1.3 on one socket, with as little work as a server can be loaded with (``LeanTLSContext``).
///
/// It checks what the server's Finished message says, so that a handshake that counts is a whole one; it verifies no
/// certificate. The client's own Finished message leaves together with the first request.
final class LeanTLSClient: LoadTLS {
  private enum Step {
    case hello
    case serverHello
    /// The server's protected messages, up to Finished.
    case flight
    case open
  }

  private(set) var failure = LoadFailure.Cause.end
  private let context: LeanTLSContext
  private let descriptor: CInt
  private var step = Step.hello
  /// What was received and not yet dealt with, from ``start`` on.
  private var input: [UInt8] = []
  private var start = 0
  /// The handshake's messages so far, as both sides hash them; those of the server may still be incomplete.
  private var transcript: [UInt8] = []
  private var messageStart = 0
  private var handshakeSecret = LeanTLSContext.Digest()
  private var serverSecret = LeanTLSContext.Digest()
  private var clientSecret = LeanTLSContext.Digest()
  private var readKeys: RecordKeys?
  private var writeKeys: RecordKeys?
  /// A record that waits for the first request.
  private var finished: [UInt8] = []
  /// The socket had no more at the last look, and has had no news since.
  private var isDrained = false
  /// The peer ended its side.
  private var isEnded = false

  /// Ours: more than any chain of certificates.
  private static let transcriptLimit = 1 << 17

  init(_ descriptor: CInt, _ context: LeanTLSContext) {
    self.descriptor = descriptor
    self.context = context
  }

  // MARK: - Records

  private struct Record {
    let kind: UInt8
    /// In ``input``.
    let body: Range<Int>
  }

  private enum Arrival {
    case record(Record)
    case none
    case ended
    case failed
  }

  private func fail(_ code: CInt) -> Arrival {
    failure = .tls(code)
    return .failed
  }

  /// The next record, unprotected where the step protects them.
  private func next() -> Arrival {
    while true {
      let available = input.count - start
      if available >= 5 {
        let length = Int(input[start + 3]) << 8 | Int(input[start + 4])
        guard length <= LeanTLSContext.recordLimit, (20...23).contains(input[start]) else {
          return fail(GNUTLS_E_UNEXPECTED_PACKET_LENGTH)
        }
        if available >= 5 + length { return take(length) }
      }
      if isEnded { return .ended }
      if isDrained { return .none }
      guard receive() else { return .failed }
    }
  }

  private func take(_ length: Int) -> Arrival {
    let head = start
    let body = head + 5..<head + 5 + length
    start = body.upperBound
    let kind = input[head]
    guard readKeys != nil, kind == 23 else {
      // In the clear: alerts before there are keys, and what is there for the sake of old middle boxes (RFC 8446, D.4).
      if kind == 23 || kind == 22 && readKeys != nil { return fail(GNUTLS_E_UNEXPECTED_PACKET) }
      return .record(Record(kind: kind, body: body))
    }
    guard length > LeanTLSContext.tagBytes else { return fail(GNUTLS_E_UNEXPECTED_PACKET_LENGTH) }
    let content = body.lowerBound..<body.upperBound - LeanTLSContext.tagBytes
    let isOpen = input.withUnsafeMutableBytes { input in
      context.open(
        UnsafeMutableRawBufferPointer(rebasing: input[content]),
        head: UnsafeRawBufferPointer(rebasing: input[head..<head + 5]), readKeys!)
    }
    guard isOpen else { return fail(GNUTLS_E_DECRYPTION_FAILED) }
    readKeys!.advance()
    // The kind is the last byte that is not zero (RFC 8446, 5.2).
    guard let last = input[content].lastIndex(where: { $0 != 0 }) else {
      return fail(GNUTLS_E_UNEXPECTED_PACKET)
    }
    return .record(Record(kind: input[last], body: content.lowerBound..<last))
  }

  /// - Returns: False when it failed.
  private func receive() -> Bool {
    if start == input.count {
      input.removeAll(keepingCapacity: true)
    } else if start > 0 {
      input.removeSubrange(..<start)
    }
    start = 0
    let memory = context.memory
    let count = recv(descriptor, memory.baseAddress, memory.count, 0)
    if count < 0 {
      guard errno == EAGAIN else {
        failure = .system(errno)
        return false
      }
      isDrained = true
    } else if count == 0 {
      isEnded = true
    } else {
      input += UnsafeRawBufferPointer(rebasing: memory[..<count])
      // A short count means that there is no more, and news follow when there is (epoll(7), "edge-triggered").
      isDrained = count < memory.count
    }
    return true
  }

  func endTurn() { isDrained = false }

  /// - Returns: False when they could not be sent whole.
  private func send(_ bytes: [UInt8]) -> Bool {
    let count = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    if count == bytes.count { return true }
    failure = .system(count < 0 ? errno : EAGAIN)
    return false
  }

  /// Appends a protected record with the bytes.
  private func protect(_ bytes: [UInt8], kind: UInt8, with keys: inout RecordKeys, into output: inout [UInt8])
    -> Bool
  {
    let head = output.count
    let length = bytes.count + 1 + LeanTLSContext.tagBytes
    output += [23, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)]
    output += bytes
    output.append(kind)
    output += repeatElement(0, count: LeanTLSContext.tagBytes)
    let content = head + 5..<output.count - LeanTLSContext.tagBytes
    let isSealed = output.withUnsafeMutableBytes { output in
      context.seal(
        UnsafeMutableRawBufferPointer(rebasing: output[content]),
        head: UnsafeRawBufferPointer(rebasing: output[head..<head + 5]), keys)
    }
    keys.advance()
    return isSealed
  }

  func write(_ bytes: [UInt8]) -> LoadFailure.Cause? {
    guard bytes.count <= 16_384, var keys = writeKeys else { return .tls(GNUTLS_E_INTERNAL_ERROR) }
    var output = finished
    finished = []
    guard protect(bytes, kind: 23, with: &keys, into: &output) else {
      return .tls(GNUTLS_E_ENCRYPTION_FAILED)
    }
    writeKeys = keys
    return send(output) ? nil : failure
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      switch next() {
      case .none: return nil
      case .ended: return 0
      case .failed: return -1
      case .record(let record):
        switch record.kind {
        case 23 where !record.body.isEmpty:
          let count = min(buffer.count, record.body.count)
          // A record is smaller than what a load reads with.
          input.withUnsafeBytes { input in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[record.body.prefix(count)]))
          }
          return count
        case 21:
          // close_notify.
          if input[record.body].last == 0 { return 0 }
          noteAlert(record)
          return -1
        // Session tickets.
        default: continue
        }
      }
    }
  }

  private func noteAlert(_ record: Record) { failure = .alert(UInt32(input[record.body].last ?? 0)) }

  // MARK: - Handshake

  func handshake() -> Bool? {
    if step == .hello {
      guard sendHello() else { return nil }
      step = .serverHello
    }
    while step != .open {
      switch next() {
      case .none: return false
      case .failed: return nil
      case .ended:
        failure = .end
        return nil
      case .record(let record):
        switch record.kind {
        case 20: continue
        case 21:
          noteAlert(record)
          return nil
        case 22:
          transcript += input[record.body]
          guard takeMessages() else { return nil }
        default:
          _ = fail(GNUTLS_E_UNEXPECTED_PACKET)
          return nil
        }
      }
    }
    return true
  }

  private func sendHello() -> Bool {
    var hello = context.hello
    var generator = SystemRandomNumberGenerator()
    for word in 0..<4 {
      let random = generator.next()
      for byte in 0..<8 {
        hello[LeanTLSContext.helloRandomPlace + word * 8 + byte] = UInt8(
          truncatingIfNeeded: random >> (8 * UInt64(byte)))
      }
    }
    transcript = Array(hello[5...])
    messageStart = transcript.count
    return send(hello)
  }

  /// Deals with the messages that are whole.
  private func takeMessages() -> Bool {
    while step != .open, transcript.count - messageStart >= 4 {
      let head = messageStart
      let length =
        Int(transcript[head + 1]) << 16 | Int(transcript[head + 2]) << 8 | Int(transcript[head + 3])
      let end = head + 4 + length
      guard end <= Self.transcriptLimit else {
        _ = fail(GNUTLS_E_UNEXPECTED_PACKET_LENGTH)
        return false
      }
      guard end <= transcript.count else { return true }
      messageStart = end
      let isFine =
        switch (step, transcript[head]) {
        case (.serverHello, 2): take(hello: head..<end)
        // Extensions, the certificate and the signature of the handshake.
        case (.flight, 8), (.flight, 11), (.flight, 15): true
        case (.flight, 20): take(finished: head..<end)
        // A request for a certificate, too.
        default: false
        }
      guard isFine else {
        _ = fail(GNUTLS_E_UNEXPECTED_HANDSHAKE_PACKET)
        return false
      }
    }
    return true
  }

  private func hashTranscript(to end: Int) -> LeanTLSContext.Digest {
    transcript.withUnsafeBytes { context.hash(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
  }

  private func take(hello message: Range<Int>) -> Bool {
    guard message.upperBound == transcript.count,
      let hello = ServerHello(transcript[message.lowerBound + 4..<message.upperBound]),
      let secret = transcript.withUnsafeBytes({
        context.handshakeSecret(with: UnsafeRawBufferPointer(rebasing: $0[hello.share]))
      })
    else { return false }
    handshakeSecret = secret
    let digest = hashTranscript(to: message.upperBound)
    clientSecret = context.expand(secret, "c hs traffic", digest)
    serverSecret = context.expand(secret, "s hs traffic", digest)
    readKeys = RecordKeys(context, serverSecret)
    step = .flight
    return true
  }

  private func finishedBytes(_ secret: LeanTLSContext.Digest, upTo end: Int) -> LeanTLSContext.Digest {
    let key = context.expand(secret, "finished")
    return withUnsafeBytes(of: hashTranscript(to: end)) { context.authenticate($0, with: key) }
  }

  private func take(finished message: Range<Int>) -> Bool {
    let expected = finishedBytes(serverSecret, upTo: message.lowerBound)
    guard message.count == 36, message.upperBound == transcript.count,
      (0..<32).allSatisfy({ transcript[message.lowerBound + 4 + $0] == expected[$0] })
    else { return false }
    let own = finishedBytes(clientSecret, upTo: message.upperBound)
    var keys = RecordKeys(context, clientSecret)
    let body = [20, 0, 0, 32] + (0..<32).map { own[$0] }
    guard protect(body, kind: 22, with: &keys, into: &finished) else { return false }
    let derived = context.expand(handshakeSecret, "derived", context.hashOfNothing)
    let master = withUnsafeBytes(of: LeanTLSContext.Digest()) { context.authenticate($0, with: derived) }
    let digest = hashTranscript(to: message.upperBound)
    writeKeys = RecordKeys(context, context.expand(master, "c ap traffic", digest))
    readKeys = RecordKeys(context, context.expand(master, "s ap traffic", digest))
    transcript = []
    step = .open
    return true
  }
}
