import AccessLogs
import AppSiteAssociation
import LinkCoverage
import LinkLanguages
import LinkspanCore
import Testing

@Suite struct CoverageTests {
  static let text = """
    {"applinks":{"details":[{"appIDs":["A.one","A.two"],"components":[{"/":"/buy/new","exclude":true},{"/":"/buy/*"}]},
    {"appIDs":["A.two"],"components":[{"/":"/help/*"},{"/":"/never"}]}]}}
    """
  static let file = AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!

  static func items(_ text: String, piece: Int = 7) throws -> [URLStream.Item] {
    var items: [URLStream.Item] = []
    let stream = URLStream { items.append($0) }
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: piece) {
      try stream.feed(Array(bytes[start..<min(start + piece, bytes.count)]))
    }
    try stream.finish()
    return items
  }

  @Test(
    arguments: [
      ("https://example.com/a\n", [.url("https://example.com/a")]),
      ("/a?b#c\r\n\r\n/d", [.url("/a?b#c"), .url("/d")]),
      (
        #"1.2.3.4 - - [22/Nov/2026:08:00:00 +0000] "GET /buy/1?x=2 HTTP/1.1" 200 5 "-" "agent \"x\"""#,
        [.url("/buy/1?x=2")]
      ),
      (#"1.2.3.4 - - [x] "-" 400 0"#, [.unreadableLine]), ("nothing of use", [.unreadableLine]),
      (#"{"host":"example.com","uri":"/a"}"#, [.url("https://example.com/a")]),
      (#"{"request":{"method":"GET","host":"example.com","uri":"/a"}}"#, [.url("https://example.com/a")]),
      (#"{"request":"GET /a HTTP/2.0"}"#, [.url("/a")]), (#"{"level":"info"}"#, [.unreadableLine]),
      (
        "HTTPS://example.com/a\nHttp://example.com/b",
        [.url("HTTPS://example.com/a"), .url("Http://example.com/b")]
      ),
      // A browser takes one slash, none, and backslashes.
      (
        "https:/e.com/a\nhttp:e.com/b\nHTTPS:\\\\e.com\\c",
        [.url("https:/e.com/a"), .url("http:e.com/b"), .url("HTTPS:\\\\e.com\\c")]
      ),
      (#"{"path":"/a/12","query":"x=13"}"#, [.url("/a/12?x=13")]),
      (#"{"uri":"/a","args":"?x=1 2"}"#, [.url("/a?x=1%202")]),
      (#"{"uri":"/a?x=1","args":"x=1"}"#, [.url("/a?x=1")]),
      (#"{"path":"/a","query":"-"}"#, [.url("/a")]), (#"{"path":"/a","query":""}"#, [.url("/a")]),
      // Servers write several fields, of which one is full.
      (#"{"path":"/a","query":"","args":"x=1"}"#, [.url("/a?x=1")]),
      (#"{"path":"/a","query":"-","query_string":"x=1"}"#, [.url("/a?x=1")]),
      (
        #"other.com:443 1.2.3.4 - - [22/Nov/2026:08:00:00 +0000] "GET /a/x HTTP/1.1" 200 5 "-" "-""#,
        [.url("https://other.com/a/x")]
      ),
      (#"other.com 2001:db8::1 - - [x] "GET /a HTTP/1.1" 200 5"#, [.url("https://other.com/a")]),
      (#"192.0.2.1 example.com - - [x] "GET /a HTTP/1.1" 200 5"#, [.url("/a")]),
      (#"2001:db8::1 - some body [x] "GET /a HTTP/1.1" 200 5"#, [.url("/a")]),
      ("/a b", [.unreadableLine]), ("# a comment\n/a", [.url("/a")]),
      ("\u{FEFF}/a\n/b", [.url("/a"), .url("/b")]),
      ("\u{FEFF}<urlset><url><loc>/a</loc></url></urlset>", [.url("/a")]),
      ("<urlset><url><loc></loc></url><url><loc>x</loc></url></urlset>", [.unreadableLine, .unreadableLine]),
      ("a", [.unreadableLine]),
      (
        """
        <?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>
        <loc> https://example.com/a?b=1&amp;c=2 </loc></url></urlset>
        """, [.url("https://example.com/a?b=1&c=2")]
      ),
      (
        "<sitemapindex><sitemap><loc>https://example.com/s1.xml.gz</loc></sitemap></sitemapindex>",
        [.sitemap("https://example.com/s1.xml.gz")]
      ),
    ] as [(String, [URLStream.Item])])
  func findsTheURL(text: String, items: [URLStream.Item]) throws {
    #expect(try Self.items(text) == items)
    #expect(try Self.items(text, piece: 1) == items)
  }

  @Test(arguments: ["<urlset><url>", "<a></b>"]) func refusesBrokenXML(text: String) {
    #expect(throws: URLStream.Problem.self) { try Self.items(text) }
  }

  @Test func refusesOtherXMLAndUTF16() {
    func isRefused(_ bytes: [UInt8]) -> URLStream.Problem? {
      do throws(URLStream.Problem) {
        let stream = URLStream { _ in }
        try stream.feed(bytes)
        try stream.finish()
        return nil
      } catch {
        return error
      }
    }
    #expect(isRefused(Array("<!DOCTYPE html><html><body>404</body></html>".utf8)) == .otherXML("html"))
    for bytes in [[0xFF, 0xFE, 0x2F, 0], [0xFE, 0xFF, 0, 0x2F], [0x2F, 0, 0x61, 0], [0, 0x3C, 0, 0x61]]
      as [[UInt8]]
    {
      #expect(isRefused(bytes) == .utf16)
    }
  }

  @Test func refusesBrokenGzip() {
    #expect(throws: URLStream.Problem.self) {
      let stream = URLStream { _ in }
      try stream.feed([0x1F, 0x8B, 1, 2, 3])
      try stream.finish()
    }
  }

  static func count(_ urls: [String]) -> CoverageCount {
    var counter = CoverageCounter(file, host: "example.com")
    for url in urls { counter.take(url: url) }
    counter.takeUnreadLine()
    return counter.count
  }

  @Test func countsByRuleAndApp() {
    let count = Self.count(["/buy/12", "/buy/1", "/buy/new", "/help/x", "/other", "https://evil.test/buy/1"])
    #expect(count.hits == 6)
    #expect(count.unreadLines == 1)
    #expect(count.unmatched == 3)
    #expect(count.tallies.map(\.hits) == [1, 2, 1, 0])
    #expect(count.tallies[1].sample == "https://example.com/buy/1")
    #expect(count.applications == ["A.one", "A.two"])
    #expect(count.opened == [2, 3])
  }

  /// F1: devices and Apple's crawler ask for the file, and nobody opens it as a page, whatever the rules say.
  @Test func fetchesOfTheFileAreNoPages() throws {
    let count = Self.count([
      "/.well-known/apple-app-site-association", "/apple-app-site-association?x=1", "/buy/1",
      "https://example.com/apple-app-site-association", "/buy/apple-app-site-association",
    ])
    #expect(count.fileFetches == 3 && count.hits == 2 && count.unmatched == 0)
    var sum = try CoverageCount(part: JSONParser.parse(Array(count.part.text.utf8)).root!)
    try sum.add(count)
    #expect(sum.fileFetches == 6)
  }

  @Test func partsAddUpToTheWhole() throws {
    var generator = SeededGenerator(seed: 8)
    let urls = (0..<400).map { _ in
      [
        "/buy/\(generator.draw(0...99))", "/buy/new", "/help/\(generator.draw(0...9))",
        "/x\(generator.draw(0...9))",
      ][
        Int(generator.draw(0...3))]
    }
    var total: CoverageCount?
    for piece in (0..<8).reversed() {
      let part = Self.count(Array(urls[(piece * 50)..<(piece * 50 + 50)])).part
      let read = try CoverageCount(part: JSONParser.parse(Array(part.text.utf8)).root!)
      if total == nil { total = read } else { try total?.add(read) }
    }
    var whole = CoverageCounter(Self.file, host: "example.com")
    for url in urls { whole.take(url: url) }
    for _ in 0..<8 { whole.takeUnreadLine() }
    #expect(total?.json.text == whole.count.json.text)
  }

  /// A part of a version that wrote only the exclusions.
  @Test func aRuleThatSaysNothingOfExclusionIsNone() throws {
    let count = Self.count(["/buy/1"])
    let text = count.part.text.replacing(",\"exclude\":false", with: "")
    #expect(text != count.part.text)
    var part = try CoverageCount(part: JSONParser.parse(Array(text.utf8)).root!)
    #expect(part.rules == count.rules && part.rules.contains { !$0.isExclusion })
    try part.add(count)
    #expect(part.hits == 2)
  }

  @Test func partsOfOtherFilesAreRefused() throws {
    let other = AssociationFile(
      JSONParser.parse(Array(#"{"applinks":{"details":[{"appIDs":["A.one"],"components":[{}]}]}}"#.utf8))
        .root!)!
    var count = Self.count([])
    #expect(throws: CoverageCount.MergeProblem.self) {
      try count.add(CoverageCount(of: other, host: "example.com"))
    }
  }

  /// What no number holds is no count.
  @Test func partsThatAddUpToTooMuchAreRefused() throws {
    let text = Self.count(["/buy/1"]).part.text.replacing("\"hits\":1", with: "\"hits\":\(Int.max)")
    let part = try CoverageCount(part: JSONParser.parse(Array(text.utf8)).root!)
    var total = part
    #expect {
      try total.add(part)
    } throws: {
      ($0 as? CoverageCount.MergeProblem)?.message == "the counts add up to more than \(Int.max)"
    }
  }

  @Test func partsOfOtherHostsAreRefused() throws {
    var count = Self.count([])
    #expect {
      try count.add(CoverageCounter(Self.file, host: nil).count)
    } throws: {
      ($0 as? CoverageCount.MergeProblem)?.message
        == "it was counted with no '--host', the first with '--host example.com'"
    }
  }

  @Test func routesAndClaimsAreCompared() throws {
    let routes = try ["/buy/:id", "/lost/:id"].map { try Route($0) }
    let coverage = RouteCoverage(Self.file, routes: routes, host: "example.com", apps: ["A.one"])
    #expect(coverage.isDecided)
    #expect(coverage.notClaimed.map(\.route) == ["/buy/:id", "/lost/:id"])
    #expect(!coverage.notShown.isEmpty)
    for gap in coverage.notShown {
      let decision = AssociationMatcher(Self.file).decide(
        LinkURL(gap.url), app: gap.app, host: .exactly("example.com"))
      #expect(decision.verdict == .match)
    }
  }
}
