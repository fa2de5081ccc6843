internal import LinkspanCore

/// Other ways to read the query of a URL (question 7).
package enum QueryReading: Hashable, Sendable, CaseIterable {
  /// Names of items are compared literally, whatever the rule says of case (Q5).
  case namesWithCase
  /// Names of items are decoded before they are compared, also where escapes count.
  case namesDecoded
  /// `+` is a blank (Q7).
  case plusAsBlank

  /// Whether the reading may make a difference to a rule.
  func concerns(_ rule: CompiledRule) -> Bool {
    switch (self, rule.query) {
    case (.namesWithCase, .items): !rule.form.isCaseSensitive
    case (.namesDecoded, .items): rule.form.isPercentEncoded
    case (.plusAsBlank, .items), (.plusAsBlank, .whole): !rule.form.isPercentEncoded
    default: false
    }
  }

  /// A URL that the rule reads as this reading reads the given one; nil where nothing differs.
  func url(_ url: LinkURL, for rule: CompiledRule, _ work: inout WorkBudget) -> LinkURL? {
    if url.query.isEmpty { return nil }
    let query = url.bytes(of: url.query)[...]
    guard work.spend(1 + query.count) else { return nil }
    let changed: [UInt8]
    switch self {
    case .plusAsBlank:
      guard query.contains(UInt8(ascii: "+")) else { return nil }
      changed = query.flatMap { $0 == UInt8(ascii: "+") ? Array("%20".utf8) : [$0] }
    case .namesDecoded:
      guard query.contains(UInt8(ascii: "%")) else { return nil }
      changed = Self.renamed(query) { name in
        let decoded = PercentEncoding.decode(name)
        return decoded.contains { "&=#".utf8.contains($0) } ? name : decoded
      }
    case .namesWithCase:
      guard case .items(let items)? = rule.settings.query else { return nil }
      let names = Set(items.map { Array($0.name.utf8) })
      let folded = Set(names.map(CaseFolding.fold))
      // A name that only folding brings to one of the rule's becomes one that no rule has.
      changed = Self.renamed(query) { name in
        let plain = rule.form.isPercentEncoded ? name : PercentEncoding.decode(name)
        return !names.contains(plain) && folded.contains(CaseFolding.fold(plain)) ? [0x01] + name : name
      }
    }
    guard changed != Array(query) else { return nil }
    return LinkURL(
      url.text(of: 0..<url.query.lowerBound) + String(decoding: changed, as: UTF8.self)
        + url.text(of: url.query.upperBound..<url.byteCount))
  }

  private static func renamed(_ query: ArraySlice<UInt8>, _ rename: ([UInt8]) -> [UInt8]) -> [UInt8] {
    let items = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
      let name = item.prefix { $0 != UInt8(ascii: "=") }
      return rename(Array(name)) + item[name.endIndex...]
    }
    return Array(items.joined(separator: [UInt8(ascii: "&")]))
  }
}

/// The two letters beyond ASCII that fold to letters of ASCII, `ſ` and the Kelvin sign: whether devices fold them is not known
/// (question 7).
enum FoldedLetters {
  private static let letters = ["\u{17F}", "\u{212A}"]
  /// In place of each, a letter for private use, which folds to itself.
  private static let others = ["\u{F8F0}", "\u{F8F1}"]

  static func occur(in text: String) -> Bool {
    text.unicodeScalars.contains { $0 == "\u{17F}" || $0 == "\u{212A}" }
  }

