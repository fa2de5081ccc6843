import AppBundle
import AssociatedDomains
import LinkspanCore
import Testing

/// What a signed app claims, and what signing has dropped (E19).
@Suite struct SignedClaimsTests {
  static let key = "com.apple.developer.associated-domains"
  static let claimed = "<key>\(key)</key><array><string>applinks:example.com</string></array>"
  static let star = "<key>\(key)</key><array><string>*</string></array>"
  static let identifier =
    "<key>application-identifier</key><string>TEAM123456.com.example.app</string>"

  /// - Parameters:
  ///   - signed: nil for a signature without entitlements.
  ///   - profile: The entitlements of the profile; nil for no profile.
  private func document(_ signed: String?, der: [UInt8]? = nil, profile: String? = nil) throws
    -> BundleDocument
  {
    let program = MachOFixture.thin(
      signature: MachOFixture.signature(
        "com.example.app", entitlements: signed.map(MachOFixture.plist), der: der))
    var files = [
      ("Payload/App.app/Info.plist", BundleTests.info("com.example.app")), ("Payload/App.app/App", program),
    ]
    if let profile {
      let list = MachOFixture.plist(
        "<key>Name</key><string>P</string><key>Entitlements</key><dict>\(profile)</dict>")
      files.append(("Payload/App.app/embedded.mobileprovision", Array(list.utf8)))
    }
    return try BundleReader(FileIndex(MemoryTree(contents: files))).read()
  }

  private func claims(
    _ signed: String?, der: [UInt8]? = nil, profile: String? = nil, source: String? = nil
  ) throws -> AppClaims {
    let source = try source.map {
      try Entitlements(Array(MachOFixture.plist($0).utf8), name: "App.entitlements")
    }
    let main = try document(signed, der: der, profile: profile).main
    return try #require(main.claims(source: source, stated: StatedIdentity()))
  }

  @Test func theSignatureIsWhatCounts() throws {
    let claims = try claims(Self.identifier + Self.claimed, profile: Self.star, source: Self.claimed)
    #expect(claims.isSigned)
    #expect(claims.associatedDomains.map(\.host) == ["example.com"])
    #expect(claims.applicationIdentifier?.description == "TEAM123456.com.example.app")
    #expect(claims.entitlements?.name == "App.ipa/Payload/App.app/App")
    #expect(claims.lostDomains.isEmpty)
  }

  /// 'inspect' says of a claimed domain what 'check' says, and offers no fix for what is signed.
  @Test func claimedDomainsAreChecked() throws {
    let findings = try document(Self.identifier + Self.wrong).claimFindings
    #expect(findings.map(\.rule) == ["entitlement.scheme"])
    #expect(findings.allSatisfy { $0.severity == .error && $0.fix == nil })
    #expect(try document(Self.identifier + Self.claimed).claimFindings.isEmpty)
    #expect(try document(nil).claimFindings.isEmpty)
  }

