/// Pieces of Markdown that hold text of others.
package enum Markdown {
  /// The text as code, also inside a table: nothing in it ends the code, the cell or the line.
  package static func code(_ text: String) -> String {
    var result = "`"
    for scalar in text.onOneLine.unicodeScalars {
      switch scalar {
      case "|": result += "\\|"
      case "`": result += "'"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "`"
  }
}
