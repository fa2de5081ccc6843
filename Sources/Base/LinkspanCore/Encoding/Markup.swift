/// XML, SVG or HTML that is safe to send: literals are taken as they are, and every value between them is escaped.
///
/// So a page is written as one literal, and no stored name can become markup.
package struct Markup: ExpressibleByStringInterpolation, Sendable {
  package private(set) var text: String

  package init(stringLiteral value: String) { text = value }

  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Pieces one after the other.
  package init(_ pieces: [Markup]) { text = pieces.map { $0.text }.joined() }

  package static func + (left: Markup, right: Markup) -> Markup { Markup([left, right]) }

  package static let none: Markup = ""

  /// Plain text as it stands in XML, SVG and HTML.
  ///
  /// Characters that a reader obeys and does not show, see ``Swift/Unicode/Scalar/isControl``, are shown as `\u{9b}`.
  ///
  /// - Parameter isAttribute: Whether line ends and tabs have to survive a reader, which makes blanks of them
  ///   in attributes.
  /// - Source: XML 1.0, section 2.2: other control characters, U+FFFE and U+FFFF have no form at all.
  package static func escaped(_ text: String, isAttribute: Bool = true) -> String {
    escaped(text, isAttribute: isAttribute) { $0.isControl ? $0.visibleEscape : nil }
  }

  /// The value of a field of an HTML form: directional marks, which languages need, come back as they were.
  package static func escaped(field text: String) -> String {
    escaped(text, isAttribute: true) { scalar in
      guard scalar.isControl else { return nil }
      return scalar.turnsDirection ? reference(scalar) : scalar.visibleEscape
    }
  }

  private static func reference(_ scalar: Unicode.Scalar) -> String { "&#\(scalar.value);" }

  private static func escaped(
    _ text: String, isAttribute: Bool, control: (Unicode.Scalar) -> String?
  ) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: result += "&amp;"
      case 0x3C: result += "&lt;"
      case 0x3E: result += "&gt;"
      case 0x22: result += "&quot;"
      case 0x27 where isAttribute: result += "&#39;"
      case 0x0D: result += "&#13;"
      case 0x09 where isAttribute: result += "&#9;"
      case 0x0A where isAttribute: result += "&#10;"
      case 0x09, 0x0A: result.unicodeScalars.append(scalar)
      case 0xFFFE, 0xFFFF: result += scalar.visibleEscape
      default:
        if let escape = control(scalar) { result += escape } else { result.unicodeScalars.append(scalar) }
      }
    }
    return WorkflowCommands.broken(result, escape: reference)
  }

  /// What stands between the quotation marks of a literal.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    package mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }

    /// The value of a field of a form.
    package mutating func appendInterpolation(field value: String) { text += Markup.escaped(field: value) }

    package mutating func appendInterpolation(_ value: Int) { text += String(value) }

    package mutating func appendInterpolation(_ value: Markup) { text += value.text }

    package mutating func appendInterpolation(_ values: [Markup]) {
      for value in values { text += value.text }
    }
  }
}
