internal import LinkspanCore

/// The substitution variables every association file may use without defining them (S4).
package enum PredefinedVariables {
  /// A variable that stands for exactly one ASCII character, or nil when the name is none of these.
  static func characterSet(_ name: String) -> ASCIISet? {
    switch name {
    case "alpha": ASCIISet(ranges: [0x41...0x5A, 0x61...0x7A])
    case "upper": ASCIISet(ranges: [0x41...0x5A])
    case "lower": ASCIISet(ranges: [0x61...0x7A])
    case "alnum": ASCIISet(ranges: [0x30...0x39, 0x41...0x5A, 0x61...0x7A])
    case "digit": ASCIISet(ranges: [0x30...0x39])
    case "xdigit": ASCIISet(ranges: [0x30...0x39, 0x41...0x46, 0x61...0x66])
    default: nil
    }
  }

  /// Every value; empty for a name that is not predefined.
  static func values(_ name: String) -> [String] {
    switch name {
    case "region": return LocaleCodes.regions
    case "lang": return LocaleCodes.languages
    default:
      guard let set = characterSet(name) else { return [] }
      return (0..<UInt8(128)).filter(set.contains).map { String(UnicodeScalar($0)) }
    }
  }

  package static let names: Set<String> = [
    "alpha", "upper", "lower", "alnum", "digit", "xdigit", "region", "lang",
  ]
}

/// A set of ASCII characters.
struct ASCIISet: Hashable, Sendable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init(ranges: [ClosedRange<UInt8>]) {
    for byte in ranges.joined() { insert(byte) }
  }

  mutating func insert(_ byte: UInt8) {
    if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
  }

  @inline(__always) func contains(_ byte: UInt8) -> Bool {
    byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
  }

  /// The set with upper and lower case letters made alike, as text with folded case needs it.
  var folded: ASCIISet {
    var result = ASCIISet(ranges: [])
    for byte in 0..<UInt8(128) where contains(byte) { result.insert(ASCII.lowercased(byte)) }
    return result
  }
}
