import AppSiteAssociation
import Foundation
import LinkCoverage
import LinkExplanation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

/// A URL as a person writes it and as a device holds it get one verdict, whoever is asked. `LINKSPAN_HELD_URLS=10000` asks about
/// more.
@Suite struct HeldURLAgreementTests {
  private static let count = Int(ProcessInfo.processInfo.environment["LINKSPAN_HELD_URLS"] ?? "") ?? 2_000
  private static let seed: UInt64 = 29

  private static let words = [
    "café", "レシピ", "крыша", "straße", "صفحة", "ταξίδι", "naïve", "한글", "çay", "ação", "e\u{301}", "a b",
    "plain",
    "Ünïcode", "日本 語", "100€", "o'k", "x|y", "ſ", "\u{212A}elvin", "🛒", "caf%C3%A9", "%e3%83%ac", "a+b",
  ]
  private static let hosts = [("bücher.example", "xn--bcher-kva.example"), ("shop.example", "shop.example")]

  private struct Question {
    var rules: String
    /// On the internationalised host and on its Punycode, raw and encoded.
    var forms: [String]
    var host: String
  }

  private static func question(_ generator: inout SeededGenerator) -> Question {
    func word() -> String { words[Int.random(in: words.indices, using: &generator)] }
    let (host, ascii) = hosts[Int.random(in: hosts.indices, using: &generator)]
    let path = (0..<Int.random(in: 1...3, using: &generator)).map { _ in "/" + word() }.joined()
    let hasQuery = Bool.random(using: &generator)
    let (name, value) = (word(), word())
    let rest =
      path + (hasQuery ? "?\(name)=\(value)" : "") + (Bool.random(using: &generator) ? "#" + word() : "")
    let encoded = percentEncoded(rest)
    let patterns = [path, String(encoded.prefix { $0 != "?" && $0 != "#" }), "/" + word() + "*", "/*"]
    let rules = (0..<3).map { _ -> String in
      var members = [("/", JSON.string(patterns[Int.random(in: patterns.indices, using: &generator)]))]
      if Int.random(in: 0..<3, using: &generator) == 0 { members.append(("percentEncoded", .bool(false))) }
      if Int.random(in: 0..<3, using: &generator) == 0 { members.append(("caseSensitive", .bool(false))) }
      if Int.random(in: 0..<3, using: &generator) == 0 { members.append(("exclude", .bool(true))) }
      if Int.random(in: 0..<3, using: &generator) == 0 {
        members.append(("?", .object([(name, .string(Bool.random(using: &generator) ? value : "*"))])))
      }
      return JSON.object(members).text
    }
    return Question(
      rules: "[" + rules.joined(separator: ",") + "]",
      forms: [host, ascii].flatMap { ["https://\($0)\(rest)", "https://\($0)\(encoded)"] }, host: ascii)
  }

  /// Encoded here, without the code under test: what a browser percent-encodes of the letters above.
  private static func percentEncoded(_ path: String) -> String {
    var text = ""
    for scalar in path.unicodeScalars {
      if scalar.isASCII, scalar != " ", scalar != "|" {
        text.unicodeScalars.append(scalar)
      } else {
        for byte in String(scalar).utf8 { text += String(format: "%%%02X", Int(byte)) }
      }
    }
    // Only queries: the parameter of http and https.
    guard let mark = text.firstIndex(of: "?") else { return text }
    let end = text[mark...].firstIndex(of: "#") ?? text.endIndex
    let query = text[mark..<end].replacing("'", with: "%27")
    return "\(text[..<mark])\(query)\(text[end...])"
  }

  @Test func everyFormHasOneVerdictEverywhere() throws {
    var generator = SeededGenerator(seed: Self.seed)
    var verdicts: [Decision.Verdict: Int] = [:]
    for number in 0..<Self.count {
      let question = Self.question(&generator)
      let text = #"{"applinks":{"details":[{"appIDs":["\#(Stories.app)"],"components":\#(question.rules)}]}}"#
      let file = AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!
      let matcher = AssociationMatcher(file)
      let scope = HostScope(question.host)
      let expected = matcher.decide(LinkURL(question.forms.last!), app: Stories.app, host: scope)
      verdicts[expected.verdict, default: 0] += 1
      for form in question.forms {
        let url = LinkURL(written: form)
        let place: Comment = "seed \(Self.seed), question \(number): \(form) \(question.rules)"
        #expect(url.text == question.forms.last!, place)
        #expect(matcher.decide(url, app: Stories.app, host: scope) == expected, place)
        #expect(matcher.trace(url, app: Stories.app, host: scope).decision == expected, place)
        var coverage = CoverageCounter(file, host: question.host)
        coverage.take(url: form)
        #expect(coverage.count.opened == [expected.verdict == .match ? 1 : 0], place)
        // A simulation is dear; every twentieth question has one.
        if number % 20 == 0 {
          let opens = try Self.explained(form, text, host: question.host)
          #expect(opens == (expected.verdict == .match ? Stories.app : nil), place)
        }
      }
    }
    #expect(verdicts.count == 3)
    print("\(Self.count) URLs in four forms: \(verdicts)")
  }

  private static func explained(_ link: String, _ file: String, host: String) throws -> String? {
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z",
        sites: { "\(host)": { file: \(file) } },
        apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:\(host)"] } },
        devices: { device: { os: "ios:26.0" } }, script: [{ install: "app" }],
      }
      """)
    return try Situation(story, device: 0, link: link, way: .messages).explained().verdict.app
  }
}
