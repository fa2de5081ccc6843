import AccessLogs
import LinkspanCore
import Testing

/// Lists, logs and sitemaps as streams, packed or not.
@Suite struct URLStreamTests {
  private static func items(_ pieces: [[UInt8]]) throws -> [URLStream.Item] {
    var items: [URLStream.Item] = []
    let stream = URLStream { items.append($0) }
    for piece in pieces { try stream.feed(piece) }
    try stream.finish()
    return items
  }

  private static func items(_ text: String) throws -> [URLStream.Item] { try items([Array(text.utf8)]) }

  @Test func aListIsTheSameWhateverTheCut() throws {
    let text = Array("\u{FEFF}/a\r\n# c\n\nwhat\nhttps://x.example/b".utf8)
    let expected: [URLStream.Item] = [.url("/a"), .unreadableLine, .url("https://x.example/b")]
    for bytes in [text, gzip(text), gzip(Array(text[..<7])) + gzip(Array(text[7...]))] {
      for cut in 0...bytes.count {
        #expect(try Self.items([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected, "cut at \(cut)")
      }
    }
  }

  @Test(arguments: ["", " ", "\n", "\n\n\n\n", "\u{FEFF}", "\u{FEFF} \n"])
  func nothingIsNoLine(text: String) throws { #expect(try Self.items(text).isEmpty) }

  @Test(arguments: ["/", "/a", "/ab"])
  func aShortListIsRead(text: String) throws { #expect(try Self.items(text) == [.url(text)]) }

  @Test func theKindIsKnownByTheFirstText() throws {
    let map = Array("<urlset><url><loc>/a</loc></url></urlset>".utf8)
    #expect(try Self.items([Array("  \n ".utf8), map]) == [.url("/a")])
    #expect(try Self.items([gzip(map)]) == [.url("/a")])
  }

  @Test func aSitemapHasPagesAndAnIndexSitemaps() throws {
    let map = """
      <?xml version="1.0"?><s:urlset xmlns:s="x"><s:url><s:loc>
      https://x.example/a?b=1&amp;c=2 </s:loc><s:image><s:loc>/no</s:loc></s:image></s:url>
      <loc>/no</loc><url><loc>not a URL</loc></url></s:urlset>
      """
    #expect(try Self.items(map) == [.url("https://x.example/a?b=1&c=2"), .unreadableLine])
    let index = "<sitemapindex><sitemap><loc> https://x.example/1.xml\n</loc></sitemap></sitemapindex>"
    #expect(try Self.items(index) == [.sitemap("https://x.example/1.xml")])
  }

  /// Each `loc` begins anew, and what stands beside it is not part of it.
  @Test func theTextsOfTwoPagesAreApart() throws {
    let text = "<urlset><url>x<loc>/a</loc>y</url><url><loc>/b</loc><lastmod>z</lastmod></url></urlset>"
    #expect(try Self.items(text) == [.url("/a"), .url("/b")])
  }

  @Test(arguments: [(65_536, true), (65_537, false)])
  func aURLOfASitemapHasALimit(count: Int, isRead: Bool) throws {
    let url = "/" + String(repeating: "a", count: count - 1)
    let items = try Self.items("<urlset><url><loc>\(url)</loc></url></urlset>")
    #expect((items == [isRead ? .url(url) : .unreadableLine]) == true)
  }

  /// Expat hands over what stands between two references by itself: without the middle, it would be another URL.
  @Test func aURLThatIsTooLongIsNotShortened() throws {
    let url = "/a&amp;" + String(repeating: "b", count: 65_536) + "&amp;c"
    let items = try Self.items("<urlset><url><loc>\(url)</loc></url><url><loc>/d</loc></url></urlset>")
    #expect((items == [.unreadableLine, .url("/d")]) == true)
  }

  @Test(
    arguments: [
      ("<html></html>", .otherXML("html")), ("<a:rss><urlset/></a:rss>", .otherXML("rss")),
      ("<urlset>", .brokenXML), ("<urlset></url>", .brokenXML), ("<", .brokenXML),
      ("/\0a\0", .utf16), ("\0/\0a", .utf16),
    ] as [(String, URLStream.Problem)])
  func whatCannotBeReadIsNamed(text: String, problem: URLStream.Problem) {
    #expect(throws: problem) { try Self.items(text) }
  }

  @Test func twoBytesACharacterAreNamed() {
    for mark: [UInt8] in [[0xFE, 0xFF, 0x2F], [0xFF, 0xFE, 0x2F]] {
      #expect(throws: URLStream.Problem.utf16) { try Self.items([mark]) }
    }
    // The mark of the one and the end of the other is neither.
    #expect((try? Self.items([[0xFE, 0xFE, 0x2F]])) == [.unreadableLine])
  }

  @Test func whatWasFoundBeforeTheMistakeIsHandedOn() {
    var items: [URLStream.Item] = []
    let stream = URLStream { items.append($0) }
    #expect(throws: URLStream.Problem.brokenXML) {
      try stream.feed(Array("<urlset><url><loc>/a</loc></url></wrong>".utf8))
      try stream.finish()
    }
    #expect(items == [.url("/a")])
  }

  @Test func aBrokenArchiveIsNamed() {
    let good = gzip(Array("/a\n".utf8))
    for bytes in [Array(good.dropLast()), good + [1, 2, 3, 4], [0x1F, 0x8B, 9]] {
      #expect(throws: URLStream.Problem.brokenGzip) { try Self.items([bytes]) }
    }
    // Both bytes make an archive.
    #expect((try? Self.items([[0x1F, 0x2F, 0x2F]])) == [.unreadableLine])
    #expect((try? Self.items([Array("/".utf8) + [0x8B]])) == [.unreadableLine])
  }

  @Test func aProblemInsideAnArchiveIsThePiecesOwn() {
    #expect(throws: URLStream.Problem.utf16) { try Self.items([gzip(Array("/\0a\0".utf8))]) }
  }
}
