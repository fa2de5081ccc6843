import Foundation
import TestSupport
import Testing

/// What `linkspan doctor --app` makes of built apps, projects and targets of other kinds.
@Suite struct DoctorBundleTests {
  private static let path = "example.com/.well-known/apple-app-site-association"

  private static func plist(_ more: String = "") -> String {
    #"<?xml version="1.0"?><plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.app</string>"#
      + "<key>CFBundleExecutable</key><string>App</string>\(more)</dict></plist>"
  }

  private static func domains(_ entries: String...) -> String {
    let list = entries.map { "<string>\($0)</string>" }.joined()
    return
      #"<?xml version="1.0"?><plist version="1.0"><dict><key>com.apple.developer.associated-domains</key>"#
      + "<array>\(list)</array></dict></plist>"
  }

  /// A tool with a host's folder, and an app in `App.app`.
  private func tool(_ program: [UInt8], _ plist: String = plist()) throws -> Tool {
    let tool = try Tool()
    try tool.write(DoctorTests.file(), to: Self.path)
    try tool.write(plist, to: "App.app/Info.plist")
    try Data(program).write(to: tool.folder.appending(path: "App.app/App"))
    return tool
  }

  private func cause(_ outcome: Tool.Outcome) throws -> [String: Any]? {
    try outcome.json()["cause"] as? [String: Any]
  }

  /// A Mach-O header for arm64 without commands.
  private static let unsigned: [UInt8] =
    [0xCF, 0xFA, 0xED, 0xFE, 0x0C, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0] + Array(repeating: 0, count: 16)

