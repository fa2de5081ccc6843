import AppSiteAssociation
import LinkspanCore
import Testing

/// What one file means on one release (J8; sections 6.2, 6.4 and 10).
@Suite struct ReleaseTests {
  static let app = "ABCDE12345.com.example.app"

  static func verdict(_ file: String, _ path: String, on os: String) throws -> Decision.Verdict {
    let root = try #require(JSONParser.parse(Array(file.utf8)).root)
    let matcher = AssociationMatcher(try #require(AssociationFile(root)), os: try OSVersion(os))
    return matcher.decide(
      LinkURL("https://example.com" + path), app: app, host: HostScope("example.com")
    ).verdict
  }

  static let mixed = """
    {"applinks":{"apps":[],"details":[{"appID":"\(app)","appIDs":["\(app)"],"paths":["/old"],
    "components":[{"/":"/new"}]}]}}
    """
  static let modern = #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/new"}]}]}}"#
  static let legacy = #"{"applinks":{"apps":[],"details":[{"appID":"\#(app)","paths":["/old"]}]}}"#
  static let legacyWithoutApps = #"{"applinks":{"details":[{"appID":"\#(app)","paths":["/old"]}]}}"#
  static func rule(_ rule: String, more: String = "") -> String {
    #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[\#(rule)]}]\#(more)}}"#
  }

  @Test(arguments: [
    ("mixed", mixed, "/old", "ios:12.4", Decision.Verdict.match),
    ("mixed", mixed, "/new", "ios:12.4", .noMatch),
    ("mixed", mixed, "/old", "ios:13.0", .noMatch),
    ("mixed", mixed, "/new", "ios:13.0", .match),
    ("modern", modern, "/new", "ios:12.4", .noMatch),
    ("modern", modern, "/new", "macos:10.15", .match),
    ("modern", modern, "/new", "macos:10.14", .noMatch),
    ("modern", modern, "/new", "tvos:12.0", .noMatch),
    ("modern", modern, "/new", "visionos:1.0", .match),
    ("legacy", legacy, "/old", "ios:8.4", .noMatch),
    ("legacy", legacy, "/old", "ios:9.0", .match),
    ("legacy", legacy, "/old", "ios:26", .match),
    ("legacy without apps", legacyWithoutApps, "/old", "ios:12.4", .noMatch),
    ("legacy without apps", legacyWithoutApps, "/old", "ios:13.0", .match),
    ("caseSensitive", rule(#"{"/":"/a","caseSensitive":false}"#), "/A", "ios:13.4", .noMatch),
    ("caseSensitive", rule(#"{"/":"/a","caseSensitive":false}"#), "/A", "ios:13.5", .match),
    ("variables", rule(#"{"/":"/$(digit)"}"#), "/7", "ios:13.4", .noMatch),
    ("variables", rule(#"{"/":"/$(digit)"}"#), "/7", "ios:13.5", .match),
    ("percentEncoded", rule(#"{"/":"/a b","percentEncoded":false}"#), "/a%20b", "ios:13.7", .noMatch),
    ("percentEncoded", rule(#"{"/":"/a b","percentEncoded":false}"#), "/a%20b", "ios:14.0", .match),
    ("defaults", rule(##"{"#":"*"}"##, more: #","defaults":{"/":"/x"}"#), "/y", "ios:13.7", .match),
    ("defaults", rule(##"{"#":"*"}"##, more: #","defaults":{"/":"/x"}"#), "/y", "ios:14.0", .noMatch),
  ])
  func reads(name: String, file: String, path: String, os: String, verdict: Decision.Verdict) throws {
    #expect(try Self.verdict(file, path, on: os) == verdict)
  }

  @Test(arguments: [
    ("17.4", "ios:17.4"), ("iOS:9", "ios:9.0"), ("ipados:13.5.1", "ios:13.5.1"),
    ("macos:10.15.6", "macos:10.15.6"),
  ])
  func isWrittenInTwoForms(text: String, canonical: String) throws {
    #expect(try OSVersion(text).description == canonical)
  }

  /// Releases are numbered by the year from 26 on; before, each platform had its own last number (WWDC25).
  @Test(arguments: [("ios", 18), ("tvos", 18), ("macos", 15), ("watchos", 11), ("visionos", 2)])
  func aNumberBelongsToARelease(platform: String, lastBefore: Int) {
    let known = (1...40).filter { (try? OSVersion("\(platform):\($0)")) != nil }
    #expect(known == Array(1...lastBefore) + [26, 27])
  }

  @Test(arguments: [
    (
      "android:14",
      "'android:14' is not an OS version: the platform must be one of ios, macos, tvos, watchos, visionos. Write platform:version, such as ios:17.4 or macos:14."
    ),
    (
      "ios:",
      "'ios:' is not an OS version: the version is missing. Write platform:version, such as ios:17.4 or macos:14."
    ),
    (
      "ios:1.2.3.4",
      "'ios:1.2.3.4' is not an OS version: a version has one to three numbers. Write platform:version, such as ios:17.4 or macos:14."
    ),
  ])
  func refusesOtherWords(text: String, message: String) {
    #expect { try OSVersion(text) } throws: { ($0 as? OSVersionError)?.description == message }
  }
}
