import AppBundle
import LinkspanCore
import Testing

@Suite struct EntitlementCheckerTests {
  /// `line:column severity rule` of each finding.
  static func brief(_ entitlements: Entitlements) -> [String] {
    EntitlementChecker.check(entitlements).map {
      "\($0.location.start!.line):\($0.location.start!.column) \($0.severity.rawValue) \($0.rule)"
    }
  }

  @Test func aGoodFileHasNoFindings() throws {
    let good = try Fixture.claiming(
      [
        "applinks:example.com", "applinks:*.example.com", "applinks:example.com?mode=developer",
        "webcredentials:example.com", "appclips:example.com", "activitycontinuation:example.com",
      ],
      more: "<key>application-identifier</key><string>ABCDE12345.com.example.app</string>"
        + "<key>com.apple.developer.team-identifier</key><string>ABCDE12345</string>")
    #expect(EntitlementChecker.check(good) == [])
  }

  /// Each with its rule, at the part of the text that is at fault.
  @Test(arguments: [
    ("E1", "applink:example.com", "5:13 error entitlement.unknown-service"),
    ("E1", "example.com", "5:13 error entitlement.missing-service"),
    ("E2", "applinks:https://example.com", "5:22 error entitlement.scheme"),
    ("E2", "applinks:example.com/a", "5:33 error entitlement.path"),
    ("E2", "applinks:example.com/", "5:33 error entitlement.trailing-slash"),
    ("E2", "applinks:example.com?a=b", "5:33 error entitlement.query"),
    ("E3", "applinks:example.com:8080", "5:33 error entitlement.port"),
    ("E4", "applinks:*my.com", "5:22 error entitlement.wildcard-place"),
    ("E4", "appclips:*.example.com", "5:22 error entitlement.wildcard-app-clip"),
    ("E11", "applinks:bücher.example", "5:22 error entitlement.not-punycode"),
    ("E12", "applinks:example.com?mode=dev", "5:39 error entitlement.mode"),
    ("E19", "*", "5:13 error entitlement.only-star"),
    ("E1", "applinks:&lt;YOUR-DOMAIN&gt;", "5:13 error entitlement.placeholder"),
    ("E1", "applinks:$(DOMAIN)", "5:13 note entitlement.build-setting"),
    ("E1", "applinks:192.168.0.1", "5:22 warning entitlement.ip-address"),
    ("E1", "applinks:Example.com", "5:22 note entitlement.upper-case"),
    ("E1", "applinks: example.com", "5:22 error entitlement.blank"),
    ("E16", "applinks:example.com?mode=developer", "5:13 warning entitlement.developer-mode-only"),
    ("E8", "applinks:*.example.com", "5:13 note entitlement.bare-host"),
  ])
  func eachProblemStandsAtItsPlace(source: String, domain: String, expected: String) throws {
    let entitlements = try Fixture.claiming([domain])
    #expect(Self.brief(entitlements) == [expected])
    let findings = EntitlementChecker.check(entitlements)
    #expect(findings.map(\.source) == [source])
    // A line break would be printed as '\n'.
    #expect(findings.allSatisfy { !($0.message + ($0.help ?? "")).contains("\n") })
  }

  private static func list(_ key: String, _ values: String...) -> String {
    "<key>com.apple.developer.\(key)</key><array>" + values.map { "<string>\($0)</string>" }.joined()
      + "</array>"
  }

  /// AC3 to AC5: how a clip and its app name one another, before signing and after.
  @Test(
    arguments: [
      (list("parent-application-identifiers", "$(AppIdentifierPrefix)com.example.app"), []),
      (list("parent-application-identifiers", "ABCDE12345.com.example.app"), []),
      (list("parent-application-identifiers", "com.example.app"), ["clip-parent"]),
      (list("parent-application-identifiers"), ["clip-parent"]),
      (
        list("parent-application-identifiers", "ABCDE12345.com.example.app", "ABCDE12345.com.example.b"),
        ["clip-parent"]
      ),
      (
        "<key>com.apple.developer.parent-application-identifiers</key><string>ABCDE12345.com.example.app</string>",
        ["wrong-type"]
      ),
      (list("associated-appclip-app-identifiers", "ABCDE12345.com.example.app.Clip"), []),
      (list("associated-appclip-app-identifiers", "com.example.app.Clip"), ["app-clip"]),
      (list("associated-appclip-app-identifiers", "ABCDE12345.a", "ABCDE12345.b"), ["app-clip"]),
      ("<key>com.apple.developer.on-demand-install-capable</key><true/>", []),
      ("<key>com.apple.developer.on-demand-install-capable</key><false/>", ["clip-on-demand"]),
      ("<key>com.apple.developer.on-demand-install-capable</key><string>YES</string>", ["wrong-type"]),
    ] as [(String, [String])])
  func appAndClipNameOneAnother(_ keys: String, _ rules: [String]) throws {
    let found = EntitlementChecker.check(try Fixture.claiming(["appclips:example.com"], more: keys))
    #expect(found.map(\.rule) == rules.map { "entitlement." + $0 }, "\(found)")
    #expect(found.allSatisfy { $0.severity == .error && $0.location.start != nil })
  }

