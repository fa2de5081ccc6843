import AppBundle
import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import Testing

/// A file about an app is known by its bytes.
@Suite struct AppFileTests {
  static func plist(_ lines: String) -> String { "<plist version=\"1.0\"><dict>\(lines)</dict></plist>" }

  static let profile = plist(
    "<key>ApplicationIdentifierPrefix</key><array><string>QWERT12345</string></array>"
      + "<key>TeamIdentifier</key><array><string>ABCDE12345</string></array><key>Entitlements</key><dict>"
      + "<key>application-identifier</key><string>QWERT12345.com.example.app</string></dict>")

  /// CMS SignedData without signers around some bytes (RFC 5652).
  static func signed(_ content: [UInt8]) -> [UInt8] {
    func element(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
      let count = body.count
      return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + body
    }
    let data: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    let signedData: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    let info = element(0x30, data + element(0xA0, element(0x04, content)))
    return element(0x30, signedData + element(0xA0, element(0x30, [0x02, 1, 1, 0x31, 0] + info)))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let text: String
    var name = "file"
    let kind: String?
    var testDescription: String { "\(name) is \(kind ?? "nothing of an app")" }
  }

  static let rows = [
    Row(text: plist("<key>CFBundleIdentifier</key><string>a.b</string>"), kind: "infoPlist"),
    Row(
      text: plist("<key>CFBundleIdentifier</key><string>a.b</string>"), name: "A.entitlements",
      kind: "infoPlist"),
    Row(text: plist("<key>aps-environment</key><string>development</string>"), kind: "entitlements"),
    Row(
      text: plist("<key>com.apple.developer.associated-domains</key><array/>"), name: "Info.plist",
      kind: "entitlements"),
    // Where the keys say nothing the name may.
    Row(text: plist(""), name: "Info-Debug.plist", kind: "infoPlist"),
    Row(text: plist(""), name: "A.entitlements", kind: "entitlements"),
    Row(text: plist("<key>APIHost</key><string>a</string>"), name: "b/Shop-Info.plist", kind: "infoPlist"),
    Row(text: plist("<key>a</key><true/>"), name: "A.entitlements", kind: "entitlements"),
    Row(text: profile, kind: "profile"),
    Row(text: #"{"expo":{"name":"a","ios":{}}}"#, kind: "expo"),
    Row(text: #"{"ios":{"bundleIdentifier":"a.b"}}"#, kind: "expo"),
    Row(text: #"{"applinks" = {"details" = [];};}"#, kind: nil), Row(text: #"{"=":1}"#, kind: nil),
    Row(text: #"{"applinks":{"details":[]}}"#, kind: nil), Row(text: "[]", kind: nil),
    Row(text: "", kind: nil),
    Row(text: "<!doctype html><p>", kind: nil),
    Row(text: "<?xml version=\"1.0\"?><!DOCTYPE html><html>", kind: nil),
  ]

  @Test(arguments: rows) func isKnownByItsContent(row: Row) throws {
    let bytes = Array(row.text.utf8)
    #expect(AppFile.isOne(bytes) == (row.kind != nil))
    guard let kind = row.kind else { return }
    let found =
      switch try AppFile(bytes, name: row.name) {
      case .entitlements: "entitlements"
      case .infoPlist: "infoPlist"
      case .profile: "profile"
      case .expo: "expo"
      }
    #expect(found == kind)
  }

  /// Such a file is not read, and it is no association file either.
  @Test(arguments: [
    "{\n \"com.apple.developer.associated-domains\" = (\"applinks:example.com\");\n}",
    "{ CFBundleName = a; }",
  ])
  func aPropertyListInTheOldFormIsOfAnApp(text: String) {
    #expect(AppFile.isOne(Array(text.utf8)))
    let error = #expect(throws: PropertyListError.self) { try AppFile(Array(text.utf8), name: "a.plist") }
    #expect(error?.finding.message == "This is a property list in the old text form.")
  }

  /// Of what Xcode exports beside an .ipa, nothing is an app: read as one that claims nothing, it misled.
  @Test(arguments: [
    ("ExportOptions.plist", "<key>method</key><string>app-store</string><key>teamID</key><string>A</string>"),
    ("export/DistributionSummary.plist", "<key>App.ipa</key><array/>"),
    ("Info/app-thinning.plist", "<key>variants</key><dict/>"), ("file", "<key>a</key><true/>"),
  ])
  func anotherPropertyListIsNoFileOfAnApp(name: String, text: String) {
    let error = #expect(throws: PropertyListError.self) {
      try AppFile(Array(Self.plist(text).utf8), name: name)
    }
    #expect(
      error?.message
        == "This property list is neither an Info.plist nor entitlements: it has no key of either.")
    #expect(error?.finding.rule == "plist.wrong-root")
  }

  @Test func aProfileIsReadOutOfItsSignedMessage() throws {
    let bytes = Self.signed(Array(Self.profile.utf8))
    #expect(AppFile.isOne(bytes))
    guard case .profile(let profile) = try AppFile(bytes, name: "embedded.mobileprovision") else {
      Issue.record("it is no profile")
      return
    }
    #expect(profile.prefix == "QWERT12345")
    #expect(profile.bundleIdentifier == "com.example.app")
    #expect(profile.teamIdentifier == "ABCDE12345")
    // A signed association file is none.
    #expect(!AppFile.isOne(Self.signed(Array(#"{"applinks":{}}"#.utf8))))
  }

  @Test func aProfileThatIsCutOffIsSaid() {
    let bytes = Array(Self.signed(Array(Self.profile.utf8)).dropLast(40))
    let error = #expect(throws: PropertyListError.self) { try AppFile(bytes, name: "a.mobileprovision") }
    #expect(
      error?.message
        == "This is a signed message in which no property list is found: it may be cut off.")
    #expect(error?.help == "Download the provisioning profile again.")
  }

  @Test func aProfileForManyAppsSaysThePrefixAlone() throws {
    let text = Self.profile.replacing("com.example.app", with: "*")
    let profile = try ProvisioningProfile(Array(text.utf8), name: "p")
    #expect(profile.prefix == "QWERT12345" && profile.bundleIdentifier == nil)
  }

  @Test func anExpoConfigurationClaimsAsEntitlementsDo() throws {
    let text = """
      {
        "expo": { "ios": {
          "bundleIdentifier": "com.example.app", "appleTeamId": "ABCDE12345",
          "associatedDomains": ["applinks:example.com", "applink:example.org", 7]
        } }
      }
      """
    let configuration = ExpoConfiguration(SourceText(name: "app.json", text))
    let findings = EntitlementChecker.check(configuration.entitlements)
    #expect(findings.map(\.rule) == ["entitlement.unknown-service", "entitlement.wrong-type"])
    #expect(findings.first?.location.start == SourcePosition(line: 4, column: 52))
    #expect(findings.first?.location.pointer == "/expo/ios/associatedDomains/1")
    let claims = AppClaims(expo: configuration)
    #expect(claims.applicationIdentifier?.description == "ABCDE12345.com.example.app")
    #expect(claims.associatedDomains.map(\.text) == ["applinks:example.com"])
  }

  @Test(arguments: [
    ("{\"expo\":{\"ios\":{\"associatedDomains\":\"applinks:a.example\"}}}", ["entitlement.wrong-type"]),
    ("{\"expo\":{\"ios\":{},}}", ["json.trailing-comma"]), ("{\"expo\":{}}", []),
    ("{\"expo\":{\"ios\":{\"associatedDomains\":[]}}}", ["entitlement.empty-list"]),
  ])
  func oddConfigurationsHaveFindings(text: String, rules: [String]) {
    let configuration = ExpoConfiguration(SourceText(name: "app.json", text))
    #expect(EntitlementChecker.check(configuration.entitlements).map(\.rule) == rules)
  }
}
