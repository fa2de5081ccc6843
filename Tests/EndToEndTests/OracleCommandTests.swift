import Foundation
import TestSupport
import Testing

/// The kit that asks a Mac, against a stand-in for Apple's tool that reads the specification by itself.
@Suite struct OracleCommandTests {
  private static let standIn = Fixtures.root.appending(path: "Tests/Fixtures/oracle/swcutil").path

  private struct Question {
    var name: String
    var readings: [String]
    var surviving: [String]
  }

  private static func questions(_ outcome: Tool.Outcome) throws -> [Question] {
    try #require(try outcome.json()["questions"] as? [[String: Any]]).map {
      Question(
        name: try #require($0["name"] as? String), readings: try #require($0["readings"] as? [String]),
        surviving: try #require($0["surviving"] as? [String]))
    }
  }

  /// - Returns: The path that the script prints last.
  private static func ask(_ tool: Tool, _ readings: [String]) throws -> String {
    let outcome = try tool.run(
      program: URL(filePath: "/bin/sh"), ["kit/ask-swcutil.sh"],
      environment: ["SWCUTIL": standIn, "STAND_IN_READINGS": readings.joined(separator: " ")])
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try #require(outcome.lines.last)
  }

  /// Each reading of each question is found by its answers, and the others stay as the stand-in reads them.
  @Test func theReadingOfAStandInIsNamed() throws {
    let tool = try Tool()
    #expect(try tool.run("oracle", "--out", "kit").status == 0)
    let own = try Self.questions(try tool.run("oracle", "--read", Self.ask(tool, []), "--json"))
    #expect(own.count >= 18 && own.allSatisfy { $0.surviving == [$0.readings[0]] }, "\(own)")
    for place in 1...(own.map(\.readings.count).max() ?? 1) - 1 {
      let chosen = own.map { ($0.name, $0.readings[min(place, $0.readings.count - 1)]) }
      let path = try Self.ask(tool, chosen.map { "\($0)=\($1)" })
      let answers = try Self.questions(try tool.run("oracle", "--read", path, "--json"))
      for (answer, (name, reading)) in zip(answers, chosen) {
        #expect(answer.name == name && answer.surviving == [reading], "\(answer)")
      }
    }
  }

  @Test func matchCitesTheMachine() throws {
    let tool = try Tool()
    #expect(try tool.run("oracle", "--out", "kit").status == 0)
    let app = "ABCDE12345.com.example.app"
    try tool.write(
      #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/x?*"}]}]}}"#, to: "file")
    func cited(_ readings: [String]) throws -> [String: Any] {
      let path = try Self.ask(tool, readings)
      return try tool.run(
        "match", "https://example.com/x", "--file", "file", "--oracle", path, "--json"
      ).json()
    }
    let confirmed = try cited([])
    #expect(confirmed["certainty"] as? String == "observed" && confirmed["question"] as? Int == 1)
    let oracle = try #require(confirmed["oracle"] as? [String: Any])
    #expect(oracle["surviving"] as? [String] == ["no-match"] && oracle["machine"] is String)
    #expect(try cited(["slash-before-wildcard=match"])["certainty"] as? String == "disputed")
  }

  @Test func theScriptSaysWhatItNeeds() throws {
    let tool = try Tool()
    #expect(try tool.run("oracle", "--out", "kit").status == 0)
    let outcome = try tool.run(
      program: URL(filePath: "/bin/sh"), ["kit/ask-swcutil.sh"], environment: ["SWCUTIL": "no-such-tool"])
    #expect(outcome.status == 2 && outcome.errors.contains("there is no 'no-such-tool'"))
    try tool.write("mine", to: "kit/ask-swcutil.sh")
    #expect(try tool.run("oracle", "--out", "kit").status == 2)
    #expect(try tool.run("oracle").status == 2)
    #expect(try tool.run("oracle", "--read", "kit/ask-swcutil.sh").errors.contains("no answers of swcutil"))
  }
}
