import AppSiteAssociation
import LinkspanCore
import TestSupport
import Testing

@testable import Swcutil

/// What Apple's tool is asked, and what its answers leave of the readings (section 15).
@Suite struct OracleTests {
  // MARK: - The kit

  /// Two descriptions of each reading agree: the spelled-out rules, by which the algebra finds URLs, and the matcher's own
  /// account of another reading.
  @Test(arguments: OracleQuestion.all.map(\.name)) func bothDescriptionsOfAReadingAgree(_ name: String) throws
  {
    let question = try #require(OracleQuestion.all.first { $0.name == name })
    let matcher = AssociationMatcher(OracleQuestion.parsed(question.file))
    let host = HostScope.exactly(OracleQuestion.host)
    #expect(!question.candidates.isEmpty)
    for url in question.candidates where question.urls.isEmpty {
      let verdicts = try #require(
        OracleQuestion.verdicts(question.readings, matcher, LinkURL(url), app: OracleQuestion.app, host: host)
      )
      for (reading, verdict) in zip(question.readings, verdicts) {
        let spelled = AssociationMatcher(OracleQuestion.parsed(reading.spelled))
          .decide(LinkURL(url), app: OracleQuestion.app, host: host).verdict
        // A star that stays in its segment is spelled with an exclusion.
        #expect((spelled == .match) == (verdict == .match), "\(name), \(reading.name): \(url)")
      }
    }
  }

  @Test func theFewestURLsTellAllReadingsApart() {
    for question in OracleQuestion.all {
      // One URL has at most three verdicts.
      let fewest = question.name == "variable-with-predefined-name" ? 2 : 1
      #expect(question.smallestURLs.count == fewest, "\(question.name): \(question.smallestURLs)")
    }
    #expect(OracleKit().probes == OracleKit().probes)
  }

  /// Every open question is asked, or named with the reason why not.
  @Test func noQuestionIsForgotten() {
    let asked = Set(OracleQuestion.all.map(\.number))
    let rest = Set(OracleQuestion.notSettled.map(\.number))
    // 12 to 14 are settled there.
    #expect(asked.union(rest) == Set(1...11))
    #expect(asked.intersection(rest) == [6])
  }

  // MARK: - Answers

  private static func pack(_ answers: [String], head: String = OraclePack.mark) -> SourceText {
    SourceText(
      name: "answers",
      ([head, "model Mac15,3", "system macOS 26.1", "build 25B78"] + answers).joined(separator: "\n"))
  }

  private static func answer(_ probe: OracleKit.Probe, _ line: String) -> String {
    "probe \(probe.name)\napp \(probe.app)\nhost \(probe.host)\nurl \(probe.url)\nfile \(probe.file)\nstatus 0\n| \(line)\nend"
  }

  private static func line(_ probe: OracleKit.Probe, _ verdict: Decision.Verdict) -> String {
    let head = "{ s = applinks, a = \(probe.app), d = \(probe.host) }: Pattern \"\(probe.url)\""
    return switch verdict {
    case .match: head + " matched."
    case .excluded: head + " blocked match."
    case .noMatch: "Input JSON did not match input URL."
    }
  }

  /// What public engines collected from swcutil, played back: no answer is against this program's reading, and one open
  /// question is settled by them.
  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func publishedAnswersAreReadBack() throws {
    var answers: [String] = []
    for name in [
      "blazingly-aasa.jsonl", "blazingly-aasa-gap-probes.jsonl", "st-tech-universal-links-test.jsonl",
    ] {
      for line in try EngineVerdictTests.lines(name) {
        let root = try #require(JSONParser.parse(line).root)
        guard let file = root["file"], file.object != nil else { continue }
        let probe = OracleKit.Probe(
          name: "published", file: file.json.text, app: try #require(root["app"]?.string),
          host: try #require(root["host"]?.string), url: try #require(root["url"]?.string))
        let verdict = try #require(Decision.Verdict(rawValue: root["expect"]?.string ?? ""))
        answers.append(Self.answer(probe, Self.line(probe, verdict)))
      }
    }
    let answer = try OracleAnswer(OraclePack(Self.pack(answers)))
    #expect(answer.unread == 0 && answers.count > 160)
    #expect(answer.rows.allSatisfy { !$0.contradicts && $0.surviving.count >= 1 })
    let told = answer.rows.filter { $0.told > 0 }
    print("published answers: \(answers.count), tell \(told.map { "\($0.question.name): \($0.surviving)" })")
    #expect(told.contains { $0.question.name == "both-identifiers" && $0.confirms })
  }

  @Test func aControlThatIsAnsweredOtherwiseEndsTheReading() throws {
    let control = try #require(OracleKit().probes.first)
    let pack = try OraclePack(Self.pack([Self.answer(control, "Input JSON did not match input URL.")]))
    let error = #expect(throws: LinkspanError.self) { try OracleAnswer(pack) }
    #expect(error?.message.contains("is not the documented one") == true)
  }

  /// Lines that nobody knows count for nothing, and are counted.
  @Test func unknownLinesCountForNothing() throws {
    let probe = try #require(OracleKit().probes.first { $0.name == "entry-without-rules" })
    let answer = try OracleAnswer(OraclePack(Self.pack([Self.answer(probe, "Segmentation fault: 11")])))
    #expect(answer.unread == 1)
    #expect(answer.rows.allSatisfy { $0.told == 0 && $0.surviving.count == $0.question.readings.count })
  }

  /// As a file has them that came by way of another system.
  @Test func aMarkAndOtherLineEndsAreRead() throws {
    let probe = try #require(OracleKit().probes.first { $0.name == "entry-without-rules" })
    let text = String(
      decoding: Self.pack([Self.answer(probe, Self.line(probe, .match))]).bytes, as: UTF8.self)
    let other = try OraclePack(SourceText(name: "answers", "\u{FEFF}" + text.replacing("\n", with: "\r\n")))
    #expect(other.answers.map(\.lines) == [[Self.line(probe, .match)]])
    #expect(other.answers.map(\.probe.url) == [probe.url])
  }

  @Test(arguments: [
    (["other"], OraclePack.mark, "line 5: 'other' is unknown"),
    (["probe a", "probe b"], OraclePack.mark, "line 6: the probe before this one has no 'end'"),
    (["probe a"], OraclePack.mark, "its last probe has no 'end'"), ([], OraclePack.mark, "it has no probe"),
    (["end"], OraclePack.mark, "'end' without a probe"), (["| x"], OraclePack.mark, "outside of a probe"),
    (["probe a", "status x"], OraclePack.mark, "the status 'x' is no number"),
    ([], "{}", "its first line is not"),
  ])
  func whatIsNoAnswerIsToldSo(_ lines: [String], _ head: String, _ message: String) throws {
    let error = #expect(throws: LinkspanError.self) { try OraclePack(Self.pack(lines, head: head)) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }
}
