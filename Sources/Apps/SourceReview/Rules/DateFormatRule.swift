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
    var known: [Range<Int>: Formatters] = [:]
    let previews = reviewed.previews
    for index in reviewed.tokens.indices {
      guard let format = reviewed.fixedFormat(at: index) else { continue }
      let scope = reviewed.scope(around: index)
      let formatters = known[scope] ?? Formatters(in: scope, of: reviewed)
      known[scope] = formatters
      let name = reviewed.formatter(at: index)
      let reads = formatters.parses(name)
      // A line of a log has a time; the name of its file has no colon.
      let isLine = !reads && format.contains(":") && reviewed.isAboutLogs(index)
      guard reads || Self.isForMachines(format), !isLine, !formatters.hasStyle(name, behind: index),
        !previews.contains(where: { $0.contains(index) })
      else { continue }
      switch formatters.locale(of: name) {
      case .posix, .unknown: continue
      case .other(let locale):
        report.add(
          index, "the fixed format '\(format)' is used with the locale \(locale)",
          help: "With a user's own calendar or 12-hour clock it reads and writes other dates. \(Self.remedy)",
          // It is nearly right: a user's clock of 12 or 24 hours changes it, and the calendar does not.
          severity: locale == "'en_US'" ? .note : nil)
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

  /// Whether a format is made of numbers from the year on, or with a sign in quotes, as programs exchange. Names of days and
  /// months, AM and PM are for people.
  private static func isForMachines(_ format: String) -> Bool {
    let parts = format.split(separator: "'", omittingEmptySubsequences: false).enumerated()
    let letters = parts.filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined()
    let isSigned = parts.contains { $0.offset % 2 == 1 && $0.element.count == 1 }
    let isNamed =
      letters.contains("MMM") || letters.contains("LLL") || letters.contains { "Eca".contains($0) }
    return !isNamed && letters.contains("yyyy") && (letters.contains("MM") || letters.contains("HH"))
      && (letters.hasPrefix("yyyy") || isSigned && letters.contains("HH"))
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

/// What the formatters in a piece of code get and do, by their names.
private struct Formatters {
  /// Those that read dates: `formatter.date(from: text)`, `[formatter dateFromString:text]`; nil for one without a name.
  private var readers: Set<String?> = []
  /// Those that get a format.
  private var formatted: Set<String> = []
  /// Where they get a style, which replaces a format before it.
  private var styles: [String: Int] = [:]
  private var locales: [String: FormatterLocale] = [:]
  /// Those that are made here.
  private var made: Set<String> = []
  private var firstLocale = FormatterLocale.missing
  /// Whose it is.
  private var firstOwner: String?

  init(in scope: Range<Int>, of file: ReviewedFile) {
    for index in scope where file.tokens[index].kind == .word {
      switch file.tokens[index].text {
      case "dateFormat", "setDateFormat":
        guard file.fixedFormat(at: index) != nil, let name = file.formatter(at: index) else { continue }
        formatted.insert(name)
      case "dateFromString": readers.insert(file.formatter(at: index))
      case "date" where file.isCall(index, label: "from"): readers.insert(file.formatter(at: index))
      case "dateStyle", "setDateStyle", "timeStyle", "setTimeStyle":
        guard file.isSet(index), let name = file.formatter(at: index) else { continue }
        styles[name] = index
      case "locale", "setLocale":
        guard file.isSet(index) else { continue }
        let locale = file.locale(at: index)
        if case .missing = firstLocale { (firstLocale, firstOwner) = (locale, file.formatter(at: index)) }
        if let name = file.formatter(at: index), locales[name] == nil { locales[name] = locale }
      case "DateFormatter", "NSDateFormatter": file.nameOfNew(at: index).map { _ = made.insert($0) }
      default: continue
      }
    }
  }

  /// Whether a formatter reads dates; one without a name may be any of those that do.
  func parses(_ name: String?) -> Bool {
    guard let name else { return !readers.isEmpty }
    // Another one that gets a format here is another formatter.
    return readers.contains { reader in reader.map { $0 == name || !formatted.contains($0) } ?? true }
  }

  func hasStyle(_ name: String?, behind index: Int) -> Bool {
    name.flatMap { styles[$0] }.map { $0 > index } ?? false
  }

  /// The locale of a formatter; where none gets one by that name, the first one in sight, unless it is another formatter's.
  func locale(of name: String?) -> FormatterLocale {
    guard let name else { return firstLocale }
    let areTwo = firstOwner.map { made.contains($0) && made.contains(name) } ?? false
    return locales[name] ?? (areTwo ? .missing : firstLocale)
  }
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

  /// The name before a member; nil for one without a name.
  fileprivate func formatter(at index: Int) -> String? {
    guard index > 1 else { return nil }
    var base = index - 1
    if tokens[base].isMark(".") {
      base -= 1
      if tokens[base].isMark("?") || tokens[base].isMark("!") { base -= 1 }
    } else if language == .swift {
      return nil
    }
    guard base >= 0, tokens[base].kind == .word, !tokens[base].text.hasPrefix("$") else { return nil }
    return tokens[base].text
  }

  /// The name that a new object gets: `let day = DateFormatter()`, `day = [[NSDateFormatter alloc] init]`.
  fileprivate func nameOfNew(at index: Int) -> String? {
    var sign = index - 1
    while sign > 0, tokens[sign].isMark("[") { sign -= 1 }
    guard sign > 0, tokens[sign].isMark("="), tokens[sign - 1].kind == .word else { return nil }
    return tokens[sign - 1].text
  }

  fileprivate func isCall(_ index: Int, label: String) -> Bool {
    index + 2 < tokens.count && tokens[index + 1].isMark("(") && tokens[index + 2].isWord(label)
  }

  fileprivate func isSet(_ index: Int) -> Bool {
    index + 1 < tokens.count && (tokens[index + 1].isMark("=") || tokens[index + 1].isMark(":"))
  }

  /// What a locale is set to.
  fileprivate func locale(at index: Int) -> FormatterLocale {
    let end = statementEnd(from: index, in: index..<min(index + 24, tokens.count))
    let value = tokens[index..<end]
    if value.contains(where: { $0.text.uppercased().contains("POSIX") }) { return .posix }
    let own: Set<String> = [
      "current", "currentLocale", "autoupdatingCurrent", "autoupdatingCurrentLocale", "systemLocale",
    ]
    if let name = value.first(where: { own.contains($0.text) }) { return .other("'\(name.text)'") }
    let text = value.dropFirst(2).prefix(8).first { $0.kind == .text }
    return text.map { .other("'\($0.text)'") } ?? .unknown
  }

  /// Whether what is around a place is about a log, by its name: people read it, and no program.
  fileprivate func isAboutLogs(_ index: Int) -> Bool {
    types.contains { $0.body.contains(index) && LogName($0.name).isAboutLogs }
      || functions.contains { $0.body?.contains(index) ?? false && LogName($0.name).isAboutLogs }
  }

  /// What developers see of a screen: `#Preview { … }`, `#Preview("Name") { … }`, and types for the same.
  fileprivate var previews: [Range<Int>] {
    let macros = tokens.indices.dropFirst().compactMap { index -> Range<Int>? in
      guard tokens[index].isWord("Preview"), tokens[index - 1].isMark("#"), index + 1 < tokens.count else {
        return nil
      }
      let isCall = tokens[index + 1].isMark("(")
      return arguments(at: isCall ? (tokens[index + 1].partner ?? index) + 1 : index + 1)
    }
    return macros + types.filter { $0.inherited.contains("PreviewProvider") }.map(\.body)
  }
}
