import AppBundle
import LinkspanCore
import Testing

/// A bundle in memory.
struct MemoryTree: FileTree {
  var name = "App.ipa"
  let archiveBytes: Int? = nil
  let contents: [(String, [UInt8])]
  var links: [String] = []

  var files: [BundleFile] { contents.map { BundleFile(path: $0.0, sizeBytes: $0.1.count) } }

  func open(_ index: Int) throws(BundleError) -> any RandomAccessBytes { MemoryBytes(contents[index].1) }
}

@Suite struct BundleTests {
  static func info(_ identifier: String, program: String = "App", _ more: String = "") -> [UInt8] {
    Array(
      MachOFixture.plist(
        """
        <key>CFBundleIdentifier</key><string>\(identifier)</string><key>CFBundleExecutable</key>
        <string>\(program)</string><key>MinimumOSVersion</key><string>14.0</string>\(more)
        """
      ).utf8)
  }

  static let domains = """
    <key>com.apple.developer.associated-domains</key><array><string>applinks:example.com</string></array>
    """
  static let domainsDER = MachOFixture.entitlements([
    MachOFixture.pair(
      "com.apple.developer.associated-domains",
      MachOFixture.element(0x30, MachOFixture.text("applinks:example.com")))
  ])

  static func program(_ identifier: String, der: [UInt8]? = domainsDER) -> [UInt8] {
    MachOFixture.thin(
      libraries: ["/usr/lib/libSystem.B.dylib"],
      signature: MachOFixture.signature(identifier, entitlements: MachOFixture.plist(domains), der: der))
  }

  static let app: [(String, [UInt8])] = [
    ("Payload/App.app/Info.plist", info("com.example.app")),
    ("Payload/App.app/App", program("com.example.app")),
    (
      "Payload/App.app/AppClips/Clip.app/Info.plist",
      info("com.example.app.Clip", program: "Clip", "<key>NSAppClip</key><dict/>")
    ),
    ("Payload/App.app/AppClips/Clip.app/Clip", program("com.example.app.Clip")),
    ("Payload/App.app/PlugIns/W.appex/Info.plist", info("com.example.app.W", program: "W")),
    ("Payload/App.app/PlugIns/W.appex/W", program("com.example.app.W")),
    ("Payload/App.app/Frameworks/A.framework/Info.plist", info("com.example.A", program: "A")),
    ("Payload/App.app/Frameworks/A.framework/A", MachOFixture.thin()),
    ("Payload/App.app/Frameworks/libx.dylib", MachOFixture.thin()),
  ]

  private func read(_ files: [(String, [UInt8])]) throws(BundleError) -> BundleDocument {
    try BundleReader(FileIndex(MemoryTree(contents: files))).read()
  }