  /// What `check` calls an error since no device installs it keeps links from opening the app (B1, B3).
  @Test func whatNoDeviceInstallsOpensNothing() throws {
    let tool = try tool(Self.unsigned)
    let link = "https://example.com/a"
    try FileManager.default.removeItem(at: tool.folder.appending(path: "App.app/App"))
    let outcome = try tool.run("doctor", "example.com", "--app", "App.app", "--json")
    #expect(
      try outcome.status == 1 && cause(outcome)?["id"] as? String == "app-not-installed", "\(outcome.output)")
    let explain = ["explain", link, "--site", Self.path, "--app", "App.app"]
    let explained = try tool.run(explain)
    #expect(
      explained.status == 1 && explained.errors.contains("no device installs the app"), "\(explained.output)")
    try FileManager.default.removeItem(at: tool.folder.appending(path: "App.app/Info.plist"))
    for words in [["doctor", "example.com", "--app", "App.app"], explain] {
      let outcome = try tool.run(words)
      #expect(
        outcome.status == 2 && outcome.errors.contains("It contains no app."), "\(outcome.errors)")
    }
  }

  @Test func aReleaseBeforeTheAppsIsACauseForAHostAsWell() throws {
    let tool = try tool(
      Self.unsigned, Self.plist("<key>MinimumOSVersion</key><string>27.0</string>"))
    try tool.write(DoctorTests.entitlements("applinks:example.com"), to: "App.entitlements")
    let words = ["doctor", "example.com", "--app", "App.app", "--app", "App.entitlements", "--json"]
    let outcome = try tool.run(words)
    #expect(
      try outcome.status == 1 && cause(outcome)?["id"] as? String == "release-too-old", "\(outcome.output)")
  }

  /// What no device has gets no push either, and what the flag says holds for a push and for a folder.
  @Test func whatIsNotInstalledGetsNoPush() throws {
    let tool = try tool(Self.unsigned)
    try tool.write(#"{"aps":{"alert":"Hi"}}"#, to: "push.json")
    let doctor = ["doctor", "push.json", "--topic", "com.example.app"]
    #expect(try tool.run(doctor).status == 0)
    let absent = try tool.run(doctor + ["--not-installed", "--json"])
    #expect(try absent.status == 1 && cause(absent)?["id"] as? String == "uninstalled", "\(absent.output)")
    let folder = try tool.run("doctor", "example.com", "--not-installed", "--json")
    #expect(
      try folder.status == 1 && cause(folder)?["id"] as? String == "app-not-installed", "\(folder.output)")
    try tool.write(
      Self.plist("<key>MinimumOSVersion</key><string>18.0</string>"), to: "Info.plist")
    try FileManager.default.removeItem(at: tool.folder.appending(path: "App.app/App"))
    for (app, os, words) in [
      ("App.app", "ios:18.0", "no device installs the app"),
      ("Info.plist", "ios:17.0", "the app requires iOS 18.0"),
    ] {
      let about = ["--app", app, "--os", os]
      let outcome = try tool.run(["doctor", "push.json", "--json"] + about)
      #expect(
        try outcome.status == 1 && cause(outcome)?["id"] as? String == "uninstalled", "\(outcome.output)")
      #expect(outcome.output.contains(words.prefix(1).uppercased() + words.dropFirst()), "\(outcome.output)")
      let explained = try tool.run(["explain", "--push", "push.json"] + about)
      #expect(
        explained.status == 1 && explained.errors.contains(words), "\(explained.output)\(explained.errors)")
    }
    #expect(try tool.run("doctor", "push.json", "--app", "Info.plist", "--os", "ios:18.0").status == 0)
  }

  /// T9: of a folder for a host of one network, as `check` says; a mode makes devices ask the host itself (E13).
  @Test func noLinkOpensAHostOfOneNetworkThroughTheCDN() throws {
    let tool = try tool(Self.unsigned)
    try tool.write(DoctorTests.file(), to: "site/" + Self.path.replacing("example.com", with: "wiki.local"))
    func answer(_ entry: String, _ os: String) throws -> Tool.Outcome {
      try tool.write(DoctorTests.entitlements(entry), to: "App.entitlements")
      return try tool.run(
        "doctor", "site", "--app", "App.entitlements", "--build", "development", "--developer", "--os", os,
        "--json")
    }
    let outcome = try answer("applinks:wiki.local", "ios:26.0")
    #expect(
      try outcome.status == 1 && cause(outcome)?["id"] as? String == "private-address", "\(outcome.output)")
    #expect(try answer("applinks:wiki.local", "ios:13.0").status == 0)
    #expect(try answer("applinks:wiki.local?mode=developer", "ios:26.0").status == 0)
  }

  @Test func anUnsignedAppClaimsNothing() throws {
    let tool = try tool(Self.unsigned)
    let outcome = try tool.run("doctor", "example.com", "--app", "App.app", "--json")
    let cause = try cause(outcome)
    #expect(cause?["id"] as? String == "entitlement-missing" && cause?["certainty"] as? String == "inferred")
    #expect((cause?["title"] as? String)?.contains("not signed") == true && outcome.status == 1)
    try tool.write(DoctorTests.file(), to: "site/" + Self.path)
    let checked = try tool.run("check", "site", "--app", "App.app").output
    #expect(
      checked.contains("is not signed, so it has no entitlements yet; name its .entitlements"), "\(checked)")
    // With the entitlements beside it, those count.
    try tool.write(DoctorTests.entitlements("applinks:example.com"), to: "App.entitlements")
    let named = try tool.run(
      "doctor", "example.com", "--app", "App.app", "--app", "App.entitlements", "--json")
    #expect(named.status == 0, "\(named.output)\(named.errors)")
  }

  /// As 'check' has it: what an unsigned build will claim is not known, so that it claims nothing is no fact.
  @Test func explainAssumesTheClaimOfAnUnsignedApp() throws {
    let tool = try tool(Self.unsigned)
    try tool.write(DoctorTests.file(), to: "file")
    func explain(_ more: String...) throws -> [String: Any] {
      try tool.run(
        ["explain", DoctorTests.link, "--site", "file", "--app", "App.app", "--json"] + more
      ).json()
    }
    let assumed = try explain()
    #expect(assumed["opens"] as? String == "app", "\(assumed)")
    let unknown = assumed["not_known"] as? [String] ?? []
    #expect(unknown.contains { $0.contains("claims 'example.com': the program is not signed") }, "\(unknown)")
    // With the entitlements beside it, those count.
    try tool.write(DoctorTests.entitlements("applinks:other.example"), to: "App.entitlements")
    #expect(try explain("--app", "App.entitlements")["opens"] as? String == "browser")
  }

  @Test func anAppForNewerReleasesDoesNotInstall() throws {
    let entitlements = DoctorTests.entitlements("applinks:example.com")
    let tool = try tool(
      SignedProgram.bytes("com.example.app", team: "ABCDE12345", entitlements: entitlements),
      Self.plist("<key>MinimumOSVersion</key><string>17.0</string>"))
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in FetchTests.json(DoctorTests.file()) }
    for (release, expected) in [("ios:16.4", "release-too-old"), ("ios:17.0", nil)] as [(String, String?)] {
      let answer = try DoctorTests.ask(
        tool, port: host.port, cdn: nil, [DoctorTests.link, "--app", "App.app", "--os", release])
      #expect(answer.id == expected, "\(answer.outcome.output)")
    }
  }

  @Test func aProjectsReleaseIsRead() throws {
    let tool = try tool(Self.unsigned)
    try tool.write(Self.domains("applinks:dev.example.com"), to: "P/App/AppDebug.entitlements")
    try tool.write(Self.domains("applinks:example.com"), to: "P/App/AppRelease.entitlements")
    try tool.write(Self.plist("<key>NSExtension</key><dict/>"), to: "P/AExtension/Info.plist")
    try tool.write(Self.domains(), to: "P/AExtension/AExtension.entitlements")
    let outcome = try tool.run("doctor", "example.com", "--app", "P", "--json")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let left = try outcome.json()["not_checked"] as? [String] ?? []
    #expect(left.count { $0.contains("'P/App/AppRelease.entitlements' was read") } == 2, "\(left)")
    #expect(left.contains { $0.hasPrefix("'P/App/AppDebug.entitlements'") })
  }

  @Test(arguments: ["myapp://shop/1", "mailto:ann@example.com", "tel:+441234"])
  func aLinkOfAnotherKindIsRefused(_ text: String) throws {
    let outcome = try Tool().run("doctor", text)
    #expect(outcome.status == 2 && outcome.errors.contains("only web links open apps"), "\(outcome.errors)")
  }

  @Test func aFileAtTheRootIsNamedBesides() throws {
    let tool = try Tool()
    try tool.write(DoctorTests.file(), to: "site/example.com/apple-app-site-association")
    let outcome = try tool.run("doctor", "site", "--json")
    let also = try outcome.json()["also"] as? [[String: Any]]
    #expect(outcome.status == 0 && also?.map { $0["id"] as? String } == ["status"])
  }

  @Test func aVariableWithoutValuesOpensNothing() throws {
    let tool = try Tool()
    try tool.write(DoctorTests.file(DoctorTests.app, #"{"/":"/$(nothing)/*"}"#), to: "file")
    #expect(try cause(tool.run("doctor", "file", "--json"))?["id"] as? String == "rule-never-matches")
  }

  @Test func whatIsNoArchiveIsToldOnce() throws {
    let tool = try Tool()
    try tool.write("not a zip", to: "App.ipa")
    let outcome = try tool.run("doctor", "example.com", "--app", "App.ipa")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasPrefix(
        "linkspan doctor: error: App.ipa: error[bundle.other-format]: This is not a zip archive, as an .ipa is one."
      ),
      "\(outcome.errors)")
    #expect(!outcome.errors.contains("\\n"))
  }
}
