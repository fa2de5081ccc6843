import AppSiteAssociation
import LinkCoverage
import LinkLanguages
import LinkspanCore
import Testing

/// Configurations made from association files.
@Suite struct CommentedRequestTests {
  static func text(_ components: String, from name: String = "file") -> String {
    let text =
      "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.app\"],\"components\":[\(components)]}]}}"
    return CommentedRequest(AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!.appLinks!, from: name)
      .text
  }

  /// The lines of one list, without their indentation.
  static func lines(_ list: String, _ text: String) -> [String] {
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    guard let start = lines.firstIndex(of: "\(list): [") else { return [] }
    return lines[(start + 1)...].prefix { $0 != "]," }.map(String.init)
  }

  /// M4: the first rule decides, so an exclusion behind what it would keep out does nothing (vector 101).
  @Test func anExclusionWithoutEffectIsAComment() throws {
    let text = Self.text(#"{"/":"/a/*"},{"/":"/a/private/*","exclude":true}"#)
    #expect(Self.lines("routes", text) == ["\"/a/*\","])
    #expect(
      Self.lines("exclude", text) == [
        #"// {"/":"/a/private/*","exclude":true}: it keeps out nothing that another rule would open"#
      ])
  }

  @Test func anExclusionThatWouldTakeMoreSaysSo() throws {
    let text = Self.text(#"{"/":"/a/b/*"},{"/":"/a/*","exclude":true},{"/":"/*"}"#)
    let lines = Self.lines("exclude", text)
    #expect(lines.count == 1 && lines[0].hasPrefix("\"/a/*\", // "), "\(lines)")
    #expect(lines[0].contains("an earlier rule opens some of these, such as '/a/b"), "\(lines)")
  }

  @Test func anExclusionOfPathsStays() throws {
    let text = Self.text(#"{"/":"/a/private/*","exclude":true},{"/":"/a/*"}"#)
    #expect(Self.lines("exclude", text) == ["\"/a/private/*\","])
    #expect(try GeneratedSite(GenerateRequest(SourceText(name: "x", text))).isExact)
  }

  @Test(arguments: [
    (##"{"#":"x","exclude":true},{"/":"/b"}"##, "fragment"),
    (#"{"?":{"a":"?*"},"exclude":true},{"/":"/b"}"#, "query"),
  ])
  func anExclusionByAnotherPartIsNotWidened(components: String, part: String) throws {
    let text = Self.text(components)
    let lines = Self.lines("exclude", text)
    #expect(lines.count == 1 && lines[0].hasPrefix("// {"), "\(lines)")
    #expect(lines[0].contains("a route says nothing of the \(part)"), "\(lines)")
    let site = GeneratedSite(try GenerateRequest(SourceText(name: "x", text)))
    #expect(site.apps[0].plan.rules.map(\.path) == ["/b"])
  }

  /// What stands in the file stays in the comment, whatever ends a line in JSON5.
  @Test(arguments: ["\\n", "\\r", "\\u2028", "\\u2029"]) func noPatternLeavesItsComment(end: String) throws {
    let text = Self.text(#"{"/":"/x?\#(end)y'"},{"/":"/b"}"#, from: "a\nb")
    let request = try GenerateRequest(SourceText(name: "x", text))
    #expect(request.apps[0].routes.map(\.text) == ["/b"], "\(text)")
  }

  /// P5, P6, P9
  @Test(arguments: [
    ("/a//b", #"// {"/":"/a//b"}: no route has an empty segment"#), ("//a", "\"/a\","),
    ("a/b//", "\"/a/b\","),
    ("/a//*", #"// {"/":"/a//*"}: no route has an empty segment"#), ("/", "\"/\","), ("*", "\"/*\","),
  ])
  func emptySegmentsAreTold(pattern: String, line: String) {
    #expect(Self.lines("routes", Self.text("{\"/\":\"\(pattern)\"}")) == [line])
  }

  /// A blank is `%20` in a URL, so the rule never holds and the route would.
  @Test func aRouteThatSaysSomethingElseIsTold() {
    let lines = Self.lines("routes", Self.text(#"{"/":"/a b"}"#))
    #expect(
      lines.count == 1 && lines[0].contains("the route and the rule differ, as at '/a%20b'"), "\(lines)")
  }
}
