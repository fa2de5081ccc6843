import AppBundle
import AssociatedDomains
import AssociationCheck
import LinkspanCore
import Testing

/// What the two sides say of services other than universal links.
@Suite struct JoinedServiceTests {
  private static func findings(claims: [String], file: String) throws -> [Finding] {
    let entries = claims.map { "<string>\($0)</string>" }.joined()
    let plist =
      "<plist version=\"1.0\"><dict><key>application-identifier</key><string>ABCDE12345.com.x</string>"
      + "<key>com.apple.developer.associated-domains</key><array>\(entries)</array></dict></plist>"
    let claims = AppClaims(entitlements: try Entitlements(Array(plist.utf8), name: "a.entitlements"))
    let source = AssociationSource(SourceText(name: "file", file))
    let host = SiteHost(host: "example.com", source: source)
    return JoinedChecker(claims: claims, hosts: [host], isWholeSite: true).check().findings
  }

  /// J4: a clip claims 'appclips:' domains.
  @Test func aClipThatClaimsNothingIsToldItsService() throws {
    let plist =
      "<plist version=\"1.0\"><dict><key>com.apple.developer.on-demand-install-capable</key><true/></dict></plist>"
    let claims = AppClaims(entitlements: try Entitlements(Array(plist.utf8), name: "a.entitlements"))
    let finding = try #require(
      JoinedChecker(claims: claims, hosts: [], isWholeSite: false).check().findings.first)
    #expect(finding.rule == "joined.claims-nothing" && finding.message.hasPrefix("The clip claims no domain"))
    #expect(finding.help?.contains("'appclips:HOST'") == true && finding.help?.contains("applinks") == false)
  }

  /// A key that is nearly the right one is named, also where nothing else is checked: it claims no domain.
  @Test(arguments: [
    ("com.apple.developer.associated-domain", true), ("com.apple.developer.associated-domains ", true),
    ("com.apple.developer.asociated-domains", true),
    ("com.apple.developer.associated-domains.mdm-managed", false),
    ("com.apple.developer.icloud-services", false),
  ])
  func aMisspelledKeyIsNamed(key: String, isNamed: Bool) throws {
    let plist =
      "<plist version=\"1.0\"><dict>\n<key>\(key)</key><array><string>applinks:example.com</string></array></dict></plist>"
    let claims = AppClaims(entitlements: try Entitlements(Array(plist.utf8), name: "a.entitlements"))
    let found = JoinedChecker(claims: claims, hosts: [], isWholeSite: false).check().findings
    #expect(found.map(\.rule) == ["joined.claims-nothing"])
    let finding = try #require(found.first)
    #expect(finding.severity == (isNamed ? .error : .note))
    #expect(finding.location.start?.line == (isNamed ? 2 : nil))
    #expect(
      finding.message
        == "The app claims no domain: "
        + (isNamed
          ? "'\(key)' is not the key of associated domains."
          : "'com.apple.developer.associated-domains' is missing."))
  }

  static let links = #""applinks":{"details":[{"appIDs":["ABCDE12345.com.x"],"components":[{"/":"/a"}]}]}"#

  /// J3: since iOS 9 nothing is lost without it.
  @Test(arguments: [
    (["applinks:example.com", "activitycontinuation:example.com"], ""),
    (["applinks:example.com"], #","activitycontinuation":{"apps":["ABCDE12345.com.x"]}"#),
    (["applinks:example.com", "activitycontinuation:example.org"], ""),
  ])
  func theServiceOfIOS8IsANote(claims: [String], more: String) throws {
    let found = try Self.findings(claims: claims, file: "{\(Self.links)\(more)}")
    #expect(found.map(\.severity) == [.note], "\(found.map { $0.text() })")
  }

  /// J4: the clip is listed, not the app.
  @Test func anAppIsToldToListItsClip() throws {
    let found = try Self.findings(
      claims: ["applinks:example.com", "appclips:example.com"], file: "{\(Self.links)}")
    #expect(found.map(\.rule) == ["joined.app-not-named"] && found.first?.severity == .error)
    #expect(
      found.first?.message == "'file' does not list an App Clip of ABCDE12345.com.x for 'appclips'.")
    #expect(
      found.first?.help
        == "It lists no app for this service. Add the App Clip's identifier there, or remove the entry here."
    )
    let clip = #","appclips":{"apps":["ABCDE12345.com.x.Clip"]}"#
    #expect(
      try Self.findings(
        claims: ["applinks:example.com", "appclips:example.com"], file: "{\(Self.links)\(clip)}") == [])
  }
}
