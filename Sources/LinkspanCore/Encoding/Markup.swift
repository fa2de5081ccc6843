/// XML, SVG or HTML that is safe to send: literals are taken as they are, and every value between them is escaped.
///
/// So a page is written as one literal, and no stored name can become markup.
package struct Markup: ExpressibleByStringInterpolation, Sendable {
  package private(set) var text: String

  package init(stringLiteral value: String) { text = value }

  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Pieces one after the other.
  package init(_ pieces: [Markup]) { text = pieces.map(\.text).joined() }

  package static func + (left: Markup, right: Markup) -> Markup { Markup([left, right]) }

  package static let none: Markup = ""

  /// Plain text as it stands in XML, SVG and HTML.
  ///
  /// - Parameter isAttribute: Whether line ends and tabs have to survive a reader, which makes blanks of them
  ///   in attributes.
  /// - Source: XML 1.0, section 2.2: other control characters, U+FFFE and U+FFFF have no form at all, so they
  ///   are shown as U+FFFD.
  package static func escaped(_ text: String, isAttribute: Bool = true) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: result.append(contentsOf: "&amp;".unicodeScalars)
      case 0x3C: result.append(contentsOf: "&lt;".unicodeScalars)
      case 0x3E: result.append(contentsOf: "&gt;".unicodeScalars)
      case 0x22: result.append(contentsOf: "&quot;".unicodeScalars)
      case 0x27 where isAttribute: result.append(contentsOf: "&#39;".unicodeScalars)
      case 0x0D: result.append(contentsOf: "&#13;".unicodeScalars)
      case 0x09 where isAttribute: result.append(contentsOf: "&#9;".unicodeScalars)
      case 0x0A where isAttribute: result.append(contentsOf: "&#10;".unicodeScalars)
      case 0x09, 0x0A: result.append(scalar)
      case 0..<0x20, 0xFFFE, 0xFFFF: result.append("\u{FFFD}")
      // Directional overrides would let a stored name rearrange what stands beside it.
      case 0x202A...0x202E, 0x2066...0x2069: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// What stands between the quotation marks of a literal.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    package mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }

    package mutating func appendInterpolation(_ value: Int) { text += String(value) }

    package mutating func appendInterpolation(_ value: Markup) { text += value.text }

    package mutating func appendInterpolation(_ values: [Markup]) {
      for value in values { text += value.text }
    }
  }
}
