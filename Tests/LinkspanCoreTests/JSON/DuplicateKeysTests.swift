import LinkspanCore
import Testing

@Suite struct DuplicateKeysTests {
  static let cases: [(text: String, problem: String?)] = [
    (#"{"a":1,"b":{"a":2}}"#, nil), ("[]", nil),
    (#"{"a":1,"a":2}"#, "'a' occurs twice (at /a); send it once."),
    (#"{"a":[{"b":{"c":1,"c":1}}]}"#, "'c' occurs twice (at /a/0/b/c); send it once."),
    (#"{"a":1,"\u0061":2}"#, "'a' occurs twice (at /a); send it once."),
  ]

  @Test(arguments: cases.indices)
  func areFoundAtEveryDepth(_ index: Int) throws {
    let row = Self.cases[index]
    let root = try #require(JSONParser.parse(Array(row.text.utf8)).root)
    #expect(DuplicateKeys.problem(in: root) == row.problem)
  }

  @Test func aDocumentOfItsOwnIsLeftOut() throws {
    let text = #"{"payload":{"a":1,"a":1},"b":{"payload":{"c":1,"c":1}},"payload":1}"#
    let root = try #require(JSONParser.parse(Array(text.utf8)).root)
    var pointers: [String] = []
    DuplicateKeys.each(in: root, except: "payload") { _, _, pointer in pointers.append("\(pointer)") }
    #expect(pointers == ["/b/payload/c", "/payload"])
  }
}
