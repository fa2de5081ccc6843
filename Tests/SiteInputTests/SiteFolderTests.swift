import AppBundle
import AppSiteAssociation
import AssociationCheck
import AssociationDelivery
import LinkspanCore
import TestSupport
import Testing

@testable import SiteInput

/// Folders of hosts, and what lies in them.
@Suite struct SiteFolderTests {
  static let file = #"{"applinks":{"details":[]}}"#
  static let statements = #"[{"relation":["x"],"target":{"namespace":"web","site":"https://a.example"}}]"#
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test(
    arguments: [
      ("example.com", true), ("a.b.example", true), ("EXAMPLE.Com", true), ("a-b_c.example", true),
      ("1.example", true),
      ("example.xn--p1ai", true), ("example.xn--", true), ("münchen.de", true), ("example", false),
      ("", false),
      (".", false),
      ("example.", false), (".example", false), ("a..b", false), ("v1.2", false), ("a.b", false),
      ("a.bc", true), ("a.b1", false),
      ("a b.example", false), ("a:1.example", false), ("App.xcodeproj", false), ("en.lproj", false),
      ("A.XCFramework", false),
    ] as [(String, Bool)])
  func aHostHasADotAndADomainOfLetters(name: String, isHost: Bool) {
    #expect(SiteFolder.isHost(name) == isHost)
  }

  /// In a project's folder `public` is no host: what an app claims is not missing there.
  @Test func aFolderWithoutADotIsNoHostInAProject() throws {
    func project(host: String? = nil) throws -> SiteReader {
      try SiteReader([folder.path("app")], host: host, passesOverProblems: true, isProject: true)
    }
    try folder.write(Self.file, to: "app/public/.well-known/apple-app-site-association")
    let alone = try project()
    #expect(alone.files.map(\.host) == [nil] && !alone.isWholeSite && alone.hasBareFiles)
    #expect(try project(host: "given.example").files.map(\.host) == ["given.example"])
    try folder.write(Self.file, to: "app/a.example/.well-known/apple-app-site-association")
    let both = try project()
    #expect(both.files.map(\.host) == ["a.example", nil] && both.isWholeSite)
    // What serves a folder serves it under its name.
    #expect(try read("app").files.map(\.host) == ["a.example", "public"])
  }

  /// What the flag says is for files that lie in no host's folder.
  @Test(
    arguments: [
      ("file", "apple-app-site-association", true), ("file", "file", true),
      ("a.example/.well-known/apple-app-site-association", "a.example", false),
      ("sites/a.example/.well-known/apple-app-site-association", "sites", false),
    ])
  func aHostIsGivenForFilesWithoutOne(path: String, site: String, isTaken: Bool) throws {
    try folder.write(Self.file, to: path)
    if site != path { try folder.write(Self.file, to: "apple-app-site-association") }
    let reader = try SiteReader([folder.path(site)], host: nil)
    try reader.refuseIdleHost(isGiven: false)
    if isTaken {
      try reader.refuseIdleHost(isGiven: true)
    } else {
      #expect(throws: LinkspanError.self) { try reader.refuseIdleHost(isGiven: true) }
    }
  }

  @Test(
    arguments: [
      ("a.ipa", [0x50, 0x4B, 3, 4], "is a zip archive, as an .ipa is"),
      ("a.zip", [0x50, 0x4B, 5, 6], "is a zip archive, as an .ipa is"),
      ("b.ipa", [], "is an .ipa by its name"),
      ("b.ipa", [0xCF, 0xFA, 0xED, 0xFE], "is an .ipa by its name"),
      ("c", [0xCF, 0xFA, 0xED, 0xFE], "is a program (Mach-O)"),
      ("c", [0x50, 0x4B, 3, 5], nil), ("c", [0x7B, 0x7D], nil), ("c", [], nil),
      ("A.app/Info.plist", [0x7B], nil),
    ] as [(String, [UInt8], String?)])
  func aFileOfAnAppIsKnownByItsBeginning(name: String, bytes: [UInt8], words: String?) throws {
    try folder.write(bytes, to: name)
    #expect(try BundleInput.words(atSite: folder.path(name)) == words)
  }

