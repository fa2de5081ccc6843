import AppSiteAssociation
import LinkspanCore

/// Section 7 once more, over characters and with backtracking, written apart from the matcher and from the algebra that it
/// checks: variables, items, decoding and the three levels of settings included. Characters are alike without case that have one
/// capital or one small letter in common; the dotless i stays itself (K2).
struct SlowMatcher {
  let file: AssociationFile
  let app: String

  struct Answer: Equatable {
    var verdict = "noMatch"
    var entry: Int?
    var rule: Int?
  }

  func decide(_ url: String) -> Answer {
    var rest = url.dropFirst("https://example.com".count)
    func cut(_ mark: Character) -> Substring {
      guard let place = rest.firstIndex(of: mark) else { return "" }
      let tail = rest[rest.index(after: place)...]
      rest = rest[..<place]
      return tail
    }
    let fragment = String(cut("#"))
    let query = String(cut("?"))
    let path = String(rest)
    guard let links = file.appLinks else { return Answer() }
    for entry in links.entries where (entry.appIDs ?? entry.appID.map { [$0] } ?? []).contains(app) {
      var rules: [(Int?, RuleSettings)] = [(nil, RuleSettings())]
      if let components = entry.components {
        rules = components.map { ($0.index, $0.settings) }
      } else if let paths = entry.paths {
        rules = paths.map { ($0.index, $0.settings) }
      }
      for (index, own) in rules {
        let rule = own.over(entry.defaults).over(links.defaults)
        if holds(rule, path, query, fragment) {
          return Answer(
            verdict: rule.exclude == true ? "excluded" : "match", entry: entry.index, rule: index)
        }
      }
    }
    return Answer()
  }

  private func holds(_ rule: RuleSettings, _ path: String, _ query: String, _ fragment: String) -> Bool {
    let text = { (part: String) in
      rule.percentEncoded == false ? Self.decoded(part) : part
    }
    func covers(_ pattern: String, _ text: String) -> Bool {
      guard let tokens = tokens(pattern) else { return false }
      let folds = rule.caseSensitive == false
      return Self.covers(tokens[...], Array(text.unicodeScalars)[...], folds)
    }
    func bare(_ text: String) -> String {
      var text = text
      while text.hasSuffix("/") { text.removeLast() }
      return text
    }
    let trimmed = bare(text(path))
    var pattern = rule.path ?? "*"
    if !pattern.hasPrefix("*"), !pattern.hasPrefix("?"), !pattern.hasPrefix("$(") {
      pattern = "/" + pattern.drop { $0 == "/" }
    }
    var isHeld = covers(bare(pattern), trimmed) || (trimmed.isEmpty && covers(bare(pattern), "/"))
    if !isHeld, pattern.hasSuffix("/*") {
      isHeld = covers(pattern, trimmed + "/") || covers(String(pattern.dropLast(2)), trimmed)
    }
    guard isHeld, covers(rule.fragment ?? "*", text(fragment)) else { return false }
    switch rule.query {
    case nil, .ignored: return true
    case .whole(let pattern): return covers(pattern, text(query))
    case .items(let items):
      let folds = rule.caseSensitive == false
      func isNamed(_ text: String, _ name: String) -> Bool {
        let (one, other) = (Array(text.unicodeScalars), Array(name.unicodeScalars))
        return one.count == other.count && zip(one, other).allSatisfy { Self.isAlike($0, $1, folds) }
      }
      let present = query.split(separator: "&", omittingEmptySubsequences: false).map { item in
        let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (text(String(sides[0])), text(sides.count > 1 ? String(sides[1]) : ""))
      }
      return items.allSatisfy { item in
        let values = present.filter { isNamed($0.0, item.name) }.map(\.1)
        return (values.isEmpty ? [""] : values).allSatisfy { covers(item.pattern, $0) }
      }
    }
  }

  private indirect enum Token {
    case one
    case run
    case scalar(Unicode.Scalar)
    case member(String)
    case oneOf([[Token]])
  }

