/// Whether text for people carries ANSI colour, and how long its lines may be.
package struct TextStyle: Sendable {
  package enum Colour: Int, CaseIterable, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
  }

  package let isColoured: Bool
  /// The columns of a terminal; nil where lines are as long as they are.
  package private(set) var columns: Int?

  package static let plain = TextStyle(isColoured: false)
  package static let coloured = TextStyle(isColoured: true)

  /// What stands behind the escape character in coloured text: bold, each colour, and the end of them.
  static let sequences = ["[0m", "[1m"] + Colour.allCases.map { "[1;\($0.rawValue)m" }

  private init(isColoured: Bool) { self.isColoured = isColoured }

  /// The same for a terminal of so many columns.
  package func fitting(_ columns: Int?) -> TextStyle {
    var copy = self
    copy.columns = columns
    return copy
  }

  /// The text in bold letters of a colour, where there is colour.
  package func paint(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1B}[1;\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// The text in bold letters, where there is colour.
  package func bold(_ text: String) -> String { isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
