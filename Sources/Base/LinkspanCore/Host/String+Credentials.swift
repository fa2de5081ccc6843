extension String {
  /// The text without the credentials that can be told by their form: the user and password of a URL, what follows
  /// `password=` and its like, the secret of a registry credential, a JSON Web Token, and a private key.
  /// For errors, which quote what a person typed. Where an address is expected, ``ServiceAddress`` knows more.
  package var withoutCredentials: String {
    if let key = firstRange(of: "PRIVATE KEY-----")?.upperBound,
      "\n\r\n\\".contains(self[key...].first ?? " ")
    {
      let end = self[key...].firstRange(of: "-----END")?.lowerBound ?? endIndex
      let next = self[end...].firstRange(of: "KEY-----")?.upperBound ?? endIndex
      return String(self[..<key] + "…" + self[end..<next]).withoutCredentials
        + String(self[next...]).withoutCredentials
    }
    if let key = bareKey {
      return String(self[..<key.lowerBound]).withoutCredentials + "…"
        + String(self[key.upperBound...]).withoutCredentials
    }
    guard utf8.contains(where: { "=@:_%.".utf8.contains($0) }) else { return self }
    return split(separator: " ", omittingEmptySubsequences: false)
      .map { word in word.split(separator: "\n", omittingEmptySubsequences: false).map(Self.shown) }
      .map { $0.joined(separator: "\n") }.joined(separator: " ")
  }

  /// A private key in Base64 alone: DER of version 0 or 1 (RFC 5208, 5; RFC 5915, 3; RFC 8017, A.1.2), with its line ends.
  package var bareKey: Range<Index>? {
    var rest = self[...]
    while let start = rest.utf8.firstIndex(of: UInt8(ascii: "M")) {
      let head = Base64.bytes(of: rest[start...].utf8.prefix(12)) ?? []
      let body = head.dropFirst(head.count > 1 && head[1] >= 0x80 ? 2 + Int(head[1] & 3) : 2)
      if head.first == 0x30, body.starts(with: [2, 1, 0]) || body.starts(with: [2, 1, 1]) {
        let digits = rest[start...].utf8.prefix { Base64.values[Int($0)] < 64 || "=\r\n".utf8.contains($0) }
        // An Ed25519 key, the shortest, has 64.
        if digits.count >= 60 { return digits.startIndex..<digits.endIndex }
      }
      rest = rest[rest.utf8.index(after: start)...]
    }
    return nil
  }

  /// The text of a finding, without the private keys and tokens of the file that it quotes.
  var withoutSecrets: String {
    let bytes = Array(utf8)
    return hiding(Self.secrets(in: bytes[...]), in: bytes)
  }

  /// Private keys in Base64 alone and tokens, which are longer than most words.
  static func secrets(in text: ArraySlice<UInt8>) -> [Range<Int>] {
    guard mayHoldSecret(text) else { return [] }
    let words = text.split { !ASCII.isLetter($0) && !ASCII.isDigit($0) && !"+/_-.".utf8.contains($0) }
    return words.filter { bytes in
      let word = bytes.count < 20 ? "" : String(decoding: bytes, as: UTF8.self)
      return word.bareKey != nil || withoutToken(word[...]) != word
    }.map { $0.startIndex..<$0.endIndex }
  }

  /// Whether a text has what one begins with: DER in Base64 (`MA` to `MP`), `eyJ` or `lsp_`. Few texts have, and all are asked.
  private static func mayHoldSecret(_ text: ArraySlice<UInt8>) -> Bool {
    var last: UInt32 = 0
    return text.contains { byte in
      last = last << 8 | UInt32(byte)
      return (0x4D41...0x4D50).contains(last & 0xFFFF) || last & 0xFF_FFFF == 0x65_794A || last == 0x6C73_705F
    }
  }

  /// One word; the punctuation behind it is the sentence's.
  private static func shown(_ word: Substring) -> String {
    let ending = word.reversed().prefix { "'\".,;:!?)".contains($0) }
    let place = word.index(word.endIndex, offsetBy: -ending.count)
    return withoutToken(withoutValue(withoutUser(word[..<place])[...])[...]) + word[place...]
  }

  private static func withoutUser(_ word: Substring) -> String {
    guard let mark = word.firstRange(of: "://") else { return withoutUserOfLink(word) }
    let authority = word[mark.upperBound...].prefix { !"/?#".contains($0) }
    let port = authority.hasPrefix("[") ? "" : authority.drop { $0 != ":" }.dropFirst()
    let hasUser =
      authority.contains("@")
      || (port.utf8.contains(where: ASCII.isLetter) && word[authority.endIndex...].contains("@"))
    guard hasUser else { return withoutUserOfLink(word) }
    // A quotation mark may stand in front of the scheme.
    let scheme = word[..<mark.lowerBound].reversed().prefix {
      $0.isLetter || $0.isNumber || "+-.".contains($0)
    }
    let start = word.index(mark.lowerBound, offsetBy: -scheme.count)
    return "\(word[..<start])\(ServiceAddress(String(word[start...])))"
  }

  /// A link that only a browser reads as one with a host, such as `https:/ann:secret@example.com`.
  private static func withoutUserOfLink(_ word: Substring) -> String {
    let link = word.drop { "'\"(<`[".contains($0) }
    var start = link.startIndex
    if !link.hasPrefix("/"), !link.hasPrefix("\\"), let colon = link.firstIndex(of: ":") {
      let scheme = link[..<colon].reversed().prefix { $0.isLetter || $0.isNumber || "+-.".contains($0) }
      // A flag's hyphens begin no scheme.
      start = link[link.index(colon, offsetBy: -scheme.count)...].firstIndex { !"+-.".contains($0) } ?? colon
    }
    return word[..<start] + String(word[start...]).withoutUserInformation
  }

  private static let names = ["password", "passwd", "passphrase", "secret", "token"]

  private static func withoutValue(_ word: Substring) -> String {
    guard let equals = word.firstIndex(of: "=") else { return String(word) }
    let name = ASCII.lowercased(word[..<equals])
    return names.contains(where: name.hasSuffix) ? "\(word[...equals])…" : String(word)
  }

  /// `lsp_IDENTIFIER_SECRET` with its identifier; of a JSON Web Token nothing.
  private static func withoutToken(_ word: Substring) -> String {
    if let start = word.firstRange(of: "eyJ"), word[start.upperBound...].firstRange(of: ".eyJ") != nil {
      return "\(word[..<start.lowerBound])…"
    }
    guard let start = word.firstRange(of: "lsp_")?.upperBound, let end = word[start...].firstIndex(of: "_")
    else { return String(word) }
    return "\(word[...end])…"
  }
}
