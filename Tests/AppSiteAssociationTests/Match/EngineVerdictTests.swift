import LinkspanCore
import TestSupport
import Testing

@testable import AppSiteAssociation

/// What public engines collected from Apple's swcutil: `../shared/corpus/engines`.
@Suite(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
struct EngineVerdictTests {
  static func lines(_ name: String) throws -> [[UInt8]] {
    let corpus = try #require(Fixtures.corpus)
    return try corpus.bytes("engines/\(name)").split(separator: 0x0A).map(Array.init)
  }

  @Test(arguments: [
    ("blazingly-aasa.jsonl", 139), ("blazingly-aasa-gap-probes.jsonl", 16),
    ("st-tech-universal-links-test.jsonl", 16),
  ])
  func decidesAsSwcutil(name: String, count: Int) throws {
    let lines = try Self.lines(name)
    #expect(lines.count == count)
    for line in lines {
      let root = try #require(JSONParser.parse(line).root)
      let row = try #require(root["id"]?.string)
      let file: AssociationFile?
      if let text = root["file"]?.string {
        file = AssociationContent(Array(text.utf8)).file
      } else {
        file = root["file"].flatMap(AssociationFile.init)
      }
      let (host, app) = (try #require(root["host"]?.string), try #require(root["app"]?.string))
      let url = LinkURL(try #require(root["url"]?.string))
      let verdict =
        file.map { AssociationMatcher($0).decide(url, app: app, host: HostScope(host)).verdict } ?? .noMatch
      #expect(verdict.rawValue == root["expect"]?.string, "\(row)")
    }
    print("engines \(name): \(lines.count) verdicts")
  }

  /// S4: `$(region)` and `$(lang)` are the lists of macOS 27.
  @Test func predefinedListsAreThoseOfMacOS27() throws {
    let lines = try Self.lines("iso-codes-macos27.txt").map { String(decoding: $0, as: UTF8.self) }
    for (kind, list, count) in [
      ("region ", LocaleCodes.regions, 257), ("language ", LocaleCodes.languages, 631),
    ] {
      let codes = try #require(lines.first { $0.hasPrefix(kind) }).split(separator: " ").dropFirst()
      #expect(list == codes.map(String.init))
      #expect(list.count == count)
    }
  }
}
