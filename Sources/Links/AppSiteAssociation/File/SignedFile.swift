internal import LinkspanCore

/// The content of a CMS SignedData structure (RFC 5652), found without verifying anything (G5s).
package enum SignedFile {
  private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

  /// The bytes that the file has by its own first length; nil for a length that is short, indefinite or no length.
  package static func statedBytes(of bytes: [UInt8]) -> Int? {
    guard bytes.count > 1, bytes[0] == 0x30, case let count = Int(bytes[1] & 0x7F), bytes[1] > 0x80,
      count <= 4,
      bytes.count >= 2 + count
    else { return nil }
    return bytes[2..<2 + count].reduce(0) { $0 << 8 | Int($1) } + 2 + count
  }

  /// - Returns: The encapsulated bytes, or nil when this is no SignedData with its content inside.
  package static func content(of bytes: [UInt8]) -> [UInt8]? {
    var file = BERReader(bytes)
    guard let outer = file.next(0x30) else { return nil }
    var fields = file.inside(outer)
    guard let type = fields.next(0x06), bytes[type.content].elementsEqual(signedData),
      let wrapped = fields.next(0xA0)
    else { return nil }
    var inner = file.inside(wrapped)
    guard let signed = inner.next(0x30) else { return nil }
    // version, digestAlgorithms, then encapContentInfo
    var members = file.inside(signed)
    guard members.next() != nil, members.next() != nil, let info = members.next(0x30) else { return nil }
    var parts = file.inside(info)
    guard parts.next() != nil, let explicit = parts.next(0xA0) else { return nil }
    var octets = file.inside(explicit)
    return octets.next().flatMap { file.octets(of: $0) }
  }
}
