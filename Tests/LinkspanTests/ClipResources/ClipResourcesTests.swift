import AppBundle
import Foundation
import Linkspan
import LinkspanCore
import Testing

/// What `linkspan clip pack` writes, expanded as a clip does at its launch.
@Suite struct ClipResourcesTests {
  /// A bundle and an empty folder for caches, gone after the test.
  final class Place {
    let root = FileManager.default.temporaryDirectory.appending(path: "clip-\(UUID().uuidString)")
    let files: [String: [UInt8]]
    var bundle: URL { root.appending(path: "Clip.app") }
    var caches: URL { root.appending(path: "Caches") }
    var home: URL { caches.appending(path: "ClipResources") }

    init(_ files: [String: [UInt8]] = Place.usual, fonts: [String] = ["*.ttf"]) throws {
      self.files = files
      try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
      let index = FileIndex(Tree(files: files.sorted { $0.key < $1.key }))
      let selection = try ClipSelection(
        resources: ["**"], fonts: files.keys.contains { $0.hasSuffix(".ttf") } ? fonts : [], in: index,
        root: "")
      let package = try ClipPacker(index, root: "").pack(selection)
      try write(package.archive, ClipResources.archiveName)
      try write(package.manifest, ClipResources.manifestName)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    func write(_ bytes: [UInt8], _ name: String) throws {
      try Data(bytes).write(to: bundle.appending(path: name))
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: bundle.appending(path: name))) }

    /// Replaces text of the manifest.
    func changeManifest(_ old: String, _ new: String) throws {
      let text = String(decoding: try read(ClipResources.manifestName), as: UTF8.self)
      #expect(text.contains(old), "\(text)")
      try write(Array(text.replacing(old, with: new).utf8), ClipResources.manifestName)
    }

    var resources: ClipResources { ClipResources(bundle: bundle, caches: caches) }

    func resources(_ change: (inout ClipResources.Limits) -> Void) -> ClipResources {
      var limits = ClipResources.Limits()
      change(&limits)
      return ClipResources(bundle: bundle, caches: caches, limits: limits)
    }