  /// A watch app and an extension claim domains of their own (E18).
  @Test func whatIsInsideTheAppIsCheckedToo() throws {
    func program(_ domains: String) -> [UInt8] {
      MachOFixture.thin(
        signature: MachOFixture.signature(
          "com.example.app", entitlements: MachOFixture.plist(domains), der: nil))
    }
    let app = "Payload/App.app"
    let files = [
      ("\(app)/Info.plist", BundleTests.info("com.example.app")), ("\(app)/App", program(Self.claimed)),
      ("\(app)/Watch/W.app/Info.plist", BundleTests.info("com.example.app.w", program: "W")),
      ("\(app)/Watch/W.app/W", program(Self.wrong)),
      (
        "\(app)/Watch/W.app/PlugIns/X.appex/Info.plist", BundleTests.info("com.example.app.w.x", program: "X")
      ),
      ("\(app)/Watch/W.app/PlugIns/X.appex/X", program(Self.claimed)),
      ("\(app)/PlugIns/E.appex/Info.plist", BundleTests.info("com.example.app.e", program: "E")),
      ("\(app)/PlugIns/E.appex/E", program(Self.claimed)),
      ("\(app)/PlugIns/N.appex/Info.plist", BundleTests.info("com.example.app.n", program: "N")),
      ("\(app)/PlugIns/N.appex/N", program("")),
    ]
    let document = try BundleReader(FileIndex(MemoryTree(contents: files))).read()
    #expect(document.claimants.count == 1)
    let inside = document.embeddedClaimants
    #expect(
      inside.map(\.path) == [
        "\(app)/PlugIns/E.appex", "\(app)/Watch/W.app", "\(app)/Watch/W.app/PlugIns/X.appex",
      ])
    #expect(inside.map(\.isOfWatchApp) == [false, true, true])
    #expect(document.claimFindings.map(\.rule) == ["entitlement.scheme"])
    #expect(document.claimFindings.map(\.severity) == [.error])
    #expect(document.claimFindings.first?.location.file == "App.ipa/\(app)/Watch/W.app/W")
    let claims = try #require(inside[0].claims(source: nil, stated: StatedIdentity()))
    let found = JoinedChecker(claims: claims, hosts: [], isWholeSite: true).checkEntries().findings
    #expect(found.map(\.rule) == ["joined.host-without-file"])
  }

  /// E18 speaks of watchOS only: no link is known to be lost by an extension's domains.
  @Test func aMistakeOfAnExtensionIsNoError() throws {
    let signature = MachOFixture.signature(
      "com.example.app.e", entitlements: MachOFixture.plist(Self.wrong), der: nil)
    let app = "Payload/App.app"
    let files = [
      ("\(app)/Info.plist", BundleTests.info("com.example.app")),
      ("\(app)/App", MachOFixture.thin()),
      ("\(app)/PlugIns/E.appex/Info.plist", BundleTests.info("com.example.app.e", program: "E")),
      ("\(app)/PlugIns/E.appex/E", MachOFixture.thin(signature: signature)),
    ]
    let document = try BundleReader(FileIndex(MemoryTree(contents: files))).read()
    let finding = try #require(document.claimFindings.first)
    #expect(finding.rule == "entitlement.scheme" && finding.severity == .warning)
    #expect(
      finding.help?.hasSuffix("\nApple documents no use of an extension's domains outside watchOS.") == true)
  }

  private static let wrong = claimed.replacing("applinks:", with: "applinks:https://")

  static let lost: [(id: String, signed: String?, profile: String?, source: String?, message: String)] = [
    ("star", star, star, nil, "The signature claims '*' where the app's domains should be."),
    (
      "star as a string", "<key>\(key)</key><string>*</string>", nil, nil,
      "The signature claims '*' where the app's domains should be."
    ),
    (
      "nothing, profile", identifier, star, nil,
      "The signature claims no domain, although its provisioning profile allows Associated Domains."
    ),
    (
      "no entitlements", nil, star, nil,
      "The signature claims no domain, although its provisioning profile allows Associated Domains."
    ),
    (
      "nothing, source", identifier, nil, claimed,
      "The signature claims no domain: 'App.entitlements' has 'applinks:example.com'."
    ),
    (
      "one of two", claimed, nil,
      "<key>\(key)</key><array><string>applinks:example.com</string><string>webcredentials:example.com</string></array>",
      "The signature lacks domains of the source: 'App.entitlements' has 'webcredentials:example.com'."
    ),
  ]

  @Test(arguments: lost.map(\.id)) func aLossIsNamed(_ id: String) throws {
    let row = try #require(Self.lost.first { $0.id == id })
    let claims = try claims(row.signed, profile: row.profile, source: row.source)
    #expect(claims.findings.map(\.rule) == ["signature.domains-lost"])
    #expect(claims.lostDomains.map(\.message) == [row.message])
    #expect(claims.lostDomains.map(\.location.file) == ["App.ipa/Payload/App.app/App"])
    // One finding for one mistake.
    let joined = JoinedChecker(claims: claims, hosts: [], isWholeSite: true).check()
    #expect(!joined.findings.contains { $0.rule == "joined.claims-nothing" })
  }

  @Test func nothingWasLostWhereNothingWasMeant() throws {
    #expect(try claims(Self.identifier).lostDomains.isEmpty)
    // Build settings are for Xcode to expand, so they say nothing yet.
    let setting = "<key>\(Self.key)</key><array><string>applinks:$(HOST)</string></array>"
    #expect(try claims(Self.identifier, source: setting).lostDomains.isEmpty)
  }

  @Test func entitlementsInDERFormAloneAreRead() throws {
    let claims = try claims(nil, der: BundleTests.domainsDER)
    #expect(claims.associatedDomains.map(\.host) == ["example.com"])
  }

  @Test func anUnsignedAppHasNoEntitlements() throws {
    let files = [("Info.plist", BundleTests.info("com.example.app")), ("App", MachOFixture.thin())]
    let main = try BundleReader(FileIndex(MemoryTree(contents: files))).read().main
    let claims = try #require(main.claims(source: nil, stated: StatedIdentity()))
    #expect(claims.entitlements == nil && !claims.isSigned)
    #expect(claims.bundleIdentifier == "com.example.app")
  }
}
