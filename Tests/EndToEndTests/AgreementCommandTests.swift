import Foundation
import LinkspanCore
import TestSupport
import Testing

/// One verdict, whichever command is asked, for URLs as they are written and as devices hold them. The law over many more cases
/// is `VerdictAgreementTests`; here the built program answers.
@Suite struct AgreementCommandTests {
  private static let app = "ABCDE12345.com.example.app"
  private static let host = "shop.example"

  private struct Question {
    var number: Int
    var rules: String
    /// Each as it is written, and as a browser encodes it.
    var urls: [(written: String, held: String)]
  }

  private static let words = [
    ("café", "caf%C3%A9"), ("レシピ", "%E3%83%AC%E3%82%B7%E3%83%94"), ("a b", "a%20b"), ("plain", "plain"),
    ("straße", "stra%C3%9Fe"), ("x|y", "x|y"), ("ação", "a%C3%A7%C3%A3o"),
  ]

  private static func question(_ number: Int) -> Question {
    var chance = SeededGenerator(seed: UInt64(number))
    func word() -> (String, String) { words[Int(chance.draw(0...Int64(words.count - 1)))] }
    let rules = (0..<3).map { _ -> String in
      let (raw, held) = word()
      let path = ["/\(raw)/*", "/\(held)/*", "/\(held)", "*"][Int(chance.draw(0...3))]
      var members: [(String, JSON)] = [("/", .string(path))]
      if chance.chance(1, in: 3) { members.append(("exclude", .bool(true))) }
      if chance.chance(1, in: 4) { members.append(("percentEncoded", .bool(false))) }
      return JSON.object(members).text
    }
    let urls = (0..<8).map { _ -> (written: String, held: String) in
      let (first, second) = (word(), word())
      let start = "https://\(host)/"
      return (start + first.0 + "/" + second.0, start + first.1 + "/" + second.1)
    }
    return Question(number: number, rules: "[" + rules.joined(separator: ",") + "]", urls: urls)
  }

  @Test(arguments: 1...6) func everyCommandGivesOneVerdict(_ number: Int) throws {
    let tool = try Tool()
    let question = Self.question(number)
    let text = #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":\#(question.rules)}]}}"#
    let path = "\(Self.host)/.well-known/apple-app-site-association"
    try tool.write(text, to: path)
    try tool.write(DoctorTests.entitlements("applinks:\(Self.host)"), to: "App.entitlements")
    let urls = question.urls.flatMap { [$0.written, $0.held] }
    // The list and the batch.
    try tool.write(urls.joined(separator: "\n") + "\n", to: "urls.txt")
    let lines = urls.map {
      JSON.object([("file", .string(text)), ("app", .string(Self.app)), ("url", .string($0))]).text
    }
    let batch = try tool.run(["match", "--batch", "-"], input: lines.joined(separator: "\n"))
    let list = try tool.run("match", "--urls", "urls.txt", "--file", path, "--app", Self.app, "--json")
    #expect(batch.lines.count == urls.count && list.lines.count == urls.count)
    var opens: [Bool] = []
    for place in urls.indices {
      let decision = try #require(try batch.json(line: place)["decision"] as? String)
      #expect(try list.json(line: place)["decision"] as? String == decision, "\(urls[place]) \(text)")
      opens.append(decision == "match")
    }
    for place in stride(from: 0, to: urls.count, by: 2) {
      #expect(opens[place] == opens[place + 1], "\(urls[place]) \(text)")
    }
    let counts = try #require(
      try tool.run("coverage", "--file", path, "--urls", "urls.txt", "--json").json()["apps"]
        as? [String: Int])
    #expect(counts[Self.app] == opens.count { $0 }, "\(counts) \(text)")
    // One URL at a time, of which a process each is dear.
    for place in [0, 1] {
      let url = urls[place]
      #expect(try tool.run("match", url, "--file", path, "--app", Self.app).status == (opens[place] ? 0 : 1))
      let verify = try tool.run("swcutil", "verify", "-d", Self.host, "-j", path, "-u", url).output
      #expect(verify.contains("matched.") == opens[place], "\(verify) \(text)")
      let explain = try tool.run("explain", url, "--site", Self.host, "--app", "App.entitlements")
      #expect(explain.status == (opens[place] ? 0 : 1), "\(explain.output) \(text)")
      let arguments = JSON.object([
        ("urls", .array([.string(url)])), ("file", .string(path)), ("app", .array([.string(Self.app)])),
      ]).text
      let answer = try JSONSerialization.data(withJSONObject: MCPTests.result(tool, "match", arguments))
      let decision = String(decoding: answer, as: UTF8.self).replacing("\\", with: "")
      #expect(decision.contains(#""decision":"match""#) == opens[place], "\(decision)")
    }
    // The same file differs in nothing, and one without rules in just what opens.
    #expect(try tool.run("diff", path, path, "--host", Self.host).status == 0)
    try tool.write(
      #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[]}]}}"#, to: "closed")
    if opens.contains(true) {
      #expect(try tool.run("diff", path, "closed", "--host", Self.host).status == 1)
      let check = try tool.run("check", Self.host, "--app", "App.entitlements")
      #expect(!check.output.contains("grants-nothing"), "\(check.output)")
    }
  }