    /// What is left among the caches.
    var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: home.path)) ?? [] }

    static let usual: [String: [UInt8]] = [
      "layouts/home.json": Array(String(repeating: #"{"view":"label"}"#, count: 900).utf8),
      "layouts/deep/er/menu.json": Array("{}".utf8), "empty.txt": [],
      "Sans.ttf": (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) },
    ]
  }

  /// Files in memory, as a folder.
  struct Tree: FileTree {
    let name = "Clip.app"
    let archiveBytes: Int? = nil
    let contents: [[UInt8]]
    let files: [BundleFile]

    init(files: [(key: String, value: [UInt8])]) {
      contents = files.map(\.value)
      self.files = files.map { BundleFile(path: $0.key, sizeBytes: $0.value.count) }
    }

    func open(_ index: Int) throws(BundleError) -> any RandomAccessBytes { MemoryBytes(contents[index]) }
  }

  /// Each call removes the folders of others, so that two at once would take each other's away.
  @Test func callsAtOnceAllFindTheFiles() async throws {
    let place = try Place()
    let resources = place.resources
    let opened = await withTaskGroup(of: OpenedClipResources.self) { group in
      for _ in 0..<16 { group.addTask { resources.open() } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(opened.filter { $0.origin == .now }.count == 1)
    #expect(opened.filter { $0.origin == .earlier }.count == 15)
    #expect(place.left.count == 1)
  }

  private func failure(_ resources: ClipResources) -> ClipResourcesError? {
    do {
      _ = try resources.expand()
      return nil
    } catch {
      return error
    }
  }

  @Test func expandsWhatWasPacked() throws {
    let place = try Place()
    let opened = try place.resources.expand()
    #expect(opened.origin == .now)
    #expect(opened.problem == nil)
    for (path, bytes) in place.files {
      #expect(Array(try Data(contentsOf: opened.url(for: path))) == bytes, "\(path)")
    }
    #expect(opened.fonts == [opened.url(for: "Sans.ttf")])
    #expect(place.left == [opened.folder.lastPathComponent])
  }

  /// Stored once, and there twice again after the launch.
  @Test func equalFilesAreExpandedEach() throws {
    let layout = Place.usual["layouts/home.json"]!
    let place = try Place([
      "layouts/a.json": layout, "layouts/b.json": layout, "c.json": layout, "d.txt": [1],
    ])
    let opened = try place.resources.expand()
    for (path, bytes) in place.files {
      #expect(Array(try Data(contentsOf: opened.url(for: path))) == bytes, "\(path)")
    }
    #expect(try place.resources.expand().origin == .earlier)
  }

  @Test(arguments: [
    (#""same_as":"c.json""#, #""same_as":"d.txt""#), (#""same_as":"c.json""#, #""same_as":"layouts/b.json""#),
  ])
  func aFileThatIsSaidToEqualAnotherHasToBeItsEqual(old: String, new: String) throws {
    let layout = Place.usual["layouts/home.json"]!
    let place = try Place(["layouts/b.json": layout, "c.json": layout, "d.txt": [1]])
    try place.changeManifest(old, new)
    #expect(failure(place.resources)?.kind == .unreadableManifest)
  }

  @Test func expandsOnce() throws {
    let place = try Place()
    let first = try place.resources.expand()
    let second = try place.resources.expand()
    #expect(second.origin == .earlier)
    #expect(second.folder == first.folder)
    #expect(second.fonts == first.fonts)
  }

  @Test func expandsAgainWhatTheSystemPartlyRemoved() throws {
    let place = try Place()
    let first = try place.resources.expand()
    try FileManager.default.removeItem(at: first.url(for: "layouts/home.json"))
    let second = try place.resources.expand()
    #expect(second.origin == .now)
    #expect(FileManager.default.fileExists(atPath: second.url(for: "layouts/home.json").path))
  }

  @Test func replacesWhatAnOlderVersionExpanded() throws {
    let place = try Place()
    let old = try place.resources.expand()
    try FileManager.default.createDirectory(
      at: place.home.appending(path: ".expanding-interrupted"), withIntermediateDirectories: true)
    let newer = try Place(["one.json": Array("[1]".utf8)])
    try place.write(try newer.read(ClipResources.archiveName), ClipResources.archiveName)
    try place.write(try newer.read(ClipResources.manifestName), ClipResources.manifestName)
    let new = try place.resources.expand()
    #expect(new.folder != old.folder)
    #expect(place.left == [new.folder.lastPathComponent])
  }

  /// Every byte of the archive matters, and nothing is left behind.
  @Test func refusesAnArchiveThatWasChanged() throws {
    let place = try Place()
    let archive = try place.read(ClipResources.archiveName)
    for offset in stride(from: 0, to: archive.count, by: max(1, archive.count / 60)) {
      var damaged = archive
      damaged[offset] ^= 0x20
      try place.write(damaged, ClipResources.archiveName)
      let error = failure(place.resources)
      #expect(error?.kind == .damagedArchive)
      #expect(place.left.isEmpty)
    }
  }

  @Test func fallsBackToTheBundleWithTheReason() throws {
    let place = try Place()
    try place.write(Array(try place.read(ClipResources.archiveName).dropLast(9)), ClipResources.archiveName)
    let opened = place.resources.open()
    #expect(opened.origin == .bundle)
    #expect(opened.folder == place.bundle)
    let size = try place.read(ClipResources.archiveName).count
    #expect(
      opened.problem?.description
        == "ClipResources.zip: It has \(size) bytes; the manifest says \(size + 9). Pack the resources again with "
        + "'linkspan clip pack', and sign the bundle afterwards.")
  }

  @Test(arguments: [ClipResources.archiveName, ClipResources.manifestName])
  func saysWhatIsMissing(name: String) throws {
    let place = try Place()
    try FileManager.default.removeItem(at: place.bundle.appending(path: name))
    let error = try #require(failure(place.resources))
    #expect(error.kind == .missing)
    #expect(error.file == name)
  }

  @Test(arguments: [
    (#""version":1"#, #""version":3"#), ("linkspan-clip-resources", "other-format"),
    (#""kind":"font""#, #""kynd":"font""#), (#""files":["#, #""files":[7,"#),
  ])
  func refusesAManifestThatItDoesNotKnow(old: String, new: String) throws {
    let place = try Place()
    try place.changeManifest(old, new)
    #expect(failure(place.resources)?.kind == .unreadableManifest)
  }

  @Test func ignoresMembersThatItDoesNotKnow() throws {
    let place = try Place()
    try place.changeManifest(#""version":1"#, #""made_by":"somebody","version":1"#)
    #expect(failure(place.resources) == nil)
  }

  @Test(arguments: [
    "../Sans.ttf", "/Sans.ttf", "a//b", "a/./b", "layouts/..", "", "layouts/home.json", "layouts",
  ])
  func refusesPathsThatLeadElsewhere(path: String) throws {
    let place = try Place()
    try place.changeManifest(#""path":"Sans.ttf""#, "\"path\":\"\(path)\"")
    #expect(failure(place.resources)?.kind == .unsafePath)
    #expect(place.left.isEmpty)
  }

  /// A name of a file has up to 255 bytes, and a path up to 1,024.
  @Test(arguments: [
    ([255], false), ([256], true), ([255, 255, 255, 255], false), ([255, 255, 255, 255, 1], true),
    ([255, 255, 255, 254, 1], false),
  ])
  func pathsHaveALength(names: [Int], isRefused: Bool) throws {
    let place = try Place()
    let path = names.map { String(repeating: "a", count: $0) }.joined(separator: "/")
    try place.changeManifest(#""path":"Sans.ttf""#, "\"path\":\"\(path)\"")
    // Under a name that is one the archive has another file.
    #expect(failure(place.resources)?.kind == (isRefused ? .unsafePath : .damagedArchive))
  }

  @Test func refusesAFileUnderAnotherName() throws {
    let place = try Place()
    try place.changeManifest(#""path":"Sans.ttf""#, #""path":"Sons.ttf""#)
    let error = try #require(failure(place.resources))
    #expect(error.kind == .damagedArchive)
    #expect(error.reason == "The archive has another file at this place.")
    #expect(place.left.isEmpty)
  }

  @Test func limitsAreKept() throws {
    let place = try Place()
    let total = place.files.values.reduce(0) { $0 + $1.count }
    #expect(failure(place.resources { $0.totalBytes = total - 1 })?.kind == .tooLarge)
    #expect(failure(place.resources { $0.fileBytes = 39_999 })?.kind == .tooLarge)
    #expect(failure(place.resources { $0.files = 3 })?.kind == .tooLarge)
    #expect(failure(place.resources { $0.archiveBytes = 100 })?.kind == .tooLarge)
    #expect(failure(place.resources { $0.manifestBytes = 100 })?.kind == .tooLarge)
    let exact = place.resources { limits in
      limits.totalBytes = total
      limits.fileBytes = 40_000
      limits.files = 4
    }
    #expect(failure(exact) == nil)
  }

  @Test func saysThatTheFolderCannotBeWritten() throws {
    let place = try Place()
    try Data().write(to: place.caches)
    #expect(failure(place.resources)?.kind == .notWritten)
  }
}
