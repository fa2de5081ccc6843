internal import Glibc

/// TCP without TLS.
final class PlainTransport: Transport {
  private let socket: Socket

  init(_ socket: consuming Socket) { self.socket = socket }

  var applicationProtocol: String? { nil }

  var isEncrypted: Bool { false }

  func handshake() -> TransportStep { .done }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportRead { socket.read(into: buffer) }

  var isDrained: Bool { socket.isDrained }

  var hasBeenFull: Bool { socket.hasBeenFull }

  func write(_ bytes: UnsafeBufferPointer<UInt8>) -> TransportWrite { socket.write(bytes) }

  func expectEnd() { socket.expectEnd() }

  func finishWriting() { socket.finishWriting() }

  func endTurn() { socket.endTurn() }

  func close(reset: Bool) { socket.close(reset: reset) }
}
