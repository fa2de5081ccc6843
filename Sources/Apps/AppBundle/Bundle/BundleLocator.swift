/// Where the app of a tree is.
enum BundleLocator {
  /// What a tree is, and the folder of the app in it.
  static func locate(_ index: FileIndex) throws(BundleError) -> (kind: BundleDocument.Kind, root: String) {
    // An archive of Xcode has an Info.plist of its own, which is not an app's.
    let isArchive = !folders(in: "Products/Applications", ending: ".app", index).isEmpty
    if !isArchive, hasInfoPlist("", index) { return (.app, "") }
    let places: [(kind: BundleDocument.Kind, folder: String, ending: String)] = [
      (.ipa, "Payload", ".app"), (.xcarchive, "Products/Applications", ".app"), (.app, "", ".app"),
      (.xcarchive, "", ".xcarchive"),
    ]
    for place in places {
      let found = folders(in: place.folder, ending: place.ending, index)
      guard let first = found.first else { continue }
      guard found.count == 1 else {
        throw BundleError(
          .noApp, in: index.tree.name,
          "There are \(found.count) apps in it: \(found.joined(separator: ", ")).",
          help: index.tree.archiveBytes == nil
            ? "Name the folder of one of them." : "Unpack it, and name the folder of one of them.")
      }
      if place.ending == ".app" { return (place.kind, first) }
      let apps = folders(in: first + "/Products/Applications", ending: ".app", index)
      if apps.count == 1 { return (.xcarchive, apps[0]) }
    }
    throw BundleError(
      .noApp, in: index.tree.name, "It contains no app.",
      help: "An .ipa has 'Payload/NAME.app', an .xcarchive 'Products/Applications/NAME.app', "
        + "and an .app has an Info.plist.")
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
