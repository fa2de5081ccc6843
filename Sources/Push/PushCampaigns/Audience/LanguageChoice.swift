internal import LinkspanCore

/// Which of a campaign's languages a device gets: RFC 4647's lookup (3.4), which drops subtags from the right.
package enum LanguageChoice {
  /// The name of what every other device gets.
  package static let fallback = "default"

  /// A language as the choice compares it: `de_AT` is `de-at`.
  package static func canonical(_ tag: String) -> String {
    String(tag.lowercased().map { $0 == "_" ? "-" : $0 })
  }

  /// A canonical language as people write it: `zh-hant-tw` is `zh-Hant-TW`.
  ///
  /// - Source: RFC 5646, 2.1.1.
  package static func written(_ tag: String) -> String {
    let subtags = tag.split(separator: "-")
    // What follows a single letter is an extension's.
    let end = subtags.firstIndex { $0.utf8.count == 1 } ?? subtags.endIndex
    let written = subtags.enumerated().map { place, subtag in
      switch (place, subtag.utf8.count) {
      case (1..<max(1, end), 2): subtag.uppercased()
      case (1..<max(1, end), 4): subtag.prefix(1).uppercased() + subtag.dropFirst()
      default: String(subtag)
      }
    }
    return written.joined(separator: "-")
  }

  /// - Parameters:
  ///   - language: The language that the app is used in, such as `zh-Hant-TW`; it comes first.
  ///   - locale: The device's locale, such as `de_AT`.
  ///   - known: Canonical languages that there is something in.
  /// - Returns: One of them; nil where none fits.
  package static func language(_ language: String?, _ locale: String?, among known: Set<String>) -> String? {
    for tag in [language, locale].compactMap({ $0 }) {
      // An identifier of Apple's may carry keywords: de_AT@calendar=buddhist.
      let subtags = canonical(tag).prefix { $0 != "@" && $0 != "." }.split(separator: "-")
      let exact = subtags.joined(separator: "-")
      if known.contains(exact) { return exact }
      if let found = lookup(withScript(subtags), known) ?? lookup(subtags, known) { return found }
    }
    return nil
  }

  private static func lookup(_ tag: [Substring], _ known: Set<String>) -> String? {
    var subtags = tag
    while !subtags.isEmpty {
      let candidate = subtags.joined(separator: "-")
      if known.contains(candidate) { return candidate }
      subtags.removeLast()
      // A single letter begins an extension, which means nothing alone.
      if subtags.last?.utf8.count == 1 { subtags.removeLast() }
    }
    return nil
  }

  /// Chinese with the script that Unicode's likely subtags give it (CLDR, UTS #35, 4.3): a locale `zh_TW` leaves it out, and
  /// apps name their languages `zh-Hant` and `zh-Hans`.
  private static func withScript(_ subtags: [Substring]) -> [Substring] {
    guard subtags.first == "zh", subtags.count < 2 || subtags[1].utf8.count != 4 else { return subtags }
    let isTraditional = subtags.contains { $0 == "tw" || $0 == "hk" || $0 == "mo" }
    return ["zh", isTraditional ? "hant" : "hans"] + subtags.dropFirst()
  }

  /// Whether a text has the form of a language tag.
  package static func isTag(_ text: String) -> Bool {
    let subtags = canonical(text).split(separator: "-", omittingEmptySubsequences: false)
    guard let first = subtags.first, (2...8).contains(first.utf8.count), text.utf8.count <= 35 else {
      return false
    }
    return first.utf8.allSatisfy(ASCII.isLetter)
      && subtags.allSatisfy { subtag in
        (1...8).contains(subtag.utf8.count)
          && subtag.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) }
      }
  }
}