  @Test(arguments: [
    ("A.app/Info.plist", "A.app", true), ("A.app/Info.plist", "A.app/", true),
    ("A.xcarchive/Info.plist", "A.xcarchive", true), ("A.appex/Contents/Info.plist", "A.appex", true),
    ("A.app/Other.plist", "A.app", false), ("A/Info.plist", "A", false),
  ])
  func aFolderOfAnAppIsKnownByItsName(file: String, site: String, isApp: Bool) throws {
    try folder.write("x", to: file)
    #expect(try BundleInput.words(atSite: folder.path("") + "/" + site) == (isApp ? "is an app" : nil))
  }

  /// E18 speaks of watchOS only, so an extension's domains are checked without a claim that a link is lost.
  @Test(arguments: [true, false]) func whatIsInsideAnAppIsCheckedWithTheSite(isOfWatchApp: Bool) throws {
    try folder.write(Self.file, to: "a.example/.well-known/apple-app-site-association")
    let plist = """
      <?xml version="1.0"?><plist version="1.0"><dict>
      <key>application-identifier</key><string>ABCDE12345.com.example.e</string>
      <key>com.apple.developer.associated-domains</key><array><string>applinks:https://b.example</string>
      <string>applinks:a.example</string><string>applinks:c.example</string></array></dict></plist>
      """
    try folder.write(plist, to: "E.entitlements")
    let apps = try AppReader([folder.path("E.entitlements")], team: nil, bundleIdentifier: nil).apps
    let site = try SiteReader([folder.path("a.example")], host: nil)
    let found = SiteFindings(
      of: site, ParsedSite(site), apps: [], embedded: [(try #require(apps.first), isOfWatchApp)],
      on: .standard)
    let ofDomains = found.findings.filter { !$0.rule.hasPrefix("aasa.") }
    let scheme = try #require(ofDomains.first { $0.rule == "entitlement.scheme" })
    #expect(scheme.severity == (isOfWatchApp ? .error : .warning) && scheme.fix == nil)
    let words = "Apple documents no use of an extension's domains outside watchOS."
    #expect(scheme.help?.hasSuffix(words) == !isOfWatchApp)
    #expect(ofDomains.contains { $0.severity == .error } == isOfWatchApp)
    #expect(found.notChecked.contains { $0.hasPrefix("whether devices use the domains") } == !isOfWatchApp)
  }

  @Test(
    arguments: [
      ("a.example/.well-known/apple-app-site-association", "a.example"),
      ("A.example/apple-app-site-association", "a.example"),
      ("x/a.example/./.well-known/apple-app-site-association", "a.example"),
      ("a.example/.well-known/assetlinks.json", nil), ("a.example/x/apple-app-site-association", nil),
      ("x/.well-known/apple-app-site-association", nil), ("apple-app-site-association", nil),
    ] as [(String, String?)])
  func aFileLiesInAHostsFolder(path: String, host: String?) throws {
    try folder.write("", to: path)
    #expect(SiteFolder.host(ofFile: folder.path(path)) == host)
  }

  private func read(_ names: String..., host: String? = nil, passesOver: Bool = false) throws -> SiteReader {
    try SiteReader(
      names.map(folder.path), host: host, passesOverProblems: passesOver, refusesLargeFiles: true)
  }

  @Test func aFolderOfHostsIsTheWholeSite() throws {
    try folder.write(Self.file, to: "sites/A.example/.well-known/apple-app-site-association")
    try folder.write(Self.file, to: "sites/b.example/apple-app-site-association")
    try folder.write(Self.statements, to: "sites/c.example/.well-known/assetlinks.json")
    try folder.write("", to: "sites/d.example/README")
    try folder.write("", to: "sites/notes/README")
    try folder.write("", to: "sites/.hidden.example/README")
    try folder.write("", to: "sites/file.example")
    let site = try read("sites")
    #expect(site.files.map(\.host) == ["a.example", "b.example"])
    #expect(site.files.map(\.location) == [.wellKnown, .root])
    #expect(site.assetLinks.map(\.host) == ["c.example"])
    #expect(site.emptyHosts == ["c.example", "d.example"] && site.skippedFolders == ["notes"])
    #expect(site.emptyFolders.map(\.path) == [folder.path("sites") + "/d.example"])
    #expect(site.isWholeSite && !site.hasBareFiles && !site.isAboutAppsOnly)
    #expect(throws: LinkspanError.self) { try site.refuseIdleHost(isGiven: true) }
    try site.refuseIdleHost(isGiven: false)
  }

  /// E11: devices, entitlements and `--host` have the name in Punycode.
  @Test func aFoldersNameIsReadAsAHostIs() throws {
    for path in ["sites/bücher.example", "sites/LEER.bücher.example"] {
      try folder.write("", to: "\(path)/README")
    }
    try folder.write(Self.file, to: "sites/bücher.example/.well-known/apple-app-site-association")
    let file = "bücher.example/.well-known/apple-app-site-association"
    let site = try read("sites")
    #expect(site.files.map(\.host) == ["xn--bcher-kva.example"])
    #expect(site.emptyHosts == ["leer.xn--bcher-kva.example"])
    #expect(try read("sites/bücher.example").files.map(\.host) == ["xn--bcher-kva.example"])
    #expect(SiteFolder.host(ofFile: folder.path("sites/\(file)")) == "xn--bcher-kva.example")
  }

  @Test func twoSpellingsOfOneHostAreTold() throws {
    for name in ["bücher.example", "xn--bcher-kva.example"] {
      try folder.write(Self.file, to: "sites/\(name)/.well-known/apple-app-site-association")
    }
    let site = try read("sites")
    #expect(site.repeatedHosts.map(\.host) == ["xn--bcher-kva.example"])
    #expect(site.repeatedHosts.first?.folders.count == 2)
  }

  /// E1 and E3: an entry names a domain, and no device asks another port.
  @Test(arguments: [
    ("localhost:8080", "is not a host name: it contains ':', which is not allowed in host names.", "error"),
    ("*.a.example", "is not a host name: it contains '*', which is not allowed in host names.", "error"),
    ("-a.example", "is not a host name: it has the label '-a' which begins or ends with a hyphen.", "error"),
    ("192.0.2.1", "is an IP address, not a host name.", "warning"),
  ])
  func aNameThatNoEntryHasIsFound(name: String, message: String, severity: String) throws {
    try folder.write(Self.file, to: "sites/\(name)/.well-known/apple-app-site-association")
    let site = try read("sites")
    let found = SiteChecker.findings(in: site, ParsedSite(site))
    #expect(found.map(\.rule) == ["site.host-name"])
    #expect(found.first?.message == "'\(name)' \(message)")
    // What 'serve' refuses is an error.
    #expect(found.first?.severity.rawValue == severity)
  }

  @Test func aFolderOfNoHostIsRefused() throws {
    for number in 1...9 { try folder.write("", to: "sites/n\(number)/README") }
    let error = #expect(throws: LinkspanError.self) { try read("sites") }
    #expect(error?.message.contains("contains no hosts") == true)
    #expect(error?.message.hasSuffix("n7, n8 and 1 more.") == true, "\(error?.message ?? "")")
    try folder.write("", to: "empty/README")
    #expect(throws: LinkspanError.self) { try read("empty") }
    try folder.write(Self.file, to: "public/.well-known/apple-app-site-association")
    let own = #expect(throws: LinkspanError.self) { try read("public") }
    #expect(own?.message.hasSuffix("contains no hosts, and its own name is not that of a host.") == true)
    #expect(own?.help?.hasSuffix("public/.well-known' instead.") == true, "\(own?.help ?? "")")
  }

  @Test(arguments: [
    ("a.example", "a.example"), ("a.example/.well-known", "a.example"),
    ("a.example/.well-known/", "a.example"),
  ])
  func oneHostsFolderIsNoSite(name: String, host: String) throws {
    try folder.write(Self.file, to: "a.example/.well-known/apple-app-site-association")
    let site = try read(name)
    #expect(site.files.map(\.host) == [host] && !site.isWholeSite && !site.hasBareFiles)
  }

  @Test func aFolderWithoutAHostTakesTheOneThatIsGiven() throws {
    try folder.write(Self.file, to: "public/.well-known/apple-app-site-association")
    let site = try read("public/.well-known", host: "Given.example")
    #expect(site.files.map(\.host) == ["given.example"] && site.hasBareFiles)
    try site.refuseIdleHost(isGiven: true)
  }

  /// A name with three slips may be meant; with four it is another one.
  @Test(
    arguments: [
      ("apple-app-site-association.json", true), ("Apple-App-Site-Association.txt", true), ("aasa", true),
      ("aasa.json", true),
      ("aasax", false), ("apple-app-site-associat", true), ("apple-app-site-associa", false),
      ("apple-app-site-assocxyztion", true), ("apple-app-site-aswxyztion", false),
    ] as [(String, Bool)])
  func aNearMissIsNamed(name: String, isNear: Bool) throws {
    for place in ["", ".well-known/", "well-known/"] {
      let folder = try ScratchFolder()
      try folder.write("", to: "a.example/" + place + name)
      try folder.write("", to: "a.example/.well-known/README")
      let site = try SiteReader([folder.path("a.example")], host: nil)
      #expect(
        site.emptyFolders.map(\.nearMiss) == [isNear ? folder.path("a.example") + "/" + place + name : nil])
      #expect(site.emptyHosts == ["a.example"])
    }
  }

  @Test func filesThatAreNamedGoWhereTheyBelong() throws {
    try folder.write(Self.file, to: "one")
    try folder.write(Self.statements, to: "two")
    try folder.write(Self.file, to: "a.example/.well-known/apple-app-site-association")
    let site = try read("one", "two", "a.example/.well-known/apple-app-site-association")
    #expect(site.files.map(\.host) == [nil, "a.example"] && site.assetLinks.count == 1 && site.hasBareFiles)
    #expect(try read("one", host: "h.example").files.map(\.host) == ["h.example"])
    let other = site.replacing([folder.path("one"): [1], folder.path("two"): [2]])
    #expect(other.files[0].source.bytes == [1] && other.assetLinks[0].source.bytes == [2])
    #expect(other.files[1].source.bytes == Array(Self.file.utf8))
    let names = try SiteReader(["a.example", "https://b.example/"], host: nil)
    #expect(names.names.map(\.host) == ["a.example", "b.example"] && names.files.isEmpty)
    #expect(throws: LinkspanError.self) { try SiteReader([folder.path("none")], host: nil) }
  }

  @Test func aFileAboutAnAppIsTakenWhereThatIsAsked() throws {
    try folder.write("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>", to: "A.entitlements")
    #expect(throws: LinkspanError.self) { try read("A.entitlements") }
    let site = try SiteReader([folder.path("A.entitlements")], host: nil, takesAppFiles: true)
    #expect(site.appFiles.count == 1 && site.isAboutAppsOnly && !site.hasBareFiles)
    #expect(site.replacing([site.appFiles[0].name: [1]]).appFiles[0].bytes == [1])
    var more = site
    more.emptyHosts = ["a.example"]
    #expect(!more.isAboutAppsOnly)
  }

  @Test func aHostThatCannotBeReadIsPassedOverWhereThatIsAsked() throws {
    try folder.write(Self.file, to: "sites/a.example/.well-known/apple-app-site-association")
    try folder.write(Self.file, to: "sites/b.example/.well-known/apple-app-site-association")
    try folder.write("", to: "sites/b.example/.well-known/assetlinks.json/x")
    try folder.link("sites/c.example", to: "nothing")
    try folder.link("sites/link", to: "nothing")
    let site = try read("sites", passesOver: true)
    #expect(site.files.map(\.host) == ["a.example"])
    #expect(site.problems.map(\.host) == ["b.example", "c.example"])
    #expect(throws: LinkspanError.self) { try read("sites") }
  }

  /// A file of the limit is read; one with a byte more cannot be published.
  @Test(arguments: [(131_072, true), (131_073, false)]) func aFileHasALimit(count: Int, isRead: Bool) throws {
    let text = Self.file + String(repeating: " ", count: count - Self.file.utf8.count)
    try folder.write(text, to: "a.example/.well-known/apple-app-site-association")
    if isRead {
      #expect(try read("a.example").files.count == 1)
    } else {
      #expect(throws: LinkspanError.self) { try read("a.example") }
      #expect(try SiteReader([folder.path("a.example")], host: nil).files.count == 1)
    }
  }

  @Test func eightNamesAreShownAndTheRestCounted() {
    let names = (1...9).map { "n\($0)" }
    #expect(Array(names.prefix(8)).joinedForReading == "n1, n2, n3, n4, n5, n6, n7, n8")
    #expect(names.joinedForReading == "n1, n2, n3, n4, n5, n6, n7, n8 and 1 more")
  }

  @Test func theHostsOfASiteAreCountedOnce() throws {
    try folder.write(Self.file, to: "sites/b.example/.well-known/apple-app-site-association")
    try folder.write("{", to: "sites/b.example/apple-app-site-association")
    try folder.write("", to: "sites/a.example/README")
    let parsed = ParsedSite(try read("sites"))
    #expect(parsed.hosts.map(\.host) == ["a.example", "b.example"])
    #expect(parsed.hosts[1].source?.text.bytes == Array(Self.file.utf8))
    #expect(parsed.unplacedSources.isEmpty && parsed.files.count == 2)
  }

  @Test(
    arguments: [
      (["a/x.example/", "b/x.example/"], ["a", "b"], ["a/x.example", "b/x.example"]),
      (["a/X.example/", "a/x.example/"], ["a"], ["a/X.example", "a/x.example"]),
      (["a/x.example/", "b/y.example/"], ["a", "b"], []),
      (["a/x.example/"], ["a", "a/x.example"], []),
    ] as [([String], [String], [String])])
  func aHostOfWhichTwoFoldersHaveFilesIsFound(homes: [String], sites: [String], folders: [String]) throws {
    for home in homes { try folder.write(Self.file, to: home + ".well-known/apple-app-site-association") }
    try folder.write(Self.file, to: homes[0] + "apple-app-site-association")
    let site = try SiteReader(sites.map(folder.path), host: nil)
    #expect(site.repeatedHosts.flatMap(\.folders) == folders.map(folder.path))
    #expect(
      SiteChecker.findings(in: site, ParsedSite(site)).map(\.rule)
        == (folders.isEmpty ? [] : ["site.two-folders"]))
  }

  @Test func bothKindsOfFilesMayLieInDifferentFolders() throws {
    try folder.write(Self.file, to: "a/x.example/.well-known/apple-app-site-association")
    try folder.write(Self.statements, to: "b/x.example/.well-known/assetlinks.json")
    #expect(try read("a", "b").repeatedHosts.isEmpty)
  }

  @Test(
    arguments: [
      ("", "{", "site.root-only"), (file, " " + file, nil),
      (file, #"{"applinks":{"details":[1]}}"#, "site.copies-differ"),
      ("{", "{", nil), ("{", "{ ", "site.copies-differ"),
    ] as [(String, String, String?)])
  func theCopyAtTheRootSaysTheSame(wellKnown: String, root: String, rule: String?) throws {
    if !wellKnown.isEmpty {
      try folder.write(wellKnown, to: "a.example/.well-known/apple-app-site-association")
    }
    try folder.write(root, to: "a.example/apple-app-site-association")
    let site = try read("a.example")
    #expect(SiteChecker.findings(in: site, ParsedSite(site)).map(\.rule) == (rule.map { [$0] } ?? []))
  }
}
