internal import AppBundle
internal import Glibc
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSystem

extension Command {
  static let clipPack = Command(
    name: "clip pack",
    summary: "Put a clip's loose resources into one archive that the clip expands at launch",
    operands: "APP",
    discussion: """
      APP is the folder of an .app, before it is signed: in Xcode, a build phase after "Copy Bundle Resources"
      (Examples/clip has one). Writes ClipResources.zip and its manifest ClipResources.json into APP and prints the
      files that are now there twice; --delete deletes them once the archive has been verified. Apple's
      limit counts unpacked bytes, so the archive counts as its own size only.

      Patterns are for paths from the bundle's folder. Files that iOS reads itself, such as Info.plist or
      localisations, are never packed. Documentation/app-clips.md describes both files.
      """,
    flags: [
      Flag("--resources", "PATTERN", repeats: true, "Resources to pack, such as 'layouts/*.json'"),
      Flag("--fonts", "PATTERN", repeats: true, "Fonts to pack, such as '*.ttf'"),
      Flag("--delete", "Delete the packed files"),
      Flag("--list", "FILE", "Write the list of packed files, a path a line; '-' is standard output"),
      .force,
    ],
    examples: [
      "linkspan clip pack build/Clip.app --resources 'layouts/*.json' --fonts '*.ttf'",
      "linkspan clip pack build/Clip.app --resources 'layouts/**' --delete",
    ],
    exitStatus: "0 packed, 1 packing would save nothing and nothing was written, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    guard !arguments.all("--resources").isEmpty || !arguments.all("--fonts").isEmpty else {
      throw arguments.usage("nothing to pack; name '--resources' or '--fonts'")
    }
    let run = try ClipPackRun(arguments)
    guard run.package.savesBytes > 0 else {
      run.explainNothing(to: console, asJSON: arguments.has("--json"))
      return .no
    }
    if arguments.has("--delete") { console.leftover = { "Nothing was deleted." } }
    try run.write(console)
    if arguments.has("--delete") {
      try run.delete()
      console.leftover = nil
    }
    run.report(to: console, asJSON: arguments.has("--json"), isDeleted: arguments.has("--delete"))
    return .yes
  }
}

private struct ClipPackRun {
  let package: ClipPackage
  private let folder: String
  private let list: OutputPlace?
  private let archiveFile: OutputFile
  private let manifestFile: OutputFile
  private let findings: [Finding]
  private let isSigned: Bool

