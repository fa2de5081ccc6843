import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import Testing

/// Names are compared by their bytes, where Unicode calls two spellings equivalent.
@Suite struct ExactTextTests {
  /// U+212A KELVIN SIGN, é in one scalar and in two, and two marks in either order, which are as long as each other.
  static let twins = [("K", "\u{212A}"), ("\u{E9}", "e\u{301}"), ("a\u{323}\u{307}", "a\u{307}\u{323}")]

  private static func file(_ text: String) throws -> AssociationFile {
    let root = try #require(JSONParser.parse(Array(text.utf8)).root)
    return try #require(AssociationFile(root))
  }

  private static func verdict(
    _ text: String, _ url: String, app: String, host: String = "example.com"
  ) throws -> Decision.Verdict {
    AssociationMatcher(try file(text)).decide(LinkURL(url), app: app, host: HostScope(host)).verdict
  }

  @Test(arguments: twins) func anApplicationIdentifier(_ one: String, _ other: String) throws {
    #expect(one == other)
    let (app, twin) = ("ABCDE1234\(one).com.example.app", "ABCDE1234\(other).com.example.app")
    let lone = #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a"}]}]}}"#
    let both =
      #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a"}]},"#
      + #"{"appIDs":["\#(twin)"],"components":[{"/":"/b"}]}]}}"#
    let url = "https://example.com/a"
    #expect(try Self.verdict(lone, url, app: app) == .match)
    #expect(try Self.verdict(lone, url, app: twin) == .noMatch)
    #expect(try Self.verdict(both, url, app: app) == .match)
    #expect(try Self.verdict(both, url, app: twin) == .noMatch)
    #expect(try Self.verdict(both, "https://example.com/b", app: twin) == .match)
    #expect(AssociationMatcher(try Self.file(both)).applications.count == 2)
    #expect(try Self.file(both).allApplications.count == 2)
    #expect(try Self.file(both).namesForLinks(app, on: nil))
    #expect(try !Self.file(lone).namesForLinks(twin, on: nil))
    let stated = PartialIdentifier(prefix: "ABCDE1234\(one)", bundle: "com.example.app")
    #expect(stated.fits(app))
    #expect(!stated.fits(twin))
  }

  /// An item without a name is one like any other, and the end of the query is none (Q2, Q4).
  @Test(arguments: [
    ("?=x", Decision.Verdict.match), ("?=x&=x", .match), ("?=x&", .noMatch), ("?a=x", .noMatch),
    ("?=xy", .noMatch),
    ("", .noMatch),
  ]) func anItemWithoutAName(_ query: String, _ verdict: Decision.Verdict) throws {
    let app = "ABCDE12345.com.example.app"
    for settings in ["", #","caseSensitive":false"#] {
      let text =
        #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a","?":{"":"x"}\#(settings)}]}]}}"#
      #expect(try Self.verdict(text, "https://example.com/a\(query)", app: app) == verdict, "\(settings)")
    }
  }

  @Test(arguments: twins) func aVariable(_ one: String, _ other: String) throws {
    let app = "ABCDE12345.com.example.app"
    func text(_ used: String) -> String {
      #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/$(\#(used))"}]}],"#
        + #""substitutionVariables":{"\#(one)":["x"],"\#(other)":["y"]}}}"#
    }
    for (name, value) in [(one, "x"), (other, "y")] {
      #expect(try Self.verdict(text(name), "https://example.com/\(value)", app: app) == .match)
    }
    #expect(try Self.verdict(text(one), "https://example.com/y", app: app) == .noMatch)
  }

  @Test(arguments: twins) func aHost(_ one: String, _ other: String) throws {
    let (host, twin) = ("\(one).example.com", "\(other).example.com")
    #expect(HostScope.exactly(host).contains(host))
    #expect(!HostScope.exactly(host).contains(twin))
    #expect(HostScope.subdomains(of: host).contains("www." + host))
    #expect(!HostScope.subdomains(of: host).contains("www." + twin))
  }

  @Test(arguments: twins) func aMemberOfAnObject(_ one: String, _ other: String) throws {
    let text = #"{"\#(one)":1}"#
    let root = try #require(JSONParser.parse(Array(text.utf8)).root)
    #expect(root[one]?.int == 1)
    #expect(root[other] == nil)
  }

  @Test(arguments: twins) func aKey(_ one: String, _ other: String) {
    #expect(ExactText(one) == ExactText(one))
    #expect(Set([one, other].map(ExactText.init)).count == 2)
  }
}
