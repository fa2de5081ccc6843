import AppSiteAssociation
import LinkspanCore
import Swcutil
import Testing

/// Apple's tool's lines (section 11.1).
@Suite struct SwcutilTests {
  static func text(_ pattern: String, _ url: String = "https://example.com/a") throws -> String? {
    let node = try #require(JSONParser.parse(Array(pattern.utf8)).root)
    return SwcutilMatch(node, url: LinkURL(url))?.text
  }

  static let matches: [(pattern: String, text: String?)] = [
    (#"{"/":"/a"}"#, "Matched by pattern at index 0: {\n  \"/\" : \"/a\"\n}"),
    (#"{"/":"/b"}"#, "Did not match."),
    ("{}", "Matched by pattern at index 0: {\n\n}"),
    // A rule of unknown keys covers everything, and is printed whole (section 6.4).
    (
      #"{"/":"/a","future":{"b":"c"},"x":[1,true,null,[],{}]}"#,
      """
      Matched by pattern at index 0: {
        "/" : "/a",
        "future" : {
          "b" : "c"
        },
        "x" : [
          1,
          true,
          null,
          [

          ],
          {

          }
        ]
      }
      """
    ),
    (
      ##"{"percentEncoded":true,"exclude":true,"comment":"a\"b\\\n\u0001é","/":"*","#":"*","?":"*"}"##,
      """
      Matched by pattern at index 0: {
        "?" : "*",
        "/" : "*",
        "#" : "*",
        "comment" : "a\\"b\\\\\\n\\u0001é",
        "exclude" : true,
        "percentEncoded" : true
      }
      """
    ),
    (#"[{"/":"/b"},5,{"/":"/a"}]"#, "Matched by pattern at index 2: {\n  \"/\" : \"/a\"\n}"),
    ("[]", "Did not match."),
    // The predefined variables are known without a document around the rule.
    (#"{"/":"/$(lower)"}"#, "Matched by pattern at index 0: {\n  \"/\" : \"/$(lower)\"\n}"),
    (#"{"/":"/a","/":"/b"}"#, "Did not match."),
    ("5", nil),
  ]

  @Test(arguments: matches) func prints(pattern: String, text: String?) throws {
    #expect(try Self.text(pattern) == text)
  }

  @Test(arguments: [
    (#"{"b10":1,"b9":1,"B8":1}"#, ["B8", "b9", "b10"]), (#"{"a":1,"B":1,"c":1}"#, ["a", "B", "c"]),
    (##"{"a":1,"1":1,"#":1,"/":1,"?":1,"é":1,"":1}"##, ["", "?", "/", "#", "1", "a", "é"]),
  ])
  func sortsNamesAsFoundationDoes(pattern: String, names: [String]) throws {
    let text = try #require(try Self.text(pattern))
    let printed = text.split(separator: "\n").filter { $0.contains(" : ") }.map {
      String($0.split(separator: "\"", omittingEmptySubsequences: false)[1])
    }
    #expect(printed == names)
  }

  static let app = "ABCDE12345.com.example.app"
  static let file = """
    {"webcredentials":{"apps":["\(app)"]},"applinks":{"details":[
    {"appIDs":["\(app)","\(app)2"],"components":[{"/":"/no","exclude":true},{"/":"/a"}]},
    {"appID":"\(app)3","paths":["/b"]}]}}
    """

  static let runs: [(domain: String?, url: String?, lines: [String])] = [
    (
      "example.com", "https://example.com/a",
      [
        "{ s = applinks, a = \(app), d = example.com }: Pattern \"https://example.com/a\" matched.",
        "{ s = applinks, a = \(app)2, d = example.com }: Pattern \"https://example.com/a\" matched.",
        "{ s = webcredentials, a = \(app), d = example.com }: Pattern \"https://example.com/a\" matched.",
      ]
    ),
    (
      nil, "https://example.com/no",
      [
        "{ s = applinks, a = \(app), d = example.com }: Pattern \"https://example.com/no\" blocked match.",
        "{ s = applinks, a = \(app)2, d = example.com }: Pattern \"https://example.com/no\" blocked match.",
        "{ s = webcredentials, a = \(app), d = example.com }: Pattern \"https://example.com/no\" matched.",
      ]
    ),
    (
      "Example.com", "https://EXAMPLE.COM/b",
      [
        "{ s = applinks, a = \(app)3, d = Example.com }: Pattern \"https://EXAMPLE.COM/b\" matched.",
        "{ s = webcredentials, a = \(app), d = Example.com }: Pattern \"https://EXAMPLE.COM/b\" matched.",
      ]
    ),
    (
      "example.com", "https://evil.test/a",
      ["Input domain \"example.com\" did not match input URL's domain \"evil.test\"."]
    ),
    (
      nil, nil,
      [
        "{ s = applinks, a = \(app), d = (null) }", "{ s = applinks, a = \(app)2, d = (null) }",
        "{ s = applinks, a = \(app)3, d = (null) }", "{ s = webcredentials, a = \(app), d = (null) }",
      ]
    ),
  ]

  @Test(arguments: runs) func verifies(domain: String?, url: String?, lines: [String]) throws {
    let root = try #require(JSONParser.parse(Array(Self.file.utf8)).root)
    let file = try #require(AssociationFile(root))
    #expect(SwcutilVerify(file, domain: domain, url: url.map { LinkURL($0) }).lines == lines)
  }
}
