import CKeyExchange
import Testing

/// The X25519 product that GnuTLS gets from OpenSSL (decision 0007), against the numbers of RFC 7748.
@Suite struct KeyExchangeTests {
  static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.utf8.map { UInt8($0 < 97 ? $0 - 48 : $0 - 87) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  static func product(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8] {
    var product = [UInt8](repeating: 0xff, count: 32)
    nettle_curve25519_mul(&product, scalar, point)
    return product
  }

  /// RFC 7748, 5.2.
  @Test(arguments: [
    [
      "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
      "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
      "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ],
    [
      "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
      "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
      "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    ],
  ])
  func isTheStandards(_ row: [String]) {
    #expect(Self.product(Self.bytes(row[0]), Self.bytes(row[1])) == Self.bytes(row[2]))
  }

  /// RFC 7748, 5.2: each product is the next scalar, and each scalar the next point.
  @Test func isTheStandardsAThousandTimesOver() {
    var scalar = [9] + [UInt8](repeating: 0, count: 31)
    var point = scalar
    for round in 1...1_000 {
      (scalar, point) = (Self.product(scalar, point), scalar)
      if round == 1 {
        #expect(
          scalar == Self.bytes("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"))
      }
    }
    #expect(scalar == Self.bytes("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"))
  }

  @Test func mayLieOverAnInput() {
    var point = [UInt8](repeating: 5, count: 32)
    let scalar = [UInt8](repeating: 7, count: 32)
    let expected = Self.product(scalar, point)
    point.withUnsafeMutableBufferPointer { nettle_curve25519_mul($0.baseAddress, scalar, $0.baseAddress) }
    #expect(point == expected)
  }

  /// RFC 7748, 6.1: all zeros, which GnuTLS refuses (RFC 8446, 7.4.2).
  @Test(arguments: [0, 1] as [UInt8])
  func isZeroForAPointOfLowOrder(_ first: UInt8) {
    let point = [first] + [UInt8](repeating: 0, count: 31)
    #expect(Self.product([UInt8](repeating: 7, count: 32), point) == [UInt8](repeating: 0, count: 32))
  }
}