  /// E12: the key and its value are compared exactly, so the advice is the spelling and not to delete the mode.
  @Test(arguments: [
    ("?Mode=developer", "E12", "No device accepts the entry. Did you mean '?mode=developer'?"),
    ("?MODE=Developer", "E12", "No device accepts the entry. Did you mean '?mode=developer'?"),
    ("?mdoe=managed", "E12", "No device accepts the entry. Did you mean '?mode=managed'?"),
    ("?mode=Developer", "E12", "No device accepts the entry. Did you mean 'developer'?"),
    (
      "?Mode=x", "E2", "The association file says which queries open the app. Write 'applinks:example.com'."
    ),
    (
      "?Mode", "E2", "The association file says which queries open the app. Write 'applinks:example.com'."
    ),
  ])
  func aMisspelledModeIsAMode(query: String, source: String, help: String) throws {
    let findings = EntitlementChecker.check(try Fixture.claiming(["applinks:example.com\(query)"]))
    #expect(findings.map(\.source) == [source] && findings.map(\.help) == [help])
  }

  @Test func readsLikeACompilersMessage() throws {
    let findings = EntitlementChecker.check(
      try Fixture.claiming(["applinks:example.com", "applink:example.org"]))
    #expect(
      findings.map { $0.text() }.joined() == """
        App.entitlements:6:13: error[entitlement.unknown-service]: 'applink' is not a service.
          6 |     <string>applink:example.org</string>
            |             ^^^^^^^
          iOS ignores the entry. Did you mean 'applinks'?

        """)
  }

  @Test func theSameClaimTwiceIsANote() throws {
    let entitlements = try Fixture.claiming(["applinks:example.com", "applinks:EXAMPLE.com"])
    #expect(
      Self.brief(entitlements) == ["6:13 note entitlement.duplicate", "6:22 note entitlement.upper-case"])
    #expect(
      EntitlementChecker.check(entitlements).first?.message == "'applinks:example.com' is claimed twice.")
  }

  @Test func developerModeIsFineBesideAnEntryThatCoversTheHost() throws {
    let developer = "applinks:www.example.com?mode=developer"
    #expect(try Self.brief(Fixture.claiming([developer, "applinks:www.example.com"])) == [])
    #expect(
      try Self.brief(Fixture.claiming([developer, "applinks:*.example.com", "applinks:example.com"])) == [])
    #expect(
      try Self.brief(Fixture.claiming([developer, "webcredentials:www.example.com"]))
        == ["5:13 warning entitlement.developer-mode-only"])
    let finding = try #require(EntitlementChecker.check(Fixture.claiming([developer])).first)
    #expect(finding.message == "'www.example.com' is claimed for 'applinks' in developer mode only.")
    #expect(
      finding.help
        == "The entry only works in development builds on devices in developer mode, never in TestFlight or the App Store. Add 'applinks:www.example.com'."
    )
  }

  @Test func managedModeAloneIsAChoice() throws {
    #expect(try Self.brief(Fixture.claiming(["applinks:example.com?mode=managed"])) == [])
  }

  @Test func developerModeIsIdleInADistributionBuild() throws {
    let entitlements = try Fixture.claiming(
      ["applinks:example.com", "applinks:example.com?mode=developer"],
      more: "<key>get-task-allow</key><false/>")
    #expect(Self.brief(entitlements) == ["6:13 note entitlement.developer-mode-distribution"])
  }

  @Test func aWildcardOfTheParentCoversTheBareHost() throws {
    #expect(
      try Self.brief(
        Fixture.claiming(["applinks:*.users.example.com", "applinks:*.example.com", "applinks:example.com"]))
        == [])
  }

  @Test(arguments: [(30, 0), (31, 1)])
  func manyHostsAreANoteAboveTheAdvisedNumber(count: Int, expected: Int) throws {
    let entitlements = try Fixture.claiming((1...count).map { "applinks:h\($0).example.com" })
    let findings = EntitlementChecker.check(entitlements)
    #expect(findings.count == expected)
    if let finding = findings.first {
      #expect(finding.rule == "entitlement.many-hosts")
      #expect(finding.severity == .note)
      #expect(finding.source == "E20")
      #expect(finding.message == "The app claims 31 hosts.")
      #expect(finding.location.start?.line == 3)
    }
  }

  @Test(arguments: [(500, 0), (501, 1)])
  func longListsAreCheckedToALimitThatIsTold(count: Int, expected: Int) throws {
    let entitlements = try Fixture.claiming((1...count).map { "applinks:h\($0).example.com" })
    let findings = EntitlementChecker.check(entitlements).filter { $0.rule == "entitlement.unchecked" }
    #expect(findings.count == expected)
    #expect(findings.allSatisfy { $0.message == "Only the first 500 of 501 entries were checked." })
  }

  @Test func aBrowserMayNotClaimAppLinks() throws {
    let browser = "<key>com.apple.developer.web-browser</key><true/>"
    let findings = EntitlementChecker.check(try Fixture.claiming(["applinks:example.com"], more: browser))
    #expect(findings.map(\.rule) == ["entitlement.browser"])
    #expect(findings.first?.severity == .error)
    #expect(findings.first?.source == "E22")
    #expect(findings.first?.message == "A browser claims 'applinks:example.com'.")
    #expect(
      EntitlementChecker.check(try Fixture.claiming(["webcredentials:example.com"], more: browser)) == [])
  }

  @Test func anEmptyListIsANote() throws {
    let findings = EntitlementChecker.check(try Fixture.claiming([]))
    #expect(findings.map(\.rule) == ["entitlement.empty-list"])
    #expect(EntitlementChecker.check(try Fixture.entitlements("")) == [])
  }

  @Test(arguments: [
    ("com.example.app", ["error entitlement.application-identifier"]),
    ("$(AppIdentifierPrefix)com.example.app", []), ("ABCDE12345.*", []),
    ("QWERT12345.com.example.app", ["note entitlement.prefix-not-team"]),
    ("ABCDE12345.com.example.app", []),
  ])
  func looksAtTheIdentity(identifier: String, expected: [String]) throws {
    let findings = EntitlementChecker.check(
      try Fixture.entitlements(
        "<key>application-identifier</key><string>\(identifier)</string>"
          + "<key>com.apple.developer.team-identifier</key><string>ABCDE12345</string>"))
    #expect(findings.map { "\($0.severity.rawValue) \($0.rule)" } == expected)
  }
}

