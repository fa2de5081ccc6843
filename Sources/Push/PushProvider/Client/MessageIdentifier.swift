package import LinkspanCore

/// Names a push, so that an answer, a log of APNs and a second attempt can be told to be about it.
package enum MessageIdentifier {
  /// A random UUID (RFC 9562, 5.4) in the form that APNs takes: canonical, lower-case.
  package static func draw(using generator: inout SeededGenerator) -> String {
    text(generator.next(), generator.next())
  }

  /// A UUID of 128 random bits, of which six say that it is one.
  package static func text(_ first: UInt64, _ last: UInt64) -> String {
    let high = first & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = last & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return String(unsafeUninitializedCapacity: 36) { text in
      let bytes = UnsafeMutableRawBufferPointer(text)
      let (first, second) = (digits(high >> 32), digits(high & 0xFFFF_FFFF))
      let (third, fourth) = (digits(low >> 32), digits(low & 0xFFFF_FFFF))
      bytes.storeBytes(of: first, toByteOffset: 0, as: UInt64.self)
      bytes.storeBytes(of: UInt32(truncatingIfNeeded: second), toByteOffset: 9, as: UInt32.self)
      bytes.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32), toByteOffset: 14, as: UInt32.self)
      bytes.storeBytes(of: UInt32(truncatingIfNeeded: third), toByteOffset: 19, as: UInt32.self)
      bytes.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32), toByteOffset: 24, as: UInt32.self)
      bytes.storeBytes(of: fourth, toByteOffset: 28, as: UInt64.self)
      for hyphen in [8, 13, 18, 23] { text[hyphen] = UInt8(ascii: "-") }
      return 36
    }
  }

  /// Eight hexadecimal digits, the highest first in memory.
  private static func digits(_ word: UInt64) -> UInt64 {
    // One digit a byte.
    var spread = (word << 16 | word) & 0x0000_FFFF_0000_FFFF
    spread = (spread << 8 | spread) & 0x00FF_00FF_00FF_00FF
    spread = (spread << 4 | spread) & 0x0F0F_0F0F_0F0F_0F0F
    // One in each byte whose digit is a letter.
    let letters = (spread + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let aboveDigits = UInt64(UInt8(ascii: "a") - UInt8(ascii: "9") - 1)
    return (spread + 0x3030_3030_3030_3030 + letters * aboveDigits).bigEndian
  }
}
