internal import LinkspanCore

/// A random UUID (RFC 9562, version 4) in APNs' form: what ``SQLDialect/messageIdentifier`` draws, where this process can draw
/// it for less than PostgreSQL.
package enum PushIdentifier {
  package static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return text(generator.next(), generator.next())
  }

  /// - Parameters:
  ///   - high: The first eight bytes, but for the version.
  ///   - low: The others, but for the variant.
  static func text(_ high: UInt64, _ low: UInt64) -> String {
    let version = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let variant = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let bytes = [version, variant].flatMap { half in
      stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
    }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { ASCII.hexText(bytes[$0]) }.joined(separator: "-")
  }
}
