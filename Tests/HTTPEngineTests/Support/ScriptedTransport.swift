@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A transport made of arrays: what comes in is put there by the test, what goes out is kept.
final class ScriptedTransport: Transport {
  var applicationProtocol: String?
  var handshakes: [TransportStep] = []
  var incoming: [TransportRead] = []
  var incomingBytes: [UInt8] = []
  /// How much may be written before it blocks.
  var room = Int.max
  var written: [UInt8] = []
  var writeCount = 0
  /// What had been written when the end was said to be near.
  var writtenBeforeEnd: [UInt8]?
  var hasFinishedWriting = false
  var closed: Bool?
  var hasSentAlert = false

  var text: String { String(decoding: written, as: UTF8.self) }

  func arrive(_ text: String) { incomingBytes += Array(text.utf8) }

  var isEncrypted: Bool { false }

  func handshake() -> TransportStep { handshakes.isEmpty ? .done : handshakes.removeFirst() }

  /// What an earlier turn took from the socket and left, as TLS does.
  var readAhead: [UInt8] = []
  /// What the socket said of the last read of it.
  var lastReadWasShort = false

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportRead {
    if !readAhead.isEmpty {
      buffer.copyBytes(from: readAhead)
      defer { readAhead = [] }
      return .bytes(readAhead.count)
    }
    if !incomingBytes.isEmpty {
      let count = min(buffer.count, incomingBytes.count)
      buffer.copyBytes(from: incomingBytes[..<count])
      incomingBytes.removeFirst(count)
      return .bytes(count)
    }
    return incoming.isEmpty ? .wouldBlock : incoming.removeFirst()
  }

  var isDrained: Bool { lastReadWasShort && readAhead.isEmpty }

  func noteReadable() { lastReadWasShort = false }

  var hasBeenFull: Bool { true }

  func write(_ bytes: UnsafeBufferPointer<UInt8>) -> TransportWrite {
    let count = min(room, bytes.count)
    if count == 0 { return .wouldBlock }
    writeCount += 1
    room -= count
    written += Array(bytes[..<count])
    return .bytes(count)
  }

  func expectEnd() { writtenBeforeEnd = writtenBeforeEnd ?? written }

  func finishWriting() { hasFinishedWriting = true }

  func endTurn() {}

  func close(reset: Bool) { closed = reset }
}
