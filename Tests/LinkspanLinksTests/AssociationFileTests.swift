import AppSiteAssociation
import Foundation
import LinkspanCore
import LinkspanLinks
import TestSupport
import Testing

/// What tests of apps and servers ask of a file, and that it is what `match`, `check`, `diff` and `coverage` say.
@Suite struct AssociationFileTests {
  static let app = "ABCDE12345.com.example.app"
  static let text = """
    {
      "applinks": {
        "apps": [],
        "details": [
          {
            "appIDs": ["ABCDE12345.com.example.app"],
            "appID": "ABCDE12345.com.example.app",
            "paths": ["/old/*"],
            "components": [
              { "/": "/shop/basket", "exclude": true },
              { "/": "/shop/*" },
              { "/": "/$(lang)/help" }
            ]
          }
        ],
        "substitutionVariables": { "lang": ["en", "de"] }
      }
    }
    """

  private var file: LinkspanLinks.AssociationFile { LinkspanLinks.AssociationFile(Self.text) }

  @Test func aFileSaysWhatItOpens() throws {
    #expect(file.opens("https://example.com/shop/1", in: Self.app, on: .iOS(17)))
    #expect(file.opens("https://example.com/shop/1", in: Self.app))
    #expect(!file.opens("https://example.com/shop/basket", in: Self.app, on: .iOS(17)))
    #expect(!file.opens("https://example.com/shop/1", in: "ABCDE12345.com.example.other", on: .iOS(17)))
    #expect(try file.opens(#require(URL(string: "https://example.com/shop/1")), in: Self.app))
    #expect(!file.opens("example-app://shop/1", in: Self.app))
  }

  /// iOS 12 reads `paths`, iOS 13 `components`, and variables begin with iOS 13.5 (M13).
  @Test func releasesReadTheSameFileDifferently() {
    #expect(file.opens("https://example.com/old/1", in: Self.app, on: .iOS(12, 4)))
    #expect(!file.opens("https://example.com/old/1", in: Self.app, on: .iOS(13)))
    #expect(file.opens("https://example.com/de/help", in: Self.app, on: .iOS(13, 5)))
    #expect(!file.opens("https://example.com/de/help", in: Self.app, on: .iOS(13, 4)))
    #expect(file.opens("https://example.com/shop/1", in: Self.app, on: .macOS(14)))
  }

  @Test func aDecisionNamesItsRule() {
    let excluded = file.decision(for: "https://example.com/shop/basket", in: Self.app)
    #expect(excluded.verdict == .excluded && excluded.entry == 0 && excluded.rule == 0)
    #expect(file.decision(for: "https://example.com/", in: Self.app).verdict == .staysInBrowser)
    let reading = file.reading(on: .iOS(17))
    #expect(reading.applications == [Self.app])
    #expect(reading.opens("https://example.com/shop/a b", in: Self.app))
  }

  /// A device drops it, so it opens nothing.
  @Test(arguments: ["", "[]", "{", "{\"applinks\": }", "\u{FEFF}"])
  func aBrokenFileOpensNothingAndSaysWhy(_ text: String) {
    let file = LinkspanLinks.AssociationFile(text)
    #expect(!file.isReadable)
    #expect(!file.opens("https://example.com/shop/1", in: Self.app, on: .iOS(17)))
    #expect(file.check().contains { $0.severity == .error })
    #expect(!file.difference(from: self.file).isEmpty)
  }

  @Test func aFileThatIsTooLargeIsCalledSo() {
    let url = "https://example.com/shop/1"
    let large = LinkspanLinks.AssociationFile(Self.text + String(repeating: " ", count: 131_072))
    #expect(!large.isReadable)
    let reason = "a device drops the file, because it has more than 128 KB"
    #expect(large.decision(for: url, in: Self.app, on: .iOS(17)).reason == reason)
    let broken = LinkspanLinks.AssociationFile("{").decision(for: url, in: Self.app)
    #expect(broken.reason == "a device drops the file, because it is not a JSON object")
  }

  @Test func bytesAreReadAsTextIs() {
    let file = LinkspanLinks.AssociationFile(Data(Self.text.utf8))
    #expect(file.opens("https://example.com/shop/1", in: Self.app, on: .iOS(17)))
  }

  @Test func aCheckNamesPlaceAndRemedy() throws {
    let text = Self.text.replacing("exclude", with: "exlude")
    let finding = try #require(LinkspanLinks.AssociationFile(text).check().first { $0.severity != .note })
    #expect(finding.rule == "aasa.unknown-key")
    #expect(finding.line == 10)
    #expect(finding.pointer == "/applinks/details/0/components/0/exlude")
    let start = "10:\(finding.column ?? 0): \(finding.severity.rawValue)[aasa.unknown-key]: "
    #expect(finding.description.hasPrefix(start))
    #expect(finding.help?.contains("exclude") == true)
  }

  @Test func aDifferenceIsOneOfMeaning() throws {
    #expect(file.difference(from: LinkspanLinks.AssociationFile(Self.text.replacing(" ", with: ""))).isEmpty)
    let older = LinkspanLinks.AssociationFile(Self.text.replacing("/shop/basket", with: "/shop/cart"))
    let difference = file.difference(from: older, host: "shop.example")
    #expect(!difference.isEmpty && difference.undecided == [])
    let change = try #require(difference.changes.first { $0.url == "https://shop.example/shop/basket" })
    #expect(change.old == .opens && change.new == .excluded && change.application == Self.app)
  }

