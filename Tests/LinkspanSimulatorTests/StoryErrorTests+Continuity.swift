import Handoff
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

/// What a person is told about a mistake in a step about activities, arrivals and screens.
@Suite struct ContinuityErrorTests {
  typealias Row = StoryErrorTests.Row

  private static func script(_ step: String) -> String { StoryErrorTests.story("script: [\(step)]") }

  static let rows: [Row] = [
    Row(
      name: "no sender", text: script("▸{ handoff: \"https://e.test/a\", to: \"iphone\" }"),
      message: "The handoff has no 'from'.",
      help: "Name the devices: handoff: \"https://example.com/recipes/42\", from: \"mac\", to: \"phone\".",
      rule: "missing-key"),
    Row(
      name: "several senders",
      text: script("{ handoff: \"https://e.test/a\", from: ▸\"iphone\", to: \"iphone-13.7\" }"),
      message: "'from' names 2 devices; expected one.", help: "Name one device.", rule: "contradiction"),
    Row(
      name: "sender alone",
      text: script("{ handoff: \"https://e.test/a\", from: \"iphone-13.7\", to: ▸\"iphone-13.7\" }"),
      message: "'to' names the sending device alone.", help: "Name another device of the story.",
      rule: "contradiction"),
    Row(
      name: "no page", text: script("{ handoff: ▸\"shop://a\", from: \"iphone-13.7\", to: \"iphone-17.4\" }"),
      message: "'shop://a' is not an http or https URL.",
      help: "Write the full URL, or an activity with its 'app'.", rule: "link"),
    Row(
      name: "activity without app",
      text: script("{ handoff: ▸{ type: \"a.b\" }, from: \"iphone-13.7\", to: \"iphone-17.4\" }"),
      message: "The activity has no app that makes it.", help: "Add app: \"…\" to the step.",
      rule: "missing-key"),
    Row(
      name: "class of values",
      text: script(
        "{ handoff: { type: \"a.b\", user_info: { x: { ▸$image: 1 } } }, app: \"shop\", from: \"iphone-13.7\", "
          + "to: \"iphone-17.4\" }"),
      message: "'$image' is not a class of values.",
      help: "Known: '$data_bytes', '$date', '$url', '$uuid', '$set' and '$class'.", rule: "unknown-key"),
    Row(
      name: "entrance", text: script("{ arrive: ▸\"sceme\", app: \"shop\" }"),
      message: "'sceme' is not a value of 'arrive'.", help: "Did you mean 'scheme'?", rule: "unknown-word"),
    Row(
      name: "no app", text: script("{ ▸arrive: \"scheme\" }"), message: "The step 'arrive' has no 'app'.",
      help: "Add app: \"shop\".", rule: "missing-key"),
    Row(
      name: "event", text: script("{ screen: [\"home\", ▸\"swicher\"], app: \"shop\" }"),
      message: "'swicher' is not an event of the screen.", help: "Did you mean 'switcher'?",
      rule: "unknown-word"),
    Row(
      name: "outcome", text: script("{ screen: \"home\", app: \"shop\", expect: ▸\"once\" }"),
      message: "'once' is not an outcome.", help: "Expected 'exposed' and 'hidden', or an object.",
      rule: "unknown-word"),
    Row(
      name: "route",
      text:
        "{ start: \"2026-09-14T08:00:00Z\", apps: { a: { identifier: \"ABCDE12345.a\", routes: ▸{ r: \"/{id:number}\" } } } }",
      message: "Route 'r': the template '/{id:number}' cannot be used: '{id:number}': unknown kind 'number'; "
        + "expected hex, int, string, uuid or ~REGEX.",
      help: "The templates are those of the library for apps.", rule: "routes"),
    Row(
      name: "link without routes", text: script("{ arrive: \"scheme\", app: \"shop\", link: ▸\"shop://a\" }"),
      message: "'shop' has no 'routes', so nothing reads the link.",
      help: "Add routes: { recipe: \"/recipes/{id:int}\" } to the app, or remove 'link'.",
      rule: "contradiction"),
    Row(
      name: "cover",
      text:
        "{ start: \"2026-09-14T08:00:00Z\", apps: { a: { identifier: \"ABCDE12345.a\", code: { cover: ▸\"resign\" } } } }",
      message: "'resign' is not a value of 'cover'.",
      help: "Expected 'none', 'on-resign', 'on-background', 'resign-to-foreground', 'window-above-alerts', "
        + "'private-notification', 'scene-phase' and 'secure-text-field'.", rule: "unknown-word"),
    Row(
      name: "misspelled cause",
      text: script(
        "{ handoff: \"https://e.test/a\", from: \"iphone-13.7\", to: \"iphone-17.4\", "
          + "expect: { opens: \"nothing\", because: ▸\"to-far\" } }"),
      message: "'to-far' is not a value of 'because'.", help: "Did you mean 'too-far'?", rule: "unknown-word"),
    Row(
      name: "cause of a success",
      text: script(
        "{ handoff: \"https://e.test/a\", from: \"iphone-13.7\", to: \"iphone-17.4\", "
          + "expect: { opens: \"shop\", because: ▸\"expired\" } }"),
      message: "'because' says why no app continues the activity, and 'opens' names 'shop'.",
      help: "Remove 'because', or expect \"browser\" or \"nothing\".", rule: "contradiction"),
    Row(
      name: "authorities",
      text: "{ start: \"2026-09-14T08:00:00Z\", authorities: ▸\"ca.pem\" }",
      message: "'ca.pem' does not exist.",
      help: "Paths are relative to the story's folder.", rule: "no-file"),
  ]

  /// Each name that an outcome can have is one that an expectation may name.
  @Test func takesEveryCause() {
    let names =
      HandoffObstacle.Condition.allCases.map(\.rawValue) + ContinuationFile.Refusal.names
      + LinkVerdict.Step.allCases.map(\.rawValue) + [
        "no-answer", "not-fetched", "app-not-named", "status-404", "none",
      ]
    for name in names {
      let found = StoryErrorTests.findings(
        Self.script(
          "{ handoff: \"https://e.test/a\", from: \"iphone-13.7\", to: \"iphone-17.4\", "
            + "expect: { opens: \"browser\", because: \"\(name)\" } }"))
      #expect(found.isEmpty, "\(name)")
    }
    #expect(names.contains("signature-mismatch") && names.contains("no-apps"))
  }

  @Test(arguments: rows) func saysWhatWhereAndWhy(_ row: Row) throws {
    let marked = Array(row.text.utf8)
    let mark = Array("▸".utf8)
    let place = try #require(marked.firstRange(of: mark)).lowerBound
    let text = row.text.replacing("▸", with: "")
    guard case .findings(let findings) = StoryParser.parse(SourceText(name: "s", text), reader: .none) else {
      Issue.record("it was taken")
      return
    }
    let finding = try #require(findings.first)
    #expect(finding.rule == "story." + row.rule)
    #expect(finding.message == row.message)
    #expect(finding.help == row.help)
    let line = text.utf8.prefix(place).count { $0 == UInt8(ascii: "\n") } + 1
    #expect(finding.location.start?.line == line)
  }
}
