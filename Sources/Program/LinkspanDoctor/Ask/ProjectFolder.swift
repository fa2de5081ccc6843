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

  /// What `--app` takes for each path: the path itself, or for a project's folder the files in it; and which other
  /// entitlements there are, a clause each.
  ///
  /// - Throws: That a folder is no app and has no file about one.
  static func expanded(_ paths: [String]) throws(LinkspanError) -> (paths: [String], unread: [String]) {
    var result: [String] = []
    var unread: [String] = []
    for path in paths {
      guard try FileReader.kind(of: path) == .folder, !isBundle(path) else {
        result.append(path)
        continue
      }
      let candidates = entitlements(in: path)
      guard let first = candidates.first else {
        throw LinkspanError(
          "the folder '\(path)' is no app, and no file in it ends in '.entitlements'.",
          help:
            "Name an .ipa, .app or .xcarchive, the app's entitlements, or the folder of its Xcode project.")
      }
      result += files(about: first)
      unread += candidates.dropFirst().map {
        "'\($0)': of the project's entitlements '\(first)' was read; name another with '--app'"
      }
    }
    return (result, unread)
  }

  private static func isBundle(_ path: String) -> Bool {
    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
    return [".app", ".appex", ".xcarchive"].contains { path.hasSuffix($0) }
  }

  private static func kind(_ path: String) -> FileReader.Kind? { try? FileReader.kind(of: path) }

  /// The entitlements of the app, and its Info.plist where there is one beside them.
  private static func files(about entitlements: String) -> [String] {
    let plist = home(of: entitlements) + "/Info.plist"
    return [entitlements] + (kind(plist) == .file ? [plist] : [])
  }

  private static func home(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }

  /// Those nearest to the top: the app's before an extension's, a target's that has links before another's, and those that
  /// are distributed before those of other configurations.
  private static func entitlements(in folder: String) -> [String] {
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
    let folders = Set(entitlements.map(home))
    let extensions = folders.filter { text(of: $0 + "/Info.plist").contains("NSExtension") }
    let linked = Set(entitlements.filter { text(of: $0).contains("applinks:") }.map(home))
    func rank(_ path: String) -> Int {
      let home = home(of: path)
      let name = ASCII.lowercased(path.split(separator: "/").last ?? "")
      let configuration =
        released.contains(where: name.contains) ? 0 : unreleased.contains(where: name.contains) ? 2 : 1
      return (extensions.contains(home) ? 6 : 0) + (linked.contains(home) ? 0 : 3) + configuration
    }
    return entitlements.sorted { (rank($0), $0) < (rank($1), $1) }
  }

  /// Words in the names of files, by the configuration that they are for.
  private static let released = ["release", "prod", "distribution", "appstore"]
  private static let unreleased = ["debug", "dev", "staging", "test", "beta"]

  private static func text(of path: String) -> String {
    String(decoding: (try? FileReader.bytes(path)) ?? [], as: UTF8.self)
  }
}
