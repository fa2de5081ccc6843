internal import LinkspanCore

extension ReviewRule {
  static let fixedDateFormat = ReviewRule(
    "fixed-date-format", "A formatter with a fixed format has the locale en_US_POSIX.", .warning,
    source: "SR11", words: ["ateFormat"],
    bad: [
      """
      func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.⟦dateFormat⟧ = "yyyy-MM-dd'T'HH:mm:ssZ"
        return formatter.date(from: text)
      }
      """,
      """
      @implementation Dates
      - (NSDate *)date:(NSString *)text {
        NSDateFormatter *formatter = [[NSDateFormatter alloc] init];
        [formatter ⟦setDateFormat⟧:@"yyyy-MM-dd HH:mm"];
        return [formatter dateFromString:text];
      }
      @end
      """,
    ],
    good: [
      """
      func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ssZ"
        return formatter.date(from: text)
      }
      """,
      """
      func day(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.dateFormat = "EEEE, d MMMM"
        return formatter.string(from: date)
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    var known: [Range<Int>: (parses: Bool, locale: FormatterLocale)] = [:]
    for index in reviewed.tokens.indices {
      guard let format = reviewed.fixedFormat(at: index) else { continue }
      let scope = reviewed.scope(around: index)
      let facts = known[scope] ?? reviewed.formatting(in: scope)
      known[scope] = facts
      guard facts.parses || Self.isForMachines(format) else { continue }
      switch facts.locale {
      case .posix, .unknown: continue
      case .other(let name):
        report.add(
          index, "the fixed format '\(format)' is used with the locale \(name)",
          help: "With a user's own calendar or 12-hour clock it reads and writes other dates. \(Self.remedy)")
      case .missing:
        report.add(
          index, "the fixed format '\(format)' is used with the user's own locale",
          help:
            "A 12-hour clock or another calendar in Settings changes what it reads and writes. \(Self.remedy)"
        )
      }
    }
  }

  private static let remedy =
    "Set 'locale' to Locale(identifier: \"en_US_POSIX\") and a time zone, or use ISO8601DateFormatter."

  /// Whether a format is made of numbers with a year or a time, as programs exchange.
  private static func isForMachines(_ format: String) -> Bool {
    let isNamed = ["MMM", "EEE", "ccc", "LLL"].contains(where: format.contains) || hasHalfDay(format)
    return !isNamed && format.contains("yyyy") && (format.contains("MM") || format.contains("HH"))
      && (format.hasPrefix("yyyy") || format.contains("HH"))
  }

  /// Whether a format has an AM or PM outside of quotes: it is for people.
  private static func hasHalfDay(_ format: String) -> Bool {
    format.split(separator: "'", omittingEmptySubsequences: false).enumerated().contains { index, part in
      index % 2 == 0 && part.contains("a")
    }
  }
}

/// The locale that a formatter gets.
private enum FormatterLocale {
  case missing
  case posix
  case other(String)
  /// One that is not written out here.
  case unknown
}

extension ReviewedFile {
  /// The literal that is set as a format at a word.
  fileprivate func fixedFormat(at index: Int) -> String? {
    guard tokens[index].kind == .word, index + 2 < tokens.count else { return nil }
    switch tokens[index].text {
    case "dateFormat" where tokens[index + 1].isMark("="):
      guard tokens[index + 2].kind == .text, index > 0, tokens[index - 1].isMark(".") else { return nil }
      return tokens[index + 2].text
    case "setDateFormat" where tokens[index + 1].isMark(":") && tokens[index + 2].kind == .text:
      return tokens[index + 2].text
    default: return nil
    }
  }

  /// Ours: braces that began so many words before are the file's.
  private static let scopeLimit = 4_000

  /// The tokens of the innermost braces around a place, or of the function they are in.
  fileprivate func scope(around index: Int) -> Range<Int> {
    let function = functions.compactMap(\.body).filter { $0.contains(index) }.min { $0.count < $1.count }
    if let function { return function }
    var place = index
    while place > 0, index - place < Self.scopeLimit {
      place -= 1
      guard let partner = tokens[place].partner else { continue }
      if partner > index, tokens[place].isMark("{") { return place + 1..<partner }
      if partner < place { place = partner }
    }
    return 0..<tokens.count
  }

  fileprivate func formatting(in scope: Range<Int>) -> (parses: Bool, locale: FormatterLocale) {
    (mentions(scope, "dateFromString") || callsDateFrom(scope), locale(in: scope))
  }

  private func callsDateFrom(_ scope: Range<Int>) -> Bool {
    scope.contains { index in
      tokens[index].isWord("date") && index + 2 < tokens.count && tokens[index + 1].isMark("(")
        && tokens[index + 2].isWord("from")
    }
  }

  private func locale(in scope: Range<Int>) -> FormatterLocale {
    for index in scope
    where ["locale", "setLocale"].contains(tokens[index].text) && tokens[index].kind == .word {
      guard index + 1 < tokens.count, tokens[index + 1].isMark("=") || tokens[index + 1].isMark(":") else {
        continue
      }
      let value = tokens[index..<min(index + 24, tokens.count)]
      if value.contains(where: { $0.text.uppercased().contains("POSIX") }) { return .posix }
      let own: Set<String> = [
        "current", "currentLocale", "autoupdatingCurrent", "autoupdatingCurrentLocale", "systemLocale",
      ]
      if let name = value.first(where: { own.contains($0.text) }) { return .other("'\(name.text)'") }
      let behind = value.dropFirst(2).prefix(8)
      if let text = behind.first(where: { $0.kind == .text }) { return .other("'\(text.text)'") }
      return .unknown
    }
    return .missing
  }
}
