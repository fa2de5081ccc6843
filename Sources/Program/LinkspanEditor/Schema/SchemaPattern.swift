internal import LinkspanCore

/// Patterns for the names that a schema refuses.
enum SchemaPattern {
  /// A regular expression for words that are nearly one of these: other upper and lower case, hyphens and underscores, or
  /// one slip. The words themselves are among them.
  static func near(_ words: [String]) -> String {
    let alternatives = words.filter { $0.utf8.count > 1 }.flatMap { word -> [String] in
      let letters = Array(word)
      let whole = letters.map(letter).joined(separator: "[-_ ]?")
      let slips = letters.indices.flatMap { place -> [String] in
        let before = letters[..<place].map(letter).joined()
        let after = letters[(place + 1)...].map(letter).joined()
        let own = letter(letters[place])
        let changed = ["\(before).?\(after)", "\(before).\(own)\(after)"]
        guard place + 1 < letters.count else { return changed + ["\(before)\(own)."] }
        let behind = letters[(place + 2)...].map(letter).joined()
        return changed + [before + letter(letters[place + 1]) + own + behind]
      }
      return [whole] + slips
    }
    return "^(" + alternatives.joined(separator: "|") + ")$"
  }

  /// J5; a build setting is a note, since Xcode may put a value there.
  static let applicationIdentifier =
    #"^[A-Z0-9]{10}\.[A-Za-z0-9.-]+$|^[^\u0000-\u0020\u007f]*(\$\(|\$\{)[^\u0000-\u0020\u007f]*$"#

  /// S3: "$(" is no variable in a value.
  static let variableValue = #"^(?![\s\S]*\$\()"#

  /// A pattern of a component: without what excludes nothing there (J14), and with its variables closed (S6).
  ///
  /// - Parameter key: The component's key; any other word for a value of a query item.
  static func component(_ key: String) -> String {
    let own =
      switch key {
      case "/": "|[hH][tT][tT][pP][sS]?://"
      case "?": #"|\?[A-Za-z0-9][\s\S]*="#
      case "#": "|#"
      default: ""
      }
    return "^(?!NOT |!/\(own))" + unclosed
  }

  /// S6.
  private static let unclosed = #"(?![\s\S]*\$\([^)]*$)"#

  /// A pattern of "paths": no whole URL (P11), and with its variables closed (S6).
  static let path = "^(?!(NOT )?[hH][tT][tT][pP][sS]?://)" + unclosed

  /// D3.
  static let relation = "^[a-z0-9_.]+/[a-z0-9_.]+$"

  /// D3: a list that is served over https includes no other one.
  static let include = "^[hH][tT][tT][pP][sS]://[^/?#]"

  /// D4.
  static let packageName = "^[A-Za-z0-9_.]+$"

  /// D4.
  static let fingerprint = "^([0-9A-F]{2}:){31}[0-9A-F]{2}$"

  /// D5.
  static let site = "^[hH][tT][tT][pP][sS]?://[^/?#@]+$"

  private static func letter(_ character: Character) -> String {
    let text = String(character)
    let lower = ASCII.lowercased(text)
    let upper = text.uppercased()
    if lower == upper { return character == "_" ? "[-_ ]?" : text }
    return "[\(lower)\(upper)]"
  }

  /// Names that are for people only: with a mark in front, or a word that says so.
  static let remark =
    "^[_$]|[cC][oO][mM][mM][eE][nN][tT]|[dD][eE][sS][cC][rR][iI][pP][tT][iI][oO][nN]|[nN][aA][mM][eE]|[nN][oO][tT][eE]"

  /// Names other than the known ones that are not nearly one of them.
  static func knownOrFar(_ known: [String], refusing others: [String] = []) -> JSON {
    var refused = [JSON.object([("pattern", .string(near(known)))])]
    if !others.isEmpty { refused.append(.object([("enum", .array(others.map(JSON.string)))])) }
    let far = JSON.object([("not", .object([("anyOf", .array(refused))]))])
    let own = JSON.object([("enum", .array(known.map(JSON.string)))])
    return .object([("anyOf", .array([own, far]))])
  }
}
