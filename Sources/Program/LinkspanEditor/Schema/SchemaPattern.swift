internal import AssociationCheck
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

  /// Names that are for people only: with a mark in front or a word that says so, unless a known key is meant; and
  /// misspellings of keys that are for people.
  static func remarks(beside known: [String], misspelling own: [String]) -> [String] {
    let words = ["comment", "description", "note"].map(anyCase).joined(separator: "|")
    let marked = known.filter { $0.utf8.count > 1 }.flatMap { word -> [String] in
      // Of the two slips that `check` reads over, the mark is one, before a word or for its first letter; of a short word it
      // is the only one.
      let words = [word, String(word.dropFirst())]
      return (word.utf8.count < 5 ? words : words.flatMap(slips)).map { "[_$]\($0)" }
    }
    let meant = (meaning(known) + marked).joined(separator: "|")
    let remark = #"^(?!(\#(meant))$)([_$]|[\s\S]*(\#(words))|\#(anyCase("name"))$)"#
    let misspelt = (meaning(own) + own.flatMap { slips($0) }).joined(separator: "|")
    return own.isEmpty ? [remark] : [remark, "^(\(misspelt))$"]
  }

  /// The known keys and their synonyms in any case, with hyphens, underscores and blanks anywhere.
  private static func meaning(_ known: [String]) -> [String] {
    let synonyms = AssociationKey.synonyms.filter { known.contains($0.value) }.map { $0.key }.sorted()
    return (known.filter { $0.utf8.count > 1 } + synonyms).map { word in
      "[-_ ]*" + word.map { anyCase(String($0)) + "[-_ ]*" }.joined()
    }
  }

  /// A word with one letter too few, too many or another, or with two neighbours swapped; and the word itself.
  private static func slips(_ word: String) -> [String] {
    let letters = Array(word)
    return letters.indices.flatMap { place -> [String] in
      let before = String(letters[..<place])
      let after = String(letters[(place + 1)...])
      let changed = ["\(before).?\(after)", "\(before).\(letters[place])\(after)"]
      guard place + 1 < letters.count else { return changed + ["\(word)."] }
      return changed + [before + "\(letters[place + 1])\(letters[place])" + String(letters[(place + 2)...])]
    }
  }

  private static func anyCase(_ text: String) -> String {
    text.map { "[\(ASCII.lowercased(String($0)))\($0.uppercased())]" }.joined()
  }

  /// Names other than the known ones that are not nearly one of them.
  static func knownOrFar(_ known: [String], refusing others: [String] = []) -> JSON {
    var refused = [JSON.object([("pattern", .string(near(known)))])]
    if !others.isEmpty { refused.append(.object([("enum", .array(others.map(JSON.string)))])) }
    let far = JSON.object([("not", .object([("anyOf", .array(refused))]))])
    let own = JSON.object([("enum", .array(known.map(JSON.string)))])
    return .object([("anyOf", .array([own, far]))])
  }
}
