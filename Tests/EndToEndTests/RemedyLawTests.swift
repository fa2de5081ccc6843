import Foundation
import LinkspanCore
import TestSupport
import Testing

/// What `doctor` and `explain` say to do is done here word for word, by a reader that knows nothing of how they came to it:
/// then the cause is gone, and what opened before still opens.
@Suite struct RemedyLawTests {
  static let app = DoctorTests.app

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: String
    /// A path that should open, and one that does already.
    var path: String
    var opening: String?
    var os = "26.0"

    init(
      _ description: String, _ entry: String, _ path: String, opening: String? = nil, links: String = "",
      os: String = "26.0"
    ) {
      testDescription = description
      let text = entry.replacing("APP", with: RemedyLawTests.app)
      file = #"{"applinks":{\#(links)"details":[\#(text)]}}"#
      self.path = path
      self.opening = opening
      self.os = os
    }
  }

  static let excluding = #""defaults":{"exclude":true},"#

  static let cases = [
    Case("paths", #"{"appID":"APP","paths":["/a"]}"#, "/b", opening: "/a"),
    Case("an exclusion in paths", #"{"appID":"APP","paths":["NOT /b/*","*"]}"#, "/b/c", opening: "/a"),
    Case("nothing but an exclusion in paths", #"{"appID":"APP","paths":["NOT /b"]}"#, "/b"),
    Case("components", #"{"appIDs":["APP"],"components":[{"/":"/a"}]}"#, "/b", opening: "/a"),
    Case("empty components", #"{"appIDs":["APP"],"components":[]}"#, "/b"),
    Case(
      "both lists", #"{"appIDs":["APP"],"appID":"APP","paths":["/b"],"components":[{"/":"/a"}]}"#, "/b",
      opening: "/a"),
    Case(
      "both lists before iOS 13", #"{"appID":"APP","paths":["/a"],"components":[{"/":"/b"}]}"#, "/b",
      opening: "/a", links: #""apps":[],"#, os: "12.4"),
    Case(
      "an exclusion", #"{"appIDs":["APP"],"components":[{"/":"/b/*","exclude":true},{"/":"*"}]}"#, "/b/c",
      opening: "/a"),
    Case(
      "nothing but an exclusion", #"{"appIDs":["APP"],"components":[{"/":"/b/*","exclude":true}]}"#, "/b/c"),
    Case("an exclusion of everything", #"{"appIDs":["APP"],"components":[{"/":"*","exclude":true}]}"#, "/b"),
    Case("excluding defaults", #"{"appIDs":["APP"],"components":[{"/":"/A"}]}"#, "/A", links: excluding),
    Case("another page under them", #"{"appIDs":["APP"],"components":[{"/":"/A"}]}"#, "/B", links: excluding),
    Case(
      "excluding defaults of the entry",
      #"{"appIDs":["APP"],"defaults":{"exclude":true},"components":[{"/":"/A"}]}"#, "/A"),
    Case("paths under excluding defaults", #"{"appID":"APP","paths":["/A"]}"#, "/A", links: excluding),
    Case(
      "a fragment in defaults", #"{"appIDs":["APP"],"components":[{"/":"/A"}]}"#, "/A",
      links: ##""defaults":{"#":"x"},"##),
    Case(
      "a query in defaults", #"{"appIDs":["APP"],"components":[{"/":"/A"}]}"#, "/A",
      links: #""defaults":{"?":{"k":"?*"}},"#),
    Case(
      "a fragment in defaults of paths", #"{"appID":"APP","paths":["/A"]}"#, "/A",
      links: ##""defaults":{"#":"x"},"##),
    Case(
      "decoding defaults", #"{"appIDs":["APP"],"components":[{"/":"/a"}]}"#, "/caf%C3%A9", opening: "/a",
      links: #""defaults":{"percentEncoded":false},"#),
    Case(
      "an app of the old form", #"{"appID":"ABCDE12345.com.example.other","paths":["/a"]}"#, "/b"),
    Case(
      "another app under excluding defaults",
      #"{"appIDs":["ABCDE12345.com.example.other"],"components":[{"/":"/a","exclude":false}]}"#, "/b",
      links: excluding),
    Case("another app", #"{"appIDs":["ABCDE12345.com.example.other"],"components":[{"/":"/b"}]}"#, "/b"),
  ]

  // MARK: - explain

  private func explain(_ tool: Tool, _ path: String, os: String, _ file: String) throws -> [String: Any] {
    try tool.write(file, to: "file.json")
    let outcome = try tool.run(
      "explain", "https://example.com\(path)", "--site", "file.json", "--app", Self.app, "--os", os, "--json")
    #expect(outcome.errors == "")
    return try outcome.json()
  }

  @Test(arguments: cases) func aChangeOfExplainOpensTheLink(_ row: Case) throws {
    let tool = try Tool()
    let before = try explain(tool, row.path, os: row.os, row.file)
    #expect(before["opens"] as? Bool != true)
    let sets = before["changes"] as? [[[String: Any]]] ?? []
    let changes = sets.filter { $0.count == 1 }.flatMap { $0 }.filter { $0["who"] as? String == "site" }
    #expect(!changes.isEmpty, "\(sets)")
    for change in changes {
      let words = try #require(change["what"] as? String)
      // What `check --fix` does is for its own tests.
      if words.hasPrefix("Run ") { continue }
      let changed = try #require(PlainReader.doing(words, in: row.file), "\(words)")
      #expect(
        try explain(tool, row.path, os: row.os, changed)["app"] as? String == Self.app, "\(words): \(changed)"
      )
      guard let opening = row.opening else { continue }
      let other = try explain(tool, opening, os: row.os, changed)["app"] as? String
      #expect(other == Self.app, "\(words): \(changed)")
    }
  }

  /// Before iOS 9.3 devices ask at the root only (F2): a file in .well-known is not mended, it is to be served there.
  @Test func aFileThatAnOldReleaseDoesNotAskForIsServedAsWell() throws {
    let file = #"{"applinks":{"apps":[],"details":[{"appID":"\#(Self.app)","paths":["/*"]}]}}"#
    let tool = try Tool()
    let json = try explain(tool, "/y", os: "9.2", file)
    let words = ((json["changes"] as? [[[String: Any]]])?.first?.first?["what"] as? String) ?? ""
    #expect(
      words == "Serve the file of 'example.com' at https://example.com/apple-app-site-association as well, "
        + "the only place where this release looks")
    // Where the rule is missing as well, one sentence says both.
    let none = try explain(tool, "/y", os: "9.2", file.replacing("/*", with: "/x"))
    let both = ((none["changes"] as? [[[String: Any]]])?.first?.first?["what"] as? String) ?? ""
    #expect(
      both
        == "Put \"/y\" before the other paths of '\(Self.app)' in the file of 'example.com', and serve it at "
        + "https://example.com/apple-app-site-association with status 200")
  }

  // MARK: - doctor

  @Test(arguments: cases) func aRemedyOfDoctorMendsTheFile(_ row: Case) throws {
    let tool = try Tool()
    var file = row.file
    // One remedy leads to the next cause at most twice.
    for _ in 0..<3 {
      try tool.write(file, to: "file.json")
      let outcome = try tool.run(
        "doctor", "file.json", "--app", Self.app, "--os", "ios:\(row.os)", "--json")
      guard let cause = try outcome.json()["cause"] as? [String: Any] else {
        #expect(outcome.status == 0)
        return
      }
      let words = try #require(cause["remedy"] as? String)
      let changed = try #require(PlainReader.doing(words, in: file), "\(words)")
      #expect(changed != file)
      file = changed
    }
    Issue.record("still broken: \(file)")
  }

  @Test(arguments: cases.filter { $0.os == "26.0" }) func aRemedyOfDoctorOpensTheLink(_ row: Case) throws {
    let certificate = try LocalCertificate()
    func ask(_ file: String, _ path: String) throws -> DoctorTests.Answer {
      let tool = try Tool()
      try certificate.writeAuthority(to: tool)
      let host = try LocalServer(certificate, DoctorTests.serves(file))
      let cdn = try LocalServer(nil) { _ in FetchCDNTests.copy(file) }
      try tool.write(DoctorTests.entitlements("applinks:example.com"), to: "App.entitlements")
      return try DoctorTests.ask(
        tool, port: host.port, cdn: cdn.port, ["https://example.com\(path)", "--app", "App.entitlements"])
    }
    var file = row.file
    for _ in 0..<3 {
      let answer = try ask(file, row.path)
      if answer.json["verdict"] as? String == "opens" { break }
      let words = try #require(answer.cause?["remedy"] as? String, "\(answer.outcome.output)")
      file = try #require(PlainReader.doing(words, in: file), "\(words)")
    }
    #expect(try ask(file, row.path).json["verdict"] as? String == "opens", "\(file)")
    guard let opening = row.opening else { return }
    #expect(try ask(file, opening).json["verdict"] as? String == "opens", "\(file)")
  }
}

/// Does to an association file what a sentence says.
private enum PlainReader {
  typealias Object = [String: Any]

  /// - Returns: nil for a sentence that says nothing of the file's content.
  static func doing(_ words: String, in file: String) -> String? {
    guard var root = value(file) as? Object, var links = root["applinks"] as? Object else { return nil }
    guard isDone(words, &links) else { return nil }
    root["applinks"] = links
    let data = try? JSONSerialization.data(withJSONObject: root, options: [.sortedKeys])
    return data.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func value(_ text: String) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed])
  }

  private static func isDone(_ words: String, _ links: inout Object) -> Bool {
    var isDone = false
    // What defaults are to lose.
    if let match = words.firstMatch(of: /[Rr]emove (?<keys>.*) from (?:'defaults'|the defaults of)/) {
      for key in match.keys.matches(of: /"(.)"|"(exclude)"/) {
        let name = String(key.1 ?? key.2 ?? "")
        drop(name, &links)
      }
      isDone = true
    }
    var entries = links["details"] as? [Object] ?? []
    defer { links["details"] = entries }
    if words.contains("add the entry {") || words.contains("Add an entry to 'details'") {
      let text = words[words.firstIndex(of: "{")!...].prefix { $0 != "\n" }
      let end = text.range(of: "}, and \"apps\"")?.lowerBound
      guard let entry = value(String(end.map { text[...$0] } ?? text)) as? Object else { return false }
      entries.append(entry)
      return true
    }
    if words.contains("to 'appIDs' (J5)"),
      let name = words.split(separator: "\"").last(where: { $0.contains(".") })
    {
      entries[0]["appIDs"] = (entries[0]["appIDs"] as? [String] ?? []) + [String(name)]
      return true
    }
    if let match = words.firstMatch(of: /Add "(.+?)": (.+?) to rule (\d+) of entry (\d+)/) {
      guard let entry = Int(match.4), let rule = Int(match.3), let new = value(String(match.2)) else {
        return false
      }
      return change("components", of: &entries[entry]) { rules in
        guard var object = rules[rule] as? Object else { return }
        object[String(match.1)] = new
        rules[rule] = object
      }
    }
    if let match = words.firstMatch(of: /(Remove|Move) rule (\d+) of entry (\d+)/) {
      guard let entry = Int(match.3), let rule = Int(match.2) else { return false }
      return change(list(entries[entry]), of: &entries[entry]) { rules in
        let old = rules.remove(at: rule)
        if match.1 == "Move" { rules.append(old) }
      }
    }
    if let match = words.firstMatch(of: /Put (.+) before the other (components|paths) of/) {
      guard let rule = value(String(match.1)) else { return false }
      return change(String(match.2), of: &entries[0]) { $0.insert(rule, at: 0) }
    }
    if let match = words.firstMatch(of: /Add "(components|paths)": (\[.+\]) to the entry of/) {
      entries[0][String(match.1)] = value(String(match.2))
      return true
    }
    guard let line = words.split(separator: "\n").dropFirst().first else { return isDone }
    guard let rule = value(String(line)) else { return false }
    return change(rule is String ? "paths" : "components", of: &entries[0]) { rules in
      write(rule, as: words, into: &rules)
    }
  }

  private static func write(_ rule: Any, as words: String, into rules: inout [Any]) {
    if words.hasPrefix("Say in the rules") {
      let path = (rule as? Object)?["/"] as? String
      rules = rules.map { ($0 as? Object)?["/"] as? String == path ? rule : $0 }
    } else if words.contains("Remove the exclusion of every page") {
      rules =
        rules.filter { (($0 as? Object)?["/"] as? String ?? $0 as? String)?.hasSuffix("*") != true } + [rule]
    } else if words.hasPrefix("Write the rule as a device compares it") {
      rules = [rule]
    } else {
      rules.insert(rule, at: words.contains("before it") ? 0 : rules.count)
    }
  }

  /// As devices since iOS 13 read it.
  private static func list(_ entry: Object) -> String { entry["components"] == nil ? "paths" : "components" }

  private static func change(_ key: String, of entry: inout Object, _ body: (inout [Any]) -> Void) -> Bool {
    var rules = entry[key] as? [Any] ?? []
    body(&rules)
    entry[key] = rules
    return true
  }

  private static func drop(_ name: String, _ links: inout Object) {
    if var defaults = links["defaults"] as? Object {
      defaults[name] = nil
      links["defaults"] = defaults
    }
    links["details"] = (links["details"] as? [Object])?.map { entry in
      var entry = entry
      if var defaults = entry["defaults"] as? Object {
        defaults[name] = nil
        entry["defaults"] = defaults
      }
      return entry
    }
  }
}
