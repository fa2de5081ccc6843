/// Where the app of a tree is.
enum BundleLocator {
  /// What a tree is, and the folder of the app in it.
  static func locate(_ index: FileIndex) throws(BundleError) -> (kind: BundleDocument.Kind, root: String) {
    // An archive of Xcode has an Info.plist of its own, which is not an app's; one of a framework has no app at all.
    let isArchive =
      index.tree.name.hasSuffix(".xcarchive")
      || !folders(in: "Products/Applications", ending: ".app", index).isEmpty
    if !isArchive, hasInfoPlist("", index) { return (.app, "") }
    let places: [(kind: BundleDocument.Kind, folder: String, ending: String)] = [
      (.ipa, "Payload", ".app"), (.xcarchive, "Products/Applications", ".app"), (.app, "", ".app"),
      (.xcarchive, "", ".xcarchive"),
    ]
    for place in places {
      let found = folders(in: place.folder, ending: place.ending, index)
      if found.isEmpty { continue }
      guard place.kind == .xcarchive else { return (place.kind, try one(of: found, index)) }
      let archive = place.ending == ".app" ? "" : try one(of: found, index) + "/"
      let apps = folders(in: archive + "Products/Applications", ending: ".app", index)
      if apps.isEmpty { continue }
      let main = apps.count > 1 ? try mainApp(of: archive, index) : nil
      if let main, apps.contains(main) { return (.xcarchive, main) }
      return (.xcarchive, try one(of: apps, index))
    }
    throw BundleError(
      .noApp, in: index.tree.name, "It contains no app.",
      help: "An .ipa has 'Payload/NAME.app', an .xcarchive 'Products/Applications/NAME.app', "
        + "and an .app has an Info.plist."
        + (index.tree.links.min().map { " Symbolic links, such as '\($0)', are not followed." } ?? ""))
  }

  private static func one(of apps: [String], _ index: FileIndex) throws(BundleError) -> String {
    guard apps.count == 1 else {
      throw BundleError(
        .noApp, in: index.tree.name,
        "There are \(apps.count) apps in it: \(apps.joined(separator: ", ")).",
        help: index.tree.archiveBytes == nil
          ? "Name the folder of one of them." : "Unpack it, and name the folder of one of them.")
    }
    return apps[0]
  }

  /// The app that the Info.plist of an archive of Xcode names, as its Organizer distributes it; nil where it names none.
  private static func mainApp(of archive: String, _ index: FileIndex) throws(BundleError) -> String? {
    let path = archive + "Info.plist"
    guard let bytes = try index.bytes(path, limit: PropertyListLimits().sizeBytes) else { return nil }
    // One that cannot be read names none.
    let plist = try? PropertyListDocument(bytes, name: index.shown(path))
    return (plist?.root["ApplicationProperties"]?["ApplicationPath"]?.string).map {
      archive + "Products/" + $0
    }
  }

  /// Whether a folder is a bundle; that of a Mac app is in 'Contents'.
  static func hasInfoPlist(_ root: String, _ index: FileIndex) -> Bool {
    let inside = root.isEmpty ? "" : root + "/"
    return index.index(of: inside + "Info.plist") != nil
      || index.index(of: inside + "Contents/Info.plist") != nil
  }

  /// The folders of a folder whose names have an ending, in order.
  static func folders(in folder: String, ending: String, _ index: FileIndex) -> [String] {
    let start = folder.isEmpty ? "" : folder + "/"
    var found: [String] = []
    for file in index.files[index.range(of: folder)] {
      let rest = file.path.dropFirst(start.count)
      guard let slash = rest.firstIndex(of: "/"), rest[..<slash].hasSuffix(ending) else { continue }
      let path = start + rest[..<slash]
      if found.last != path { found.append(path) }
    }
    return found
  }
}
