import AppBundle
import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import Testing

@Suite struct AppClaimsTests {
  static func claims(
    identifier: String? = nil, team: String? = nil, bundle: String? = nil, said: String? = nil
  ) throws
    -> AppClaims
  {
    var lines = ""
    if let identifier { lines += "<key>application-identifier</key><string>\(identifier)</string>" }
    if let team { lines += "<key>com.apple.developer.team-identifier</key><string>\(team)</string>" }
    return AppClaims(
      entitlements: try Fixture.entitlements(lines),
      infoPlist: try bundle.map {
        try Fixture.infoPlist("<key>CFBundleIdentifier</key><string>\($0)</string>")
      }, stated: StatedIdentity(prefix: said))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var identifier: String?
    var team: String?
    var bundle: String?
    var said: String?
    let expected: String?
    var testDescription: String { "\([identifier, team, bundle, said]) is \(expected ?? "unknown")" }
  }

  @Test(arguments: [
    Row(identifier: "ABCDE12345.com.example.app", expected: "ABCDE12345.com.example.app"),
    Row(
      identifier: "ABCDE12345.com.example.app", team: "QWERT12345", said: "ZXCVB12345",
      expected: "ABCDE12345.com.example.app"),
    Row(identifier: "ABCDE12345.*", expected: nil),
    Row(identifier: "ABCDE12345.*", bundle: "com.example.app", expected: "ABCDE12345.com.example.app"),
    Row(team: "ABCDE12345", bundle: "com.example.app", expected: "ABCDE12345.com.example.app"),
    Row(
      team: "ABCDE12345", bundle: "com.example.app", said: "QWERT12345",
      expected: "QWERT12345.com.example.app"),
    Row(bundle: "com.example.app", expected: nil),
    Row(bundle: "com.example.app", said: "QWERT12345", expected: "QWERT12345.com.example.app"),
    Row(team: "ABCDE12345", bundle: "$(PRODUCT_BUNDLE_IDENTIFIER)", expected: nil),
    Row(identifier: "$(AppIdentifierPrefix)com.example.app", bundle: "com.example.app", expected: nil),
    Row(team: "$(DEVELOPMENT_TEAM)", bundle: "com.example.app", expected: nil),
    Row(bundle: "com.example.app", said: "short", expected: nil),
    Row(expected: nil),
  ])
  func worksOutTheApplicationIdentifierWhenItIsKnown(row: Row) throws {
    let claims = try Self.claims(
      identifier: row.identifier, team: row.team, bundle: row.bundle, said: row.said)
    #expect(claims.applicationIdentifier?.description == row.expected)
  }

  @Test func keepsTheEntriesThatCanBeRead() throws {
    let claims = AppClaims(
      entitlements: try Fixture.claiming(["applinks:example.com", "applink:x.y", "applinks:*.example.com"]),
      infoPlist: nil)
    #expect(claims.associatedDomains.map(\.text) == ["applinks:example.com", "applinks:*.example.com"])
    #expect(
      claims.associatedDomains.covering(host: "www.example.com").map(\.text) == ["applinks:*.example.com"])
  }

  @Test func twoFilesOfDifferentAppsAreSeen() throws {
    let claims = try Self.claims(identifier: "ABCDE12345.com.example.app", bundle: "com.example.other")
    #expect(
      claims.findings.map(\.message)
        == ["The bundle identifier 'com.example.other' is 'com.example.app' in the entitlements."])
    #expect(
      try Self.claims(identifier: "ABCDE12345.com.example.app", bundle: "com.example.app").findings == [])
    #expect(try Self.claims(identifier: "ABCDE12345.*", bundle: "com.example.app").findings == [])
  }

  /// E18: a WatchKit app leaves the capability to its extension; a watchOS app of one target has it itself.
  @Test(arguments: [
    ("<key>WKWatchKitApp</key><true/>", true, ["app.watch-target warning 3:3"]),
    ("<key>WKWatchKitApp</key><true/>", false, []), ("<key>WKWatchKitApp</key><false/>", true, []),
    ("<key>WKApplication</key><true/>", true, []),
  ])
  func theWatchKitExtensionClaimsTheDomains(info: String, claims: Bool, findings: [String]) throws {
    let app = AppClaims(
      entitlements: claims ? try Fixture.claiming(["applinks:example.com"]) : try Fixture.entitlements(""),
      infoPlist: try Fixture.infoPlist(info))
    #expect(
      app.findings.map {
        "\($0.rule) \($0.severity) \($0.location.start?.line ?? 0):\($0.location.start?.column ?? 0)"
      } == findings)
  }

  /// J5: before signing each half comes from somewhere else; what is stated goes before an Info.plist.
  @Test func settingsOfXcodeAreRecognised() throws {
    let claims = try Self.claims(
      identifier: "$(AppIdentifierPrefix)com.example.app", bundle: "$(PRODUCT_BUNDLE_IDENTIFIER)",
      said: "ABCDE12345")
    #expect(claims.applicationIdentifier?.description == "ABCDE12345.com.example.app")
    let open = try Self.claims(bundle: "com.example.$(SUFFIX)")
    #expect(open.applicationIdentifier == nil)
    #expect(
      open.identityGap
        == "the bundle identifier is 'com.example.$(SUFFIX)', which Xcode replaces during the build, and the prefix "
        + "(the Team ID) is added when the app is signed")
    let stated = AppClaims(
      infoPlist: try Fixture.infoPlist("<key>CFBundleIdentifier</key><string>com.example.app</string>"),
      stated: StatedIdentity(prefix: "ABCDE12345", bundleIdentifier: "com.example.beta"))
    #expect(stated.applicationIdentifier?.description == "ABCDE12345.com.example.beta")
  }

  /// What the app is signed with counts, and what was stated otherwise is said to have no effect.
  @Test func theSignatureGoesBeforeWhatIsStated() throws {
    let claims = try Self.claims(identifier: "ABCDE12345.com.example.app", said: "QWERT12345")
    #expect(claims.applicationIdentifier?.prefix == "ABCDE12345")
    #expect(
      claims.remarks == [
        "'QWERT12345' as the prefix: App.entitlements is signed with 'ABCDE12345', which takes precedence"
      ])
  }
}
