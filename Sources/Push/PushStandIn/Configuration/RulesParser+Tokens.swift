package import LinkspanCore
internal import PushTerms

/// Device tokens, in a rules file or in a list of their own.
extension RulesParser {
  private enum Word: String, CaseIterable { case registered, unregistered, expired }

  private static let example = "{ token: \"00fc…\", topic: \"com.example.app\", state: \"unregistered\" }"

  mutating func readTokens(_ node: JSONNode, into tokens: inout DeviceTokens) {
    for element in elements(node, "tokens", example: "tokens: [ \(Self.example) ]") {
      if element.string != nil {
        if let token = token(element) { tokens.set(.init(), for: token) }
        continue
      }
      let keys = ["token", "topic", "environment", "state", "since"]
      guard members(element, "a token", keys: keys, example: Self.example) != nil else { continue }
      guard let name = element["token"] else {
        report("missing-key", element, "There is no 'token'.", "For example: \(Self.example).")
        continue
      }
      guard let token = token(name) else { continue }
      var entry = DeviceTokens.Entry()
      if let topic = element["topic"] { entry.topic = string(topic, "topic", example: Self.example) }
      if let environment = element["environment"] {
        entry.environment = word(environment, "environment", PushEnvironment.allCases)
      }
      let since = element["since"].flatMap { time($0) }
      let state = element["state"].flatMap { word($0, "state", Word.allCases) } ?? .registered
      entry.state = Self.state(state, since)
      tokens.set(entry, for: token)
    }
  }

  private static func state(_ word: Word, _ since: WallTime?) -> DeviceTokens.State {
    switch word {
    case .registered: .registered
    case .unregistered: .unregistered(since: since)
    case .expired: .expired(since: since)
    }
  }

  private mutating func token(_ node: JSONNode) -> String? {
    guard let text = string(node, "token", example: Self.example) else { return nil }
    return token(text, at: node.range)
  }

  private mutating func token(_ text: String, at range: Range<Int>) -> String? {
    let token = ASCII.lowercased(text)
    if !token.isEmpty, DeviceTokens.isToken(token) { return token }
    report(
      "token", at: range, "'\(text.prefix(80))' is not a device token.",
      "Write an even number of hexadecimal digits.")
    return nil
  }

  /// RFC 3339, or milliseconds since 1970 as APNs gives them.
  private mutating func time(_ node: JSONNode) -> WallTime? {
    if let number = node.int, number >= 0 { return WallTime(milliseconds: Int64(number)) }
    if let time = node.string.flatMap(WallTime.init) { return time }
    report(
      "time", node, "'since' is not a time.",
      "Write it as \"2026-09-14T08:00:00Z\", or in milliseconds since 1970.")
    return nil
  }

  // MARK: - A list of tokens

  /// A file of `--known-tokens`: one token a line, or JSON5 with `tokens`.
  mutating func tokenList() -> DeviceTokens {
    var tokens = DeviceTokens(unlisted: .unregistered)
    guard let text = ByteOrderMark.removed(from: source.bytes[...]) else {
      report(
        "not-utf-8", at: 0..<0, "The list is in UTF-16; expected UTF-8.",
        "'iconv -f UTF-16 -t UTF-8' converts it.")
      return tokens
    }
    let first = text.first { !ASCII.isSpace($0) }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      readLines(from: text.startIndex, into: &tokens)
      return tokens
    }
    guard let root = root() else { return tokens }
    if root.array != nil {
      readTokens(root, into: &tokens)
      return tokens
    }
    let example = "{ tokens: [ \(Self.example) ] }"
    guard members(root, "a list of tokens", keys: ["tokens", "unlisted_tokens"], example: example) != nil
    else {
      return tokens
    }
    if let node = root["tokens"] { readTokens(node, into: &tokens) }
    if let node = root["unlisted_tokens"],
      let unlisted = word(node, "unlisted_tokens", DeviceTokens.Unlisted.allCases)
    {
      tokens.unlisted = unlisted
    }
    return tokens
  }

  /// Lines of `TOKEN [TOPIC] [registered|unregistered|expired]`; `#` begins a comment.
  private mutating func readLines(from first: Int, into tokens: inout DeviceTokens) {
    var start = first
    while start < source.bytes.count {
      let end = source.bytes[start...].firstIndex(of: 0x0A) ?? source.bytes.count
      let words = source.bytes[start..<end].prefix { $0 != UInt8(ascii: "#") }.split {
        [0x20, 0x09, 0x0D, UInt8(ascii: ",")].contains($0)
      }
      if let first = words.first {
        var entry = DeviceTokens.Entry()
        for word in words.dropFirst() {
          let text = String(decoding: word, as: UTF8.self)
          if let state = Word(rawValue: text) {
            entry.state = Self.state(state, nil)
          } else if let environment = PushEnvironment(rawValue: text) {
            entry.environment = environment
          } else {
            entry.topic = text
          }
        }
        if let token = token(String(decoding: first, as: UTF8.self), at: first.startIndex..<first.endIndex) {
          tokens.set(entry, for: token)
        }
      }
      start = end + 1
    }
  }
}

extension DeviceTokens {
  /// What a list of tokens held.
  package enum ListResult: Sendable {
    case tokens(DeviceTokens)
    /// In the order of their places; never empty.
    case findings([Finding])
  }

  /// Reads a list of tokens: one a line, or JSON5. A token that is not in it is answered 410 `Unregistered`, unless the list
  /// says otherwise.
  package static func parse(_ source: SourceText) -> ListResult {
    var parser = RulesParser(source)
    let tokens = parser.tokenList()
    let findings = parser.findings.inReadingOrder()
    return findings.isEmpty ? .tokens(tokens) : .findings(findings)
  }
}
