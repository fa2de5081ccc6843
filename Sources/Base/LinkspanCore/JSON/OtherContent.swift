/// What bytes are that are no text in UTF-8, as far as their beginning shows.
package enum OtherContent {
  case gzip
  case utf16
  case binary

  /// Ours: how far to look for control characters, which text has none of.
  private static let lookBytes = 512

  /// nil for what may be UTF-8, with or without mistakes.
  init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      self = .utf16
    } else if bytes.prefix(4).contains(0) {
      self = Self.alternates(bytes.prefix(4)) ? .utf16 : .binary
    } else if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      self = .binary
    } else if let first = bytes.first, first >= 0x80 || Self.isControl(first),
      bytes.prefix(Self.lookBytes).contains(where: Self.isControl)
    {
      self = .binary
    } else {
      return nil
    }
  }

  var message: String {
    switch self {
    case .gzip: "the file is gzip-compressed"
    case .utf16: "the text is not UTF-8 (it looks like UTF-16)"
    case .binary: "the file is not text"
    }
  }

  var help: String {
    switch self {
    case .gzip: "Decompress it: the JSON itself is expected, also from a server (R6)."
    case .utf16: "Save the file as UTF-8 without a byte order mark."
    case .binary: "Its first bytes are those of a binary file. Expected the JSON itself, as UTF-8."
    }
  }

  /// Whether every other byte is zero and the rest is not, as with Latin letters in UTF-16.
  private static func alternates(_ bytes: ArraySlice<UInt8>) -> Bool {
    [0, 1].contains { parity in
      bytes.enumerated().allSatisfy { ($0.offset % 2 == parity) == ($0.element == 0) }
    }
  }

  /// Whether text begins like a page or XML: with a tag, a declaration or a comment, and not just with '<', as the
  /// conflict markers of Git do.
  package static func isMarkup(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.first == UInt8(ascii: "<") else { return false }
    guard let next = text.dropFirst().first else { return true }
    return ASCII.isLetter(next) || next == UInt8(ascii: "!") || next == UInt8(ascii: "?")
  }

  private static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains(byte)
  }
}
