internal import LinkLanguages
internal import LinkspanCore

extension CompiledRule {
  /// What building and splitting its witnesses costs, in comparisons of bytes. Our estimate.
  var costOfWitnesses: Int {
    if case .items(let items) = query { 500 + 50 * items.list.count } else { 500 }
  }

  /// URLs that a device can hold and that the rule may cover, built from its own patterns: one as short as can be and, where case or
  /// encoding is set, one that only counts because of that. Whoever uses them decides them again.
  func witnesses(host: String) -> [String] {
    guard let path = self.path.forms[0].example(form), let query = query.example(form),
      let fragment = self.fragment.map({ $0.coversEverything ? "" : $0.example(form) }) ?? ""
    else { return [] }
    let rooted = path.hasPrefix("/") ? path : "/" + path
    let rest = rooted + (query.isEmpty ? "" : "?" + query) + (fragment.isEmpty ? "" : "#" + fragment)
    var witnesses: [String] = HeldText.holds(rest) ? ["https://\(host)\(rest)"] : []
    if !form.isCaseSensitive {
      let other = String(decoding: rest.utf8.map { ASCII.isLetter($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
      // In `%c3` the case of the digits counts for releases that do not decode.
      if !rest.contains("%"), other != rest, HeldText.holds(other) {
        witnesses.append("https://\(host)\(other)")
      }
    }
    return witnesses
  }
}

extension CompiledQuery {
  fileprivate func example(_ form: TextForm) -> String? {
    switch self {
    case .anything: return ""
    case .whole(let pattern):
      return pattern.coversEverything ? "" : pattern.example(form, HeldCharacter.isOneOfQuery)
    case .items(let items):
      var parts: [String] = []
      for item in items.list {
        guard let value = item.pattern.example(form, HeldCharacter.isOneOfQuery) else { return nil }
        parts.append("\(String(decoding: item.name, as: UTF8.self))=\(value)")
      }
      return parts.joined(separator: "&")
    }
  }
}

extension Pattern {
  /// A text the pattern covers, as a URL has it; nil when it covers none, or none that a URL can have.
  ///
  /// - Parameter isHeld: Whether this part of a URL may have a character as it is written.
  fileprivate func example(
    _ form: TextForm, _ isHeld: (UInt8) -> Bool = HeldCharacter.isOne
  ) -> String? {
    guard let tokens else { return nil }
    let bytes = Self.example(tokens)
    if !form.isPercentEncoded {
      return ASCII.percentEncoded(bytes) { isHeld($0) && $0 != UInt8(ascii: "%") }
    }
    return bytes.allSatisfy(isHeld) ? String(decoding: bytes, as: UTF8.self) : nil
  }

  private static func example(_ tokens: [Token]) -> [UInt8] {
    tokens.flatMap { token -> [UInt8] in
      switch token {
      case .literal(let bytes): bytes
      case .anyOne, .anyRun: [UInt8(ascii: "x")]
      case .oneCharacter(let set): (0x21..<0x7F).first { set.contains($0) }.map { [$0] } ?? []
      case .oneOf(let list):
        list.shortest ?? list.patterns.first.map(example) ?? []
      }
    }
  }
}
