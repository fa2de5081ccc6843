import AppSiteAssociation
import LinkspanCore
import TestSupport
import Testing

/// Rows of a table: what Apple documents or its tools were seen to answer.
@Suite struct MatchVectorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var number: String
    var app: String
    var url: String
    var expected: String
    var file: String
    var testDescription: String { "#\(number) \(url)" }
  }

  static let vectors: [Vector] = {
    let rows = (try? Fixtures.table("match-vectors.tsv")) ?? []
    print("\(rows.count) vectors")
    return rows.map { Vector(number: $0[0], app: $0[1], url: $0[2], expected: $0[3], file: $0[4]) }
  }()

  @Test func thereAre122() { #expect(Self.vectors.count == 122) }

  @Test(arguments: vectors) func isDecidedAsApple(_ vector: Vector) throws {
    let document = JSONParser.parse(Array(vector.file.utf8))
    #expect(document.errors == [])
    let root = try #require(document.root)
    let file = try #require(AssociationFile(root))
    let matcher = AssociationMatcher(file)
    let url = LinkURL(vector.url)
    let decision = matcher.decide(url, app: vector.app, host: HostScope("example.com"))
    #expect(decision.verdict.rawValue == vector.expected)
    let trace = matcher.trace(url, app: vector.app, host: HostScope("example.com"))
    #expect(trace.decision == decision)
    #expect(!trace.reason.isEmpty)
  }

  /// What Apple's matcher and a suite checked against it answered: `../shared/corpus/deeplinks`.
  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func agreesWithEveryObservation() throws {
    let corpus = try #require(Fixtures.corpus)
    let rows = try corpus.manifest("deeplinks")
    for row in rows {
      let (name, link, expected, level) = (row[0], row[1], row[2], row[4])
      let bytes = try corpus.bytes("deeplinks/\(name)")
      let text = String(decoding: bytes, as: UTF8.self)
      let app = level == "component" ? "ABCDE12345.com.example.app" : "HOGE.com.example.app"
      let file =
        level == "component"
        ? "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[\(text)]}]}}" : text
      let document = JSONParser.parse(Array(file.utf8))
      guard expected != "error" else {
        #expect(!document.isWellFormed, "\(name)")
        continue
      }
      let root = try #require(document.root)
      let matcher = AssociationMatcher(try #require(AssociationFile(root)))
      let url = LinkURL(link.hasPrefix("/") ? "https://example.com" + link : link)
      let verdict = matcher.decide(url, app: app, host: HostScope("example.com")).verdict
      let wanted: Decision.Verdict =
        expected.hasPrefix("match") ? .match : expected.hasPrefix("block") ? .excluded : .noMatch
      #expect(verdict == wanted, "\(name) \(link)")
    }
    print("corpus deeplinks: \(rows.count) observations")
    #expect(rows.count >= 50)
  }
}