  init(_ arguments: Arguments) throws(LinkspanError) {
    let path = arguments.operands[0]
    let kind = try FileReader.kind(of: path)
    if kind == .missing { throw LinkspanError("cannot be read", at: path, why: "No such file or directory") }
    guard kind == .folder else {
      throw LinkspanError(
        "'\(path)' is not the folder of an .app.",
        help: "An archive is signed already. Pack the .app that Xcode builds, before it is signed.")
    }
    let tree = try FolderTree(path)
    let index = FileIndex(tree)
    let document = try LinkspanError.of(bundle: BundleReader(index).read())
    let root = document.main.path
    folder = root.isEmpty ? tree.name : tree.name + "/" + root
    let selection = try LinkspanError.of(
      bundle: ClipSelection(
        resources: arguments.all("--resources"), fonts: arguments.all("--fonts"), in: index, root: root))
    let package = try LinkspanError.of(bundle: ClipPacker(index, root: root).pack(selection))
    self.package = package
    // What an earlier run packed is no longer loose after '--delete'.
    let known = Set(package.files.map(\.path) + (try Self.packedBefore(folder)))
    list = try arguments.output(
      "--list",
      .form("a list of packed files") { bytes in
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").allSatisfy {
          known.contains(String($0))
        }
      })
    let digest = try Self.manifestBefore(folder)?["archive"]?["sha256"]?.string
    archiveFile = try arguments.output(
      at: folder + "/" + ClipPackage.archiveName,
      .form("an archive that its manifest names") {
        SHA256.hexDigest(of: $0) == digest || $0 == package.archive
      })
    manifestFile = try arguments.output(
      at: folder + "/" + ClipPackage.manifestName,
      .beginning(ClipPackage.manifestHead, "a manifest of 'linkspan clip pack'"))
    findings = document.main.infoPlist.map(package.findings) ?? []
    isSigned = index.index(of: (root.isEmpty ? "" : root + "/") + "_CodeSignature/CodeResources") != nil
  }

  /// The manifest of an earlier run, if there is one.
  private static func manifestBefore(_ folder: String) throws(LinkspanError) -> JSONNode? {
    let path = folder + "/" + ClipPackage.manifestName
    guard try FileReader.kind(of: path) == .file else { return nil }
    return JSONParser.parse(try FileReader.bytes(path)).root
  }

  private static func packedBefore(_ folder: String) throws(LinkspanError) -> [String] {
    (try manifestBefore(folder)?["files"]?.array ?? []).compactMap { $0["path"]?.string }
  }

  private var archive: String { folder + "/" + ClipPackage.archiveName }

  /// The archive first, and read back; the manifest says that it is whole.
  func write(_ console: Console) throws(LinkspanError) {
    try archiveFile.write(package.archive)
    let isWhole = try LinkspanError.of(
      bundle: package.isHeld(by: Archive(try LocalFile(archive), file: archive)))
    guard isWhole else {
      throw LinkspanError(
        "'\(archive)' does not hold what was packed.",
        help: "Nothing was deleted. Check whether another program writes to the folder, and try again.")
    }
    try manifestFile.write(package.manifest)
    if let list {
      let lines = package.files.map { $0.path + "\n" }.joined()
      try list.write(Array(lines.utf8), console)
    }
  }

  func delete() throws(LinkspanError) {
    for file in package.files where unlink(folder + "/" + file.path) != 0 {
      throw LinkspanError(
        "'\(folder)/\(file.path)' cannot be deleted: \(SystemError.text(errno)).",
        help: "It is in the archive already; delete it yourself, or run the command again.")
    }
  }

  func explainNothing(to console: Console, asJSON: Bool) {
    if asJSON { return console.print(json(isWritten: false, isDeleted: false)) }
    console.print(
      "Packing would save nothing: \(shown(package.looseBytes)) loose, \(shown(package.archiveBytes)) packed, "
        + "\(shown(package.manifest.count)) for the manifest. Nothing was written.")
  }

  func report(to console: Console, asJSON: Bool, isDeleted: Bool) {
    if isSigned {
      console.note("The bundle was signed, and its signature no longer holds. Sign it again.")
    }
    if asJSON { return console.print(json(isWritten: true, isDeleted: isDeleted)) }
    let count = package.files.count.counted("file")
    let equalCount = package.files.count { $0.equalPath != nil }
    let equal = equalCount == 0 ? "" : " (\(equalCount) equal to another and stored once)"
    console.print(
      "\(archive): \(count)\(equal), \(shown(package.looseBytes)) packed into \(shown(package.archiveBytes)); "
        + "\(isDeleted ? "saved" : "deleting them saves") \(shown(package.savesBytes)).")
    console.print(isDeleted ? "Deleted:" : "To delete:")
    for file in package.files { console.print("  \(file.path)") }
    for finding in findings { console.print(finding.text(style: console.style)) }
  }

  private func shown(_ bytes: Int) -> String { ThinningSizeText.text(bytes) }

  private func json(isWritten: Bool, isDeleted: Bool) -> JSON {
    .object([
      ("type", .string("clip-pack")),
      ("archive", isWritten ? .string(archive) : .null),
      ("manifest", isWritten ? .string(folder + "/" + ClipPackage.manifestName) : .null),
      (
        "files",
        .array(
          package.files.map { file in
            .object([
              ("path", .string(file.path)), ("size_bytes", .int(file.sizeBytes)),
              ("same_as", .init(file.equalPath)),
            ])
          })
      ),
      ("loose_bytes", .int(package.looseBytes)), ("archive_bytes", .int(package.archiveBytes)),
      ("manifest_bytes", .int(package.manifest.count)), ("saves_bytes", .int(package.savesBytes)),
      ("deleted", .bool(isDeleted)), ("findings", .array(findings.map(\.json))),
    ])
  }
}
