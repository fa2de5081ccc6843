import AppBundle
import LinkspanCore
import Testing

/// Resources of a clip in one archive.
@Suite struct ClipPackageTests {
  static let layout = Array(String(repeating: #"{"view":"label","text":"a"}"#, count: 400).utf8)
  static let font = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 40) }
  static let files: [(String, [UInt8])] = [
    ("Info.plist", BundleTests.info("com.example.app.Clip")), ("a.ttf", font), ("layouts/a.json", layout),
    ("layouts/b.json", layout), ("de.lproj/x.json", layout), ("Frameworks/F.framework/f.json", layout),
  ]

  private func index(_ files: [(String, [UInt8])] = files) -> FileIndex {
    FileIndex(MemoryTree(contents: files))
  }

  private func package(resources: [String], fonts: [String] = []) throws -> ClipPackage {
    let selection = try ClipSelection(resources: resources, fonts: fonts, in: index(), root: "")
    return try ClipPacker(index(), root: "").pack(selection)
  }

  @Test func theArchiveHoldsWhatWasPacked() throws {
    let package = try package(resources: ["layouts/*.json"], fonts: ["*.ttf"])
    #expect(package.files.map(\.path) == ["a.ttf", "layouts/a.json", "layouts/b.json"])
    #expect(package.files.map(\.isFont) == [true, false, false])
    let archive = try Archive(MemoryBytes(package.archive), file: "ClipResources.zip")
    #expect(try package.isHeld(by: archive))
    #expect(
      package.savesBytes == 2 * Self.layout.count + Self.font.count - package.archive.count
        - package.manifest.count)
    let other = try self.package(resources: ["layouts/a.json"])
    #expect(try !other.isHeld(by: archive))
  }

  @Test func theManifestNamesEveryFileWithItsDigest() throws {
    let package = try package(resources: ["layouts/a.json"], fonts: ["*.ttf"])
    #expect(
      String(decoding: package.manifest, as: UTF8.self) == """
        {"format":"linkspan-clip-resources","version":1,"archive":{"path":"ClipResources.zip","size_bytes":\
        \(package.archive.count),"sha256":"\(SHA256.hexDigest(of: package.archive))"},"files":[\
        {"path":"a.ttf","kind":"font","size_bytes":20000,"sha256":"\(SHA256.hexDigest(of: Self.font))"},\
        {"path":"layouts/a.json","kind":"resource","size_bytes":\(Self.layout.count),\
        "sha256":"\(SHA256.hexDigest(of: Self.layout))"}]}

        """)
  }

  /// What iOS reads itself stays: the privacy manifest, and pictures that the Info.plist names as icons.
  @Test func whatTheSystemReadsIsNotPacked() throws {
    let icons = """
      <key>CFBundleIcons</key><dict><key>CFBundlePrimaryIcon</key><dict><key>CFBundleIconFiles</key>
      <array><string>AppIcon60x60</string></array></dict></dict>
      <key>CFBundleIconFile</key><string>Old.png</string>
      """
    let read = [
      "AppIcon60x60@2x.png", "AppIcon60x60@3x~ipad.png", "Old.png", "PrivacyInfo.xcprivacy",
      "archived-expanded-entitlements.xcent", "default.metallib", "Orders.intentdefinition",
    ]
    let own = ["Map.png", "layouts/AppIcon60x60.png", "layouts/PrivacyInfo.txt"]
    var files: [(String, [UInt8])] = [("Info.plist", Array(MachOFixture.plist(icons).utf8))]
    for name in read + own { files.append((name, Self.layout)) }
    for root in ["", "Payload/Clip.app"] {
      let prefix = root.isEmpty ? "" : root + "/"
      let index = index(files.map { file in (prefix + file.0, file.1) })
      let selection = try ClipSelection(resources: ["**"], fonts: [], in: index, root: root)
      #expect(selection.places.map { index.path(of: $0, in: root) } == own)
    }
  }

  @Test func equalFilesMakeEqualPackages() throws {
    let (one, other) = (try package(resources: ["**"]), try package(resources: ["**"]))
    #expect(one.archive == other.archive && one.manifest == other.manifest)
  }

  @Test func equalFilesAreStoredOnce() throws {
    let package = try package(resources: ["layouts/*.json"])
    #expect(package.files.map(\.equalPath) == [nil, "layouts/a.json"])
    let archive = try Archive(MemoryBytes(package.archive), file: "ClipResources.zip")
    #expect(archive.entries.map(\.path) == ["layouts/a.json"])
    #expect(try package.isHeld(by: archive))
    #expect(String(decoding: package.manifest, as: UTF8.self).contains(#""same_as":"layouts/a.json"}"#))
    #expect(String(decoding: package.manifest, as: UTF8.self).contains(#""version":2,"#))
  }

  /// iOS does not look into the archive.
  @Test func whatTheSystemReadsIsLeftOut() throws {
    #expect(
      try package(resources: ["**"]).files.map(\.path) == ["a.ttf", "layouts/a.json", "layouts/b.json"])
  }

  @Test(arguments: [
    ("Info.plist", "names only files that iOS reads itself, such as 'Info.plist'"),
    ("*.otf", "names no file of the bundle"),
  ])
  func aPatternForNothingIsRefused(_ pattern: String, _ words: String) {
    let error = #expect(throws: BundleError.self) { try package(resources: [pattern]) }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func aFontThatInfoPlistListsIsAFinding() throws {
    let list = BundleTests.info("a", "<key>UIAppFonts</key><array><string>a.ttf</string></array>")
    let package = try package(resources: [], fonts: ["*.ttf"])
    #expect(
      try package.findings(InfoPlist(list, name: "Info.plist")).map(\.rule) == ["clip.packed-font-listed"])
    #expect(try package.findings(InfoPlist(Self.files[0].1, name: "Info.plist")).isEmpty)
  }

  /// One computation for both, so the figure is exact.
  @Test func theWhatIfFigureIsWhatPackingSaves() throws {
    let sizes = try BundleSizes(index(), root: "", isWholeArchive: false)
    let selection = try ClipSelection(resources: ["layouts/*"], fonts: ["*.ttf"], in: index(), root: "")
    let savings = try WhatIf(index(), sizes).savings(resources: selection)
    let lever = savings.levers[0]
    let package = try package(resources: ["layouts/*"], fonts: ["*.ttf"])
    let packed =
      Self.files.filter { file in !package.files.contains { $0.path == file.0 } } + [
        (ClipPackage.archiveName, package.archive), (ClipPackage.manifestName, package.manifest),
      ]
    let after = try BundleSizes(index(packed), root: "", isWholeArchive: false)
    #expect(lever.savesBytes == sizes.uncompressedBytes - after.uncompressedBytes)
    // Two equal layouts remain loose; the two packed ones are not counted again.
    let rest = try WhatIf(index(packed), after).savings(
      resources: ClipSelection(looseIn: index(packed), root: ""))
    #expect(savings.totalBytes == lever.savesBytes + rest.totalBytes)
    #expect(rest.totalBytes == Self.layout.count)
  }
}
