internal import LinkspanCore

/// Which of a campaign's languages a device gets: RFC 4647's lookup (3.4), which drops subtags from the right.
package enum LanguageChoice {
  /// The name of what every other device gets.
  package static let fallback = "default"

  /// A language as the choice compares it: `de_AT` is `de-at`.
  package static func canonical(_ tag: String) -> String {
    String(tag.lowercased().map { $0 == "_" ? "-" : $0 })
  }

  /// - Parameters:
  ///   - language: The language that the app is used in, such as `zh-Hant-TW`; it comes first.
  ///   - locale: The device's locale, such as `de_AT`.
  ///   - known: Canonical languages that there is something in.
  /// - Returns: One of them; nil where none fits.
  package static func language(_ language: String?, _ locale: String?, among known: Set<String>) -> String? {
    for tag in [language, locale].compactMap({ $0 }) {
      // An identifier of Apple's may carry keywords: de_AT@calendar=buddhist.
      var subtags = canonical(tag).prefix { $0 != "@" && $0 != "." }.split(separator: "-")
      while !subtags.isEmpty {
        let candidate = subtags.joined(separator: "-")
        if known.contains(candidate) { return candidate }
        subtags.removeLast()
        // A single letter begins an extension, which means nothing alone.
        if subtags.last?.utf8.count == 1 { subtags.removeLast() }
      }
    }
    return nil
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
