import Foundation
import FoundationXML
import Testing

/// `linkspan simulate --matrix`, and what else rests on the machines behind it (LC1 to LC5).
@Suite struct MatrixCommandTests {
  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private func read(_ name: String, of tool: Tool) throws -> String {
    try String(contentsOf: tool.folder.appending(path: name), encoding: .utf8)
  }

  private func cells(_ matrix: String, _ key: String = "cells") throws -> [[String: Any]] {
    let outcome = try Tool().run("simulate", "--matrix", matrix, "--json")
    #expect(outcome.status == 0)
    return try #require(try object(outcome.output)[key] as? [[String: Any]])
  }

  /// D: what was measured.
  @Test func theArrivalTableSaysWhatWasMeasured() throws {
    let cells = try cells("arrival")
    let cold = try #require(
      cells.first {
        $0["start"] as? String == "cold" && $0["entrance"] as? String == "scheme"
          && $0["life_cycle"] as? String == "app-delegate" && $0["sdk"] as? Int == 26
      })
    #expect(cold["deliveries"] as? Int == 2)
    #expect(cold["certainty"] as? String == "observed")
    #expect(cold["handled_by_naive_app"] as? Int == 2)
    #expect(cold["handled_by_careful_app"] as? Int == 1)
    let refused = cells.filter { $0["launches"] as? Bool == false }
    #expect(refused.count == 10)
    #expect(refused.allSatisfy { $0["deliveries"] as? Int == 0 && $0["certainty"] as? String == "observed" })
    for cell in cells {
      #expect(["documented", "observed", "inferred"].contains(cell["certainty"] as? String))
    }
  }

  /// The published table of cover policies comes out of the machine.
  @Test func thePoliciesAreTheTableOfTheSpecification() throws {
    let cells = try cells("switcher", "policies")
    func value(_ policy: String, _ event: String, _ key: String) -> String? {
      cells.first { $0["policy"] as? String == policy && $0["event"] as? String == event }?[key] as? String
    }
    #expect(value("on-resign", "switcher", "card") == "hidden")
    #expect(value("on-resign", "double-press-race", "card") == "hidden")
    #expect(value("on-resign", "prompts", "disturbance") == "flash")
    #expect(value("on-background", "switcher", "card") == "visible-live")
    #expect(value("on-background", "double-press-race", "card") == "visible-live")
    #expect(value("on-background", "prompts", "disturbance") == "none")
    #expect(value("on-background", "home", "snapshot") == "cover")
    #expect(value("resign-to-foreground", "double-press-race", "disturbance") == "stuck")
    #expect(value("window-above-alerts", "switcher", "card") == "hidden")
  }

  @Test func theSimulatorsDifferenceIsARow() throws {
    let cells = try cells("switcher")
    func card(_ event: String) -> String? {
      cells.first { $0["policy"] as? String == "on-background" && $0["event"] as? String == event }?["card"]
        as? String
    }
    #expect(card("double-press-race") == "visible-live")
    #expect(card("double-press-race-in-simulator") == "hidden")
  }

  @Test(arguments: ["arrival", "switcher"]) func isWrittenAsAPicture(_ name: String) throws {
    let tool = try Tool()
    let outcome = try tool.run("simulate", "--matrix", name, "--svg", "a.svg", "--html", "a.html")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("(o) observed"))
    let svg = try read("a.svg", of: tool)
    let parser = XMLParser(data: Data(svg.utf8))
    #expect(parser.parse())
    #expect(svg.contains("<!-- made by linkspan simulate"))
    // The frame of every report: the verdict, the tables and what to do.
    let page = try read("a.html", of: tool)
    #expect(page.contains("<p class=\"verdict ") && page.contains("<h2>What to do</h2><ul>"))
    #expect(page.contains("<table class=\"sheet broad\">"))
  }

  @Test(arguments: [
    (["--matrix", "both"], "expected arrival, switcher, push or links"),
    (["--matrix", "arrival", "--seed", "1"], "'--seed' does not go with '--matrix'"),
    (["--svg", "a.svg", "a.json5"], "'--svg' goes with '--matrix'"),
  ]) func wrongWordsSayWhy(words: [String], message: String) throws {
    let outcome = try Tool().run(["simulate"] + words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  /// D, in an explanation.
  @Test func anExplanationSaysHowAPageArrives() throws {
    let tool = try Tool()
    try tool.write(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#,
      to: "file.json")
    let words = [
      "explain", "https://example.com/a", "--site", "file.json", "--app", "ABCDE12345.com.example.app",
      "--from",
      "handoff",
    ]
    let text = try tool.run(words + ["--why"])
    #expect(text.status == 0, "\(text.errors)")
    #expect(text.output.contains("scene, cold         connectionOptions.userActivities  [documented]"))
    #expect(text.output.contains("Bluetooth switched on"))
    let arrivals = try #require(
      try object(try tool.run(words + ["--json"]).output)["arrivals"] as? [[String: Any]])
    #expect(arrivals.count == 6)
    #expect(arrivals.first?["entrance"] as? String == "handoff")
  }

  /// HO1.
  @Test func checkReportsTypesThatCollide() throws {
    let tool = try Tool()
    try tool.write(
      """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.app</string>
      <key>NSUserActivityTypes</key><array><string>com.example.edit</string><string>com.example.Edit</string></array>
      </dict></plist>
      """, to: "Info.plist")
    let outcome = try tool.run("check", "Info.plist")
    #expect(
      outcome.output.contains("warning[info-plist.activity-case-collision]"),
      "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("Info.plist:2:"))
  }
}