  @Test func routesAreComparedWithTheFile() throws {
    let whole = try file.compared(with: ["/shop/:id", "/help"], of: Self.app, on: .iOS(17))
    #expect(!whole.isExact)
    #expect(whole.notOpened.contains { $0.route == "/help" })
    #expect(whole.notShown.contains { $0.url.contains("/help") && $0.rule == 2 })
    let small = LinkspanLinks.AssociationFile(
      #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":"/shop/?*"}]}]}}"#)
    #expect(try small.compared(with: ["/shop/{path...}"], of: Self.app).notShown.isEmpty)
    #expect(throws: RouteError.self) { try small.compared(with: ["shop"], of: Self.app) }
    #expect(try !small.compared(with: ["/shop/*"], of: "other").isExact)
  }

  /// A router's templates say of paths what its routes do.
  @Test(
    arguments: [
      ("/shop/{id:int}", "/shop/:id([0-9]{1,18})"), ("/shop/{id:string}", "/shop/:id"),
      ("/shop/{id:hex}?tab={tab?}#{part?}", "/shop/:id([0-9A-Fa-f]+)"),
      ("/@{name}", "/@:name"), ("/shop/{my-id}.html", "/shop/:id.html"),
      ("/shop/{id}html", "/shop/:id([^/]+)html"),
      ("/shop/{id:int}/{tab?}", "/shop/:id([0-9]{1,18})/:tab /shop/:id([0-9]{1,18})"),
      ("/shop/{w:int}x{h}.jpg", "/shop/:p([0-9]{1,18}x[^/]+\\.jpg)"),
      ("/shop/{a}-{b:int}", "/shop/:p([^/-]+-[0-9]{1,18})"), ("/shop/{album:~a|b}", "/shop/:p(a|b)"),
      ("/shop/{album:~a.[^b]\\D}", "/shop/:p(a[^/][^b/][^0-9/])"), ("/shop/{rest...}", "/shop/*"),
      ("/search?q={q}", "/search"), ("/{page?}", "/:page /"),
      ("/shop/:id(\\d{2})", "/shop/:p([0-9][0-9])"),
    ])
  func templatesAreReadAsRoutes(_ template: String, _ route: String) throws {
    let all = LinkspanLinks.AssociationFile(
      #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":"*"}]}]}}"#)
    let shop = LinkspanLinks.AssociationFile(
      #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":"/shop/1*"}]}]}}"#)
    for file in [all, shop] {
      let expected = try file.compared(with: route.split(separator: " ").map(String.init), of: Self.app)
      let report = try file.compared(with: [template], of: Self.app)
      #expect(report.notShown.map(\.url) == expected.notShown.map(\.url))
      #expect(report.notOpened.map(\.url) == expected.notOpened.map(\.url))
      #expect(report.notOpened.allSatisfy { $0.route == template })
      #expect(report.undecided == expected.undecided)
    }
  }

  @Test func aTemplateThatIsNoneIsRefused() {
    for (template, reason) in [
      ("/shop/{id", "'{' has no '}'"), ("/shop/{id:float}", "unknown kind 'float'"),
      ("/{a?}/b", "only the last segments may be optional"), ("/shop/x{id?}", "a segment of their own"),
      ("/shop/{}", "a parameter is written {name}"), ("/shop/{a*}", "a parameter is written {name}"),
    ] {
      #expect(throws: RouteError.self) { try file.compared(with: [template], of: Self.app) }
      do {
        _ = try file.compared(with: [template], of: Self.app)
      } catch {
        #expect("\(error)".hasPrefix("'\(template)' is not a route: "))
        #expect("\(error)".contains(reason))
      }
    }
  }

  /// The library gives the engine's answers, and no other ones: every vector of the engine is asked of both.
  @Test func answersAreThoseOfTheEngine() throws {
    let root = try #require(JSONParser.parse(Array(Self.text.utf8)).root)
    let read = AppSiteAssociation.AssociationFile(root)
    let model = try #require(read)
    let releases: [(OSRelease, OSVersion?)] = [
      (.newest, nil), (.iOS(9), OSVersion(.iOS, 9)), (.iOS(13), OSVersion(.iOS, 13)),
      (.iOS(13, 5), OSVersion(.iOS, 13, 5)), (.macOS(10, 15), OSVersion(.macOS, 10, 15)),
      (.tvOS(12), OSVersion(.tvOS, 12)), (.watchOS(11), OSVersion(.watchOS, 11)),
      (.visionOS(1), OSVersion(.visionOS, 1)),
    ]
    for (release, version) in releases {
      let matcher = AssociationMatcher(model, os: version)
      for path in ["/shop/1", "/shop/basket", "/shop/", "/old/x", "/de/help", "/fr/help", "/", "/shop/ä"] {
        let url = LinkURL(written: "https://example.com\(path)", on: version)
        let expected = matcher.trace(url, app: Self.app, host: .exactly("example.com")).decision.verdict
        #expect(
          file.opens("https://example.com\(path)", in: Self.app, on: release) == (expected == .match),
          "\(path)")
      }
    }
  }
}