  /// - Parameter escapes: Whether escapes of the letters count as the letters.
  static func apart(_ text: String, escapes: Bool) -> String {
    var bytes = Array(text.utf8)
    for (letter, other) in zip(letters, others) {
      bytes = bytes.replacing(Array(letter.utf8), with: Array(other.utf8))
      guard escapes else { continue }
      for escape in spellings(of: letter) {
        bytes = bytes.replacing(escape, with: Array(other.utf8))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func apart(_ settings: RuleSettings) -> RuleSettings {
    var result = settings
    result.path = settings.path.map { apart($0, escapes: false) }
    result.fragment = settings.fragment.map { apart($0, escapes: false) }
    switch settings.query {
    case .whole(let text): result.query = .whole(apart(text, escapes: false))
    case .items(let items):
      result.query = .items(
        items.map {
          QueryPattern.Item(name: apart($0.name, escapes: false), pattern: apart($0.pattern, escapes: false))
        })
    case .ignored, nil: break
    }
    return result
  }

  /// The escapes of a letter, each digit from A to F in both cases.
  private static func spellings(of letter: String) -> [[UInt8]] {
    letter.utf8.reduce([[]]) { spellings, byte in
      let digits = [byte >> 4, byte & 15].map { digit -> [UInt8] in
        digit < 10 ? [0x30 + digit] : [0x37 + digit, 0x57 + digit]
      }
      return spellings.flatMap { text in
        digits[0].flatMap { high in digits[1].map { low in text + [UInt8(ascii: "%"), high, low] } }
      }
    }
  }
}

/// `*` in the values of variables, read as staying within a segment of the path (question 8).
enum ValuesWithinSegments {
  /// Ours: longer paths are not asked about, since the texts of a segment grow with the square of its length.
  private static let pathLimitBytes = 256

  /// Whether the path of a rule uses a variable that has `*` in a value.
  static func concerns(_ rule: CompiledRule) -> Bool {
    guard let path = rule.settings.path, let variables = rule.variables else { return false }
    return variables.values.contains { name, values in
      path.contains("$(\(name.text))") && values.contains { $0.contains("*") }
    }
  }

  /// The variables of a rule with every text of one segment of the URL's path in place of a value that has `*`; nil for a path
  /// too long to ask.
  static func variables(
    _ rule: CompiledRule, _ url: LinkURL, _ work: inout WorkBudget
  ) -> SubstitutionVariables? {
    guard let variables = rule.variables else { return nil }
    let written = url.bytes(of: url.path)
    let path = rule.form.isPercentEncoded ? written : PercentEncoding.decode(written)
    guard path.count <= pathLimitBytes else { return nil }
    var texts: Set<[UInt8]> = [[]]
    for segment in path.split(separator: UInt8(ascii: "/")) {
      for start in segment.indices {
        for end in start..<segment.endIndex { texts.insert(Array(segment[start...end])) }
      }
    }
    let compiler = PatternCompiler(variables: nil, form: rule.form)
    return SubstitutionVariables(
      variables.values.mapValues { values in
        values.flatMap { value -> [String] in
          guard value.contains("*") else { return [value] }
          let pattern = compiler.compile(Array(value.utf8))
          return texts.filter { text in
            let compared = rule.form.isCaseSensitive ? text : CaseFolding.fold(text)
            // A text that is a pattern itself would stand for others.
            return pattern.covers(compared, &work) && !text.contains { "*?$".utf8.contains($0) }
          }.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
        }
      })
  }
}

/// Values of another type than the key has, outside `?` objects (question 9).
enum WrongTypes {
  /// Other readings of a rule whose values, or the ones it takes from its entry's defaults, have wrong types.
  static func readings(
    of rule: CompiledRule, in entry: AppLinks.Entry
  ) -> [(other: OtherReading, reading: OpenQuestions.Reading)] {
    let component = rule.isPath ? nil : rule.rule.flatMap { entry.component(at: $0) }
    var readings: [(other: OtherReading, reading: OpenQuestions.Reading)] = []
    for node in [component?.node, entry.node["defaults"]].compactMap({ $0 }) {
      for key in keys where isWrong(key, in: node) { readings.append((.ruleDropped(key: key), .ignored)) }
      if isWrong("exclude", in: node) { readings.append((.wrongExcludeOpens, .opening)) }
    }
    if let list = entry.node["components"], list.array == nil, component == nil {
      readings.append((.ruleDropped(key: "components"), .ignored))
    }
    return readings
  }

  private static let keys = ["/", "#", "?", "caseSensitive", "percentEncoded", "exclude"]

  private static func isWrong(_ key: String, in node: JSONNode) -> Bool {
    guard let value = node[key] else { return false }
    return switch key {
    case "/", "#": value.string == nil
    case "?": value.string == nil && value.object == nil
    default: value.bool == nil
    }
  }
}

extension AppLinks.Entry {
  /// The component with a place in the file, where the elements before it are good as a rule.
  fileprivate func component(at index: Int) -> AppLinks.Rule? {
    guard let components else { return nil }
    if index < components.count, components[index].index == index { return components[index] }
    return components.first { $0.index == index }
  }
}
