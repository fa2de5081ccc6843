import AppSiteAssociation
import AssociationCheck
import Foundation
import LinkCoverage
import LinkExplanation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Swcutil
import Testing

/// One verdict wherever it is asked. A case is a file, a URL as somebody writes it, a release and a way of following;
/// `LINKSPAN_AGREEMENT=1000000` asks about more of them.
///
/// These are contradictions, and nothing else is:
/// 1. The matcher, its trace, the reasoned matcher (lists and batches), `swcutil`, coverage, the explanation and a story's
///    device answer otherwise, or the encoded URL is answered otherwise than the written one.
/// 2. A rule decides on a release for which the check says that it never matches or is never reached.
/// 3. Two files decide a URL otherwise on a release, and `diff` finds them equal; or a URL that `diff` names is none that a
///    device holds, or is decided alike by both.
/// 4. The file that `generate` makes from the request of `init --from`, exact and without a loss, opens another app.
@Suite struct VerdictAgreementTests {
  private static let count = Int(ProcessInfo.processInfo.environment["LINKSPAN_AGREEMENT"] ?? "") ?? 20_000
  private static let seed = 2_929
  /// A large run asks more of each file, since comparing files is dear.
  private static let casesOfFile = count > 100_000 ? 2_000 : 500
  private static let app = Stories.app
  private static let host = "shop.example"

  private static let releases = ["13.0", "13.5", "14.2", "15.0", "16.4", "17.4", "26.0"].map { text in
    // Every one of them is a release.
    try! OSVersion("ios:" + text)
  }

  /// For one file: what a bound leaves open is no contradiction.
  private static let work = WorkBudget(steps: 1_000_000)

  /// Two files may differ in many ways, and a few of them show as much.
  private static let limits: FileComparison.Limits = {
    var limits = FileComparison.Limits()
    limits.changes = 5
    limits.steps = work.steps
    return limits
  }()

  // MARK: - What is drawn

  /// A file with its rules, which share few words, so that they meet.
  private struct Maker {
    var chance: SeededGenerator

    mutating func often(_ count: Int64, in total: Int64) -> Bool { chance.chance(count, in: total) }

    mutating func one<Element>(_ elements: [Element]) -> Element {
      elements[Int(chance.draw(0...Int64(elements.count - 1)))]
    }

    private static let words = [
      "a", "b", "Shop", "shop", "café", "caf%C3%A9", "レシピ", "x y", "1", "42", "sale-2026", "ſ", "%2F", "é",
    ]
    private static let wild = ["*", "?", "?*", "$(v)", "$(digit)", "$(lang)", "s*p", "$(none)"]

    mutating func word() -> String { one(Self.words) }

    mutating func path(_ allowsWild: Bool) -> String {
      let segments = (0..<Int(chance.draw(1...3))).map { _ in
        allowsWild && often(2, in: 5) ? one(Self.wild) : word()
      }
      return "/" + segments.joined(separator: "/") + (often(1, in: 6) ? "/" : "")
    }

    mutating func rule() -> JSON {
      var members: [(String, JSON)] = []
      if often(9, in: 10) { members.append(("/", .string(often(1, in: 8) ? "*" : path(true)))) }
      if often(1, in: 4) {
        members.append(
          (
            "?",
            often(1, in: 2)
              ? .string("q=\(one(["*", "1", word()]))") : .object([("q", .string(one(["1", "?*", word()])))])
          ))
      }
      if often(1, in: 8) { members.append(("#", .string(one(["*", "top", word()])))) }
      for (key, share) in [("exclude", Int64(4)), ("caseSensitive", 5), ("percentEncoded", 5)]
      where often(1, in: share) {
        members.append((key, .bool(key == "exclude" ? often(3, in: 4) : often(1, in: 5))))
      }
      return .object(members)
    }

    /// The rules of one application, and what may stand around them.
    ///
    /// - Returns: It, and a neighbour with one rule more or less.
    mutating func files() -> (JSON, JSON) {
      let rules = (0..<Int(chance.draw(1...6))).map { _ in rule() }
      var others = rules
      if often(1, in: 2) {
        others.remove(at: Int(chance.draw(0...Int64(rules.count - 1))))
      } else {
        others.insert(rule(), at: 0)
      }
      var around: [(String, JSON)] = [("appIDs", .array([.string(VerdictAgreementTests.app)]))]
      if often(1, in: 5) { around.append(("defaults", .object([("caseSensitive", .bool(false))]))) }
      var links: [(String, JSON)] = []
      if often(3, in: 4) {
        links.append(("substitutionVariables", .object([("v", .array([.string(word()), .string("b")]))])))
      }
      func file(_ rules: [JSON]) -> JSON {
        let entry = JSON.object(around + [("components", .array(rules))])
        return .object([("applinks", .object(links + [("details", .array([entry]))]))])
      }
      return (file(rules), file(others))
    }

