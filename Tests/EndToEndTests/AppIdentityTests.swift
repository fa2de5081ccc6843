import Foundation
import TestSupport
import Testing

/// Where an app is taken: by identifier, by files from before signing, by what is stated.
@Suite struct AppIdentityTests {
  static let file =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
  static let two =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app","ABCDE12345.com.example.beta"]}]}}"#
  static let entitlements = """
    <plist version="1.0"><dict><key>com.apple.developer.associated-domains</key>
    <array><string>applinks:example.com</string></array></dict></plist>
    """
  static let infoPlist = """
    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
    <key>CFBundleVersion</key><string>1</string></dict></plist>
    """

  static func tool(_ file: String = file) throws -> Tool {
    let tool = try Tool()
    try tool.write(file, to: "site/example.com/.well-known/apple-app-site-association")
    try tool.write(entitlements, to: "App.entitlements")
    try tool.write(infoPlist, to: "Info-Debug.plist")
    return tool
  }

  static func rules(_ outcome: Tool.Outcome) throws -> [String] {
    (try outcome.json()["findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String }
  }

  /// AC1, AC4, AC5, AC7: before signing too a clip is its app's, by all that is known of both.
  @Test(
    arguments: [
      ("parent-application-identifiers", "$(AppIdentifierPrefix)com.example.app", []),
      ("parent-application-identifiers", "ABCDE12345.com.example.app", []),
      ("parent-application-identifiers", "$(AppIdentifierPrefix)com.example.other", ["clip-parent"]),
      ("parent-application-identifiers", "$(AppIdentifierPrefix)com.example.app.Clip", ["clip-parent"]),
      ("parent-application-identifiers", "QWERT12345.com.example.app", ["clip-parent"]),
      ("associated-appclip-app-identifiers", "ABCDE12345.com.example.app.Clip.Clip", []),
      ("associated-appclip-app-identifiers", "ABCDE12345.com.example.app.Other", ["app-clip"]),
      ("associated-domains", "appclips:example.com", ["clip-parent"]),
    ] as [(String, String, [String])])
  func aClipIsOfItsApp(key: String, value: String, rules: [String]) throws {
    let tool = try Tool()
    let isOnDemand = key == "associated-domains"
    try tool.write(
      "<plist version=\"1.0\"><dict><key>com.apple.developer.\(key)</key><array><string>\(value)</string></array>"
        + (isOnDemand ? "<key>com.apple.developer.on-demand-install-capable</key><true/>" : "")
        + "</dict></plist>", to: "Clip.entitlements")
    let outcome = try tool.run(
      "check", "Clip.entitlements", "--team", "ABCDE12345", "--bundle-identifier",
      "com.example.app.Clip", "--json")
    let found = try Self.rules(outcome).filter { $0.hasPrefix("entitlement.") }
    #expect(found == rules.map { "entitlement." + $0 }, "\(outcome.output)\(outcome.errors)")
  }

  /// J5: an identifier stands for an app whose claims are not known.
  @Test(arguments: [
    (["--app", "ABCDE12345.com.example.app"], []),
    (["--app", "com.example.app", "--team", "ABCDE12345"], []),
    (["--team", "ABCDE12345", "--bundle-identifier", "com.example.app"], []),
    (["--app", "QWERT12345.com.example.app"], ["joined.other-prefix"]),
    (["--app", "ABCDE12345.com.example.App"], ["joined.other-case"]),
    (["--app", "ABCDE12345.com.example.other"], ["joined.app-not-named"]),
  ])
  func checkTakesAnIdentifier(words: [String], rules: [String]) throws {
    let tool = try Self.tool()
    for site in ["site", "site/example.com/.well-known/apple-app-site-association"] {
      let outcome = try tool.run(["check", site, "--json"] + words)
      #expect(try Self.rules(outcome) == rules)
      #expect(outcome.status == (rules.isEmpty ? 0 : 1))
      #expect(outcome.output.contains("whether the app claims the hosts"))
    }
  }

  @Test func theOnlyFittingAppIsAssumedAndSaid() throws {
    let outcome = try Self.tool().run(
      "check", "site", "--app", "App.entitlements", "--app", "Info-Debug.plist")
    #expect(outcome.status == 0)
    let told: String =
      "the identity of App.entitlements and Info-Debug.plist: assumed to be ABCDE12345.com.example.app, the only "
      + "app in the files that fits; the bundle identifier is '$(PRODUCT_BUNDLE_IDENTIFIER)', which Xcode "
      + "replaces during the build, and the prefix (the Team ID) is added when the app is signed; pass "
      + "--team and --bundle-identifier, or the app's Info.plist or profile"
    #expect(outcome.output.contains(told), "\(outcome.output)")
  }

  @Test func severalFittingAppsAreNamed() throws {
    let tool = try Self.tool(Self.two)
    let both = "ABCDE12345.com.example.app, ABCDE12345.com.example.beta"
    let checked = try tool.run("check", "site", "--app", "App.entitlements")
    #expect(checked.output.contains("App.entitlements fits several apps (\(both))"))
    let words = ["explain", "https://example.com/a", "--site", "site", "--app", "App.entitlements"]
    let explained = try tool.run(words)
    #expect(explained.status == 2)
    #expect(explained.errors.contains("App.entitlements may be any of \(both)"))
    #expect(explained.errors.contains("'--team' and '--bundle-identifier'"))
    #expect(try tool.run(words + ["--bundle-identifier", "com.example.beta"]).status == 0)
  }

  /// Nothing names the app, so the answer is the browser, whoever it is.
  @Test func explainAnswersWhereNoFileNamesTheApp() throws {
    let tool = try Self.tool(#"{"applinks":{"details":[]}}"#)
    let words = ["explain", "https://example.com/a", "--site", "site", "--app", "App.entitlements", "--why"]
    let outcome = try tool.run(words + ["--team", "ABCDE12345"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.contains("'ABCDE12345.app' is used"), "\(outcome.output)")
    #expect(try tool.run(words).output.contains("'??????????.app' is used"))
  }

  @Test func explainPairsTheFilesOfOneApp() throws {
    let tool = try Self.tool(Self.two)
    try tool.write(
      Self.infoPlist.replacing("$(PRODUCT_BUNDLE_IDENTIFIER)", with: "com.example.beta"), to: "Info.plist")
    let outcome = try tool.run(
      "explain", "https://example.com/a", "--site", "site", "--app", "Info.plist", "--app",
      "App.entitlements", "--json")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("assumed to be ABCDE12345.com.example.beta"))
  }

  @Test(arguments: [
    (["--app", "App.entitlements"], "ABCDE12345.com.example.app"),
    (["--app", "com.example.app", "--team", "ABCDE12345"], "ABCDE12345.com.example.app"),
    (["--team", "ABCDE12345", "--bundle-identifier", "com.example.app"], "ABCDE12345.com.example.app"),
    (["--team", "ABCDE12345"], "ABCDE12345.com.example.app"),
    (["--bundle-identifier", "com.example.app"], "ABCDE12345.com.example.app"),
  ])
  func matchTakesAnApp(words: [String], app: String) throws {
    let tool = try Self.tool()
    try tool.write(Self.file, to: "f")
    let outcome = try tool.run(["match", "https://example.com/a", "--file", "f", "--json"] + words)
    #expect(outcome.status == 0)
    #expect(try outcome.json()["app"] as? String == app)
    #expect(outcome.errors.contains("is assumed to be") == (words.last == "App.entitlements"))
  }

  @Test func wrongWordsSayWhatToDo() throws {
    let tool = try Self.tool()
    let rows: [([String], String)] = [
      (["check", "site", "--team", "short", "--app", "App.entitlements"], "prefix"),
      (["check", "site", "--app", "missing.entitlements"], "there is no file 'missing.entitlements'"),
      (
        ["check", "site", "--bundle-identifier", "a.b", "--app", "Z", "--team", "ABCDE12345", "--app", "Y"],
        "'--bundle-identifier' names one app, but there are 2"
      ),
      (["explain", "https://e.test/", "--site", "App.entitlements"], "take an app with '--app'."),
      (
        [
          "match", "https://e.test/", "--file", "site/example.com/.well-known/apple-app-site-association",
          "--team", "QWERT12345",
        ], "the file names no app with the prefix 'QWERT12345'.\n  It names ABCDE12345."
      ),
      (
        [
          "match", "https://e.test/", "--file", "site/example.com/.well-known/apple-app-site-association",
          "--team", "QWERT12345", "--app", "ABCDE12345.com.example.app",
        ], "'--team QWERT12345' and '--app ABCDE12345.com.example.app' name different prefixes"
      ),
      (
        ["check", "site", "--team", "QWERT12345", "--app", "ABCDE12345.com.example.app"],
        "'--team QWERT12345' and '--app ABCDE12345.com.example.app' name different prefixes"
      ),
      (
        [
          "match", "https://e.test/", "--file", "site/example.com/.well-known/apple-app-site-association",
          "--bundle-identifier", "com.example.other", "--app", "ABCDE12345.com.example.app",
        ],
        "'--bundle-identifier com.example.other' and '--app ABCDE12345.com.example.app' name different apps"
      ),
    ]
    for (words, message) in rows {
      let outcome = try tool.run(words)
      #expect(outcome.status == 2 && outcome.errors.contains(message), "\(words): \(outcome.errors)")
    }
  }

  @Test(arguments: [
    (#"{ entitlements: "App.entitlements" }"#, "the app 'shop' is assumed to be ABCDE12345.com.example.app"),
    (#"{ entitlements: ["App.entitlements", "Info-Debug.plist"] }"#, "'$(PRODUCT_BUNDLE_IDENTIFIER)'"),
    (#"{ entitlements: "App.entitlements", team: "ABCDE12345", bundle_identifier: "com.example.app" }"#, ""),
    (#"{ team: "ABCDE12345", bundle_identifier: "com.example.app", domains: ["applinks:example.com"] }"#, ""),
  ])
  func aStoryTakesFilesFromBeforeSigning(app: String, said: String) throws {
    let tool = try Self.tool()
    // The file is published after the app's identifier is needed.
    try tool.write(
      """
      { start: "2026-09-14T08:00:00Z", sites: { "example.com": [] }, apps: { shop: \(app) },
        devices: { iphone: { os: "ios:17.4" } },
        script: [ { deploy: { "example.com": "site/example.com" } }, { install: "shop" },
          { tap: "https://example.com/a", expect: "shop" } ] }
      """, to: "story.json5")
    let outcome = try tool.run("simulate", "story.json5")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(
      said.isEmpty ? outcome.errors.isEmpty : outcome.errors.contains(said), "\(outcome.errors)")
  }

  @Test func aStoryAsksWhichOfSeveral() throws {
    let tool = try Self.tool(Self.two)
    try tool.write(
      """
      { start: "2026-09-14T08:00:00Z", sites: { "example.com": "site/example.com" },
        apps: { shop: { entitlements: "App.entitlements" } }, devices: { iphone: { os: "ios:17.4" } } }
      """, to: "story.json5")
    let outcome = try tool.run("simulate", "story.json5")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains(
        "The app 'shop' matches several identifiers: 'ABCDE12345.com.example.app' and 'ABCDE12345.com.example.beta'"
      ))
  }

  /// What a file is for is in its bytes: each stands alone, whatever it is called.
  @Test func checkTellsKindsApartByContent() throws {
    let tool = try Self.tool()
    try tool.write(Self.entitlements.replacing("applinks:", with: "applink:"), to: "a.json")
    try tool.write(
      #"{"expo":{"ios":{"bundleIdentifier":"com.example.app","associatedDomains":["applink:example.com"]}}}"#,
      to: "app.json")
    try tool.write(Self.file, to: "x-assetlinks.json")
    try tool.write("<plist version=\"1.0\"><dict><key>a</key></dict></plist>", to: "broken.entitlements")
    let rows: [(String, Int32, [String])] = [
      ("App.entitlements", 0, []), ("Info-Debug.plist", 0, []),
      ("a.json", 1, ["entitlement.unknown-service"]), ("app.json", 1, ["entitlement.unknown-service"]),
      ("x-assetlinks.json", 0, []), ("broken.entitlements", 1, ["plist.key-without-value"]),
    ]
    for (name, status, rules) in rows {
      let outcome = try tool.run("check", name, "--json")
      #expect(outcome.status == status && outcome.errors.isEmpty, "\(name): \(outcome.errors)")
      #expect(try Self.rules(outcome) == rules, "\(name)")
    }
    let expo = try tool.run("check", "app.json")
    #expect(expo.output.hasPrefix("app.json:1:76: error[entitlement.unknown-service]"), "\(expo.output)")
    let alone = try tool.run("check", "App.entitlements")
    #expect(alone.output.hasPrefix("1 file: "))
    #expect(alone.output.contains("the files of example.com, which the app claims"))
    #expect(!alone.output.contains("how the files are served"))
  }

  @Test func anAppNamedTwiceCountsOnce() throws {
    let tool = try Self.tool()
    try tool.write(
      #"{"expo":{"ios":{"bundleIdentifier":"com.example.app","associatedDomains":["applink:example.com"]}}}"#,
      to: "app.json")
    for app in ["app.json", "./app.json"] {
      let outcome = try tool.run("check", "app.json", "--app", app, "--json")
      #expect(try Self.rules(outcome) == ["entitlement.unknown-service"], "\(outcome.output)")
    }
  }

  /// E6: no file of a top-level domain is asked for, and a long list is not repeated.
  @Test func claimedHostsWithoutAFileAreCounted() throws {
    let tool = try Self.tool()
    let entries = (0..<50_000).map { "<string>applinks:a\($0).example.com</string>" }
    try tool.write(
      """
      <plist version="1.0"><dict><key>com.apple.developer.associated-domains</key>
      <array>\(entries.joined())</array></dict></plist>
      """, to: "Many.entitlements")
    let many = try tool.run("check", "Many.entitlements")
    #expect(many.output.contains(" and 49992 more, which the app claims"))
    #expect(many.output.utf8.count < 5_000)
    let wildcard = Self.entitlements.replacing("applinks:example.com", with: "applinks:*.com")
    try tool.write(wildcard, to: "Wildcard.entitlements")
    for words in [["site", "--app", "Wildcard.entitlements"], ["Wildcard.entitlements"]] {
      let outcome = try tool.run(["check", "--json"] + words)
      #expect(try Self.rules(outcome).contains("entitlement.top-level-wildcard"))
      #expect(try !Self.rules(outcome).contains("joined.host-without-file"))
      #expect(!outcome.output.contains("the files of com"), "\(outcome.output)")
    }
    let explained = try tool.run(
      "explain", "https://www.example.com/a", "--site", "site", "--app", "Wildcard.entitlements", "--json")
    #expect(!explained.output.contains("https://com/"), "\(explained.output)")
  }

  /// Its entitlements are checked; it is another program's configuration, so '--fix' leaves it alone.
  @Test func expoIsJoinedAndNotMended() throws {
    let tool = try Self.tool()
    let text =
      #"{"expo":{"ios":{"bundleIdentifier":"com.example.app","appleTeamId":"ABCDE12345","associatedDomains":["applink:example.com"]}}}"#
    try tool.write(text, to: "app.json")
    let outcome = try tool.run("check", "site", "app.json", "--json")
    #expect(outcome.output.contains("Did you mean 'applinks"), "\(outcome.output)")
    #expect(!outcome.output.contains("assumed to be"))
    let fixed = try tool.run("check", "site", "app.json", "--fix")
    #expect(fixed.status == 2)
    #expect(fixed.errors.contains("It seems to be an Expo configuration."), "\(fixed.errors)")
    #expect(try String(contentsOf: tool.folder.appending(path: "app.json"), encoding: .utf8) == text)
  }
}
