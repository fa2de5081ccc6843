internal import CZlib

/// Writes a zip archive to whoever takes its bytes: files are compressed as they come, and nothing is kept of them.
///
/// Times are left out (the first day that the format knows), so that equal files make equal archives.
package struct ArchiveWriter {
  private var take: ([UInt8]) -> Void
  private var directory: [UInt8] = []
  private var entryCount = 0
  /// How many bytes were written so far; of the whole archive after ``finish()``.
  package private(set) var sizeBytes = 0
  /// Our choice: bytes that are compressed at once.
  private static let pieceBytes = 1 << 16

  /// - Parameter take: Gets the bytes of the archive, in order.
  package init(_ take: @escaping ([UInt8]) -> Void) { self.take = take }

  private mutating func write(_ bytes: [UInt8]) {
    take(bytes)
    sizeBytes += bytes.count
  }

  /// Appends one file, compressed at deflate's highest level, or stored where that is smaller.
  ///
  /// - Precondition: The file and the archive stay below 4 GB, and there are at most 65,535 files.
  package mutating func add(path: String, _ content: any RandomAccessBytes) throws(BundleError) {
    precondition(content.count < 0xFFFF_FFFF && sizeBytes < 0xFFFF_FFFF && entryCount < 0xFFFF)
    // The header has the sizes, so compressing comes first; what an app holds loose fits memory.
    let (packed, checksum) = try Self.deflated(content)
    let isStored = packed.count >= content.count
    let body = isStored ? try content.bytes(0..<content.count) : packed
    let name = Array(path.utf8)
    var common: [UInt8] = []
    // Version 2.0, names in UTF-8, the method, 1980-01-01 (4.4.3 to 4.4.6).
    common += Self.little(20, 2) + Self.little(0x0800, 2) + Self.little(isStored ? 0 : 8, 2)
    common += Self.little(0, 2) + Self.little(0x21, 2) + Self.little(Int(checksum), 4)
    common += Self.little(body.count, 4) + Self.little(content.count, 4) + Self.little(name.count, 2)
    common += Self.little(0, 2)
    directory += Self.little(0x0201_4B50, 4) + Self.little(20, 2) + common
    directory += Self.little(0, 10) + Self.little(sizeBytes, 4) + name
    write(Self.little(0x0403_4B50, 4) + common + name)
    write(body)
    entryCount += 1
  }

  /// Writes the directory. Nothing may be added afterwards.
  package mutating func finish() {
    let start = sizeBytes
    write(directory)
    write(
      Self.little(0x0605_4B50, 4) + Self.little(0, 4) + Self.little(entryCount, 2)
        + Self.little(entryCount, 2) + Self.little(directory.count, 4) + Self.little(start, 4)
        + Self.little(0, 2))
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
  }

  private static func deflated(
    _ content: any RandomAccessBytes
  ) throws(BundleError) -> (bytes: [UInt8], checksum: UInt32) {
    var stream = z_stream()
    precondition(linkspan_deflate_raw(&stream, Z_BEST_COMPRESSION) == Z_OK, "zlib has no memory")
    defer { deflateEnd(&stream) }
    var packed: [UInt8] = []
    var checksum = crc32(0, nil, 0)
    var room = [UInt8](repeating: 0, count: pieceBytes)
    var offset = 0
    repeat {
      let end = min(content.count, offset + pieceBytes)
      var piece = try content.bytes(offset..<end)
      offset = end
      checksum = crc32(checksum, piece, UInt32(piece.count))
      let flush = offset == content.count ? Z_FINISH : Z_NO_FLUSH
      piece.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        repeat {
          room.withUnsafeMutableBufferPointer { output in
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            deflate(&stream, flush)
          }
          packed += room[..<(room.count - Int(stream.avail_out))]
        } while stream.avail_out == 0
      }
    } while offset < content.count
    return (packed, UInt32(checksum))
  }
}
