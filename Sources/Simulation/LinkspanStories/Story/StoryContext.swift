import AssociatedDomains
import LinkspanCore

/// A story being read: its text, and the errors found so far.
struct StoryContext: DocumentReading {
  let source: SourceText
  let reader: StoryReader
  let limits: StoryLimits
  private(set) var findings: [Finding] = []
  /// What may stand where, in the order of reading.
  private(set) var choices: [(range: Range<Int>, choice: DocumentChoice)] = []

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

  mutating func expects(_ choice: DocumentChoice, at range: Range<Int>) { choices.append((range, choice)) }

  /// Reports a name that could not be told apart in a trace or a script.
  mutating func checkName(_ member: JSONMember, reserved: [String]) {
    let name = member.name
    let isPlain = name.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_.".utf8.contains($0) }
    if reserved.contains(name) {
      report(
        "reserved-name", at: member.nameRange, "'\(name)' is reserved in a story.",
        "Choose another name.")
    } else if !isPlain || !(1...60).contains(name.utf8.count) {
      report(
        "name", at: member.nameRange, "'\(name.prefix(60))' is not a valid name.",
        "Use 1 to 60 letters, digits, '-', '_' and '.'.")
    }
  }

  /// A country by its two letters: another spelling would be another country, which no host answers.
  mutating func region(_ text: String, _ node: JSONNode) -> String? {
    if text.utf8.count == 2, text.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) {
      return text
    }
    report(
      "region", node, "'\(text)' is not a region.",
      "Write the two capital letters of a country, such as \"US\".")
    return nil
  }

  /// A host as it stands in a URL: lower-case ASCII, and Punycode for what is written with other letters.
  mutating func host(_ text: String, at range: Range<Int>) -> String? {
    let domain: AssociatedDomain?
    let name = text.utf8.allSatisfy { $0 < 0x80 } ? text : HostName.written(text) ?? text
    do { domain = try AssociatedDomain(asDevicesRead: "applinks:" + name) } catch {
      // Why it can't be an entry is said in words of the entitlement, which nobody wrote here.
      domain = nil
    }
    if let domain, !domain.isWildcard, domain.mode == nil { return domain.host }
    report(
      "host", at: range, "'\(text)' is not a host name.", "Write the host name alone, such as example.com.")
    return nil
  }
}
