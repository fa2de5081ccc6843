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
    return CommentedRequest(AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!, from: name)
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

  /// M4: an exclusion behind the rule that opens may not win over it, so the order stays.
  @Test func anExclusionThatWouldTakeMoreKeepsTheOrder() throws {
    let text = Self.text(#"{"/":"/a/b/*"},{"/":"/a/*","exclude":true},{"/":"/*"}"#)
    #expect(
      Self.lines("rules", text) == [
        #"{"/":"/a/b/*"},"#, #"{"/":"/a/*","exclude":true},"#, #"{"/":"/*"},"#,
      ])
    #expect(text.contains("would change https://example.com/a/b"), "\(text)")
  }

  @Test func anExclusionOfPathsStays() throws {
    let text = Self.text(#"{"/":"/a/private/*","exclude":true},{"/":"/a/*"}"#)
    #expect(Self.lines("exclude", text) == ["\"/a/private/*\","])
    #expect(try GeneratedSite(GenerateRequest(SourceText(name: "x", text))).isExact)
  }

  @Test(arguments: [
    (##"{"#":"x","exclude":true},{"/":"/b"}"##, ##""/*#x","##),
    (#"{"?":{"a":"?*"},"exclude":true},{"/":"/b"}"#, #"{"?":{"a":"?*"}},"#),
  ])
  func anExclusionByAnotherPartIsNotWidened(components: String, line: String) throws {
    let text = Self.text(components)
    #expect(Self.lines("exclude", text) == [line], "\(text)")
    let site = GeneratedSite(try GenerateRequest(SourceText(name: "x", text)))
    #expect(site.isExact && site.apps[0].plan.rules.last?.path == "/b")
  }

  /// What stands in the file stays in the comment, whatever ends a line in JSON5.
  @Test(arguments: ["\\n", "\\r", "\\u2028", "\\u2029"]) func noPatternLeavesItsComment(end: String) throws {
    let text = Self.text(#"{"/":"/x?\#(end)y'"},{"/":"/b"}"#, from: "a\nb")
    let request = try GenerateRequest(SourceText(name: "x", text))
    #expect(request.apps[0].lines.routes.map(\.text) == ["/b"], "\(text)")
  }

  /// P5, P6, P9
  @Test(arguments: [
    ("/a//b", #"{"/":"/a//b"},"#), ("//a", "\"/a\","),
    ("a/b//", "\"/a/b\","),
    ("/a//*", #"{"/":"/a//*"},"#), ("/", "\"/\","), ("*", "\"/*\","),
  ])
  func slashesStay(pattern: String, line: String) {
    #expect(Self.lines("routes", Self.text("{\"/\":\"\(pattern)\"}")) == [line])
  }

  /// A blank is `%20` in a URL, so the rule never holds, and a route would.
  @Test func aRuleThatNoURLMatchesIsAComment() {
    let lines = Self.lines("routes", Self.text(#"{"/":"/a b"},{"/":"/$(nothing)"}"#))
    #expect(
      lines == [
        #"// {"/":"/a b"}: devices compare the percent-encoded URL, so no URL matches it"#,
        #"// {"/":"/$(nothing)"}: no URL matches it"#,
      ])
  }
}