/// The entitlements of real apps: what each is told. Every row was looked at by hand.
@Suite(.enabled(if: RealFiles.arePresent, Comment(rawValue: RealFiles.absence)))
struct EntitlementCorpusTests {
  static let expected: [String: [String]] = [
    "008": ["error entitlement.unknown-service"],
    "015": ["error entitlement.unknown-service"],
    "026": Array(repeating: "error entitlement.missing-service", count: 4),
    "025": ["note entitlement.duplicate", "note entitlement.duplicate"],
    "055": ["error entitlement.placeholder"],
    "072": ["warning entitlement.ended-service"],
    "077": ["warning entitlement.ended-service"],
    "083": ["error entitlement.placeholder"],
    "111": ["error entitlement.application-identifier"],
    "047": ["note entitlement.empty-list"],
  ]

  @Test func everyFileIsReadAndTroubleIsSeenWhereItIs() throws {
    let files = try RealFiles.all(in: "entitlements")
    #expect(files.count == 70)
    var seen: [String: [String]] = [:]
    for (name, bytes) in files {
      let findings = EntitlementChecker.check(try Entitlements(bytes, name: name))
      #expect(findings.allSatisfy { $0.location.start != nil }, "\(name)")
      if !findings.isEmpty {
        seen[String(name.prefix(3))] = findings.map { "\($0.severity.rawValue) \($0.rule)" }
      }
    }
    #expect(seen == Self.expected)
  }
}
