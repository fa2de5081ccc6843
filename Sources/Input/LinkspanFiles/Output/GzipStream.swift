internal import CZlib
package import LinkspanCore

/// Makes a gzip file in pieces. Equal pieces make equal bytes, since it has no time in it.
package final class GzipStream {
  private var stream = z_stream()
  private var output = [UInt8](repeating: 0, count: 1 << 16)

  package init() {
    precondition(linkspan_deflate_gzip(&stream, Z_DEFAULT_COMPRESSION) == Z_OK, "zlib has no memory")
  }

  deinit { deflateEnd(&stream) }

  /// Takes more of what is compressed, and hands over what that makes of the file.
  ///
  /// - Parameters:
  ///   - isLast: Whether the file ends with it; nothing can be added afterwards.
  ///   - take: Called with one piece of the file after the other, each of at most 64 KB.
  /// - Throws: What `take` throws.
  package func add(
    _ bytes: [UInt8], isLast: Bool = false, _ take: (ArraySlice<UInt8>) throws(LinkspanError) -> Void
  ) throws(LinkspanError) {
    var input = bytes
    var count = 0
    var start = 0
    repeat {
      count = input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress.map { $0 + start }
        stream.avail_in = UInt32(input.count - start)
        return output.withUnsafeMutableBufferPointer { output in
          stream.next_out = output.baseAddress
          stream.avail_out = UInt32(output.count)
          _ = deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
          start = input.count - Int(stream.avail_in)
          return output.count - Int(stream.avail_out)
        }
      }
      try take(output[..<count])
    } while count == output.count
  }
}
