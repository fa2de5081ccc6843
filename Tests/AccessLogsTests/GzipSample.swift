import LinkspanCore

/// Bytes as a gzip member of stored blocks (RFC 1952; RFC 1951, 3.2.4), so that tests need no compressor.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
  func little(_ number: UInt32, _ count: UInt32) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
  var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(65_535)
    rest = rest.dropFirst(block.count)
    member +=
      [rest.isEmpty ? 1 : 0] + little(UInt32(block.count), 2) + little(~UInt32(block.count), 2) + block
  } while !rest.isEmpty
  return member + little(CRC32.value(of: bytes), 4) + little(UInt32(bytes.count), 4)
}
