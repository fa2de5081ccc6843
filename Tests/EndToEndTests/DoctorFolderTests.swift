import Foundation
import TestSupport
import Testing

/// `linkspan doctor FOLDER --app`: which file each entry of the app reads.
@Suite struct DoctorFolderTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The app's entries.
    var entries: [String]
    /// The hosts with a file, each with its rule's path.
    var hosts: [(String, String)]
    /// The cause of each host's answer.
    var causes: [String: String?]
    var flags: [String] = []
  }

  /// An entry whose empty `appIDs` hides its `appID` (J6).
  static let hidden =
    #"{"applinks":{"details":[{"appID":"ABCDE12345.com.example.app","appIDs":[],"components":[{"/":"/x"}]}]}}"#

  /// J6, question 3: the entry has both keys, and that the empty one counts is observed.
  @Test func anEmptyListHidesTheApp() throws {
    let tool = try Tool()
    let name = try tool.write(Self.hidden, to: "example.com/.well-known/apple-app-site-association")
    let json = try tool.run("doctor", name, "--json").json()
    let cause = try #require(json["cause"] as? [String: Any])
    #expect(cause["id"] as? String == "no-apps" && cause["certainty"] as? String == "observed")
    let evidence = (cause["evidence"] as? [String])?.joined() ?? ""
    #expect(evidence.contains("'appIDs' of an entry is empty, so its 'appID' is ignored"), "\(evidence)")
  }

  /// P11: a path may begin with a scheme, although hardly any does, as `match` shows.
  @Test func aWholeURLPracticallyNeverMatches() throws {
    let tool = try Tool()
    let file =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"https://example.com/q"}]}]}}"#
    let name = try tool.write(file, to: "example.com/.well-known/apple-app-site-association")
    let cause = try tool.run("doctor", name, "--json").json()["cause"] as? [String: Any]
    #expect(cause?["title"] as? String == "The rule for the link practically never matches.")
    #expect(try tool.run("check", name).output.contains("practically never begins with a scheme"))
    let match = try tool.run("match", "https://example.com/https://example.com/q", "--file", name)
    #expect(match.status == 0)
  }

  static let rows = [
    Row(
      testDescription: "the parent's file is the wildcard's", entries: ["applinks:*.example.com"],
      hosts: [("example.com", "/a")], causes: ["site": nil]),
    Row(
      testDescription: "the subdomain's is not read", entries: ["applinks:*.example.com"],
      hosts: [("www.example.com", "/a")], causes: ["site": "entitlement-host"]),
    Row(
      testDescription: "and does not matter beside the parent's", entries: ["applinks:*.example.com"],
      hosts: [("example.com", "/a"), ("www.example.com", "/a b")],
      causes: ["example.com": nil, "www.example.com": nil]),
    Row(
      testDescription: "a parent's file that opens nothing", entries: ["applinks:*.example.com"],
      hosts: [("example.com", "/a b"), ("www.example.com", "/a")],
      causes: ["example.com": "rule-never-matches", "www.example.com": "rule-never-matches"]),
    Row(
      testDescription: "an exact entry beside it",
      entries: ["applinks:*.example.com", "applinks:www.example.com"],
      hosts: [("example.com", "/a"), ("www.example.com", "/a b")],
      causes: ["example.com": nil, "www.example.com": "rule-never-matches"]),
    Row(
      testDescription: "two wildcards", entries: ["applinks:*.a.example.com", "applinks:*.example.com"],
      hosts: [("a.example.com", "/a"), ("example.com", "/a"), ("x.a.example.com", "/a b")],
      causes: ["a.example.com": nil, "example.com": nil, "x.a.example.com": nil]),
    Row(
      testDescription: "the longer one has no file",
      entries: ["applinks:*.a.example.com", "applinks:*.example.com"],
      hosts: [("example.com", "/a"), ("x.a.example.com", "/a")],
      causes: ["example.com": nil, "x.a.example.com": nil]),
    Row(
      testDescription: "a wildcard with a mode", entries: ["applinks:*.example.com?mode=developer"],
      hosts: [("example.com", "/a"), ("www.example.com", "/a")],
      causes: ["example.com": "developer-mode", "www.example.com": "developer-mode"]),
    Row(
      testDescription: "and with the mode on, in a build that is no development build",
      entries: ["applinks:*.example.com?mode=developer"],
      hosts: [("example.com", "/a"), ("www.example.com", "/a")],
      causes: ["example.com": "developer-mode", "www.example.com": "developer-mode"], flags: ["--developer"]),
    Row(
      testDescription: "an exact entry that does not count",
      entries: ["applinks:*.example.com", "applinks:www.example.com?mode=developer"],
      hosts: [("example.com", "/a"), ("www.example.com", "/a b")],
      causes: ["example.com": nil, "www.example.com": nil]),
    Row(
      testDescription: "a host that was meant to be replaced", entries: ["applinks:*.your-domain.com"],
      hosts: [("your-domain.com", "/a"), ("www.your-domain.com", "/a b")],
      causes: ["your-domain.com": nil, "www.your-domain.com": nil]),
    Row(
      testDescription: "a host that no entry speaks for", entries: ["applinks:*.example.com"],
      hosts: [("example.org", "/a")], causes: ["site": "entitlement-host"]),
  ]

  private func write(_ hosts: [(String, String)], to tool: Tool) throws {
    for (host, path) in hosts {
      try tool.write(
        DoctorTests.file(DoctorTests.app, "{\"/\":\"\(path)\"}"),
        to: "site/\(host)/.well-known/apple-app-site-association")
    }
  }

  private func entitlements(_ entries: [String]) -> String {
    DoctorTests.entitlements("ENTRIES").replacing(
      "<string>ENTRIES</string>", with: entries.map { "<string>\($0)</string>" }.joined())
  }

  @Test(arguments: rows) func eachFileIsAskedForTheEntriesThatReadIt(_ row: Row) throws {
    let tool = try Tool()
    try write(row.hosts, to: tool)
    try tool.write(entitlements(row.entries), to: "App.entitlements")
    let outcome = try tool.run(
      ["doctor", "site", "--app", "App.entitlements", "--json"] + row.flags)
    var causes: [String: String?] = [:]
    for line in outcome.lines.indices {
      let json = try outcome.json(line: line)
      causes[try #require(json["target"] as? String)] = (json["cause"] as? [String: Any])?["id"] as? String
    }
    #expect(causes == row.causes, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.status == (row.causes.values.contains { $0 != nil } ? 1 : 0))
  }

  /// `explain` plays a device; a link to each host opens where `doctor` says that some link does.
  @Test(arguments: rows) func explainAgrees(_ row: Row) throws {
    let tool = try Tool()
    try write(row.hosts, to: tool)
    try tool.write(entitlements(row.entries), to: "App.entitlements")
    let hosts = Set(row.hosts.map(\.0)).union([
      "www.example.com", "x.a.example.com",
    ])
    var opens = false
    for host in hosts {
      let outcome = try tool.run(
        ["explain", "https://\(host)/a", "--site", "site", "--app", "App.entitlements", "--json"] + row.flags)
      opens = try opens || outcome.json()["app"] is String
    }
    #expect(opens == row.causes.values.contains { $0 == nil })
  }

  /// Devices ask a host for its file, and no entry names one of these.
  @Test(arguments: [
    ("-a.com", "'-a.com' is not a host name: it has the label '-a' which begins or ends with a hyphen."),
    ("192.0.2.1", "'192.0.2.1' is an IP address, not a host name."),
    ("a.com.", "'a.com.' ends in a dot, which no entitlement has."),
  ])
  func aFolderOfNoHostOpensNothing(name: String, evidence: String) throws {
    let tool = try Tool()
    try write([(name, "/a")], to: tool)
    let outcome = try tool.run("doctor", "site", "--json")
    let cause = try outcome.json()["cause"] as? [String: Any]
    #expect(outcome.status == 1 && cause?["id"] as? String == "unusable-link", "\(outcome.output)")
    #expect(cause?["evidence"] as? [String] == [evidence])
    #expect(try tool.run("check", "site").output.contains(evidence.dropLast()))
  }

  @Test func theRemedyIsTheEntryOrTheParentsFile() throws {
    let tool = try Tool()
    try write([("www.example.com", "/a")], to: tool)
    try tool.write(entitlements(["applinks:*.example.com"]), to: "App.entitlements")
    func cause() throws -> [String: Any]? {
      try tool.run("doctor", "site", "--app", "App.entitlements", "--json").json()["cause"] as? [String: Any]
    }
    let found = try cause()
    #expect(
      found?["evidence"] as? [String] == [
        "App.entitlements claims 'www.example.com' by 'applinks:*.example.com' alone.",
        "A wildcard reads the file of 'example.com', and not that of 'www.example.com' (E6).",
      ])
    #expect((found?["remedy"] as? String)?.hasSuffix("<string>applinks:www.example.com</string>") == true)
    try tool.write(
      entitlements(["applinks:*.example.com", "applinks:www.example.com"]), to: "App.entitlements")
    #expect(try cause() == nil)
    try tool.write(entitlements(["applinks:*.example.com"]), to: "App.entitlements")
    try write([("example.com", "/a")], to: tool)
    #expect(try cause() == nil)
  }

  /// A key of a wrong type is there, and reads as nothing (E1).
  @Test func aKeyOfAWrongTypeIsNotMissing() throws {
    let tool = try Tool()
    try write([("example.com", "/a")], to: tool)
    try tool.write(
      DoctorTests.entitlements("applinks:example.com").replacing("<array>", with: "").replacing(
        "</array>", with: ""),
      to: "App.entitlements")
    let json = try tool.run("doctor", "site", "--app", "App.entitlements", "--json").json()
    let cause = json["cause"] as? [String: Any]
    #expect(cause?["id"] as? String == "entitlement-missing")
    #expect(
      cause?["evidence"] as? [String] == [
        "App.entitlements: 'com.apple.developer.associated-domains' is a string, not an array of strings."
      ])
  }

  /// Of several mistakes the one in the syntax is why devices drop the file, wherever it stands.
  @Test func theSyntaxIsTheReason() throws {
    let tool = try Tool()
    try tool.write(
      "{\n\"applinks\":{\"details\":[{\"appIds\":[\"\(DoctorTests.app)\"],\n\"components\":[{\"/\":\"/a\"},]}]}}",
      to: "file")
    let cause = try tool.run("doctor", "file", "--json").json()["cause"] as? [String: Any]
    #expect(cause?["id"] as? String == "not-json")
    #expect(
      cause?["evidence"] as? [String] == ["file, line 3, column 25: There is a ',' after the last value."])
    #expect((cause?["remedy"] as? String)?.contains("appIDs") == false)
    for words in [
      ["match", "https://example.com/a", "--file", "file"], ["diff", "file", "file"],
      ["coverage", "--file", "file", "--urls", "urls"], ["init", "--from", "file"],
    ] {
      try tool.write("https://example.com/a\n", to: "urls")
      let outcome = try tool.run(words)
      #expect(
        outcome.errors.contains("a device would reject 'file': There is a ',' after the last value."),
        "\(words) \(outcome.errors)")
    }
  }
}
