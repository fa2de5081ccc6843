/// Bytes that can be read at any offset: a file, an archive's entry, or memory.
///
/// Readers ask in ascending order where they can, because an entry of an archive can only be unpacked forwards.
package protocol RandomAccessBytes {
  var count: Int { get }

  /// Fills the whole buffer from the offset on.
  ///
  /// - Precondition: The range lies inside `0..<count`.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(BundleError)
}

extension RandomAccessBytes {
  /// - Precondition: The range lies inside `0..<count`.
  package func bytes(_ range: Range<Int>) throws(BundleError) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the bytes \(range) are not there")
    var bytes = [UInt8](repeating: 0, count: range.count)
    var failure: BundleError?
    bytes.withUnsafeMutableBytes { buffer in
      do throws(BundleError) {
        try read(at: range.lowerBound, into: buffer)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// Bytes that are in memory already.
package struct MemoryBytes: RandomAccessBytes, Sendable {
  private let content: [UInt8]

  package init(_ content: [UInt8]) { self.content = content }

  package var count: Int { content.count }

  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(BundleError) {
    buffer.copyBytes(from: content[offset..<offset + buffer.count])
  }
}

/// Numbers of a byte order, read from bytes whose length the caller has checked.
struct NumberReader {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func little16(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }

  func little32(_ offset: Int) -> Int { Int(little(offset, 4)) }

  func little64(_ offset: Int) -> UInt64 { little(offset, 8) }

  func big32(_ offset: Int) -> Int { Int(big(offset, 4)) }

  func big64(_ offset: Int) -> UInt64 { big(offset, 8) }

  private func little(_ offset: Int, _ count: Int) -> UInt64 {
    bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func big(_ offset: Int, _ count: Int) -> UInt64 {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The text up to a zero byte or the end of the range, whichever comes first.
  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range].prefix { $0 != 0 }, as: UTF8.self)
  }
}
