internal import LinkspanCore
internal import LinkspanFiles
internal import SiteInput

/// The files about an app in the folder of its project.
enum ProjectFolder {
  /// Ours: an app's own files lie near the top.
  private static let depth = 5
  /// Ours.
  private static let folderLimit = 2_000
  /// Folders of other people's code, and of what is built.
  private static let skipped: Set<String> = [
    "Pods", "Carthage", "node_modules", "build", "DerivedData", ".build", ".git", "fastlane", "vendor",
  ]

  /// What `--app` takes for each path: the path itself, or for a project's folder the files in it.
  ///
  /// - Throws: That a folder is no app and has no file about one.
  static func expanded(_ paths: [String]) throws(LinkspanError) -> [String] {
    var result: [String] = []
    for path in paths {
      guard try FileReader.kind(of: path) == .folder, !isBundle(path) else {
        result.append(path)
        continue
      }
      let files = files(in: path)
      guard !files.isEmpty else {
        throw LinkspanError(
          "the folder '\(path)' is no app, and no file in it ends in '.entitlements'.",
          help:
            "Name an .ipa, .app or .xcarchive, the app's entitlements, or the folder of its Xcode project.")
      }
      result += files
    }
    return result
  }

  private static func isBundle(_ path: String) -> Bool {
    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
    return [".app", ".appex", ".xcarchive"].contains { path.hasSuffix($0) }
  }

  private static func kind(_ path: String) -> FileReader.Kind? { try? FileReader.kind(of: path) }

  /// The entitlements of the app, and its Info.plist where there is one beside them: those nearest to the top.
  private static func files(in folder: String) -> [String] {
    var entitlements: [String] = []
    var left = folderLimit
    var level = [folder]
    for _ in 0..<depth where entitlements.isEmpty {
      var next: [String] = []
      for directory in level where left > 0 {
        left -= 1
        let names = (try? FileReader.names(in: directory)) ?? []
        for name in names where !skipped.contains(name) {
          let path = directory + "/" + name
          if name.hasSuffix(".entitlements") {
            entitlements.append(path)
          } else if kind(path) == .folder, !name.contains(".xc") {
            next.append(path)
          }
        }
      }
      level = next
    }
    guard let first = entitlements.first else { return [] }
    let home = first.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let plist = home + "/Info.plist"
    return [first] + (kind(plist) == .file ? [plist] : [])
  }
}
