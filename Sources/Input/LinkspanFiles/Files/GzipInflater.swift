internal import CZlib
package import LinkspanCore

/// Unpacks a stream of gzip members piece by piece.
package final class GzipInflater {
  private var stream = z_stream()
  private var isReady = false
  private var output = [UInt8](repeating: 0, count: 1 << 17)
  /// Whether the bytes so far end where a member ends.
  package private(set) var isAtEnd = false

  package init() {}

  /// Whether a stream is packed, by its first two bytes (RFC 1952, 2.3.1).
  package static func isPacked(_ head: [UInt8]) -> Bool { head.starts(with: [0x1F, 0x8B]) }

  deinit { if isReady { inflateEnd(&stream) } }

  /// - Returns: false when the bytes are no gzip, or broken.
  package func feed(_ bytes: [UInt8], _ body: ([UInt8]) -> Void) -> Bool {
    if !isReady {
      guard linkspan_inflate_gzip(&stream) == Z_OK else { return false }
      isReady = true
    }
    var input = bytes
    return input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      while true {
        if isAtEnd {
          guard stream.avail_in > 0 else { return true }
          inflateReset(&stream)
          isAtEnd = false
        }
        let room = output.count
        let status = output.withUnsafeMutableBufferPointer { output in
          stream.next_out = output.baseAddress
          stream.avail_out = UInt32(room)
          return inflate(&stream, Z_NO_FLUSH)
        }
        let count = room - Int(stream.avail_out)
        if count > 0 { body(Array(output[..<count])) }
        switch status {
        case Z_STREAM_END: isAtEnd = true
        case Z_OK: if stream.avail_in == 0, count < room { return true }
        case Z_BUF_ERROR: return stream.avail_in == 0
        default: return false
        }
      }
    }
  }
}

extension LinkspanError {
  /// - Parameter name: As in ``inUTF16(_:)``.
  package static func brokenGzip(_ name: String) -> LinkspanError {
    LinkspanError("\(name) is broken gzip.", help: "'gzip -t' tells where it ends.")
  }
}
