import AppSiteAssociation
import LinkspanCore

/// The story while it is read: its text, and what was found to be wrong with it.
struct StoryContext: DocumentReading {
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
}
