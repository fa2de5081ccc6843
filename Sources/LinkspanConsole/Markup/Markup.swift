/// HTML that is safe to send: literals are taken as they are, and every value between them is escaped.
///
/// So a page is written as one literal, and no stored name can become markup.
struct Markup: ExpressibleByStringInterpolation, Sendable {
  private(set) var text: String

  init(stringLiteral value: String) { text = value }

  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Pieces one after the other.
  init(_ pieces: [Markup]) { text = pieces.map(\.text).joined() }

  static func + (left: Markup, right: Markup) -> Markup { Markup([left, right]) }

  static let none: Markup = ""

  /// Plain text as HTML.
  static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      // Directional overrides would let a stored name rearrange what stands beside it.
      case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\0": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }

    mutating func appendInterpolation(_ value: Int) { text += String(value) }

    mutating func appendInterpolation(_ value: Markup) { text += value.text }

    mutating func appendInterpolation(_ values: [Markup]) { for value in values { text += value.text } }
  }
}

/// Text as a part of a URL.
enum URLText {
  /// A value in a path's segment or a query, percent-encoded.
  static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        let digits = Array("0123456789ABCDEF".utf8)
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