  @Test func readsAnAppWithAllThatIsInside() throws {
    let document = try read(Self.app)
    #expect(document.kind == .ipa)
    #expect(document.main.bundleIdentifier == "com.example.app")
    #expect(document.main.teamIdentifier == "TEAM123456")
    #expect(document.main.associatedDomains == ["applinks:example.com"])
    #expect(document.main.clips.map(\.bundleIdentifier) == ["com.example.app.Clip"])
    #expect(document.main.clips.map(\.isAppClip) == [true])
    #expect(document.main.extensions.map(\.bundleIdentifier) == ["com.example.app.W"])
    #expect(
      document.main.frameworks.map(\.path).map { $0.dropFirst(16) } == [
        "Frameworks/A.framework", "Frameworks/libx.dylib",
      ])
    #expect(document.main.sizeBytes == Self.app.reduce(0) { $0 + $1.1.count })
    #expect(document.main.clips[0].fileCount == 2)
    #expect(document.findings.isEmpty)
  }

  @Test(arguments: [
    ("Payload/App.app/", ""), ("Payload/", ""), ("Payload/", "Products/Applications/"),
    ("Payload/", "A.xcarchive/Products/Applications/"),
  ])
  func theSameAppElsewhere(_ old: String, _ new: String) throws {
    let files = Self.app.map { (new + $0.0.dropFirst(old.count), $0.1) }
    let document = try read(files)
    #expect(document.kind == (new.isEmpty ? .app : .xcarchive))
    #expect(document.main.clips.count == 1)
  }

  /// Xcode's archive describes itself in an Info.plist at its top.
  @Test func anArchiveOfXcodeIsNoApp() throws {
    let files = Self.app.map { ("Products/Applications/" + $0.0.dropFirst("Payload/".count), $0.1) }
    let document = try read(files + [("Info.plist", Array("<plist version=\"1.0\"><dict/></plist>".utf8))])
    #expect(document.kind == .xcarchive)
    #expect(document.main.bundleIdentifier == "com.example.app")
    #expect(document.findings.isEmpty)
  }

  /// Of several the one that it names, as Xcode's Organizer distributes it.
  @Test(arguments: ["", "A.xcarchive/"])
  func anArchiveOfXcodeNamesItsApp(_ root: String) throws {
    func archive(_ path: String) -> [(String, [UInt8])] {
      let place = root + "Products/Applications/"
      let plist =
        "<plist version=\"1.0\"><dict><key>ApplicationProperties</key><dict><key>ApplicationPath</key>"
        + "<string>\(path)</string></dict></dict></plist>"
      return [
        (root + "Info.plist", Array(plist.utf8)),
        (place + "Aid.app/Info.plist", Self.info("com.example.aid")),
      ] + Self.app.map { (place + $0.0.dropFirst("Payload/".count), $0.1) }
    }
    let document = try read(archive("Applications/App.app"))
    #expect(document.kind == .xcarchive && document.main.bundleIdentifier == "com.example.app")
    #expect(try read(archive("Applications/Aid.app")).main.bundleIdentifier == "com.example.aid")
    for path in ["Applications/None.app", "../Aid.app"] {
      let error = #expect(throws: BundleError.self) { try read(archive(path)) }
      #expect(error?.finding.message.hasPrefix("There are 2 apps in it: ") == true)
    }
  }

  @Test func anArchiveIsATreeToo() throws {
    let archive = try Archive(MemoryBytes(ZipFixture(Self.app).bytes), file: "App.ipa")
    let document = try BundleReader(FileIndex(ArchiveTree(archive))).read()
    #expect(document.archiveBytes == archive.sizeBytes)
    #expect(document.main.clips[0].associatedDomains == ["applinks:example.com"])
    #expect(document.json.text.hasPrefix(#"{"type":"inspect","kind":"ipa","archive_bytes":"#))
  }

  private func rules(_ program: [UInt8], identifier: String = "com.example.app") throws -> [String] {
    try read([("Info.plist", Self.info(identifier)), ("App", program)]).findings.map(\.rule)
  }

  /// As `pathsThatDifferInNormalizationAreOne` has it for archives.
  @Test(arguments: [("B\u{FC}ro", "Bu\u{308}ro"), ("Bu\u{308}ro", "B\u{FC}ro")])
  func aProgramIsFoundHoweverItsLettersAreWritten(named: String, stored: String) throws {
    let document = try read([
      ("Info.plist", Self.info("com.example.app", program: named)),
      (stored, Self.program("com.example.app")),
    ])
    #expect(document.findings.isEmpty && document.main.associatedDomains == ["applinks:example.com"])
  }

  @Test func odditiesAreFindings() throws {
    #expect(try rules(Self.program("com.example.app")).isEmpty)
    #expect(try rules(MachOFixture.thin()) == ["signature.missing"])
    #expect(try rules(Self.program("com.example.other")) == ["signature.identifier-mismatch"])
    #expect(try rules(Self.program("com.example.app", der: nil)) == ["signature.no-der-entitlements"])
    let other = MachOFixture.entitlements([MachOFixture.pair("a", [1, 1, 0])])
    #expect(try rules(Self.program("com.example.app", der: other)) == ["signature.entitlements-disagree"])
    #expect(try rules(Self.program("com.example.app", der: [0])) == ["bundle.broken-entitlements"])
    #expect(try rules([1, 2, 3]) == ["bundle.broken-program"])
    let slices = MachOFixture.fat([
      (0x0100_000C, Self.program("com.example.app")), (12, MachOFixture.thin(cpu: 12)),
    ])
    #expect(try rules(slices) == ["signature.slices-disagree"])
    #expect(try read([("Info.plist", Self.info("a"))]).findings.map(\.rule) == ["bundle.no-program"])
    let nameless = Array(MachOFixture.plist("<key>CFBundleIdentifier</key><string>a</string>").utf8)
    let finding = try #require(try read([("Info.plist", nameless), ("App", [1])]).findings.first)
    #expect(finding.rule == "bundle.no-program" && finding.severity == .error)
    #expect(finding.message == "The Info.plist does not name the program: 'CFBundleExecutable' is missing.")
    let odd = MachOFixture.plist("<key>CFBundleExecutable</key><integer>5</integer>")
    #expect(
      try read([("Info.plist", Array(odd.utf8))]).findings.map(\.message)
        == ["The Info.plist does not name the program: 'CFBundleExecutable' is not a string."])
  }

  /// A signature that cannot be read is there all the same.
  @Test func aBrokenSignatureIsNotMissing() throws {
    var signature = MachOFixture.signature("com.example.app")
    signature[0] = 0
    #expect(try rules(MachOFixture.thin(signature: signature)) == ["bundle.broken-signature"])
  }

  /// The two forms of the entitlements are compared value by value, however deep.
  @Test(
    arguments: [
      ("<array><string>a</string><string>b</string></array>", ["a", "b"], nil, true),
      ("<array><string>a</string><string>b</string></array>", ["a"], nil, false),
      ("<array><string>a</string></array>", ["a", "b"], nil, false),
      ("<array><string>a</string><string>b</string></array>", ["b", "a"], nil, false),
      ("<dict><key>k</key><string>a</string></dict>", [], ["k": "a"], true),
      ("<dict><key>k</key><string>a</string></dict>", [], ["k": "b"], false),
      ("<dict><key>k</key><string>a</string></dict>", [], ["l": "a"], false),
      ("<dict><key>k</key><string>a</string></dict>", [], ["k": "a", "l": "b"], false),
      ("<string>a</string>", ["a"], nil, false),
    ] as [(String, [String], [String: String]?, Bool)])
  func bothFormsOfTheEntitlementsAreCompared(
    _ xml: String, _ list: [String], _ dictionary: [String: String]?, _ isSame: Bool
  ) throws {
    let value =
      dictionary.map { members in
        MachOFixture.element(
          0xB0,
          members.sorted { $0.key < $1.key }.flatMap {
            MachOFixture.pair($0.key, MachOFixture.text($0.value))
          })
      } ?? MachOFixture.element(0x30, list.flatMap { MachOFixture.text($0) })
    let program = MachOFixture.thin(
      signature: MachOFixture.signature(
        "com.example.app", entitlements: MachOFixture.plist("<key>d</key>" + xml),
        der: MachOFixture.entitlements([MachOFixture.pair("d", value)])))
    #expect(try rules(program) == (isSame ? [] : ["signature.entitlements-disagree"]))
  }

  @Test func blanksBeforeTheEntitlementsAreSkipped() throws {
    let program = MachOFixture.thin(
      signature: MachOFixture.signature(
        "com.example.app", entitlements: "\n  " + MachOFixture.plist(Self.domains), der: Self.domainsDER))
    let document = try read([("Info.plist", Self.info("com.example.app")), ("App", program)])
    #expect(document.findings.isEmpty)
    #expect(document.main.associatedDomains == ["applinks:example.com"])
  }

  /// What lies behind a link may be a clip with mistakes. A framework for the Mac is made with links.
  @Test func aLinkInAFolderIsNamed() throws {
    let links = ["AppClips/Clip.app", "Frameworks/A.framework/A", "a"]
    let files = [("Info.plist", Self.info("com.example.app")), ("App", Self.program("com.example.app"))]
    let tree = MemoryTree(name: "App.app", contents: files, links: links)
    let document = try BundleReader(FileIndex(tree)).read()
    #expect(document.findings.map(\.rule) == ["bundle.unfollowed-link", "bundle.unfollowed-link"])
    #expect(document.findings.map(\.location.file) == ["App.app/AppClips/Clip.app", "App.app/a"])
    #expect(document.findings.allSatisfy { $0.severity == .warning })
    let bare = MemoryTree(name: "App.app", contents: [files[1]], links: ["Info.plist"])
    let error = #expect(throws: BundleError.self) { try BundleReader(FileIndex(bare)).read() }
    #expect(error?.help.hasSuffix("Symbolic links, such as 'Info.plist', are not followed.") == true)
  }

  /// An archive of a framework has an Info.plist as well, which is Xcode's.
  @Test func anArchiveWithoutAnAppIsNoApp() {
    let files = [
      ("Info.plist", Self.info("com.example.Kit")), ("Products/Library/Frameworks/Kit.framework/Kit", []),
    ]
    let error = #expect(throws: BundleError.self) {
      try BundleReader(FileIndex(MemoryTree(name: "Kit.xcarchive", contents: files))).read()
    }
    #expect(error?.kind == .noApp)
  }

  @Test func noAppAndSeveralAppsAreRefused() {
    #expect(throws: BundleError.self) { try read([("a", [])]) }
    #expect(throws: BundleError.self) {
      try read([("Payload/A.app/Info.plist", []), ("Payload/B.app/Info.plist", [])])
    }
  }

  /// A folder in an archive cannot be named.
  @Test func oneOfSeveralAppsIsNamedWhereItCanBe() throws {
    let files: [(String, [UInt8])] = [("Payload/A.app/Info.plist", []), ("Payload/B.app/Info.plist", [])]
    let archive = try Archive(MemoryBytes(ZipFixture(files).bytes), file: "App.ipa")
    func help(_ index: FileIndex) -> String? {
      do throws(BundleError) {
        _ = try BundleReader(index).read()
        return nil
      } catch {
        return error.help
      }
    }
    #expect(help(FileIndex(MemoryTree(contents: files))) == "Name the folder of one of them.")
    #expect(help(FileIndex(ArchiveTree(archive))) == "Unpack it, and name the folder of one of them.")
  }

  // MARK: - Profiles

  @Test func aProfileIsRead() throws {
    let list = Array(
      MachOFixture.plist(
        "<key>Name</key><string>Store</string><key>TeamIdentifier</key><array><string>T</string></array>"
          + "<key>ExpirationDate</key><date>2027-01-02T03:04:05Z</date>"
          + "<key>Entitlements</key><dict><key>a</key><true/></dict>"
      ).utf8)
    let files = [
      ("Info.plist", Self.info("com.example.app")), ("App", Self.program("com.example.app")),
      ("embedded.mobileprovision", list),
    ]
    let document = try read(files)
    #expect(document.main.profile?.teamIdentifier == "T")
    #expect(document.main.profile?.entitlements?["a"]?.bool == true)
    #expect(document.json.text.contains(#""expires":"2027-01-02T03:04:05.000Z""#))
    #expect(document.main.profileBytes == list)
  }

  /// - Parameters:
  ///   - signed: The application identifier in the signature.
  ///   - profile: That of the profile.
  private func rules(signed: String, profile: String, expires: String) throws -> [String] {
    let program = MachOFixture.thin(
      signature: MachOFixture.signature(
        "com.example.app",
        entitlements: MachOFixture.plist("<key>application-identifier</key><string>\(signed)</string>"),
        der: MachOFixture.entitlements([
          MachOFixture.pair("application-identifier", MachOFixture.text(signed))
        ])))
    let list = MachOFixture.plist(
      "<key>ExpirationDate</key><date>\(expires)</date><key>Entitlements</key><dict>"
        + "<key>application-identifier</key><string>\(profile)</string></dict>")
    var document = try read([
      ("Info.plist", Self.info("com.example.app")), ("App", program),
      ("embedded.mobileprovision", Array(list.utf8)),
    ])
    document.verifyProfiles(
      trusting: nil, at: try #require(WallTime("2026-05-01T00:00:00Z")))
    return document.findings.map(\.rule).filter { $0 != "signature.profile-unsigned" }
  }

  /// QA1879: another prefix, or another identifier; `*` at the end stands for any text.
  @Test(arguments: [
    ("TEAM123456.com.example.app", "TEAM123456.com.example.app", true),
    ("TEAM123456.com.example.app", "TEAM123456.*", true),
    ("TEAM123456.com.example.app", "TEAM123456.com.example.*", true),
    ("TEAM123456.com.example.app", "OTHER12345.com.example.app", false),
    ("TEAM123456.com.example.app", "OTHER12345.*", false),
    ("TEAM123456.com.example.app", "TEAM123456.com.example.other", false),
    ("TEAM123456.com.example.app", "TEAM123456.com.other.*", false),
  ]) func aProfileIsForTheAppThatItIsIn(signed: String, profile: String, isRight: Bool) throws {
    let found = try rules(signed: signed, profile: profile, expires: "2027-01-01T00:00:00Z")
    #expect(found == (isRight ? [] : ["signature.profile-other-app"]))
  }

  @Test(arguments: [
    ("2026-04-30T23:59:59Z", true), ("2026-05-01T00:00:00Z", true), ("2026-05-01T00:00:01Z", false),
  ]) func aProfileThatHasExpiredIsAFinding(expires: String, isFound: Bool) throws {
    let identifier = "TEAM123456.com.example.app"
    let found = try rules(signed: identifier, profile: identifier, expires: expires)
    #expect(found == (isFound ? ["signature.profile-expired"] : []))
  }

  @Test func aProfileThatIsNoPropertyListIsAFinding() throws {
    let files = [
      ("Info.plist", Self.info("com.example.app")), ("App", Self.program("com.example.app")),
      ("embedded.mobileprovision", [1, 2, 3]),
    ]
    let main = try read(files).main
    #expect(main.profile == nil)
    #expect(main.findings.contains { $0.location.file.hasSuffix("embedded.mobileprovision") })
  }
}

