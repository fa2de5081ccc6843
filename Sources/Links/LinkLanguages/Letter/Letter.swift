/// What a URL is built of in a search: a character as it is written, or an escape that decodes.
final class Letter {
  enum Kind {
    case asWritten
    /// Escapes of one whole character.
    case decoded
    /// One escape of a character of several bytes that no pattern names.
    case decodedByte(UInt8)
  }

  let kind: Kind
  /// As it stands in the URL.
  let text: [UInt8]
  /// What each reading makes of it, in the order of ``TextReading/all``.
  let readings: [[UInt32]]
  /// The same where every reading makes one scalar of it.
  let single: SIMD4<UInt32>?
  /// The character that is written, 0 for an escape.
  let written: UInt32
  /// How little a person expects it in a URL.
  let cost: Int32

  init(_ kind: Kind, text: [UInt8], readings: [[UInt32]], cost: Int32) {
    self.kind = kind
    self.text = text
    self.readings = readings
    self.cost = cost
    single =
      readings.allSatisfy { $0.count == 1 }
      ? SIMD4(readings[0][0], readings[1][0], readings[2][0], readings[3][0]) : nil
    written = if case .asWritten = kind { readings[0][0] } else { 0 }
  }
}
