import CZlib

/// zlib, as the other side of the library's own expansion.
enum Deflater {
  /// - Parameters:
  ///   - level: 0 stores, 9 is the smallest.
  ///   - strategy: `Z_DEFAULT_STRATEGY`, or `Z_FIXED` for the codes of the standard.
  static func deflated(_ bytes: [UInt8], level: Int32, strategy: Int32 = Z_DEFAULT_STRATEGY) -> [UInt8] {
    var stream = z_stream()
    precondition(
      deflateInit2_(
        &stream, level, Z_DEFLATED, -15, 8, strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        == Z_OK)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 1_000)
    let count = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
        return output.count - Int(stream.avail_out)
      }
    }
    return Array(output[..<count])
  }

  /// - Returns: nil when zlib refuses the bytes, or they expand to more than a size.
  static func inflated(_ bytes: [UInt8], size: Int) -> [UInt8]? {
    var stream = z_stream()
    precondition(inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
    defer { inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: size + 1)
    let result = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        return (
          status: inflate(&stream, Z_FINISH), count: output.count - Int(stream.avail_out),
          rest: stream.avail_in
        )
      }
    }
    guard result.status == Z_STREAM_END, result.rest == 0, result.count <= size else { return nil }
    return Array(output[..<result.count])
  }
}
