import Foundation
import LinkspanCore
import TestSupport
import Testing

@Suite struct CheckTests {
  static let good =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#

  @Test func aGoodFileIsAYes() throws {
    let tool = try Tool()
    let outcome = try tool.run("check", tool.write(Self.good, to: "file"))
    #expect(outcome.status == 0)
    #expect(
      outcome.output.hasPrefix(
        "1 file: no problems found\nNot checked:\n"))
    #expect(
      outcome.output.hasSuffix(
        "  - releases before iOS 15.0: name older ones with '--os', such as ios:12..26\n"))
    #expect(try tool.run("check", "-", input: Self.good).status == 0)
  }

  /// What lies beside the hosts' folders in a project is no host without a file.
  @Test func foldersThatAreNoHostsAreSkippedAndNamed() throws {
    let tool = try Tool()
    try tool.write(Self.good, to: "site/example.com/.well-known/apple-app-site-association")
    for folder in ["App.xcodeproj", "node_modules", "v1.2"] { try tool.write("", to: "site/\(folder)/x") }
    let outcome = try tool.run("check", "site")
    #expect(outcome.status == 0)
    #expect(
      outcome.output.contains("\n  - folders whose names are not hosts: App.xcodeproj, node_modules, v1.2\n"))
    try tool.write("", to: "none/src/x")
    #expect(try tool.run("check", "none").errors.contains("contains no hosts. These are not hosts: src.\n"))
    try tool.write("", to: "site/www.example.com/x")
    #expect(try tool.run("check", "site").status == 1)
  }

  @Test func theReportIsOneDocument() throws {
    let tool = try Tool()
    try tool.write("{\"applinks\":\n{\"details\":[],}}", to: "file")
    let outcome = try tool.run("check", "file", "--json")
    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        {"type":"check","findings":[{"rule":"json.trailing-comma","severity":"error","file":"file","line":2,"column":14,\
        "end_line":2,"end_column":15,"pointer":"","message":"There is a ',' after the last value.",\
        "help":"Remove it: JSON allows no comma before a closing bracket.","source":"R5","fixable":true,\
        "releases":{"from":"ios:15.0","to":null}}],\
        "summary":{"errors":1,"warnings":0,"notes":0},"os":{"from":"ios:15.0","to":null},"releases":[],"not_checked":["how the files are served: status, redirects, \
        content type, certificate, Apple's CDN","whether an app claims the hosts: no app was given",\
        "releases before iOS 15.0: name older ones with '--os', such as ios:12..26"],\
        "diagnosis":[{"cause":"file-dropped","sentence":"Devices ignore the whole file because of an error.",\
        "because":["json.trailing-comma"],"next":["Fix the errors above; a single JSON error makes devices ignore the whole file."]}],"asked":[]}

        """)
  }

  @Test func saysWhereReleasesDisagree() throws {
    let tool = try Tool()
    try tool.write(
      Self.good.replacing(#"{"/":"/a"}"#, with: #"{"/":"/a","caseSensitive":false}"#), to: "file")
    let outcome = try tool.run("check", "file", "--os", "ios:13..")
    #expect(outcome.status == 0)
    #expect(
      outcome.output.hasPrefix(
        """
        file:1:80: note[aasa.release-dependent]: What this rule means depends on the release: on iOS 13.4, \
        https://example.com/A matches no rule; on the newest it opens the app.
          1 | IDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","caseSensitive":false}]}]}}
            |                                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          Older releases ignore keys that they do not know: caseSensitive and variables came with iOS 13.5, \
        percentEncoded and defaults with iOS 14.
          This holds for iOS 13.0–13.4.

        1 file: 1 note
        Releases:
          - file: https://example.com/A, for ABCDE12345.com.example.app
              iOS 13.0–13.4       no match: closest is entry 0, rule 0: the path is '/A', which '/a' does not cover
              iOS 13.5 and later  match: entry 0, rule 0 covers it: {"/":"/a","caseSensitive":false}; iOS 13.5 began \
        to read "caseSensitive"
        Not checked:

        """))
    let json = try tool.run(
      "check", "file", "--json", "--host", "Www.example.com", "--os", "ios:13..26"
    ).json()
    let releases = try #require(json["releases"] as? [[String: Any]])
    #expect(releases.map { $0["url"] as? String } == ["https://www.example.com/A"])
    #expect(try tool.run("check", "file").output.hasPrefix("1 file: no problems found\n"))
    // Releases that agree among themselves have nothing to say; one that takes nothing is an error.
    let asked = try tool.run("check", "file", "--os", "ios:14", "--os", "ios:26", "--json")
    #expect(asked.status == 0 && asked.output.contains(#""releases":[]"#))
    let old = try tool.run("check", "file", "--os", "ios:12.4")
    #expect(old.status == 1)
    #expect(
      old.output.hasPrefix(
        "file: error[aasa.release-takes-nothing]: iOS 12.4 uses no link of this file: it requires \"apps\": [] inside \"applinks\".\n"
      ))
    #expect(try tool.run("check", "file", "--os", "beos:5").status == 2)
  }

  /// Which releases count: those of '--os', of the configuration, of the app, in this order.
  @Test func theReleasesComeFromWhoNamesThem() throws {
    let tool = try Tool()
    let dead = Self.good.replacing(
      #"{"/":"/a"}"#, with: #"{"/":"/a","caseSensitive":false},{"/":"/A"}"#)
    try tool.write(dead, to: "file")
    try tool.write(
      #"<plist version="1.0"><dict><key>MinimumOSVersion</key><string>13.0</string></dict></plist>"#,
      to: "Info.plist")
    try tool.write(#"{ sites: ["file"], releases: "ios:13.2..17" }"#, to: "linkspan.json5")
    func spans(_ words: String...) throws -> [String] {
      let json = try tool.run(["check"] + words + ["--json"]).json()
      let findings = try #require(json["findings"] as? [[String: Any]])
      return try [json["os"], findings.first { $0["rule"] as? String == "aasa.unreachable" }?["releases"]].map
      {
        let span = try #require($0 as? [String: Any])
        return "\(span["from"] as? String ?? "-") \(span["to"] as? String ?? "-")"
      }
    }
    #expect(try spans("file") == ["ios:15.0 -", "ios:15.0 -"])
    #expect(try spans("file", "--app", "Info.plist") == ["ios:13.0 -", "ios:13.5 -"])
    #expect(try spans("--config", "linkspan.json5") == ["ios:13.2 ios:17", "ios:13.5 ios:17"])
    #expect(
      try spans("--config", "linkspan.json5", "--os", "ios:17.4") == [
        "ios:17.4 ios:17.4", "ios:17.4 ios:17.4",
      ])
    try tool.write(#"{ sites: ["file"], releases: "ios:26..15" }"#, to: "wrong.json5")
    #expect(try tool.run("check", "--config", "wrong.json5").status == 2)
  }

  @Test(arguments: [
    ("ios:26..15", "the range ends before it begins"), ("ios:", "the version is missing"),
    ("macos:..", "the range names no first release"),
  ])
  func whatIsNoRangeIsRefused(os: String, reason: String) throws {
    let tool = try Tool()
    try tool.write(Self.good, to: "file")
    for words in [["check", "file"], ["diff", "file", "file"]] {
      let outcome = try tool.run(words + ["--os", os])
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("'\(os)' is not a release or a range of releases: \(reason)."))
    }
  }

  @Test func anAppIsJoinedWithItsHosts() throws {
    let outcome = try Tool().run(
      "check", Fixtures.root.appending(path: "Examples/site").path, "--app",
      Fixtures.root.appending(path: "Examples/app/App.entitlements").path, "--app",
      Fixtures.root.appending(path: "Examples/app/Info.plist").path, "--json")
    #expect(outcome.status == 1)
    let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
    let found = findings.map { "\($0["rule"]!):\($0["line"] as? Int ?? 0)" }
    #expect(
      found == [
        "joined.host-without-file:12", "joined.app-not-named:15", "joined.old-release:0",
        "aasa.unknown-key:7",
        "aasa.unreachable:9", "aasa.idle-exclusion:10",
      ])
  }

  static let entitlements = """
    <plist version="1.0"><dict><key>application-identifier</key><string>ABCDE12345.com.example.app</string>
    <key>com.apple.developer.associated-domains</key><array>
    <string>applinks:example.com</string><string>applinks:*.example.org</string>
    </array></dict></plist>
    """

  @Test(
    arguments: [
      ("ABCDE12345.com.example.app", nil), ("ZZZZZ12345.com.example.app", "joined.other-prefix"),
      ("ABCDE12345.com.Example.app", "joined.other-case"),
      ("ABCDE12345.com.example.other", "joined.app-not-named"),
    ] as [(String, String?)])
  func whoTheFileNames(identifier: String, rule: String?) throws {
    let tool = try Tool()
    try tool.write(Self.entitlements, to: "app.entitlements")
    try tool.write(
      Self.good.replacing("ABCDE12345.com.example.app", with: identifier),
      to: "site/example.com/.well-known/apple-app-site-association")
    try tool.write(Self.good, to: "site/example.org/.well-known/apple-app-site-association")
    let outcome = try tool.run("check", "site", "--app", "app.entitlements", "--json")
    let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
    let rules = findings.filter { $0["severity"] as? String == "error" }.map { $0["rule"] as? String }
    #expect(rules == (rule.map { [$0] } ?? []))
  }

  @Test func theRootAloneIsDeprecatedAndAWildcardAsksTheParent() throws {
    let tool = try Tool()
    try tool.write(Self.entitlements, to: "app.entitlements")
    try tool.write(Self.good, to: "site/example.com/apple-app-site-association")
    try tool.write(Self.good, to: "site/www.example.org/.well-known/apple-app-site-association")
    let outcome = try tool.run("check", "site", "--app", "app.entitlements", "--json")
    let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
    let rules = Set(findings.compactMap { $0["rule"] as? String })
    #expect(
      rules.isSuperset(of: ["site.root-only", "joined.file-not-consulted", "joined.host-without-file"]))
    // The app does claim the host, by the wildcard.
    let ofWildcard = findings.filter { ($0["file"] as? String)?.contains("www.example.org") == true }
    #expect(ofWildcard.map { $0["rule"] as? String } == ["joined.file-not-consulted"], "\(ofWildcard)")
  }

  @Test func statementListsForAndroidAreCheckedToo() throws {
    let tool = try Tool()
    let list =
      #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android"}}]"#
    try tool.write(list, to: "site/example.com/.well-known/assetlinks.json")
    try tool.write(list, to: "statements")
    try tool.write(Self.good, to: "site/example.com/.well-known/apple-app-site-association")
    for operands in [["site"], ["site/example.com"], ["statements"]] {
      let outcome = try tool.run(["check"] + operands + ["--json"])
      let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
      #expect(findings.map { $0["rule"] as? String } == ["assetlinks.namespace"], "\(operands)")
      #expect(outcome.status == 1)
    }
  }

  @Test(arguments: [(good, 0), (good.replacing(":", with: " : "), 0), (good.replacing("/a", with: "/b"), 1)])
  func aCopyAtTheRootSaysTheSame(copy: String, count: Int) throws {
    let tool = try Tool()
    try tool.write(Self.good, to: "site/example.com/.well-known/apple-app-site-association")
    try tool.write(copy, to: "site/example.com/apple-app-site-association")
    let outcome = try tool.run("check", "site", "--json")
    let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
    #expect(findings.map { $0["rule"] as? String } == Array(repeating: "site.copies-differ", count: count))
  }

  static let wanted = ".well-known/apple-app-site-association"

  @Test(
    arguments: [
      (wanted + ".json", "example.com/\(wanted).json"), ("apple-app-site-asociation", nil),
      ("AASA.json", "example.com/AASA.json"), (".well-known/security.txt", nil),
      ("well-known/apple-app-site-association", "example.com/well-known/apple-app-site-association"),
    ] as [(String, String?)])
  func aHostWithoutItsFileIsAnError(name: String, nearMiss: String?) throws {
    let tool = try Tool()
    try tool.write(Self.good, to: "site/example.com/\(name)")
    let outcome = try tool.run("check", "site", "--json")
    #expect(outcome.status == 1)
    let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
    #expect(findings.map { $0["rule"] as? String } == ["site.no-file"])
    #expect(findings.first?["file"] as? String == "site/example.com/\(Self.wanted)")
    let near = nearMiss ?? (name.contains("asociation") ? "example.com/\(name)" : nil)
    let help = findings.first?["help"] as? String ?? ""
    #expect(near.map { help.hasPrefix("'site/\($0)' is there") } ?? help.hasPrefix("No link"), "\(help)")
  }

  @Test func theFolderOfAHostWithoutItsFileIsAnError() throws {
    let tool = try Tool()
    try tool.write("", to: "example.com/.well-known/security.txt")
    for site in ["example.com", "example.com/.well-known", "example.com/.well-known/"] {
      let outcome = try tool.run("check", site, "--json")
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("\"site.no-file\""))
    }
  }

  @Test func theFolderWellKnownMeansItsHost() throws {
    let tool = try Tool()
    try tool.write(Self.good, to: "example.com/\(Self.wanted)")
    try tool.write(Self.entitlements, to: "app.entitlements")
    let outcome = try tool.run("check", "example.com/.well-known", "--app", "app.entitlements", "--json")
    let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
    #expect(!findings.contains { ($0["rule"] as? String ?? "").hasPrefix("site.") })
    #expect(!outcome.output.contains("example.com is not among"))
    try tool.write(Self.good, to: "public/\(Self.wanted)")
    #expect(try tool.run("check", "public/.well-known", "--host", "example.com").status == 0)
  }

  @Test func theHostOfAFolderIsItsName() throws {
    let tool = try Tool()
    try tool.write(Self.good, to: "site/example.com/\(Self.wanted)")
    let outcome = try tool.run("check", "site", "--host", "example.org")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'--host' is for files named one by one"))
  }

  /// What cannot be looked at is not absent.
  @Test func whatIsNoFileIsAnErrorOfItsHostAndTheOthersAreChecked() throws {
    let place = "site/example.com/\(Self.wanted)"
    let makers: [(what: String, reason: String, make: (String) -> Int32)] = [
      ("a folder", "is a directory; expected a file", { mkdir($0, 0o755) }),
      ("a FIFO", "is not a regular file", { mkfifo($0, 0o644) }),
      ("a link to itself", "cannot be read", { symlink("apple-app-site-association", $0) }),
      ("a link to nothing", "is a link to a file that is not there", { symlink("nowhere", $0) }),
    ]
    for (what, reason, make) in makers {
      let tool = try Tool()
      try tool.write("", to: "site/example.com/.well-known/other")
      #expect(make(tool.folder.appending(path: place).path) == 0)
      try tool.write(Self.good.replacing("/a", with: "a"), to: "site/other.example/\(Self.wanted)")
      let outcome = try tool.run("check", "site")
      #expect(outcome.status == 1, "\(what): \(outcome.errors)")
      #expect(
        outcome.output.contains(
          "\(place): error[site.unreadable]: 'example.com' was not checked: this \(reason)"),
        "\(outcome.output)")
      #expect(outcome.output.contains("site/other.example/\(Self.wanted):1:"), "\(outcome.output)")
      let findings = try tool.run("check", "site", "--json").json()["findings"] as? [[String: Any]]
      let rules = (findings ?? []).compactMap { $0["rule"] as? String }
      #expect(rules.contains("site.unreadable") && rules.count > 1, "\(rules)")
      #expect(try tool.run("check", "site", "--fix", "--dry-run").status == 1)
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func aClosedFolderIsRefused() throws {
    let tool = try Tool()
    try tool.write(Self.good, to: "site/example.com/\(Self.wanted)")
    let closed = tool.folder.appending(path: "site/example.com/.well-known").path
    #expect(chmod(closed, 0) == 0)
    defer { chmod(closed, 0o755) }
    let outcome = try tool.run("check", "site")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("this cannot be read: Permission denied"))
  }

  /// What an app is built into is no association file, and is not judged as one: `check` takes it as its app, and a
  /// command that takes no app there says what it is.
  @Test func anAppAsSiteIsRecognised() throws {
    let tool = try Tool()
    let program = [0xCF, 0xFA, 0xED, 0xFE, 0x0C, 0, 0, 1] + Array(repeating: 0, count: 200_000) as [UInt8]
    // A program that nobody signed is an app with a fault; the others are none.
    for (name, bytes, what, told) in [
      ("App.ipa", [0x50, 0x4B, 3, 4, 0x14, 0], "a zip archive, as an .ipa is", "bundle.truncated"),
      (
        "empty.ipa", [0x50, 0x4B, 5, 6] + Array(repeating: 0, count: 18), "a zip archive, as an .ipa is",
        "bundle.no-app"
      ),
      ("App", program, "a program (Mach-O)", "signature.missing"),
    ] as [(String, [UInt8], String, String)] {
      try Data(bytes).write(to: tool.folder.appending(path: name))
      let checked = try tool.run("check", name)
      #expect(checked.status == (name == "App" ? 0 : 2))
      #expect((checked.errors + checked.output).contains(told), "\(checked.errors)")
      let outcome = try tool.run("explain", "https://example.com/", "--site", name)
      #expect(outcome.status == 2)
      #expect(
        outcome.errors == "linkspan explain: error: '\(name)' is \(what); expected an association file.\n"
          + "  'linkspan check' and 'linkspan explain' take an app with '--app'.\n")
    }
    try tool.write("<plist/>", to: "Shop.app/Info.plist")
    let folder = try tool.run("explain", "https://example.com/", "--site", "Shop.app")
    #expect(folder.status == 2)
    #expect(folder.errors.contains("'Shop.app' is an app; expected an association file."), "\(folder.errors)")
    let fixed = try tool.run("check", "--fix", "Shop.app")
    #expect(
      fixed.status == 2 && fixed.errors.contains("'Shop.app' is an app as it was signed."), "\(fixed.errors)")
  }

  @Test func theSummaryCountsWhatIsNotListed() throws {
    let tool = try Tool()
    let many = Array(repeating: #"{"/":"/a","exlude":true}"#, count: 1_000).joined(separator: ",")
    try tool.write(Self.good.replacing(#"{"/":"/a"}"#, with: many), to: "file")
    let text = try tool.run("check", "file").output
    #expect(text.contains("1 file: 1000 errors"))
    #expect(text.contains("900 more of this kind are not listed."))
    let json = try tool.run("check", "file", "--json").output
    #expect(json.contains(#""unlisted":900"#))
    #expect(json.contains(#""summary":{"errors":1000,"#))
  }

  @Test func brokenClaimsSayWhere() throws {
    let tool = try Tool()
    try tool.write(Self.good, to: "file")
    try tool.write("<plist><dict><key>a</key></dict></plist>", to: "app.entitlements")
    let outcome = try tool.run("check", "file", "--app", "app.entitlements")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("app.entitlements:1:"))
  }

  /// The line a person would look at: for every corpus file whose manifest notes broken syntax.
  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func brokenSyntaxIsFoundOnItsLine() throws {
    let corpus = try #require(Fixtures.corpus)
    let lines = [
      "077-AbeWang-AbeWang.github.io.json": 1, "079-KingVincente-onlydeaf-well-known.json": 1,
      "093-MaxTopDev-test-fake-json.json": 19, "095-RSickenberg-rsickenberg.me.old.json": 10,
      "117-555cyril-trackpill.json": 7, "145-Dean151-Aln-NodeJs.json": 7,
      "169-AntonioArcodia-UniversalLinktesting.json": 1,
      "185-edityomurti-apple-app-site-association-pls.json": 2,
      "186-edityomurti-apple-app-site-association-pls.json": 2,
    ]
    let names = try corpus.manifest("aasa").map(\.[0]).sorted()
    let paths = names.map { corpus.url.appending(path: "aasa/\($0)").path }
    let outcome = try Tool().run(["check"] + paths + ["--json"])
    let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
    for (name, line) in lines {
      let first = findings.first {
        ($0["file"] as? String ?? "").hasSuffix(name) && ($0["rule"] as? String ?? "").hasPrefix("json.")
      }
      #expect(first?["line"] as? Int == line, "\(name)")
    }
    let broken = try corpus.manifest("aasa").filter { $0[10].contains("json-syntax") }.map(\.[0])
    #expect(Set(broken) == Set(lines.keys))
  }
}