    mutating func url() -> String {
      var text = "https://" + VerdictAgreementTests.host + path(false)
      if often(1, in: 3) { text += "?q=" + one(["1", "", word()]) + (often(1, in: 4) ? "&r=2" : "") }
      if often(1, in: 6) { text += "#" + one(["top", word()]) }
      return text
    }
  }

  // MARK: - One file

  /// One file, asked everywhere.
  private struct Subject {
    let text: String
    let file: AssociationFile
    let matchers: [AssociationMatcher]
    /// By place: rules that the check calls dead, each with the spans of releases.
    let dead: [String: [HeldReleases]]
    /// The file that is generated from this one, where that is promised to mean the same.
    let generated: AssociationMatcher?

    init(_ json: JSON, isGenerated: Bool) throws {
      text = json.text
      let file = try #require(AssociationContent(Array(json.text.utf8)).file)
      self.file = file
      matchers = VerdictAgreementTests.releases.map { AssociationMatcher(file, os: $0) }
      var dead: [String: [HeldReleases]] = [:]
      var work = VerdictAgreementTests.work
      let findings = AssociationChecker.check(
        AssociationSource(SourceText(name: "file", text)), on: .standard, &work
      ).findings
      for finding in findings where VerdictAgreementTests.ofDeadRules.contains(finding.rule) {
        // A warning of what is encoded is about a condition or a value, and not about the whole rule.
        if finding.rule == "aasa.encoded-pattern", finding.severity != .error { continue }
        guard let pointer = finding.location.pointer, let releases = finding.releases else { continue }
        let place = pointer.split(separator: "/").prefix(5).joined(separator: "/")
        dead[place, default: []].append(releases)
      }
      self.dead = dead
      generated = isGenerated ? try Self.generated(file) : nil
    }

    private static func generated(_ file: AssociationFile) throws -> AssociationMatcher? {
      let request = CommentedRequest(file, from: "file")
      guard request.losses.isEmpty else { return nil }
      let site = GeneratedSite(try GenerateRequest(SourceText(name: "linkspan.json5", request.text)))
      guard site.isExact else { return nil }
      return AssociationContent(Array(site.associationFile.text.utf8)).file.map { AssociationMatcher($0) }
    }

    /// Whether the check says that a rule decides nothing on a release.
    func isDead(_ decision: Decision, on os: OSVersion) -> Bool {
      guard let entry = decision.entry, let rule = decision.rule else { return false }
      return (dead["applinks/details/\(entry)/components/\(rule)"] ?? []).contains { releases in
        ([releases.first] + releases.others).contains { span in
          guard let from = try? OSVersion(span.from) else { return false }
          let to = span.to.flatMap { try? OSVersion($0) }
          return os >= from && (to.map { os <= $0 } ?? true)
        }
      }
    }
  }

  /// Rules of the check that say of a rule of the file that it decides nothing.
  private static let ofDeadRules: Set<String> = [
    "aasa.unreachable", "aasa.never-matches", "aasa.encoded-pattern", "aasa.contradiction",
  ]

  // MARK: - The law

  @Test func everybodyGivesOneVerdict() throws {
    var asked = 0
    var files = 0
    var verdicts: [Decision.Verdict: Int] = [:]
    var contradictions: [String] = []
    var (deadRules, generatedFiles, comparisons, stories) = (0, 0, 0, 0)
    while asked < Self.count, contradictions.count < 10 {
      files += 1
      var maker = Maker(chance: SeededGenerator(seed: UInt64(Self.seed + files)))
      let (json, neighbour) = maker.files()
      let subject = try Subject(json, isGenerated: files % 2 == 1)
      let other = try #require(AssociationContent(Array(neighbour.text.utf8)).file)
      let place = "seed \(Self.seed + files): \(subject.text)"
      deadRules += subject.dead.count
      generatedFiles += subject.generated == nil ? 0 : 1
      let isCompared = files % 2 == 0
      let comparison =
        isCompared ? FileComparison(subject.file, other, host: Self.host, limits: Self.limits) : nil
      if let comparison {
        comparisons += 1
        contradictions += Self.contradictions(in: comparison, subject.file, other).map { "\($0), \(place)" }
      }
      let others = Self.releases.map { AssociationMatcher(other, os: $0) }
      var reasoned = subject.matchers.map { ReasonedMatcher($0) }
      for number in 0..<Self.casesOfFile {
        let url = maker.url()
        let release = Int(maker.chance.draw(0...Int64(Self.releases.count - 1)))
        asked += 1
        var found = Self.contradictions(of: url, subject, release, &reasoned[release], &verdicts)
        let os = Self.releases[release]
        if let comparison, os.readsDefaults, comparison.isEqual {
          let (old, new) = (
            Self.decision(url, subject.matchers[release]), Self.decision(url, others[release])
          )
          if old.verdict != new.verdict { found.append("diff finds the files equal") }
        }
        if files % 4 == 0, number == 0 {
          stories += 1
          found += try Self.contradictionsOfAStory(url, subject, os, Self.ways[files / 4 % Self.ways.count])
        }
        contradictions += found.map { "\($0): \(url) on \(os.name), \(place)" }
      }
    }
    for text in contradictions { Issue.record("\(text)") }
    print(
      "agreement: \(asked) cases of \(files) files, \(contradictions.count) contradictions (\(verdicts), \(deadRules) dead rules, "
        + "\(comparisons) comparisons, \(generatedFiles) files generated, \(stories) stories)")
    #expect(verdicts.count == 3 && deadRules > 0 && generatedFiles > 0)
  }