  private func tokens(_ pattern: String) -> [Token]? {
    var result: [Token] = []
    var rest = Substring(pattern)
    while let first = rest.unicodeScalars.first {
      if rest.hasPrefix("$(") {
        guard let close = rest.firstIndex(of: ")") else { return nil }
        let name = String(rest.dropFirst(2)[..<close])
        rest = rest[rest.index(after: close)...]
        if let values = file.appLinks?.substitutionVariables[ExactText(name)], !values.isEmpty {
          result.append(.oneOf(values.map(Self.plain)))
        } else if let set = Self.sets[name] {
          result.append(.member(set))
        } else {
          return nil
        }
        continue
      }
      result += Self.plain(String(Character(first)))
      rest = Substring(rest.unicodeScalars.dropFirst())
    }
    return result
  }

  private static let small = "abcdefghijklmnopqrstuvwxyz"
  private static let digits = "0123456789"
  /// S4: each stands for one character.
  private static let sets = [
    "alpha": small + small.uppercased(), "lower": small, "upper": small.uppercased(), "digit": digits,
    "alnum": small + small.uppercased() + digits, "xdigit": digits + "abcdefABCDEF",
  ]

  /// Whether two characters are the same, or the same without case.
  static func isAlike(_ one: Unicode.Scalar, _ other: Unicode.Scalar, _ folds: Bool) -> Bool {
    if one == other || !folds { return one == other }
    if one == "\u{131}" || other == "\u{131}" { return false }
    func shared(_ mapping: (Unicode.Scalar) -> String) -> Bool {
      let mapped = (mapping(one).unicodeScalars, mapping(other).unicodeScalars)
      return mapped.0.count == 1 && mapped.1.count == 1 && mapped.0.first == mapped.1.first
    }
    return shared { $0.properties.lowercaseMapping } || shared { $0.properties.uppercaseMapping }
  }

  private static func plain(_ text: String) -> [Token] {
    text.unicodeScalars.map { $0 == "*" ? .run : $0 == "?" ? .one : .scalar($0) }
  }

  private static func covers(
    _ tokens: ArraySlice<Token>, _ text: ArraySlice<Unicode.Scalar>, _ folds: Bool
  ) -> Bool {
    guard let first = tokens.first else { return text.isEmpty }
    let rest = tokens.dropFirst()
    switch first {
    case .run:
      return (text.startIndex...text.endIndex).contains { covers(rest, text[$0...], folds) }
    case .one: return !text.isEmpty && covers(rest, text.dropFirst(), folds)
    case .member(let set):
      guard let head = text.first, set.unicodeScalars.contains(where: { isAlike(head, $0, folds) }) else {
        return false
      }
      return covers(rest, text.dropFirst(), folds)
    case .scalar(let wanted):
      guard let head = text.first, isAlike(head, wanted, folds) else { return false }
      return covers(rest, text.dropFirst(), folds)
    case .oneOf(let values): return values.contains { covers(ArraySlice($0 + rest), text, folds) }
    }
  }

  /// K5: an escape that yields no UTF-8 stays.
  private static func decoded(_ text: String) -> String {
    var result = ""
    var rest = Array(text.utf8)[...]
    func byte(_ bytes: ArraySlice<UInt8>) -> UInt8? {
      let head = Array(bytes.prefix(3))
      guard head.count == 3, head[0] == 0x25 else { return nil }
      let digits = String(decoding: head[1...], as: UTF8.self)
      return digits.contains { !$0.isHexDigit } ? nil : UInt8(digits, radix: 16)
    }
    while !rest.isEmpty {
      var found = false
      for count in 1...4 where !found {
        var bytes: [UInt8] = []
        for index in 0..<count { if let byte = byte(rest.dropFirst(3 * index)) { bytes.append(byte) } }
        if bytes.count == count, let character = String(validating: bytes, as: UTF8.self),
          character.unicodeScalars.count == 1
        {
          result += character
          rest = rest.dropFirst(3 * count)
          found = true
        }
      }
      if !found {
        let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first!
        result.unicodeScalars.append(scalar)
        rest = rest.dropFirst(String(Character(scalar)).utf8.count)
      }
    }
    return result
  }
}
