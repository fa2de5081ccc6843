/// A short fingerprint of what happened, to compare two runs by: FNV-1a, 64 bits. Not for security.
package struct Digest: Hashable, Sendable {
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  /// Takes the bytes of a text; its end leaves no mark.
  package mutating func update(_ text: String) {
    for byte in text.utf8 { update(byte) }
  }

  /// Takes eight bytes, the low one first.
  package mutating func update(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { update(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }

  private mutating func update(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

  /// Sixteen hexadecimal digits.
  package var text: String {
    ASCII.hexText(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) })
  }
}
