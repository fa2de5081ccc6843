internal import LinkspanCore

/// What a file of a bundle is, as far as it matters for its size.
package enum SizeKind: String, CaseIterable, Sendable {
  case code
  case library
  case assetCatalogue = "asset-catalogue"
  case font
  case json
  case localisation
  case image
  case media
  case interface
  case propertyList = "property-list"
  case signature
  case other

  /// - Parameter path: From the bundle's folder.
  static func kind(of path: String, _ file: BundleFile) -> SizeKind {
    let parts = path.split(separator: "/")
    if parts.contains("_CodeSignature") || file.fileName == "embedded.mobileprovision" { return .signature }
    switch file.pathExtension {
    case "car": return .assetCatalogue
    case "ttf", "otf", "ttc", "woff", "woff2": return .font
    case "json": return .json
    case "png", "jpg", "jpeg", "heic", "gif", "webp", "svg", "pdf", "tiff": return .image
    case "mp3", "m4a", "aac", "wav", "caf", "aiff", "mp4", "mov", "m4v": return .media
    case "nib", "storyboardc": return .interface
    case "dylib": return .library
    default: break
    }
    if parts.dropLast().contains(where: { $0.hasSuffix(".storyboardc") || $0.hasSuffix(".nib") }) {
      return .interface
    }
    if parts.dropLast().contains(where: { $0.hasSuffix(".lproj") }) { return .localisation }
    if ["plist", "strings", "stringsdict"].contains(file.pathExtension) { return .propertyList }
    return .other
  }
}

/// One thing that takes room: a kind of file, or one library.
package struct SizePart: Sendable {
  package let kind: SizeKind
  /// The program or library; nil for a kind as a whole.
  package let name: String?
  package internal(set) var fileCount = 0
  package internal(set) var sizeBytes = 0
}

/// One file of a bundle, as far as its size goes.
package struct SizedFile: Hashable, Sendable {
  /// From the bundle's folder.
  package let path: String
  package let kind: SizeKind
  package let sizeBytes: Int

  package init(path: String, kind: SizeKind, sizeBytes: Int) {
    self.path = path
    self.kind = kind
    self.sizeBytes = sizeBytes
  }
}

/// The room that a bundle takes, and what takes it.
package struct BundleSizes {
  /// The bundle's folder, from the top of the tree.
  package let root: String
  /// The sum of its files, which is how Xcode counts (observed in 11 of 11 archives).
  package let uncompressedBytes: Int
  /// The archive as it is where the bundle is the archive's app, else its entries' sum; nil for a folder.
  package let compressedBytes: Int?
  /// The largest first.
  package let parts: [SizePart]
  /// Every file, in the order of paths.
  package let files: [SizedFile]
  /// Each Mach-O file's number in the index.
  let programs: [Int]

  /// - Parameter isWholeArchive: Whether the archive is this bundle's own.
  package init(_ index: FileIndex, root: String, isWholeArchive: Bool) throws(BundleError) {
    self.root = root
    let range = index.range(of: root)
    let files = index.files[range]
    uncompressedBytes = files.reduce(0) { $0 + $1.sizeBytes }
    if isWholeArchive, let archive = index.tree.archiveBytes {
      compressedBytes = archive
    } else {
      let packed = files.compactMap(\.compressedBytes)
      compressedBytes = packed.count == files.count ? packed.reduce(0, +) : nil
    }
    var parts: [String: SizePart] = [:]
    var programs: [Int] = []
    var sized: [SizedFile] = []
    let prefix = root.isEmpty ? 0 : root.count + 1
    for place in range {
      let file = index.files[place]
      let path = String(file.path.dropFirst(prefix))
      var kind = SizeKind.kind(of: path, file)
      var name: String?
      if try Self.isProgram(file, kind, index, place) {
        programs.append(place)
        kind = path.contains("Frameworks/") || kind == .library ? .library : .code
        name = path
      }
      let key = "\(kind.rawValue)/\(name ?? "")"
      var part = parts[key] ?? SizePart(kind: kind, name: name)
      part.fileCount += 1
      part.sizeBytes += file.sizeBytes
      parts[key] = part
      sized.append(SizedFile(path: path, kind: kind, sizeBytes: file.sizeBytes))
    }
    self.files = sized
    self.programs = programs
    self.parts = parts.values.sorted {
      ($1.sizeBytes, $0.kind.rawValue, $0.name ?? "") < ($0.sizeBytes, $1.kind.rawValue, $1.name ?? "")
    }
  }

  /// Looks at the first bytes of files whose names do not say what they are.
  private static func isProgram(
    _ file: BundleFile, _ kind: SizeKind, _ index: FileIndex, _ place: Int
  ) throws(BundleError) -> Bool {
    guard kind == .library || kind == .other && file.pathExtension.isEmpty, file.sizeBytes >= 32 else {
      return false
    }
    return MachOFile.looksLike(try index.open(place).bytes(0..<8))
  }
}