@Suite struct SizeTests {
  private func index(_ files: [(String, [UInt8])]) -> FileIndex { FileIndex(MemoryTree(contents: files)) }

  private func levers(_ files: [(String, [UInt8])]) throws -> [SizeLever.Name: SizeLever] {
    let index = index(files)
    let sizes = try BundleSizes(index, root: "", isWholeArchive: false)
    let savings = try WhatIf(index, sizes).savings(resources: ClipSelection(looseIn: index, root: ""))
    return Dictionary(uniqueKeysWithValues: savings.levers.map { ($0.name, $0) })
  }

  @Test func partsSayWhatTakesTheRoom() throws {
    let sizes = try BundleSizes(
      index([
        ("App", MachOFixture.thin(padding: 9_000)), ("Assets.car", [UInt8](repeating: 1, count: 500)),
        ("a.ttf", [1, 2, 3]), ("de.lproj/A.strings", [1]),
        ("Frameworks/A.framework/A", MachOFixture.thin(padding: 100)),
      ]), root: "", isWholeArchive: false)
    #expect(sizes.parts.map(\.kind) == [.code, .assetCatalogue, .library, .font, .localisation])
    #expect(sizes.parts[2].name == "Frameworks/A.framework/A")
    #expect(sizes.uncompressedBytes == sizes.parts.reduce(0) { $0 + $1.sizeBytes })
    #expect(sizes.compressedBytes == nil)
  }

