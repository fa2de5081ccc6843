package import LinkspanCore

/// Resources of a clip in one archive, with a manifest of what is in it.
///
/// Apple's limit counts unpacked bytes, so an archive that the clip expands at its first launch counts as its own
/// size only. Equal files make equal packages. The format is described in `Documentation/app-clips.md`.
package struct ClipPackage: Sendable {
  /// The archive's name in the bundle's folder.
  package static let archiveName = "ClipResources.zip"
  /// The manifest's name in the bundle's folder.
  package static let manifestName = "ClipResources.json"

  /// What every manifest begins with.
  package static let manifestHead = #"{"format":"linkspan-clip-resources","#

  /// One packed file.
  package struct File: Sendable {
    /// From the bundle's folder, in the archive as in the bundle.
    package let path: String
    package let isFont: Bool
    package let sizeBytes: Int
    /// SHA-256 of the unpacked bytes, in hexadecimal digits.
    let digest: String
    /// The path of an earlier file with the same bytes, which the archive holds for both; nil for a file that it holds.
    package let equalPath: String?
  }

  package let files: [File]
  /// Empty where only the size was asked for.
  package let archive: [UInt8]
  package let archiveBytes: Int
  private let archiveDigest: String

  fileprivate init(files: [File], archive: [UInt8], archiveBytes: Int, archiveDigest: String) {
    self.files = files
    self.archive = archive
    self.archiveBytes = archiveBytes
    self.archiveDigest = archiveDigest
  }

  /// The manifest's bytes.
  package var manifest: [UInt8] {
    // A reader of version 1 looks for every file in the archive.
    let version = files.contains { $0.equalPath != nil } ? 2 : 1
    let json = JSON.object([
      ("format", .string("linkspan-clip-resources")), ("version", .int(version)),
      (
        "archive",
        .object([
          ("path", .string(Self.archiveName)), ("size_bytes", .int(archiveBytes)),
          ("sha256", .string(archiveDigest)),
        ])
      ),
      (
        "files",
        .array(
          files.map { file in
            .object(
              [
                ("path", .string(file.path)), ("kind", .string(file.isFont ? "font" : "resource")),
                ("size_bytes", .int(file.sizeBytes)), ("sha256", .string(file.digest)),
              ] + (file.equalPath.map { [("same_as", .string($0))] } ?? []))
          })
      ),
    ])
    return json.bytes + [0x0A]
  }

  /// The sum of the packed files.
  package var looseBytes: Int { files.reduce(0) { $0 + $1.sizeBytes } }

  /// By how much the bundle becomes smaller; negative where packing makes it larger.
  package var savesBytes: Int { looseBytes - archiveBytes - manifest.count }

  /// Whether an archive, read back, holds what was packed.
  package func isHeld(by archive: Archive) throws(BundleError) -> Bool {
    let stored = files.filter { $0.equalPath == nil }
    guard archive.entries.map(\.path) == stored.map(\.path) else { return false }
    for (index, file) in stored.enumerated() {
      let content = try archive.open(index)
      guard content.count == file.sizeBytes,
        SHA256.hexDigest(of: try content.bytes(0..<content.count)) == file.digest
      else { return false }
    }
    return true
  }

  /// Fonts that the Info.plist still lists: iOS looks for them before the clip can expand them.
  ///
  /// - Parameter infoPlist: That of the bundle.
  package func findings(_ infoPlist: InfoPlist) -> [Finding] {
    let listed = Set((infoPlist.document.root["UIAppFonts"]?.array ?? []).compactMap(\.string))
    return files.filter { listed.contains($0.path) }.map { file in
      Finding(
        rule: "clip.packed-font-listed", severity: .warning, at: .init(file: infoPlist.document.name),
        message: "'UIAppFonts' lists '\(file.path)', which is packed.",
        help:
          "iOS does not find it there. Remove the entry, and register the font after the archive was expanded."
      )
    }
  }
}

/// Packs resources of a clip.
package struct ClipPacker {
  private let index: FileIndex
  private let root: String
  /// Ours: one resource, which is compressed in memory.
  static let resourceBytes = 64 << 20
  /// Of as many digits as a digest.
  private static let noDigest = String(repeating: "0", count: 64)

  /// - Parameter root: The bundle's folder, from the top of the tree.
  package init(_ index: FileIndex, root: String) {
    self.index = index
    self.root = root
  }

  /// - Throws: For a resource that cannot be read or is too large.
  package func pack(_ selection: ClipSelection) throws(BundleError) -> ClipPackage {
    var archive: [UInt8] = []
    let (files, _) = try write(selection, hashes: true) { archive += $0 }
    return ClipPackage(
      files: files, archive: archive, archiveBytes: archive.count,
      archiveDigest: SHA256.hexDigest(of: archive))
  }

  /// The same without the bytes: compressed for real and measured, but neither kept nor hashed.
  func measure(_ selection: ClipSelection) throws(BundleError) -> ClipPackage {
    let (files, bytes) = try write(selection, hashes: false) { _ in }
    return ClipPackage(files: files, archive: [], archiveBytes: bytes, archiveDigest: Self.noDigest)
  }

  private func write(
    _ selection: ClipSelection, hashes: Bool, _ take: @escaping ([UInt8]) -> Void
  ) throws(BundleError) -> (files: [ClipPackage.File], archiveBytes: Int) {
    var writer = ArchiveWriter(take)
    var files: [ClipPackage.File] = []
    let sizes = selection.places.map { index.files[$0].sizeBytes }
    let sharedSizes = Set(Dictionary(grouping: sizes, by: \.self).filter { $0.value.count > 1 }.keys)
    var stored: [String: String] = [:]
    for place in selection.places {
      let content = try index.open(place)
      guard content.count <= Self.resourceBytes else {
        throw BundleError(
          .tooLarge, in: index.shown(index.files[place].path),
          "The resource has \(content.count) bytes; at most \(Self.resourceBytes) are packed.",
          help: "Download it after the first launch, or leave it out of the patterns.")
      }
      let path = index.path(of: place, in: root)
      var digest = Self.noDigest
      var equalPath: String?
      var bytes = content
      // Files of one size may be equal, and equal files are stored once.
      if hashes || sharedSizes.contains(content.count) {
        let all = try content.bytes(0..<content.count)
        let own = SHA256.hexDigest(of: all)
        if hashes { digest = own }
        equalPath = stored[own]
        stored[own] = equalPath ?? path
        bytes = MemoryBytes(all)
      }
      if equalPath == nil { try writer.add(path: path, bytes) }
      files.append(
        ClipPackage.File(
          path: path, isFont: selection.fonts.contains(place), sizeBytes: content.count, digest: digest,
          equalPath: equalPath))
    }
    writer.finish()
    return (files, writer.sizeBytes)
  }
}
