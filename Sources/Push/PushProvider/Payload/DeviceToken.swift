internal import LinkspanCore

/// The address of an app on a device: opaque bytes, written as lower-case hexadecimal digits.
package struct DeviceToken: Hashable, Sendable {
  /// Ours: real tokens have 64 to 160 digits, and Apple says never to assume a length.
  package static let digitRange = 16...512

  package let text: String

  /// Stands in a push that is to have its token later.
  package static let none = DeviceToken()

  private init() { text = "" }

  /// The digits between two blanks in `NSData`'s description.
  private static let groupDigits = 8

  /// Reads the forms in which tokens are handed around: any case, with the `<`, `>` and blanks of `NSData`'s description. Two
  /// longer groups are two tokens.
  ///
  /// - Throws: What keeps the text from being a token.
  package init(_ text: String) throws(DeviceTokenError) { self.text = try Self.digits(of: text.utf8) }

  /// Reads the same forms in bytes.
  ///
  /// - Throws: What keeps the bytes from being a token.
  package init(_ bytes: [UInt8]) throws(DeviceTokenError) { text = try Self.digits(of: bytes) }

  /// Whether bytes are hexadecimal digits in lower case, as nearly every token is written.
  package static func areDigits(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // To the end in any case, and without a branch for each: several bytes at a time are looked at then.
    bytes.reduce(UInt8(0)) { $0 | ($1 &- 0x30 < 10 ? 0 : 1) & ($1 &- 0x61 < 6 ? 0 : 1) } == 0
  }

  private static func digits(of bytes: some Collection<UInt8>) throws(DeviceTokenError) -> String {
    let plain: String?? = bytes.withContiguousStorageIfAvailable {
      $0.count % 2 == 0 && digitRange.contains($0.count) && areDigits($0)
        ? String(decoding: $0, as: UTF8.self) : nil
    }
    if case .some(.some(let plain)) = plain { return plain }
    var digits: [UInt8] = []
    digits.reserveCapacity(bytes.count)
    // Where the group began that is being read, and how many were longer than those of one token.
    var (start, longCount) = (0, 0)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(byte | 0x20)
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: " "), 0x09, 0x0A, 0x0D:
        if digits.count - start > groupDigits { longCount += 1 }
        start = digits.count
      default: throw .notHexadecimal
      }
    }
    if digits.count - start > groupDigits { longCount += 1 }
    guard longCount <= 1 else { throw .divided }
    guard digits.count % 2 == 0 else { throw .oddDigits(digits.count) }
    guard Self.digitRange.contains(digits.count) else { throw .length(digits.count) }
    return String(decoding: digits, as: UTF8.self)
  }
}

/// Why a text is not a device token.
package enum DeviceTokenError: Error, Hashable, Sendable {
  case notHexadecimal
  /// Blanks divide it, and not as they divide one token.
  case divided
  case oddDigits(Int)
  case length(Int)

  package var message: String {
    switch self {
    case .notHexadecimal: "it has characters that are not hexadecimal digits"
    case .divided: "blanks or brackets divide it into parts of more than 8 digits, as several tokens in a row"
    case .oddDigits(let count): "it has \(count.counted("digit")); two make a byte, so the count must be even"
    case .length(let count):
      "it has \(count.counted("digit")); expected \(DeviceToken.digitRange.lowerBound) to \(DeviceToken.digitRange.upperBound)"
    }
  }
}