  @Test func zipSavesWhatAnArchiveIsSmaller() throws {
    let layout = Array(String(repeating: "{\"a\":1}", count: 1000).utf8)
    let lever = try #require(try levers([("layouts/a.json", layout), ("Info.plist", [1])])[.zip])
    let files = index([("layouts/a.json", layout), ("Info.plist", [1])])
    let package = try ClipPacker(files, root: "").pack(ClipSelection(looseIn: files, root: ""))
    #expect(lever.files == ["layouts/a.json"])
    #expect(lever.savesBytes == layout.count - package.archive.count - package.manifest.count)
  }

  @Test func whatOthersReadIsNoLooseResource() throws {
    let files = ["_CodeSignature/a.json", "A.framework/a.json", "de.lproj/a.json", "PlugIns/A.appex/a.json"]
    #expect(try levers(files.map { ($0, [1]) })[.zip]?.files == [])
  }

  @Test func sliceKeepsArm64() throws {
    let kept = MachOFixture.thin(padding: 1000)
    let fat = MachOFixture.fat([(0x0100_0007, MachOFixture.thin(cpu: 0x0100_0007)), (0x0100_000C, kept)])
    #expect(try levers([("App", fat)])[.slice]?.savesBytes == fat.count - kept.count)
    #expect(try levers([("App", kept)])[.slice]?.savesBytes == 0)
  }

  @Test func onlyEqualBytesAreDuplicates() throws {
    let lever = try levers([
      ("a", [1, 2]), ("b", [1, 2]), ("c", [2, 1]), ("d", [1, 2]), ("e", []), ("f", []),
    ])[.duplicate]
    #expect(lever?.savesBytes == 4)
    #expect(lever?.files == ["b", "d"])
  }

  @Test(arguments: [
    ("layouts/*.json", "layouts/a.json", true), ("layouts/*.json", "layouts/b/a.json", false),
    ("*.ttf", "a.ttf", true), ("*.ttf", "fonts/a.ttf", false), ("**/*.ttf", "fonts/x/a.ttf", true),
    ("**/*.ttf", "a.ttf", true), ("a?c", "abc", true), ("a?c", "a/c", false), ("*", "", true),
    ("a", "ab", false),
    ("a**", "a/b/c", true),
  ])
  func patterns(_ pattern: String, _ path: String, _ matches: Bool) {
    #expect(PathPattern(pattern).matches(path) == matches)
  }
}
