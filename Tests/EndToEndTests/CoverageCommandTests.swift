import Foundation
import TestSupport
import Testing

/// `linkspan coverage`, as a person runs it, and as a cluster does.
@Suite struct CoverageCommandTests {
  static let file =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy/*"},{"/":"/never"}]}]}}"#
  static let log =
    (0..<400).map { number in
      "192.0.2.1 - - [22/Nov/2026:08:00:00 +0000] \"GET \(number % 3 == 0 ? "/buy/\(number)" : "/other") HTTP/1.1\" 200 5"
    }.joined(separator: "\n") + "\ngarbage\n"

  static func tool() throws -> Tool {
    let tool = try Tool()
    try tool.write(file, to: "file")
    try tool.write(log, to: "logs/access.log")
    return tool
  }

  static let whole = ["coverage", "--file", "file", "--host", "example.com", "--urls", "logs/access.log"]

  @Test func brokenXMLIsNoSitemap() throws {
    let tool = try Self.tool()
    try tool.write("<urlset>", to: "sitemap.xml")
    let run = try tool.run("coverage", "--file", "file", "--urls", "sitemap.xml")
    #expect(run.status == 2 && run.errors.contains("'sitemap.xml' is not well-formed XML."))
  }

  @Test func aFileThatIsNamedTwiceCountsOnce() throws {
    let tool = try Self.tool()
    try tool.write("https://example.com/buy/1\n", to: "urls")
    let words = ["coverage", "--file", "file", "--urls", "urls"]
    let once = try tool.run(words)
    for again in ["urls", "./urls"] {
      let twice = try tool.run(words + ["--urls", again])
      #expect(twice.status == 0 && twice.output == once.output)
      #expect(twice.errors.contains("'\(again)' is "), "\(twice.errors)")
    }
    #expect(once.errors.isEmpty)
    try tool.write(try tool.run(words + ["--partial"]).output, to: "part")
    let merged = try tool.run("coverage", "--merge", "part", "./part")
    #expect(merged.output == once.output)
    #expect(
      merged.errors
        == "linkspan coverage: warning: './part' is the same file as 'part'; it is counted once.\n")
  }

  @Test func routesWithConstraints() throws {
    let tool = try Self.tool()
    try tool.write(
      #"[{"path": "/buy/:id", "constraints": {"id": "\\d+"}}, "/x/:a((b)\\2)"]"#, to: "routes.json")
    let run = try tool.run("coverage", "--file", "file", "--routes", "routes.json", "--json")
    let routes = try #require(try run.json()["routes"] as? [String: Any])
    #expect(run.status == 1 && routes["decided"] as? Bool == false)
    let undecided = try #require(routes["not_decided"] as? [String])
    #expect(undecided.count == 1 && undecided[0].contains("back-reference"))
    #expect((routes["not_shown"] as? [Any])?.isEmpty == false)
  }

  @Test func routesAsTheLibraryWritesThem() throws {
    let tool = try Self.tool()
    try tool.write(#"["/buy/{id:int}?ref={ref?}", "/elsewhere/{name}/{tab?}"]"#, to: "routes.json")
    let run = try tool.run("coverage", "--file", "file", "--routes", "routes.json", "--json")
    let routes = try #require(try run.json()["routes"] as? [String: Any], "\(run.errors)")
    let unclaimed = try #require(routes["not_claimed"] as? [[String: Any]])
    #expect(
      Set(unclaimed.compactMap { $0["route"] as? String }) == ["/elsewhere/{name}/{tab?}"], "\(unclaimed)")
  }

  /// Without URLs there are no counts to speak of.
  /// Logs may take hours.
  @Test func wrongRoutesFailBeforeLogsAreRead() throws {
    let tool = try Self.tool()
    try tool.write("[7]", to: "routes.json")
    let run = try tool.run(
      "coverage", "--file", "file", "--urls", "missing.log", "--routes", "routes.json")
    #expect(run.status == 2 && run.errors.contains("routes.json:1:2: expected a route."), "\(run.errors)")
  }

  @Test func routesAloneAreComparedAlone() throws {
    let tool = try Self.tool()
    try tool.write(#"["/buy/*"]"#, to: "routes.json")
    let run = try tool.run("coverage", "--file", "file", "--routes", "routes.json")
    #expect(run.output.hasPrefix("Opens the app, which has no route:\n"), "\(run.output)")
    let both = try tool.run(Self.whole + ["--routes", "routes.json"])
    #expect(both.output.hasPrefix("400 URLs, 1 unread line\n"), "\(both.output)")
  }

  /// People see twenty rules that fire and twenty that never do, and how many more there are.
  @Test(
    arguments: [(20, []), (21, ["more rule", "more"]), (23, ["more rules", "more"])] as [(Int, [String])])
  func aLongListIsCutAndSaysSo(_ count: Int, _ words: [String]) throws {
    let tool = try Tool()
    let rules = (0..<count).flatMap { ["{\"/\":\"/hit\($0)\"}", "{\"/\":\"/miss\($0)\"}"] }.joined(
      separator: ",")
    try tool.write(
      "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.app\"],\"components\":[\(rules)]}]}}",
      to: "file")
    try tool.write((0..<count).map { "https://example.com/hit\($0)\n" }.joined(), to: "urls")
    let run = try tool.run("coverage", "--file", "file", "--host", "example.com", "--urls", "urls")
    let lines: [String] = run.output.split(separator: "\n").map(String.init)
    let cuts = lines.filter { $0.hasPrefix("  … and ") }
    let expected: [String] = words.map { "  … and \(count - 20) \($0)" }
    #expect(cuts == expected, "\(run.output)")
  }

  /// The host of a log for several hosts is that of the URL.
  @Test func aLineOfAnotherHostIsNoHit() throws {
    let tool = try Self.tool()
    let line = #" 192.0.2.1 - - [22/Nov/2026:08:00:00 +0000] "GET /buy/1 HTTP/1.1" 200 5"#
    try tool.write("other.com:443\(line)\nexample.com:443\(line)\n", to: "vhosts.log")
    let run = try tool.run(
      "coverage", "--file", "file", "--host", "example.com", "--urls", "vhosts.log", "--json")
    let object = try run.json()
    #expect(object["hits"] as? Int == 2 && object["unmatched"] as? Int == 1, "\(run.output)")
  }

  /// The recipe of the guide, word for word but for paths.
  @Test func theRecipeForSpark() throws {
    let guide = try String(
      contentsOf: Fixtures.root.appending(path: "Documentation/rules-as-sets.md"), encoding: .utf8)
    let start = try #require(guide.range(of: "```python\n"))
    let end = try #require(guide[start.upperBound...].range(of: "```"))
    let recipe = String(guide[start.upperBound..<end.lowerBound])
    #expect(recipe.contains(".pipe("))
    let tool = try Self.tool()
    let python = ProcessInfo.processInfo.environment["LINKSPAN_SPARK_PYTHON"] ?? "/usr/bin/python3"
    let probe = Process()
    probe.executableURL = URL(filePath: python)
    probe.arguments = ["-c", "import pyspark"]
    probe.standardError = FileHandle.nullDevice
    guard FileManager.default.isExecutableFile(atPath: python), (try? probe.run()) != nil else {
      print("skipped: no Python at \(python); LINKSPAN_SPARK_PYTHON names one with pyspark")
      return
    }
    probe.waitUntilExit()
    guard probe.terminationStatus == 0 else {
      print("skipped: \(python) has no pyspark; LINKSPAN_SPARK_PYTHON names a Python that has")
      return
    }
    try FileManager.default.moveItem(
      at: tool.folder.appending(path: "file"), to: tool.folder.appending(path: "apple-app-site-association"))
    try tool.write(
      "from pyspark.sql import SparkSession\n"
        + "spark = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false').getOrCreate()\n"
        + recipe.replacing("logs/*.gz", with: "logs/*.log"), to: "recipe.py")
    let spark = Process()
    spark.executableURL = URL(filePath: python)
    spark.arguments = ["recipe.py"]
    spark.currentDirectoryURL = tool.folder
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = Tool.binary.deletingLastPathComponent().path + ":" + (environment["PATH"] ?? "")
    spark.environment = environment
    try spark.run()
    spark.waitUntilExit()
    #expect(spark.terminationStatus == 0)
    let parts = try FileManager.default.contentsOfDirectory(
      atPath: tool.folder.appending(path: "counts").path
    )
    .filter { $0.hasPrefix("part-") }.map { "counts/" + $0 }.sorted()
    let merged = try tool.run(["coverage", "--merge"] + parts + ["--json"])
    try tool.write(Self.file, to: "file")
    #expect(merged.output == (try tool.run(Self.whole + ["--json"])).output, "\(merged.errors)")
  }
}
