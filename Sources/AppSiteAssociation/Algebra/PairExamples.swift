internal import LinkspanCore

/// Differences at URLs that are built from a rule's own patterns: no search, and no proof where there is none.
struct PairExamples {
  private let old: RuleTable
  private let new: RuleTable

  private static let host = "example.com"
  private static let start = "https://\(host)"

  init(old: RuleList, new: RuleList) {
    self.old = RuleTable(old.rules)
    self.new = RuleTable(new.rules)
  }

  func difference(of rule: CompiledRule) -> PairSearch.Difference? {
    for rest in urls(of: rule) {
      // The other list may decode escapes where this rule does not.
      for rest in [rest] + Self.escaped(rest) {
        if let difference = difference(at: rest) { return difference }
      }
    }
    return nil
  }

  /// - Parameter rest: Path, query and fragment, as everywhere here.
  func difference(at rest: String) -> PairSearch.Difference? {
    let (before, after) = deciding(LinkURL(Self.start + rest))
    if before?.isExclusion == after?.isExclusion { return nil }
    return PairSearch.Difference(rest: rest, old: before, new: after)
  }

  /// URLs that are built from a rule's patterns.
  func urls(of rule: CompiledRule) -> [String] {
    rule.witnesses(host: Self.host).map { String($0.dropFirst(Self.start.count)) }
  }

  /// The place of the rule that decides.
  func decidingPlace(_ rest: String, inOld: Bool) -> Int? {
    let url = LinkURL(Self.start + rest)
    return url.bytes.withUnsafeBufferPointer { bytes in
      var subject = Subject(url, bytes: bytes)
      return (inOld ? old : new).firstDecisivePlace(&subject)
    }
  }

  private func deciding(_ url: LinkURL) -> (old: CompiledRule?, new: CompiledRule?) {
    url.bytes.withUnsafeBufferPointer { bytes in
      var subject = Subject(url, bytes: bytes)
      return (old.firstDecisive(&subject), new.firstDecisive(&subject))
    }
  }

  /// With the last letter of the path as an escape, and with the first, which a star seldom stands for: the same only where
  /// escapes are decoded.
  private static func escaped(_ rest: String) -> [String] {
    let path = rest.prefix { $0 != "?" && $0 != "#" }
    if path.contains("%") { return [] }
    func isLetter(_ character: Character) -> Bool { character.isASCII && character.isLetter }
    return [path.lastIndex(where: isLetter), path.firstIndex(where: isLetter)].compactMap {
      place -> String? in
      guard let place, let byte = path[place].asciiValue else { return nil }
      let digits = String(byte, radix: 16, uppercase: true)
      return rest[..<place] + "%" + digits + rest[rest.index(after: place)...]
    }
  }
}
