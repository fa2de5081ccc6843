import Foundation
import TestSupport
import Testing

/// `generate`, `init --from`, `coverage` and `diff`, with input that people give by mistake.
@Suite struct RuleCommandTests {
  static let file =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]}]}}"#

  static func tool() throws -> Tool {
    let tool = try Tool()
    try tool.write(file, to: "file")
    try tool.write(file.replacing("/a/*", with: "/b/*"), to: "other")
    try tool.write("https://example.com/a/1\n", to: "list")
    return tool
  }

  @Test func aRequestWithSeveralMistakesListsThem() throws {
    let tool = try Tool()
    try tool.write("{apps: [{id: 'ABCDE12345.com.example.app', routes: ['buy', 'sell']}]}", to: "r.json5")
    let outcome = try tool.run("generate", "r.json5")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    let lines: [Substring] = outcome.errors.split(separator: "\n")
    #expect(lines.first == "linkspan generate: error: 'r.json5' has 2 mistakes:")
    let starts: [String] = lines.dropFirst().map { String($0.prefix(20)) }
    #expect(starts == ["  r.json5:1:53: 'buy", "  r.json5:1:60: 'sel"])
  }

  @Test(arguments: [
    ("https://example.com/", "example.com"), ("example.com:443", "example.com"),
    ("https://bücher.example/", "xn--bcher-kva.example"),
  ])
  func aHostIsNoURL(host: String, meant: String) throws {
    let tool = try Self.tool()
    for words in [
      ["diff", "file", "other"], ["match", "https://example.com/a", "--file", "file"],
      ["coverage", "--file", "file", "--urls", "list"], ["check", "file"],
      ["explain", "https://example.com/a", "--site", "file"],
    ] {
      let run = try tool.run(words + ["--host", host])
      #expect(run.status == 2, "\(words) \(run.output)")
      #expect(
        run.errors.contains("expected a host such as 'www.example.com', got '\(host)'; write '\(meant)'"),
        "\(words) \(run.errors)")
    }
    for words in [["diff", "file", "other"], ["coverage", "--file", "file", "--urls", "list"]] {
      let run = try tool.run(words + ["--host", "192.0.2.1"])
      #expect(run.status == 2)
      #expect(run.errors.contains("'--host': '192.0.2.1' is an IP address"), "\(run.errors)")
    }
    #expect(try tool.run("match", "https://example.com/a", "--file", "file", "--host", "").status == 2)
    #expect(
      try tool.run("match", "https://a.example.com/a", "--file", "file", "--host", "*.Example.com").status
        == 0)
  }

  @Test func anAppThatNoFileNamesIsNoAnswer() throws {
    let tool = try Self.tool()
    try tool.write("[\"/a/*\"]", to: "routes.json")
    for words in [["diff", "file", "other"], ["coverage", "--file", "file", "--routes", "routes.json"]] {
      let run = try tool.run(words + ["--app", "ABCDE12345.com.exmaple.app"])
      #expect(run.status == 2 && run.output.isEmpty)
      #expect(run.errors.contains("Did you mean 'ABCDE12345.com.example.app'?"), "\(run.errors)")
    }
  }

  @Test func flagsWithoutEffectAreRefused() throws {
    let tool = try Self.tool()
    let base = ["coverage", "--file", "file", "--urls", "list"]
    for words in [
      base + ["--partial", "--html", "x.html"], base + ["--partial", "--routes", "list"],
      base + ["--app", "ABCDE12345.com.example.app"], ["coverage", "--file", "-", "--urls", "-"],
    ] {
      let run = try tool.run(words, input: Self.file)
      #expect(run.status == 2 && run.output.isEmpty, "\(words) \(run.output)")
    }
  }

  @Test func partsThatWereCutOffAreRefused() throws {
    let tool = try Self.tool()
    let part = try tool.run("coverage", "--file", "file", "--urls", "list", "--partial").output
    try tool.write(part, to: "whole")
    try tool.write(part, to: "second")
    try tool.write(String(part.dropLast(20)), to: "cut")
    try tool.write("", to: "empty")
    let large = part.replacing("\"hits\":1", with: "\"hits\":\(Int.max)")
    for name in ["large", "larger"] { try tool.write(large, to: name) }
    for (names, reason) in [
      (["whole", "cut"], "'cut', line 1: the line is not complete JSON"),
      (["whole", "empty"], "'empty' has no counts"), (["large", "larger"], "the counts add up to more than"),
    ] {
      let run = try tool.run(["coverage", "--merge"] + names)
      #expect(run.status == 2 && run.errors.contains(reason), "\(names) \(run.status) \(run.errors)")
    }
    #expect(try tool.run("coverage", "--merge", "whole", "second", "--json").json()["hits"] as? Int == 2)
    let twice = try tool.run("coverage", "--merge", "whole", "whole", "--json")
    #expect(try twice.json()["hits"] as? Int == 1)
    #expect(twice.errors.contains("'whole' is named twice; it is counted once."), "\(twice.errors)")
    #expect(try tool.run("coverage", "--merge", "large").status == 0)
  }

  @Test func whatHasNoURLIsTold() throws {
    let tool = try Self.tool()
    try tool.write("nothing\nof use\n", to: "garbage")
    let run = try tool.run("coverage", "--file", "file", "--urls", "garbage")
    #expect(run.status == 0 && run.errors.contains("'garbage' has no URL in any of its 2 lines"))
    // What a disk has of a log that was not written before the power failed.
    try tool.write(String(repeating: "\0", count: 100), to: "zeros")
    let zeros = try tool.run("coverage", "--file", "file", "--urls", "zeros")
    #expect(zeros.status == 0 && zeros.output.hasPrefix("0 URLs, 0 unread lines\n"), "\(zeros.errors)")
    try tool.write("nothing", to: "line")
    let line = try tool.run("coverage", "--file", "file", "--urls", "line")
    #expect(line.status == 0 && line.errors.contains("'line' has no URL in its one line."))
    try tool.write("<!DOCTYPE html><html><body>404</body></html>", to: "page")
    let page = try tool.run("coverage", "--file", "file", "--urls", "page")
    #expect(page.status == 2 && page.errors.contains("is XML with the element 'html'; expected a sitemap"))
  }

  /// A line of its own could be a command to the log of a pull request.
  @Test func filesCannotWriteLinesOfTheirOwn() throws {
    let tool = try Tool()
    let evil =
      #"{"applinks":{"details":[{"appIDs":["x\n::error::a\u001b[2J"],"components":[{"/":"/x\n::error::b"},{"/":"/y"}]}]}}"#
    try tool.write(evil, to: "old")
    try tool.write(evil.replacing("/y", with: "/z"), to: "new")
    try tool.write("https://example.com/y\u{1B}[2J\nhttps://example.com/y\n", to: "list")
    for words in [
      ["diff", "old", "new"], ["match", "--file", "old", "--urls", "list"],
      ["coverage", "--file", "old", "--urls", "list"],
      ["explain", "https://example.com/y", "--site", "old", "--host", "example.com"],
    ] {
      let run = try tool.run(words)
      #expect(!run.output.contains("\u{1B}"), "\(words) \(run.output)")
      #expect(!run.lines.contains { $0.drop { $0 == " " }.hasPrefix("::error") }, "\(words) \(run.output)")
    }
  }

  @Test func theSizeOfAGeneratedFileCounts() throws {
    let tool = try Tool()
    func configuration(_ length: Int) -> String {
      let routes = (1_000..<2_000).map { "\"/\($0)/\(String(repeating: "a", count: length - 10))\($0)\"" }
        .joined(
          separator: ",")
      return "{apps: [{id: 'ABCDE12345.com.example.app', routes: [\(routes)]}]}"
    }
    // Indented it would not fit.
    try tool.write(configuration(115), to: "near.json5")
    let missing = try tool.run("generate", "near.json5", "--output", "out")
    #expect(missing.status == 2 && missing.errors.contains("mkdir -p out"), "\(missing.errors)")
    try FileManager.default.createDirectory(
      at: tool.folder.appending(path: "out"), withIntermediateDirectories: false)
    let near = try tool.run("generate", "near.json5", "--output", "out", "--json")
    #expect(near.status == 0, "\(near.errors)")
    let written = try Data(contentsOf: tool.folder.appending(path: "out/apple-app-site-association"))
    #expect(written.count <= 131_072)
    #expect(try near.json()["size_bytes"] as? Int == written.count)
    try tool.write(configuration(130), to: "far.json5")
    let far = try tool.run("generate", "far.json5")
    #expect(far.status == 1 && far.output.contains("devices take at most 131072"))
  }

  /// J5: `check` would call it an error, so nothing is written.
  @Test func aBadPrefixIsRefused() throws {
    let tool = try Tool()
    try tool.write("{apps:[{id:\"TEAM.bundle\",routes:[\"/a\"]}]}", to: "c.json5")
    let run = try tool.run("generate", "c.json5", "--output", ".")
    #expect(
      run.status == 2 && run.errors.contains("c.json5:1:12: The prefix 'TEAM' has 4 characters, not 10."))
    #expect(
      !FileManager.default.fileExists(atPath: tool.folder.appending(path: "apple-app-site-association").path))
  }

  /// D8: text, JSON and exit status agree on a statement list that differs, with one line for each kind.
  @Test func theStatementListCounts() throws {
    let tool = try Tool()
    let print = Array(repeating: "AB", count: 32).joined(separator: ":")
    try tool.write(
      "{apps:[{id:\"ABCDE12345.com.example.app\",routes:[\"/x/{id:int}\"],package:\"com.example.app\","
        + "fingerprints:[\"\(print)\"]}]}", to: "c.json5")
    let shown = try tool.run("generate", "c.json5")
    #expect(shown.status == 1 && shown.output.contains("and the nearest differ:"), "\(shown.output)")
    #expect(shown.output.contains("'{name:int}' is read as 1 to 18 digits, also with leading zeros."))
    let lines = shown.lines.filter { $0.contains(": wanted ") }
    #expect(lines.count == 1, "\(lines)")
    let run = try tool.run("generate", "c.json5", "--json")
    let json = try run.json()
    #expect(run.status == 1 && json["exact"] as? Bool == true && json["assetlinks_exact"] as? Bool == false)
    #expect((json["differences"] as? [Any])?.isEmpty == true)
    #expect((json["assetlinks_differences"] as? [Any])?.isEmpty == false)
  }

  @Test func whatInitWritesMeansTheSame() throws {
    let tool = try Tool()
    let file = Self.file.replacing(
      #"{"/":"/a/*"}"#, with: #"{"/":"/a/*"},{"/":"/a/private/*","exclude":true}"#)
    try tool.write(file, to: "old")
    #expect(try tool.run("init", "--from", "old", "c.json5").status == 0)
    let generated = try tool.run("generate", "c.json5", "--output", ".")
    #expect(generated.status == 0, "\(generated.output)")
    #expect(try tool.run("diff", "old", "apple-app-site-association").status == 0)
  }

  /// Fragments and services survive, and what is left out is told.
  @Test func whatInitWritesLosesNothing() throws {
    let tool = try Tool()
    let file =
      Self.file.replacing(#"{"/":"/a/*"}"#, with: ##"{"/":"*","#":"app-only"}"##).dropLast()
      + #","webcredentials":{"apps":["ABCDE12345.com.example.app","bad"]}}"#
    try tool.write(String(file), to: "old")
    let written = try tool.run("init", "--from", "old", "c.json5")
    #expect(written.status == 0 && written.errors.contains("'bad'"), "\(written.errors)")
    let generated = try tool.run("generate", "c.json5", "--output", ".", "--json")
    #expect(generated.status == 0, "\(generated.output) \(generated.errors)")
    // Its own earlier output may be replaced.
    #expect(try tool.run("generate", "c.json5", "--output", ".").status == 0)
    let difference = try tool.run("diff", "old", "apple-app-site-association", "--json")
    #expect(difference.status == 1 && difference.output.contains("bad"))
    #expect(
      try tool.run("match", "https://example.com/x", "--file", "apple-app-site-association").status == 1)
    #expect(
      try tool.run("match", "https://example.com/x#app-only", "--file", "apple-app-site-association").status
        == 0)
    #expect(try tool.run("check", "apple-app-site-association").status == 0)
  }

  @Test func aFileWithServicesAloneIsARequestToo() throws {
    let tool = try Tool()
    try tool.write(#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#, to: "old")
    #expect(try tool.run("init", "--from", "old", "c.json5").status == 0)
    let generated = try tool.run("generate", "c.json5", "--output", ".")
    #expect(generated.status == 0, "\(generated.output) \(generated.errors)")
    #expect(try tool.run("diff", "old", "apple-app-site-association").status == 0)
  }

  /// Where `generate` would refuse the configuration, none is written.
  @Test(arguments: [#"{"appID":"ABCDE12345.com.example.app","paths":[]}"#, #"{"appID":"a b","paths":["*"]}"#])
  func aFileOfWhichNothingIsLeftIsNoRequest(entry: String) throws {
    let tool = try Tool()
    try tool.write(#"{"applinks":{"apps":[],"details":[\#(entry)]}}"#, to: "my file")
    let outcome = try tool.run("init", "--from", "my file", "c.json5")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(
      outcome.errors == """
        linkspan init: error: 'my file' has nothing that 'generate' can write.
          Each of its apps has no rules, or an identifier that no app can have: 'linkspan check 'my file'' tells which.

        """)
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "c.json5").path))
  }
}
