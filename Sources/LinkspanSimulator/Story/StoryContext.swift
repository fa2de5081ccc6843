import AppSiteAssociation
import LinkspanCore

/// The story while it is read: its text, and what was found to be wrong with it.
struct StoryContext {
  let source: SourceText
  let reader: StoryReader
  let limits: StoryLimits
  private(set) var findings: [Finding] = []

  init(source: SourceText, reader: StoryReader, limits: StoryLimits) {
    self.source = source
    self.reader = reader
    self.limits = limits
  }

  mutating func report(_ rule: String, at range: Range<Int>, _ message: String, _ help: String) {
    findings.append(
      Finding(
        rule: "story." + rule, severity: .error, at: .init(source, range), message: message, help: help))
  }

  mutating func report(_ rule: String, _ node: JSONNode, _ message: String, _ help: String) {
    report(rule, at: node.range, message, help)
  }

  /// A wrong type: "'start' is a number, not a string."
  mutating func wrongType(_ node: JSONNode, _ name: String, wanted: String, example: String) {
    report(
      "type", node, "'\(name)' is \(node.typeName); \(wanted) is wanted.", "Write it as in \(example).")
  }

  // MARK: - Values

  /// The members of an object, after unknown and repeated keys have been reported.
  mutating func members(
    _ node: JSONNode, _ name: String, keys: [String], example: String
  ) -> [JSONMember]? {
    guard let members = named(node, name, example: example) else { return nil }
    for member in members where !keys.contains(member.name) {
      let advice =
        Spelling.nearest(to: member.name, among: keys).map { "Did you mean '\($0)'?" }
        ?? "It may have \(Self.list(keys))."
      report("unknown-key", at: member.nameRange, "'\(member.name)' is not a key of \(name).", advice)
    }
    return members
  }

  /// The members of an object whose keys are free.
  mutating func named(_ node: JSONNode, _ name: String, example: String) -> [JSONMember]? {
    guard let members = node.object else {
      wrongType(node, name, wanted: "an object", example: example)
      return nil
    }
    var seen: Set<String> = []
    for member in members where !seen.insert(member.name).inserted {
      report(
        "repeated-key", at: member.nameRange, "'\(member.name)' is there twice in \(name).",
        "Keep one of the two.")
    }
    return members
  }

  /// Reports a name of a person's own that would not stand well in a trace or a script.
  mutating func checkName(_ member: JSONMember, reserved: [String]) {
    let name = member.name
    let isPlain = name.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_.".utf8.contains($0) }
    if reserved.contains(name) {
      report(
        "reserved-name", at: member.nameRange, "'\(name)' means something else in a story.",
        "Take another name.")
    } else if !isPlain || !(1...60).contains(name.utf8.count) {
      report(
        "name", at: member.nameRange, "'\(name.prefix(60))' can't be a name here.",
        "A name has 1 to 60 letters, digits, '-', '_' and '.'.")
    }
  }

  mutating func string(_ node: JSONNode, _ name: String, example: String) -> String? {
    if let text = node.string { return text }
    wrongType(node, name, wanted: "a string", example: example)
    return nil
  }

  mutating func bool(_ node: JSONNode, _ name: String) -> Bool? {
    if let flag = node.bool { return flag }
    wrongType(node, name, wanted: "true or false", example: "\(name): true")
    return nil
  }

  mutating func int(_ node: JSONNode, _ name: String, in range: ClosedRange<Int>) -> Int? {
    if let number = node.int, range.contains(number) { return number }
    report(
      "number", node, "'\(name)' is no whole number from \(range.lowerBound) to \(range.upperBound).",
      "Write a whole number in that range.")
    return nil
  }

  /// A word out of a few.
  mutating func word<Word: RawRepresentable<String>>(
    _ node: JSONNode, _ name: String, _ words: [Word]
  ) -> Word? {
    let known = words.map(\.rawValue)
    guard let text = string(node, name, example: "\(name): \"\(known[0])\"") else { return nil }
    if let word = Word(rawValue: text) { return word }
    let advice =
      Spelling.nearest(to: text, among: known).map { "Did you mean '\($0)'?" }
      ?? "It may be \(Self.list(known))."
    report("unknown-word", node, "'\(text)' is no value of '\(name)'.", advice)
    return nil
  }

  /// A string, or an array of them.
  mutating func strings(_ node: JSONNode, _ name: String, example: String) -> [(String, JSONNode)] {
    if let text = node.string { return [(text, node)] }
    guard let elements = node.array else {
      wrongType(node, name, wanted: "a string or an array of strings", example: example)
      return []
    }
    return elements.compactMap { element in
      string(element, name, example: example).map { ($0, element) }
    }
  }

  /// A host as it stands in a URL: lower-case ASCII.
  mutating func host(_ text: String, at range: Range<Int>) -> String? {
    let domain: AssociatedDomain?
    do { domain = try AssociatedDomain("applinks:" + text) } catch {
      // Why it can't be an entry is said in words of the entitlement, which nobody wrote here.
      domain = nil
    }
    if let domain, !domain.isWildcard, domain.mode == nil { return domain.host }
    report("host", at: range, "'\(text)' is no host.", "Write the host's name alone, such as example.com.")
    return nil
  }

  static func list(_ words: [String]) -> String {
    let quoted = words.map { "'\($0)'" }
    guard quoted.count > 1 else { return quoted.first ?? "none" }
    return quoted.dropLast().joined(separator: ", ") + " and " + quoted.last!
  }
}
