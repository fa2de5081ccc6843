import AppBundle
import LinkspanCore
import TestSupport
import Testing

@testable import SiteInput

/// The apps that a person names.
@Suite struct AppReaderTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func read(_ apps: [String], team: String? = nil, bundle: String? = nil) throws -> AppReader {
    try AppReader(apps, team: team, bundleIdentifier: bundle)
  }

  @Test func anIdentifierIsAnApp() throws {
    #expect(try read(["ABCDE12345.com.example.app"]).apps.count == 1)
    #expect(throws: LinkspanError.self) { try read(["ABCDE12345.com.example.app", "com.example.b"]) }
  }

  @Test(
    arguments: [
      ("ABCDE12345.com.example.app", nil, nil, true), ("com.example.app", "ABCDE12345", nil, true),
      ("com.example.app", nil, nil, false),
      ("ABCDE12345.com.example.app", "ABCDE12345", "com.example.app", true),
      ("ABCDE12345.com.example.app", "ZZZZZ12345", nil, false),
      ("ABCDE12345.com.example.app", nil, "com.example.b", false),
      ("a b", "ABCDE12345", nil, false),
    ] as [(String, String?, String?, Bool)])
  func anIdentifierFitsWhatIsStated(app: String, team: String?, bundle: String?, isRead: Bool) {
    #expect(((try? read([app], team: team, bundle: bundle))?.apps.count == 1) == isRead)
  }

  @Test func aStatedIdentityAloneIsAnApp() throws {
    #expect(try read([], team: "ABCDE12345", bundle: "com.example.app").apps.count == 1)
    #expect(try read([], team: "ABCDE12345", bundle: "com.example.app").idleFlag == nil)
    #expect(try read([], team: "ABCDE12345").idleFlag == "--team")
    #expect(try read([], bundle: "com.example.app").idleFlag == "--bundle-identifier")
    #expect(try read([]).idleFlag == nil && read([]).apps.isEmpty)
    #expect(throws: LinkspanError.self) { try read([], team: "no team") }
    #expect(throws: LinkspanError.self) { try read([], bundle: "no bundle") }
  }

  @Test func oneBundleIdentifierIsOfOneApp() {
    let apps = ["ABCDE12345.com.example.app", "ZZZZZ12345.com.example.app"]
    #expect((try? read(apps))?.apps.count == 2)
    #expect(throws: LinkspanError.self) { try read(apps, bundle: "com.example.app") }
  }

  private static func plist(_ inside: String) -> String {
    "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(inside)</dict></plist>"
  }

  /// The first file of one kind goes with the first of the others.
  @Test func filesOfOneAppGoTogether() throws {
    let domains =
      "<key>com.apple.developer.associated-domains</key><array><string>applinks:a.example</string></array>"
    try folder.write(Self.plist(domains), to: "A.entitlements")
    try folder.write(Self.plist(domains), to: "B.entitlements")
    try folder.write(
      Self.plist("<key>CFBundleIdentifier</key><string>com.example.app</string>"), to: "Info.plist")
    let paths = ["A.entitlements", "B.entitlements", "Info.plist"].map(folder.path)
    let apps = try read(paths).apps
    #expect(apps.count == 2 && apps.map { $0.infoPlist != nil } == [true, false])
    #expect(apps.allSatisfy { $0.entitlements != nil })
    #expect(try AppReader(files: paths, team: nil, bundleIdentifier: nil).apps.count == 2)
    #expect(try AppReader.claims(of: paths, stated: read([]).stated).count == 1)
    try folder.write("{", to: "broken.plist")
    #expect(throws: LinkspanError.self) { try read([folder.path("broken.plist")]) }
    let beside = try AppReader(
      [], team: "ABCDE12345", bundleIdentifier: nil,
      beside: [SourceText(name: "broken.plist", "<plist><dict><key></dict></plist>")])
    #expect(beside.apps.isEmpty && beside.findings.count == 1 && beside.idleFlag == nil)
  }

  @Test func whatIsAnAppIsNoSite() throws {
    let cases: [(String, String, String?)] = [
      ("A.app/Info.plist", "A.app", "is an app"), ("B.app/Contents/Info.plist", "B.app/", "is an app"),
      ("C.appex/Info.plist", "C.appex", "is an app"), ("D.xcarchive/Info.plist", "D.xcarchive", "is an app"),
      ("E.app/README", "E.app", nil), ("F/Info.plist", "F", nil),
    ]
    for (file, site, words) in cases {
      try folder.write("", to: file)
      #expect(try BundleInput.words(atSite: folder.path(site)) == words, "\(site)")
    }
    for (text, words) in [
      ("PK\u{3}\u{4}", "is a zip archive, as an .ipa is"),
      ("PK\u{5}\u{6}", "is a zip archive, as an .ipa is"),
      ("PK\u{5}\u{4}", nil), ("PK", nil), ("", nil),
    ] {
      try folder.write(text, to: "file")
      #expect(try BundleInput.words(atSite: folder.path("file")) == words)
    }
    #expect(try BundleInput.words(atSite: folder.path("none")) == nil)
  }

  /// As many at once as the width says, and the answers in the order of the questions.
  @Test(arguments: [(0, 3), (1, 3), (3, 3), (20, 3), (20, 1)]) func workIsDoneBesideEachOther(
    count: Int, width: Int
  ) {
    let running = Running()
    let answers = Parallel.map(Array(0..<count), width: width, everySecond: { _ in }) { item in
      running.state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { running.state.withLock { $0.now -= 1 } }
      return item * 2
    }
    #expect(answers == (0..<count).map { $0 * 2 })
    let most = running.state.withLock { $0.most }
    #expect(most <= width)
  }

  private final class Running: Sendable {
    let state = LockedState((now: 0, most: 0))
  }
}
