import AppBundle
import AppSiteAssociation
import LinkspanCore
import Testing

enum Fixture {
  /// An entitlements file with these lines in its dictionary.
  static func entitlements(_ lines: String, name: String = "App.entitlements") throws -> Entitlements {
    try Entitlements(
      Array("<plist version=\"1.0\">\n<dict>\n\(lines)\n</dict>\n</plist>\n".utf8), name: name)
  }

  /// A file that claims these domains, the first at line 5.
  static func claiming(_ domains: [String], more: String = "") throws -> Entitlements {
    let strings = domains.map { "    <string>\($0)</string>\n" }.joined()
    return try entitlements(
      "  <key>com.apple.developer.associated-domains</key>\n  <array>\n\(strings)  </array>\n\(more)")
  }

  static func infoPlist(_ lines: String) throws -> InfoPlist {
    try InfoPlist(
      Array("<plist version=\"1.0\">\n<dict>\n\(lines)\n</dict>\n</plist>\n".utf8), name: "Info.plist")
  }
}

@Suite struct EntitlementsTests {
  @Test func readsIdentitySigningAndDomains() throws {
    let entitlements = try Fixture.claiming(
      ["applinks:example.com", "webcredentials:example.com"],
      more: """
          <key>application-identifier</key><string>ABCDE12345.com.example.app</string>
          <key>com.apple.developer.team-identifier</key><string>ABCDE12345</string>
          <key>get-task-allow</key><true/>
          <key>aps-environment</key><string>development</string>
        """)
    #expect(
      entitlements.associatedDomains?.map(\.text) == ["applinks:example.com", "webcredentials:example.com"])
    #expect(entitlements.associatedDomains?.last?.pointer == "/com.apple.developer.associated-domains/1")
    #expect(entitlements.applicationIdentifier?.value == "ABCDE12345.com.example.app")
    #expect(entitlements.teamIdentifier?.value == "ABCDE12345")
    #expect(entitlements.getTaskAllow?.value == true)
    #expect(entitlements.apsEnvironment?.value == "development")
    #expect(!entitlements.isBrowser)
    #expect(entitlements.findings.isEmpty)
  }

  @Test func readsTheKeysOfMacOS() throws {
    let entitlements = try Fixture.entitlements(
      """
      <key>com.apple.application-identifier</key><string>ABCDE12345.com.example.app</string>
      <key>com.apple.security.get-task-allow</key><false/>
      <key>com.apple.developer.aps-environment</key><string>production</string>
      """)
    #expect(entitlements.applicationIdentifier?.value == "ABCDE12345.com.example.app")
    #expect(entitlements.getTaskAllow?.value == false)
    #expect(entitlements.apsEnvironment?.value == "production")
  }

  @Test func absentIsNotEmpty() throws {
    #expect(try Fixture.entitlements("").associatedDomains == nil)
    #expect(try Fixture.claiming([]).associatedDomains?.isEmpty == true)
  }

  @Test(arguments: [
    (
      "<key>com.apple.developer.associated-domains</key>\n<string>applinks:a.b</string>",
      "'com.apple.developer.associated-domains' is a string, not an array of strings.", 4
    ),
    (
      "<key>com.apple.developer.associated-domains</key>\n<array>\n<dict/>\n</array>",
      "An element of 'com.apple.developer.associated-domains' is a dictionary, not a string.", 5
    ),
    ("<key>get-task-allow</key>\n<string>YES</string>", "'get-task-allow' is a string, not a boolean.", 4),
    ("<key>application-identifier</key>\n<true/>", "'application-identifier' is a boolean, not a string.", 4),
  ])
  func wrongTypesAreFindings(lines: String, message: String, line: Int) throws {
    let findings = try Fixture.entitlements(lines).findings
    #expect(findings.map(\.message) == [message])
    #expect(findings.map(\.rule) == ["entitlement.wrong-type"])
    #expect(findings.first?.location.start?.line == line)
  }

  @Test func aListThatIsNoDictionaryIsAnError() {
    let error = #expect(throws: PropertyListError.self) {
      try Entitlements(Array("<plist><array/></plist>".utf8), name: "a")
    }
    #expect(error?.kind == .wrongRoot)
    #expect(error?.message == "An entitlements file must be a dictionary, not an array.")
  }
}
