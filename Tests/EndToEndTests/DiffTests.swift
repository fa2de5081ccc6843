import Foundation
import TestSupport
import Testing

/// Comparison by meaning, as a person runs it.
@Suite struct DiffTests {
  static func file(_ rules: String, more: String = "", entry: String = "") -> String {
    "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.app\"],\"components\":[\(rules)]\(entry)}]\(more)}}"
  }

  @Test(arguments: [
    (#"{"/":"/a/*"},{"/":"/b"}"#, #"{"/":"/b"},{"/":"/a/*"}"#),
    (#"{"/":"/a"},{"/":"/a/*"}"#, #"{"/":"a/*"}"#),
    (#"{"/":"/$(v)"}"#, #"{"/":"/x"},{"/":"/y"}"#),
    (#"{"/":"/x","exclude":true},{"/":"/x/y"}"#, #"{"/":"/x/y"},{"/":"/x","exclude":true}"#),
  ])
  func equalMeaningEndsWithZero(old: String, new: String) throws {
    let tool = try Tool()
    let variables = #","substitutionVariables":{"v":["x","y"]}"#
    try tool.write(Self.file(old, more: variables), to: "old")
    try tool.write(Self.file(new, more: variables), to: "new")
    let run = try tool.run("diff", "old", "new", "--json")
    #expect(
      run.output
        == "{\"type\":\"diff\",\"changes\":[],\"decided\":true,\"not_decided\":[],\"truncated\":false,"
        + "\"precedence\":[],\"services\":[]}\n"
    )
    #expect(run.status == 0)
  }

  @Test func hoistedSettingsAreEqual() throws {
    let tool = try Tool()
    try tool.write(
      Self.file(#"{"/":"/a","caseSensitive":false},{"/":"/b","caseSensitive":false}"#), to: "old")
    try tool.write(
      Self.file(#"{"/":"/a"},{"/":"/b"}"#, more: #","defaults":{"caseSensitive":false}"#), to: "new")
    #expect(
      try tool.run("diff", "old", "new").output
        == "Equal meaning: every URL that a device can hold is decided as before on iOS 15.0 and later.\n")
    #expect(try tool.run("diff", "old", "new", "--os", "ios:13.5").status == 1)
  }

  @Test(arguments: [
    (#"{"/":"/a/x","exclude":true},{"/":"/a/*"}"#, #"{"/":"/a/*"},{"/":"/a/x","exclude":true}"#, "/a/x"),
    (#"{"/":"/a"}"#, #"{"/":"/a","caseSensitive":false}"#, "/A"),
    (#"{"?":{"q":"?*"}}"#, #"{"?":{"q":"??*"}}"#, "/?q=x"),
  ])
  func aChangeHasAWitness(old: String, new: String, path: String) throws {
    let tool = try Tool()
    try tool.write(Self.file(old), to: "old")
    try tool.write(Self.file(new), to: "new")
    let run = try tool.run("diff", "old", "new", "--json")
    #expect(run.output.contains("\"url\":\"https://example.com\(path)\""), "\(run.output)")
    #expect(run.status == 1)
    for format in ["markdown", "github", "text"] {
      let run = try tool.run("diff", "old", "new", "--format", format)
      #expect(run.output.contains("https://example.com\(path)"), "\(run.output)")
    }
  }

  @Test func aChangeNamesItsReleases() throws {
    let tool = try Tool()
    try tool.write(Self.file(#"{"/":"/a"}"#), to: "old")
    try tool.write(Self.file(#"{"/":"/a","caseSensitive":false}"#), to: "new")
    func spans(_ os: String...) throws -> [String] {
      let json = try tool.run(["diff", "old", "new", "--json"] + os.flatMap { ["--os", $0] }).json()
      return try #require(json["changes"] as? [[String: Any]]).map { change in
        let span = change["releases"] as? [String: Any]
        return "\(change["os"] as? String ?? "-") \(span?["from"] ?? "-") \(span?["to"] as? String ?? "-")"
      }
    }
    #expect(try spans() == ["- ios:15.0 -"])
    #expect(try spans("ios:13..26") == ["- ios:13.5 ios:26"])
    #expect(try spans("ios:17.4") == ["ios:17.4 ios:17.4 ios:17.4"])
    #expect(try spans("ios:13..13.4") == [])
    let text = try tool.run("diff", "old", "new", "--os", "ios:13..26").output
    #expect(text.hasPrefix("https://example.com/A  ABCDE12345.com.example.app, on iOS 13.5–26\n"))
  }

  @Test func otherServicesAreASentenceOfTheirOwn() throws {
    let tool = try Tool()
    try tool.write(Self.file(#"{"/":"/a"}"#), to: "old")
    let more = #","webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#
    try tool.write(String(Self.file(#"{"/":"/a"}"#).dropLast()) + more, to: "new")
    #expect(
      try tool.run("diff", "old", "new").output
        == "webcredentials: ABCDE12345.com.example.app is new\nOther services changed.\n")
  }

  @Test func unreadableFilesEndWithTwo() throws {
    let tool = try Tool()
    try tool.write("{", to: "old")
    #expect(try tool.run("diff", "old", "old").status == 2)
    #expect(try tool.run("diff", "none", "old").status == 2)
    let alone = try tool.run("diff", "old")
    #expect(alone.status == 2)
    #expect(alone.errors.contains("NEW is missing: 'old' is a file, and only a host name stands alone."))
  }

  /// A folder that stands alone is not asked for over the network, and messages name what was written.
  @Test func onlyAHostStandsAlone() throws {
    let tool = try Tool()
    try tool.write("{}", to: "site/x")
    for (words, message) in [
      (["site"], "NEW is missing: 'site' is a folder, and only a host name stands alone."),
      (["-"], "NEW is missing: '-' is standard input, and only a host name stands alone."),
      ([""], "there is no file or folder ''."), (["none/new"], "there is no file or folder 'none/new'."),
    ] {
      let outcome = try tool.run(["diff"] + words)
      #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
    }
  }

  /// However the host is written, the URLs shown are its own.
  @Test(arguments: ["example.com", "https://example.com/shop", "EXAMPLE.com."])
  func theURLsOfAHostAreItsOwn(name: String) throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in FetchCDNTests.copy(FetchTests.file) }
    let cdn = try LocalServer(nil) { _ in FetchCDNTests.copy("{\"applinks\":{\"details\":[]}}") }
    let outcome = try tool.run(
      "diff", name, "--allow-private", "--ca", "ca.pem", "--timeout", "30", "--resolve",
      "example.com:443:127.0.0.1:\(host.port)", "--cdn", "http://127.0.0.1:\(cdn.port)", "--json")
    let json = try outcome.json()
    let changes = try #require(json["changes"] as? [[String: Any]])
    let urls = changes.compactMap { $0["url"] as? String }
    #expect(!urls.isEmpty && urls.allSatisfy { $0.hasPrefix("https://example.com/") }, "\(urls)")
  }

  @Test func coverageCountsAndAddsUp() throws {
    let tool = try Tool()
    try tool.write(Self.file(#"{"/":"/a/*"},{"/":"/never"}"#), to: "file")
    let lines = (0..<80).map { number in
      number % 10 == 0
        ? "garbage" : "1.2.3.4 - - [x] \"GET /\(number % 2 == 0 ? "a" : "b")/\(number) HTTP/1.1\" 200 1"
    }
    try tool.write(lines.joined(separator: "\n"), to: "log")
    let whole = try tool.run("coverage", "--file", "file", "--host", "example.com", "--urls", "log", "--json")
    #expect(whole.status == 0)
    #expect(
      whole.output.hasPrefix("{\"type\":\"coverage\",\"hits\":72,\"unread_lines\":8,\"file_fetches\":0,"))
    var parts: [String] = []
    for piece in 0..<8 {
      try tool.write(lines[(piece * 10)..<(piece * 10 + 10)].joined(separator: "\n"), to: "log\(piece)")
      let part = try tool.run(
        "coverage", "--file", "file", "--host", "example.com", "--urls", "log\(piece)", "--partial")
      try tool.write(part.output, to: "part\(piece)")
      parts.append("part\(piece)")
    }
    #expect(try tool.run(["coverage", "--merge", "--json"] + parts).output == whole.output)
  }

  @Test func generatedFilesMeanWhatWasAsked() throws {
    let tool = try Tool()
    try tool.write(
      #"{apps:[{id:"ABCDE12345.com.example.app",routes:["/buy/:id","/b/*"],exclude:["/buy/new"]}]}"#,
      to: "config")
    let run = try tool.run("generate", "config", "--json")
    #expect(run.status == 0)
    #expect(
      run.output.contains("\"exact\":true,\"reason\":null,\"decided\":true,\"differences\":[]"),
      "\(run.output)")
  }

  /// The templates of the library for apps are routes here, too.
  @Test func generatesForTemplates() throws {
    let tool = try Tool()
    func generate(_ routes: String) throws -> Tool.Outcome {
      try tool.write(#"{apps:[{id:"ABCDE12345.com.example.app",routes:[\#(routes)]}]}"#, to: "config")
      return try tool.run("generate", "config", "--json")
    }
    let template = try generate(
      #""/recipes/{step?}", "/files/{path...}#t?p", {route: "/x/{id}", "?": {"q": "?*"}}"#)
    let plain = try generate(
      #""/recipes/:step", "/recipes", "/files/*#t?p", {route: "/x/:id", "?": {"q": "?*"}}"#)
    func file(_ outcome: Tool.Outcome) -> Substring? {
      outcome.output.firstRange(of: ",\"exact\"").map { outcome.output[..<$0.lowerBound] }
    }
    #expect(template.status == 0 && file(template) == file(plain), "\(template.output)\(template.errors)")
    #expect(file(template)?.contains("/files/*") == true)
    let kind = try generate(#""/recipes/{id:hex}""#)
    let expression = try generate(#""/recipes/:id([0-9A-Fa-f]+)""#)
    #expect(kind.status == expression.status && kind.output.contains("/recipes/"), "\(kind.output)")
    for (wrong, words) in [
      (#""/r/{id}?servings={servings?:int}""#, "a route is a path, without '?servings={servings?:int}'"),
      (#""/r/{id:float}""#, "unknown kind 'float'"), (#""/r/{id""#, "'{' has no '}'"),
    ] {
      let refused = try generate(wrong)
      #expect(refused.status == 2 && refused.errors.contains(words), "\(refused.errors)")
    }
  }

  @Test func aFolderStandsForTheFileInIt() throws {
    let tool = try Tool()
    let path = "example.com/.well-known/apple-app-site-association"
    try tool.write(Self.file(#"{"/":"/a"}"#), to: "old/\(path)")
    try tool.write(Self.file(#"{"/":"/b"}"#), to: "new/\(path)")
    #expect(try tool.run("diff", "old", "new").status == 1)
    #expect(try tool.run("diff", "old", "old/\(path)").status == 0)
    try tool.write(Self.file(#"{"/":"/b"}"#), to: "new/b.\(path)")
    let outcome = try tool.run("diff", "old", "new")
    #expect(outcome.status == 2 && outcome.errors.contains("'new' has the files of 2 hosts"))
  }
}
