/// Lines for a terminal or a log: literals are taken as they are, and every value between them stays on its line.
///
/// So a file's name that has a line end cannot pass for a line of the program. Colours of ``TextStyle`` are kept.
package struct TerminalText: ExpressibleByStringInterpolation, Sendable {
  package let text: String

  package init(stringLiteral value: String) { text = value }

  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  private init(_ text: String) { self.text = text }

  package static func + (left: TerminalText, right: TerminalText) -> TerminalText {
    TerminalText(left.text + right.text)
  }

  /// What stands between the quotation marks of a literal.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    package mutating func appendInterpolation(_ value: TerminalText) { text += value.text }

    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      text += value.description.onOneLine(keepsColours: true)
    }
  }
}
