internal import LinkspanCore

/// The files of a clip that go into its archive of resources: those that the clip reads by itself.
package struct ClipSelection: Sendable {
  /// Numbers in the index, in its order.
  package let places: [Int]
  /// Those of ``places`` that the clip registers as fonts.
  let fonts: Set<Int>

  /// Layouts, fonts and texts, wherever they lie.
  ///
  /// - Parameter root: The bundle's folder, from the top of the tree.
  package init(looseIn index: FileIndex, root: String) {
    let kinds: Set<String> = ["json", "html", "htm", "js", "css", "xml", "csv", "txt", "svg"]
    places = index.range(of: root).filter { place in
      let kind = index.files[place].pathExtension
      // None of the kinds is an icon's.
      return Self.isLoose(index.path(of: place, in: root), icons: [])
        && (kinds.contains(kind) || Self.fontEndings.contains(kind))
    }
    fonts = Set(places.filter { Self.fontEndings.contains(index.files[$0].pathExtension) })
  }

  /// What patterns name.
  ///
  /// Files that iOS reads, and not the clip's own code, are left out: a pattern such as `**/*.json` means the others.
  ///
  /// - Throws: For a pattern that names no file, or only such files.
  package init(
    resources: [String], fonts: [String], in index: FileIndex, root: String
  ) throws(BundleError) {
    var chosen: Set<Int> = []
    var chosenFonts: Set<Int> = []
    let icons = try Self.icons(index, root)
    for (isFont, text) in resources.map({ (false, $0) }) + fonts.map({ (true, $0) }) {
      let pattern = PathPattern(text)
      let named = index.range(of: root).filter { pattern.matches(index.path(of: $0, in: root)) }
      var found: [Int] = []
      for place in named where Self.isLoose(index.path(of: place, in: root), icons: icons) {
        if try !index.beginsAsProgram(place) { found.append(place) }
      }
      guard !found.isEmpty else { throw Self.nothing(named, text, index, root) }
      chosen.formUnion(found)
      if isFont { chosenFonts.formUnion(found) }
    }
    places = chosen.sorted()
    self.fonts = chosenFonts
  }

  private static let fontEndings: Set<String> = ["ttf", "otf", "ttc"]

  private static func nothing(
    _ named: [Int], _ pattern: String, _ index: FileIndex, _ root: String
  ) -> BundleError {
    if let first = named.first {
      return BundleError(
        .unreadable, in: index.shown(root),
        "The pattern '\(pattern)' names only files that iOS reads itself, such as "
          + "'\(index.path(of: first, in: root))'.",
        help: "iOS does not look into the archive. Name files that the clip's own code opens.")
    }
    let isPacked = index.index(of: (root.isEmpty ? "" : root + "/") + ClipPackage.archiveName) != nil
    return BundleError(
      .unreadable, in: index.shown(root), "The pattern '\(pattern)' names no file of the bundle.",
      help: isPacked
        ? "The bundle holds \(ClipPackage.archiveName) already. To pack again, rebuild it."
        : "Patterns are for paths from the bundle's folder: 'layouts/*.json', '**/*.ttf'.")
  }

  private static let systemFiles: Set<String> = [
    "Info.plist", "PkgInfo", "Assets.car", "PrivacyInfo.xcprivacy", "archived-expanded-entitlements.xcent",
    "default.metallib", "embedded.mobileprovision", ClipPackage.archiveName, ClipPackage.manifestName,
  ]
  private static let systemFolders: Set<String> = ["_CodeSignature", "Metadata.appintents", "SC_Info"]
  private static let systemEndings = [
    ".app", ".appex", ".framework", ".storyboardc", ".nib", ".momd", ".mom", ".bundle", ".lproj", ".car",
    ".intentdefinition",
  ]

  /// Beginnings of the names of the icons, whose pictures lie beside the Info.plist for the home screen.
  private static func icons(_ index: FileIndex, _ root: String) throws(BundleError) -> [String] {
    let path = (root.isEmpty ? "" : root + "/") + "Info.plist"
    guard let bytes = try index.bytes(path, limit: PropertyListLimits().sizeBytes) else { return [] }
    let plist: PropertyListDocument
    do throws(PropertyListError) {
      plist = try PropertyListDocument(bytes, name: path)
    } catch {
      // The reader of the bundle has said so.
      return []
    }
    return (plist.root.dictionary ?? []).filter { $0.key.hasPrefix("CFBundleIcon") }
      .flatMap { strings(in: $0.value) }.filter { !$0.isEmpty }
  }

  private static func strings(in node: PropertyListNode) -> [String] {
    if let text = node.string { return [text] }
    return (node.array ?? (node.dictionary ?? []).map { $0.value }).flatMap { strings(in: $0) }
  }

  /// Whether only the clip's own code reads a file.
  ///
  /// - Parameters:
  ///   - path: From the bundle's folder.
  ///   - icons: Beginnings of the names of the icons.
  private static func isLoose(_ path: String, icons: [String]) -> Bool {
    if systemFiles.contains(path) { return false }
    if path.hasSuffix(".png"), icons.contains(where: path.hasPrefix) { return false }
    return path.split(separator: "/").allSatisfy { part in
      !systemFolders.contains(String(part)) && !systemEndings.contains { part.hasSuffix($0) }
    }
  }
}

extension FileIndex {
  /// The path of a file from a bundle's folder.
  package func path(of place: Int, in root: String) -> String {
    let path = files[place].path
    return root.isEmpty ? path : String(path.dropFirst(root.count + 1))
  }

  /// Whether a file begins as a Mach-O file.
  func beginsAsProgram(_ place: Int) throws(BundleError) -> Bool {
    guard files[place].sizeBytes >= 32 else { return false }
    return MachOFile.looksLike(try open(place).bytes(0..<8))
  }
}
