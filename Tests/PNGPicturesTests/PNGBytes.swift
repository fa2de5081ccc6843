import CZlib

/// PNG files made by hand, by the standard and not by the library under test.
enum PNGBytes {
  static func file(
    width: Int, height: Int, type: UInt8, depth: UInt8, rows: [[UInt8]], chunks: [(String, [UInt8])]
  ) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    bytes += chunk("IHDR", big(width) + big(height) + [depth, type, 0, 0, 0])
    for (name, content) in chunks { bytes += chunk(name, content) }
    bytes += chunk("IDAT", compressed(rows.flatMap { [0] + $0 }))
    return bytes + chunk("IEND", [])
  }

  /// The chunks of a file, in order.
  static func chunks(_ file: [UInt8]) -> [(String, [UInt8])] {
    var chunks: [(String, [UInt8])] = []
    var place = 8
    while place + 12 <= file.count {
      let count = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      chunks.append(
        (
          String(decoding: file[place + 4..<place + 8], as: UTF8.self),
          Array(file[place + 8..<place + 8 + count])
        ))
      place += 12 + count
    }
    return chunks
  }

  /// The least that a reader takes for a colour profile: a header, and one tag with a text.
  static func profile(space: String) -> [UInt8] {
    let text = Array("text".utf8) + big(0) + Array("Free".utf8)
    var bytes = [UInt8](repeating: 0, count: 144) + text
    bytes.replaceSubrange(0..<4, with: big(bytes.count))
    bytes[8] = 2
    bytes.replaceSubrange(12..<16, with: Array("mntr".utf8))
    bytes.replaceSubrange(16..<20, with: Array(space.utf8))
    bytes.replaceSubrange(20..<24, with: Array("XYZ ".utf8))
    bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
    // The white of D50, in fixed point.
    bytes.replaceSubrange(68..<80, with: big(0xF6D6) + big(0x10000) + big(0xD32D))
    bytes.replaceSubrange(128..<144, with: big(1) + Array("cprt".utf8) + big(144) + big(text.count))
    return bytes
  }

  static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: Int(compressBound(UInt(bytes.count))))
    var count = UInt(room.count)
    precondition(compress(&room, &count, bytes, UInt(bytes.count)) == Z_OK)
    return Array(room[..<Int(count)])
  }

  static func expanded(_ bytes: [UInt8], count: Int) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: count)
    var filled = UInt(count)
    precondition(uncompress(&room, &filled, bytes, UInt(bytes.count)) == Z_OK)
    return Array(room[..<Int(filled)])
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    return big(content.count) + body + big(Int(crc32(0, body, UInt32(body.count))))
  }

  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
