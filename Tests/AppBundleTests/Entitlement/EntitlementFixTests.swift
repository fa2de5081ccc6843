import AppBundle
import AppSiteAssociation
import LinkspanCore
import TestSupport
import Testing

@Suite struct EntitlementFixTests {
  static func file(_ entries: String...) -> String {
    let list = entries.map { "\t\t<string>\($0)</string>\n" }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0">
      <dict>
      \t<key>com.apple.developer.associated-domains</key>
      \t<array>
      \(list)\t</array>
      </dict>
      </plist>

      """
  }

  static func fixed(_ source: SourceText) -> FixedText {
    FixedText(source, isReadable: { _ in true }) { text in
      do {
        return EntitlementChecker.check(try Entitlements(text.bytes, name: text.name))
      } catch {
        return []
      }
    }
  }

  static func fixed(_ text: String) -> String {
    String(decoding: fixed(SourceText(name: "file", text)).bytes, as: UTF8.self)
  }

  static let mended: [(before: String, after: String)] = [
    ("applink:example.com", "applinks:example.com"), ("AppLinks:example.com", "applinks:example.com"),
    ("webcredential:example.com", "webcredentials:example.com"),
    ("applinks:https://example.com", "applinks:example.com"),
    ("applinks:example.com/", "applinks:example.com"), ("applinks:example.com/a/*", "applinks:example.com"),
    ("applinks:Example.COM", "applinks:example.com"), ("applinks:example.com.", "applinks:example.com"),
    (" applinks:example.com\n\t", "applinks:example.com"),
    ("applinks:example.com?mode=Developer", "applinks:example.com?mode=developer"),
    ("applinks:example.com/x?mode=managed+developer", "applinks:example.com?mode=developer+managed"),
    (" applink:HTTPS://*.Example.com/path ", "applinks:*.example.com"),
  ]

  @Test(arguments: mended) func mendsNearMisses(before: String, after: String) {
    #expect(
      Self.fixed(Self.file("webcredentials:a.example", before))
        == Self.file("webcredentials:a.example", after))
  }

  @Test(arguments: [
    // Which service, which host, which way out of two: for the author to say.
    "https://example.com", "example.com", "applinks:example.com:8443", "applinks:example.com?a=b",
    "links:example.com",
    "applinks:exa mple.com", "applinks:münchen.example", "applinks:", "applinks:192.0.2.1", "*",
    "applinks:*.*.example.com", "$(SERVICE):example.com", "applinks:example.com#a",
    // The bytes are not the text.
    "applinks:ex&#97;mple.com/",
  ])
  func leavesChoices(entry: String) {
    #expect(Self.fixed(Self.file(entry)) == Self.file(entry))
  }

  @Test func aSecondClaimIsNotMade() {
    let text = Self.file("applinks:example.com", "applinks:example.com/")
    #expect(Self.fixed(text) == text)
  }

  @Test func theTextOfAnotherEncodingIsLeftAlone() throws {
    var bytes: [UInt8] = [0xFE, 0xFF]
    for unit in Self.file("applink:example.com").utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    let result = Self.fixed(SourceText(name: "file", bytes: bytes))
    #expect(result.remaining.map(\.rule) == ["entitlement.unknown-service"])
    #expect(!result.isChanged)
  }

  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func theCorpus() throws {
    let corpus = try #require(Fixtures.corpus)
    var changed = 0
    for row in try corpus.manifest("entitlements") {
      let source = SourceText(name: row[0], bytes: try corpus.bytes("entitlements/\(row[0])"))
      let before: [Finding]
      do {
        before = EntitlementChecker.check(try Entitlements(source.bytes, name: source.name))
      } catch {
        continue
      }
      let result = Self.fixed(source)
      #expect(result.remaining.count(of: .error) <= before.count(of: .error), "\(row[0])")
      #expect(!Self.fixed(SourceText(name: row[0], bytes: result.bytes)).isChanged, "\(row[0])")
      if result.isChanged {
        changed += 1
        #expect(throws: Never.self, "\(row[0])") { try Entitlements(result.bytes, name: row[0]) }
      }
    }
    #expect(changed > 0)
  }
}
