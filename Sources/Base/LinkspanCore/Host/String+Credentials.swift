extension String {
  /// The text without the credentials that can be told by their form: the user and password of a URL, what follows
  /// `password=` and its like, and the secret of a registry credential.
  ///
  /// For errors, which quote what a person typed in the wrong place. Where an address is expected, ``ServiceAddress`` knows
  /// more and shows less.
  package var withoutCredentials: String {
    guard utf8.contains(where: { "=@:_".utf8.contains($0) }) else { return self }
    return split(separator: " ", omittingEmptySubsequences: false)
      .map { word in word.split(separator: "\n", omittingEmptySubsequences: false).map(Self.shown) }
      .map { $0.joined(separator: "\n") }.joined(separator: " ")
  }

  /// A link without the user and password in front of its host; the rest stays, since it is what an answer is about.
  package var withoutUserInformation: String {
    // Lists have millions of links, and few have one.
    guard utf8.contains(UInt8(ascii: "@")), let mark = firstRange(of: "://") else { return self }
    let authority = self[mark.upperBound...].prefix { !"/?#\\".contains($0) }
    guard let end = authority.lastIndex(of: "@") else { return self }
    return "\(self[..<mark.upperBound])…\(self[end...])"
  }

  /// One word; the punctuation behind it is the sentence's.
  private static func shown(_ word: Substring) -> String {
    let ending = word.reversed().prefix { "'\".,;:!?)".contains($0) }
    let place = word.index(word.endIndex, offsetBy: -ending.count)
    return withoutToken(withoutValue(withoutUser(word[..<place])[...])[...]) + word[place...]
  }

  private static func withoutUser(_ word: Substring) -> String {
    guard let mark = word.firstRange(of: "://") else { return String(word) }
    let authority = word[mark.upperBound...].prefix { !"/?#".contains($0) }
    let port = authority.hasPrefix("[") ? "" : authority.drop { $0 != ":" }.dropFirst()
    let hasUser =
      authority.contains("@")
      || (port.utf8.contains(where: ASCII.isLetter) && word[authority.endIndex...].contains("@"))
    guard hasUser else { return String(word) }
    // A quotation mark may stand in front of the scheme.
    let scheme = word[..<mark.lowerBound].reversed().prefix {
      $0.isLetter || $0.isNumber || "+-.".contains($0)
    }
    let start = word.index(mark.lowerBound, offsetBy: -scheme.count)
    return "\(word[..<start])\(ServiceAddress(String(word[start...])))"
  }

  private static let names = ["password", "passwd", "passphrase", "secret", "token"]

  private static func withoutValue(_ word: Substring) -> String {
    guard let equals = word.firstIndex(of: "=") else { return String(word) }
    let name = ASCII.lowercased(word[..<equals])
    return names.contains(where: name.hasSuffix) ? "\(word[...equals])…" : String(word)
  }

  /// `lsp_IDENTIFIER_SECRET` with its identifier.
  private static func withoutToken(_ word: Substring) -> String {
    guard let start = word.firstRange(of: "lsp_")?.upperBound, let end = word[start...].firstIndex(of: "_")
    else { return String(word) }
    return "\(word[...end])…"
  }
}
