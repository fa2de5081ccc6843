/// A zip archive written by hand from PKWARE's description, so that it can be wrong in any way.
struct ZipFixture {
  struct Entry {
    var name: String
    var content: [UInt8] = []
    var flags = 0
    var method = 0
    /// Unix mode and type; 0o100644 is a plain file.
    var mode = 0o100644
    /// What the directory says, where that is not the truth.
    var claimedSize: Int?
    var claimedPackedSize: Int?
    var claimedOffset: Int?
    var isListed = true
    var localName: String?
    var checksum: UInt32?
  }

  var entries: [Entry]

  init(_ entries: [Entry]) { self.entries = entries }

  init(_ files: [(String, [UInt8])]) { entries = files.map { Entry(name: $0.0, content: $0.1) } }

  var bytes: [UInt8] {
    var body: [UInt8] = []
    var directory: [UInt8] = []
    var count = 0
    for entry in entries {
      let offset = entry.claimedOffset ?? body.count
      let size = entry.claimedSize ?? entry.content.count
      let packed = entry.claimedPackedSize ?? entry.content.count
      let common =
        Self.little(20, 2) + Self.little(entry.flags, 2) + Self.little(entry.method, 2) + Self.little(0, 4)
        + Self.little(Int(entry.checksum ?? Self.crc32(entry.content)), 4) + Self.little(packed, 4)
        + Self.little(size, 4)
      let localName = Array((entry.localName ?? entry.name).utf8)
      body += [0x50, 0x4B, 3, 4] + common + Self.little(localName.count, 2) + [0, 0] + localName
      body += entry.content
      guard entry.isListed else { continue }
      let name = Array(entry.name.utf8)
      directory += [0x50, 0x4B, 1, 2, 20, 3] + common + Self.little(name.count, 2) + Self.little(0, 8)
      directory += Self.little(0, 2) + Self.little(entry.mode, 2) + Self.little(offset, 4) + name
      count += 1
    }
    let end =
      [0x50, 0x4B, 5, 6] + Self.little(0, 4) + Self.little(count, 2) + Self.little(count, 2)
      + Self.little(directory.count, 4) + Self.little(body.count, 4) + [0, 0]
    return body + directory + end
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Bit by bit, as the polynomial says.
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
