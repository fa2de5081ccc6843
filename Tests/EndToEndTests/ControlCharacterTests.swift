import Foundation
import Testing

/// Control characters of files, names and arguments reach nobody's terminal, whichever command shows them.
@Suite struct ControlCharacterTests {
  /// A title of the window, a bell, and a colour as the program's own.
  static let evil = "x\u{1B}]0;owned\u{7}\u{1B}[31m\u{9B}1m\u{202E}"
  static let written = #"x\u001b]0;owned\u0007\u001b[31m\u009b1m\u202e"#

  private func tool() throws -> Tool {
    let tool = try Tool()
    let head = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":["#
    try tool.write(head + #"{"/":"/a*","\#(Self.written)":1}]}]}}"#, to: "file")
    try tool.write(head + #"{"/":"/a*"},{"/":"/\#(Self.written)"}]}]}}"#, to: "paths")
    try tool.write(head + #"{"/":"/a*"}]}]}}"#, to: "good")
    try tool.write(#"["/a*", "/\#(Self.written)/:id"]"#, to: "routes.json")
    try tool.write(
      #"{apps: [{id: "ABCDE12345.com.example.app", routes: ["/\#(Self.written)/:id"]}]}"#, to: "request.json5"
    )
    try tool.write(#"{"aps":{"\#(Self.written)":1,"alert":"Hello"}}"#, to: "payload.json")
    return tool
  }

  static let commands: [[String]] = [
    ["check", "file"], ["check", "file", "--format", "github"], ["check", "file", "--color", "always"],
    ["check", evil], ["check", "example.com\(evil)"], ["check", "--\(evil)"], [evil], ["push", evil],
    ["diff", "good", "paths"], ["diff", "good", "paths", "--format", "markdown"],
    ["diff", "good", "paths", "--format", "github"],
    ["match", "https://example.com/\(evil)", "--file", "good"],
    ["match", "https://example.com/a", "--file", "good", "--host", evil],
    ["coverage", "--file", "good", "--routes", "routes.json"], ["push", "lint", "payload.json"],
    ["push", "lint", "payload.json", "--format", "github"],
    ["handoff", "predict", "--team", "ABCDE12345", "--activity-type", evil],
    ["clip", "code", "https://example.com/\(evil)"], ["clip", "ndef", "https://example.com/\(evil)"],
    ["clip", "url", "https://example.com/\(evil)"], ["inspect", evil], ["rules", evil],
    ["explain", "https://example.com/\(evil)", "--site", "good"],
    ["swcutil", "match", "-j", "file", "-p", "/\(evil)"], ["generate", evil], ["generate", "request.json5"],
    ["simulate", evil],
  ]

  @Test(arguments: commands) func noneIsPrinted(words: [String]) throws {
    let outcome = try tool().run(words)
    for text in [outcome.output, outcome.errors] {
      var rest = text
      // The program's own colours.
      for code in ["[0m", "[1m", "[1;31m", "[1;33m", "[1;36m"] {
        rest = rest.replacing("\u{1B}" + code, with: "")
      }
      let controls = rest.unicodeScalars.filter {
        ($0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t") || $0 == "\u{202E}"
      }
      #expect(controls.isEmpty, "\(words): \(text.debugDescription)")
    }
    #expect(!(outcome.output + outcome.errors).isEmpty)
  }

  /// A program reads the names as they are.
  @Test func jsonIsNotTouched() throws {
    let outcome = try tool().run("check", "file", "--json")
    let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
    #expect(findings.contains { ($0["message"] as? String)?.contains(Self.evil) == true })
  }
}