  private static func decision(_ url: String, _ matcher: AssociationMatcher) -> Decision {
    matcher.decide(LinkURL(written: url, on: matcher.os), app: app, host: .exactly(host))
  }

  private static func contradictions(
    of text: String, _ subject: Subject, _ release: Int, _ reasoned: inout ReasonedMatcher,
    _ verdicts: inout [Decision.Verdict: Int]
  ) -> [String] {
    let scope = HostScope.exactly(host)
    let matcher = subject.matchers[release]
    let url = LinkURL(written: text, on: matcher.os)
    let decision = matcher.decide(url, app: app, host: scope)
    verdicts[decision.verdict, default: 0] += 1
    var found: [String] = []
    if matcher.decide(LinkURL(url.text), app: app, host: scope) != decision {
      found.append("the encoded URL differs")
    }
    if matcher.trace(url, app: app, host: scope).decision != decision { found.append("the trace differs") }
    var work = WorkBudget.answer
    if reasoned.trace(url, app: app, host: scope, &work).decision != decision {
      found.append("the list differs")
    }
    if subject.isDead(decision, on: releases[release]) {
      found.append("the check calls the deciding rule dead")
    }
    // What follows speaks of the newest release.
    guard release == releases.count - 1 else { return found }
    let verify = SwcutilVerify(subject.file, domain: host, url: url)
    if verify.answers.first?.verdict != decision.verdict { found.append("swcutil differs") }
    var coverage = CoverageCounter(subject.file, host: host)
    coverage.take(url: text)
    if coverage.count.opened != [decision.verdict == .match ? 1 : 0] { found.append("coverage differs") }
    if let generated = subject.generated {
      let made = generated.decide(url, app: app, host: scope)
      if (made.verdict == .match) != (decision.verdict == .match) {
        found.append("the generated file differs")
      }
    }
    return found
  }

  /// Of what `diff` says.
  private static func contradictions(
    in comparison: FileComparison, _ old: AssociationFile, _ new: AssociationFile
  ) -> [String] {
    comparison.changes.flatMap { change -> [String] in
      var found: [String] = []
      if LinkURL(written: change.url).text != change.url {
        found.append("no device holds the witness \(change.url)")
      }
      guard let from = change.releases?.first.from, let os = try? OSVersion(from) else {
        return found + ["a change without releases"]
      }
      let decisions = [old, new].map {
        AssociationMatcher($0, os: os).decide(LinkURL(change.url), app: change.app, host: .exactly(host))
      }
      if decisions != [change.old.decision, change.new.decision] {
        found.append("the witness \(change.url) is decided otherwise")
      }
      if decisions[0].verdict == decisions[1].verdict {
        found.append("the witness \(change.url) shows no change")
      }
      return found
    }
  }

  // MARK: - Stories

  private static let ways: [WayOfFollowing] = [.messages, .mail, .notes, .otherApp]

  /// An explanation, and a device of a story, where nothing but the file decides.
  private static func contradictionsOfAStory(
    _ link: String, _ subject: Subject, _ os: OSVersion, _ way: WayOfFollowing
  ) throws -> [String] {
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z",
        sites: { "\(host)": { file: \(subject.text) } },
        apps: { app: { identifier: "\(app)", domains: ["applinks:\(host)"] } },
        devices: { device: { os: "\(os)" } },
        script: [{ install: "app" }, { tap: \(JSON.string(link).text), from: "messages" }],
      }
      """)
    let opens = decision(link, AssociationMatcher(subject.file, os: os)).verdict == .match
    var found: [String] = []
    let explained = try Situation(story, device: 0, link: link, way: way, after: 1).explained().verdict.app
    if (explained == app) != opens { found.append("the explanation differs") }
    let tap = try Simulation.run(story).rows.first
    if (tap?.verdict.app == app) != opens { found.append("the story differs") }
    return found
  }
}
