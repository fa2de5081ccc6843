import LinkspanCore
import Testing

@testable import LinkExplanation

struct EditableFileTests {
  private static let file = Array(
    #"{"applinks":{"details":[{"appIDs":["A.b"],"components":[{"/":"/1"},{"/":"/2"},{"/":"/3"}]}]}}"#.utf8)

  @Test(arguments: [
    (0, ["/2", "/3", "/1"]), (1, ["/1", "/3", "/2"]), (2, ["/1", "/2", "/3"]), (3, ["/1", "/2", "/3"]),
  ])
  func aRuleIsMovedToTheEnd(_ rule: Int, _ paths: [String]) throws {
    let file = try #require(EditableFile(Self.file, isOld: false))
    let moved = try #require(file.movingToEnd(rule, of: 0))
    let text = String(decoding: moved.bytes, as: UTF8.self)
    let places = try paths.map { try #require(text.firstRange(of: "\"\($0)\"")).lowerBound }
    #expect(places == places.sorted())
  }
}
