/// One thing that can be wrong with what a person wrote, with the examples that are its tests and its page.
package struct CheckRule: Hashable, Sendable {
  /// The kind of file and a few words: `aasa.unknown-key`. It is a promise; it never changes its meaning.
  package let identifier: String
  /// What must hold, in one sentence.
  package let summary: String
  /// The worst that a violation means.
  package let severity: Finding.Severity
  /// The number in the catalogue of the rule it rests on, or the title of a page of Apple's.
  package let source: String
  /// Inputs that break it; where a rule is tested by them, `⟦` and `⟧` stand around the first finding's place.
  package let bad: [String]
  /// Inputs that keep it.
  package let good: [String]

  package init(
    identifier: String, summary: String, severity: Finding.Severity, source: String, bad: [String] = [],
    good: [String] = []
  ) {
    self.identifier = identifier
    self.summary = summary
    self.severity = severity
    self.source = source
    self.bad = bad
    self.good = good
  }

  /// What a rule has found in one text.
  package struct Report: Sendable {
    /// Of each severity, so that warnings never hide an error. Our choice: whoever has a hundred of one kind mends
    /// them with one change.
    package static let limit = 100

    private let rule: CheckRule
    private let source: SourceText
    /// Whether places are places in the file, all of which was understood.
    private let isMendable: Bool
    private var told: [Finding] = []
    private var toldCounts: [Finding.Severity: Int] = [:]
    /// How many more there were than are told.
    private var untold: [Finding.Severity: Int] = [:]
    /// What questions that are no single walk over the text may still cost, those of all rules together.
    package var work: WorkBudget
    /// What the rule could not decide within its bounds, for the list of what was not checked.
    package private(set) var undecided: [String] = []

    /// - Parameter isMendable: Whether findings may carry the fixes that they are given.
    package init(
      _ rule: CheckRule, in source: SourceText, isMendable: Bool = false, work: WorkBudget = .answer
    ) {
      self.work = work
      self.rule = rule
      self.source = source
      self.isMendable = isMendable
    }

    /// The findings; the last one of each severity says how many more are not listed.
    package var findings: [Finding] {
      var all = told
      for (severity, count) in untold {
        guard let last = all.lastIndex(where: { $0.severity == severity }) else { continue }
        all[last].unlisted = count
        all[last].addHelp("\(count) more of this kind are not listed.")
      }
      return all
    }

    /// Records a question that the rule could not answer, for example because the answer would cost too much.
    package mutating func leaveUndecided(_ question: String) { undecided.append(question) }

    /// Adds a finding that was created elsewhere, unchanged.
    package mutating func add(_ finding: Finding) { if takes(finding.severity) { told.append(finding) } }

    /// Counts one more, and says whether it is to be told.
    private mutating func takes(_ severity: Finding.Severity) -> Bool {
      guard toldCounts[severity, default: 0] < Self.limit else {
        untold[severity, default: 0] += 1
        return false
      }
      toldCounts[severity, default: 0] += 1
      return true
    }

    /// Adds a finding. Its texts are only computed for findings that are listed.
    ///
    /// - Parameters:
    ///   - range: Bytes of the text.
    ///   - severity: nil for the rule's own, as `identifier` and `ruleSource` are.
    ///   - fix: The one safe answer; none where a second could be meant.
    ///   - releases: Those that it holds for, where the rule alone knows.
    ///   - related: Bytes of other places that it is about.
    package mutating func add(
      _ range: Range<Int>, _ pointer: @autoclosure () -> JSONPointer, _ message: @autoclosure () -> String,
      help: @autoclosure () -> String, severity: Finding.Severity? = nil, rule identifier: String? = nil,
      source ruleSource: String? = nil, fix: @autoclosure () -> [Edit] = [], releases: HeldReleases? = nil,
      related: @autoclosure () -> [Range<Int>] = []
    ) {
      let severity = severity ?? rule.severity
      guard takes(severity) else { return }
      let finding = Finding(
        rule: identifier ?? rule.identifier, severity: severity,
        at: .init(source, range, pointer: pointer().description), message: message(), help: help(),
        source: ruleSource ?? rule.source)
      tell(finding, isMendable ? fix() : [], releases, related())
    }

    /// What is the same for every rule, so that the closures of ``add`` are all that is compiled for each.
    @inline(never) private mutating func tell(
      _ finding: Finding, _ fix: [Edit], _ releases: HeldReleases?, _ related: [Range<Int>]
    ) {
      var finding = finding
      if isMendable { finding.fix = Fix(fix, in: source) }
      finding.releases = releases
      finding.related = related.map { Finding.Location(source, $0) }
      told.append(finding)
    }
  }
}
