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

  @Test(arguments: [
    (0, ["/2", "/3"]), (2, ["/1", "/2"]), (3, ["/1", "/2", "/3"]), (-1, ["/1", "/2", "/3"]),
  ])
  func aRuleIsRemoved(_ rule: Int, _ paths: [String]) throws {
    let file = try #require(EditableFile(Self.file, isOld: false))
    let text = String(decoding: try #require(file.removing(rule, of: 0)).bytes, as: UTF8.self)
    #expect(["/1", "/2", "/3"].filter { text.contains("\"\($0)\"") } == paths)
  }

  /// Releases before 13 read nothing without "apps" (6.2): what is there is left as it is.
  @Test(arguments: [
    (#"{"applinks":{"details":[]}}"#, true, true), (#"{"applinks":{"apps":[],"details":[]}}"#, true, false),
    (#"{"applinks":{"details":[]}}"#, false, false),
    (#"{"applinks":{"apps":[],"details":[]}}"#, false, false),
  ])
  func appsAreAddedForOldReleasesAlone(_ body: String, _ isOld: Bool, _ isAdded: Bool) throws {
    let file = try #require(EditableFile(Array(body.utf8), isOld: isOld))
    let edit = try #require(file.naming("A.b", path: "/x", in: "the file"))
    #expect(edit.words.hasSuffix(", and \"apps\": [] to \"applinks\"") == isAdded)
    let text = String(decoding: edit.file.bytes, as: UTF8.self)
    #expect(text.contains("\"apps\"") == (isAdded || body.contains("\"apps\"")))
  }

  /// A path has the key "/" by being there, and an exclusion by its "NOT "; a component has what it names.
  @Test(arguments: [
    ("paths", 0, ["?", "#", "exclude", "caseSensitive"]), ("paths", 1, ["?", "#", "caseSensitive"]),
    ("paths", 2, []), ("components", 0, ["?", "#", "exclude", "caseSensitive"]),
    ("components", 1, ["/", "#", "caseSensitive"]), ("components", 2, []),
  ])
  func whatARuleDoesNotSayIsInherited(_ key: String, _ rule: Int, _ names: [String]) throws {
    let rules =
      key == "paths" ? #"["/a","NOT /b"]"# : #"[{"/":"/a"},{"?":{"x":"1"},"exclude":true}]"#
    let text = #"{"applinks":{"apps":[],"details":[{"appID":"A.b","\#(key)":\#(rules)}]}}"#
    let file = try #require(EditableFile(Array(text.utf8), isOld: key == "paths"))
    let all = ["/", "?", "#", "exclude", "caseSensitive"]
    #expect(all.filter { file.isInherited($0, by: rule, of: 0) } == names)
    #expect(!all.contains { file.isInherited($0, by: rule, of: 1) })
  }
}
