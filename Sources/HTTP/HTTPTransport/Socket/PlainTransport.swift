internal import Glibc

/// TCP without TLS.
package final class PlainTransport: Transport {
  private let socket: Socket

  package init(_ socket: consuming Socket) { self.socket = socket }

  package var applicationProtocol: String? { nil }

  package var isEncrypted: Bool { false }

  package func handshake() -> TransportStep { .done }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportRead { socket.read(into: buffer) }

  package var isDrained: Bool { socket.isDrained }

  package func noteReadable() { socket.noteReadable() }

  package var hasBeenFull: Bool { socket.hasBeenFull }

  package func write(_ bytes: UnsafeBufferPointer<UInt8>) -> TransportWrite { socket.write(bytes) }

  package func expectEnd() { socket.expectEnd() }

  package func finishWriting() { socket.finishWriting() }

  package func endTurn() { socket.endTurn() }

  package func close(reset: Bool) { socket.close(reset: reset) }
}
