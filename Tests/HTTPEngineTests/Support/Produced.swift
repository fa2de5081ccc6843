import HTTPEngine

@testable import HTTPClientEngine
@testable import HTTPTransport

extension OutputQueue {
  /// Everything that waits to be written, as if a peer had taken it.
  mutating func takeAll() -> [UInt8] {
    var bytes: [UInt8] = []
    while !isEmpty {
      write { piece in
        bytes.append(contentsOf: piece)
        return piece.count
      }
    }
    return bytes
  }
}