  /// What people write and browsers mend, and what no device can hold; each opens the app or not, whoever is asked.
  private static let forms: [(url: String, opens: Bool)] = [
    ("https:/shop.example/a", true), ("https:shop.example/a", true), ("HTTPS:\\\\shop.example\\a", true),
    ("https:///shop.example/a", true), ("https://SHOP.example:443/x/../a", true),
    ("http://shop.example:80/./a", true),
    ("https://shop.example:8443/a", false), ("https://shop.example:/a", true),
    ("https://u:p@shop.example/a", true),
    ("https://shop.example/%61", false), ("https://shop.example//a", false),
    ("https://shop.example/a//", true),
    ("https://shop.example/a#b?c", true), ("https://shop.example/a?b#c", true),
    ("https://shop.example", false),
    ("https://shop.example?q=it's", true), ("https://shop.example/?q=it%27s", true),
    ("https://shop.example./a", false), ("https://other.example/a", false), ("https://ｓｈｏｐ.example/a", true),
  ]

  @Test func everyFormOfAURLHasOneVerdict() throws {
    let tool = try Tool()
    let path = "\(Self.host)/.well-known/apple-app-site-association"
    let rules = #"[{"/":"/a"},{"/":"/","?":"q=it%27s"}]"#
    let text = #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":\#(rules)}]}}"#
    try tool.write(text, to: path)
    let urls = Self.forms.map(\.url)
    try tool.write(urls.joined(separator: "\n") + "\n", to: "urls.txt")
    let list = try tool.run(
      "match", "--urls", "urls.txt", "--file", path, "--app", Self.app, "--host", Self.host, "--json")
    let lines = urls.map {
      JSON.object([
        ("file", .string(text)), ("app", .string(Self.app)), ("host", .string(Self.host)),
        ("url", .string($0)),
      ]).text
    }
    let batch = try tool.run(["match", "--batch", "-"], input: lines.joined(separator: "\n"))
    for (place, form) in Self.forms.enumerated() {
      let expected = form.opens ? "match" : "noMatch"
      #expect(try list.json(line: place)["decision"] as? String == expected, "\(form)")
      #expect(try batch.json(line: place)["decision"] as? String == expected, "\(form)")
      let explained = try tool.run(
        "explain", form.url, "--site", path, "--host", Self.host, "--app", Self.app)
      #expect(explained.status == (form.opens ? 0 : 1), "\(form) \(explained.output)\(explained.errors)")
    }
    let counts = try tool.run(
      "coverage", "--file", path, "--host", Self.host, "--urls", "urls.txt", "--json"
    ).json()
    #expect(counts["unread_lines"] as? Int == 0)
    #expect(counts["apps"] as? [String: Int] == [Self.app: Self.forms.count { $0.opens }], "\(counts)")
  }
}
