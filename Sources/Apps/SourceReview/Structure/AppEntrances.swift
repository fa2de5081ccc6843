internal import LinkspanCore

/// Which files of a review have an app delegate, scenes and entrances of them, so that each app is judged by its own.
struct AppEntrances: Sendable {
  /// What one file has.
  struct Part: Sendable {
    let path: String
    let hasAppDelegate: Bool
    /// Whether it declares one, and does not only extend it.
    let declaresAppDelegate: Bool
    /// Whether it begins an app: it has the app delegate, or the app of SwiftUI.
    let beginsApp: Bool
    let hasScenes: Bool
    /// Whether it chooses the configuration of a scene.
    let configuresScenes: Bool
    /// Whether a scene delegate inherits from a class of the app's, which may take links.
    let hasInheritingScenes: Bool
    let moments: Set<Moment>
    let hasSwiftUIDoors: Bool
    /// Whether it looks which quick action a scene is connected with.
    let readsShortcuts: Bool

    init(_ file: ReviewedFile) {
      path = file.source.name
      moments = Set(file.functions.compactMap { $0.body == nil ? nil : $0.moment })
      let types = file.types.flatMap(\.inherited)
      hasAppDelegate =
        types.contains("UIApplicationDelegate") || moments.contains(.openURL)
        || moments.contains(.continueActivity)
      declaresAppDelegate =
        file.types.contains { !$0.isExtension && $0.inherited.contains("UIApplicationDelegate") }
        || file.functions.contains { function in
          function.body != nil && (function.moment == .openURL || function.moment == .continueActivity)
            && !(function.type.map { file.types[$0].isExtension } ?? false)
        }
      beginsApp = hasAppDelegate || types.contains("App")
      let scenes = file.types.map(\.inherited).filter {
        $0.contains("UIWindowSceneDelegate") || $0.contains("UISceneDelegate")
      }
      let own = scenes.filter { $0.contains("UIResponder") || $0.contains("NSObject") }
      hasInheritingScenes = own.count < scenes.count
      let isAdapted =
        types.contains("App") && file.mentions(file.tokens.indices, "UIApplicationDelegateAdaptor")
      let isSceneOfObjectiveC =
        file.language == .objectiveC
        && file.functions.contains {
          $0.name.hasPrefix("scene") && $0.parameters.first?.type.first == "UIScene"
        }
      hasScenes = isSceneOfObjectiveC || !own.isEmpty || moments.contains(.sceneWillConnect) || isAdapted
      configuresScenes = file.functions.contains { function in
        function.parameters.contains { $0.label.hasPrefix("configurationForConnecting") }
      }
      hasSwiftUIDoors = file.mentions(file.tokens.indices) {
        $0 == "onOpenURL" || $0 == "onContinueUserActivity"
      }
      // Not `launchOptions?[.shortcutItem]`, which is empty where there are scenes.
      readsShortcuts = file.tokens.indices.dropFirst(2).contains { index in
        file.tokens[index].isWord("shortcutItem") && file.tokens[index - 1].isMark(".")
          && !file.tokens[index - 2].isMark("[")
      }
    }

    /// Whether the file says anything about entrances.
    var isOfInterest: Bool {
      beginsApp || hasScenes || configuresScenes || hasSwiftUIDoors || readsShortcuts || !moments.isEmpty
    }
  }

  /// Ours: the folders around a file that are looked at; deeper ones belong to the app of these.
  private static let depthLimit = 32

  private(set) var parts: [Part] = []
  /// The parts in a folder and below, by the folder.
  private var partsBelow: [Substring: [Int]] = [:]
  /// How many of them declare an app delegate, and how many begin an app.
  private var delegatesBelow: [Substring: Int] = [:]
  private var appsBelow: [Substring: Int] = [:]
  /// The names of all classes and other types.
  private var declaredNames: Set<String> = []
  /// Every Info.plist, with the scenes that it names.
  private var manifests: [(path: String, scenes: SceneManifest?)] = []
  private var plistsBelow: [Substring: Int] = [:]

  mutating func add(_ part: Part) {
    guard part.isOfInterest else { return }
    for folder in Self.folders(around: part.path) {
      partsBelow[folder, default: []].append(parts.count)
      if part.declaresAppDelegate { delegatesBelow[folder, default: 0] += 1 }
      if part.beginsApp { appsBelow[folder, default: 0] += 1 }
    }
    parts.append(part)
  }

  /// Adds an Info.plist.
  ///
  /// - Parameter scenes: nil when it has no scene manifest.
  mutating func addInfoPlist(at path: String, scenes: SceneManifest?) {
    manifests.append((path, scenes))
    for folder in Self.folders(around: path) { plistsBelow[folder, default: 0] += 1 }
  }

  mutating func addDeclared(_ names: Set<String>) { declaredNames.formUnion(names) }

  /// Whether the app of a file has scenes, none of which takes what its app delegate takes.
  func bypass(_ twin: Moment, of file: ReviewedFile) -> Bool {
    let own = parts(ofApp: file.source.name)
    let manifests = manifests(of: file.source.name).filter { manifest in
      manifest.hasConfigurations || own.contains(where: \.configuresScenes)
    }
    guard !manifests.isEmpty || own.contains(where: \.hasScenes) else { return false }
    // A class that the sources do not have may take links.
    let isOwn = manifests.allSatisfy { $0.classes.allSatisfy(declaredNames.contains) }
    return isOwn
      && !own.contains { $0.moments.contains(twin) || $0.hasSwiftUIDoors || $0.hasInheritingScenes }
  }

  /// Whether the app of a file takes links in its scenes, so that the system never asks its app delegate.
  func takesInScene(_ twin: Moment, of file: ReviewedFile) -> Bool {
    parts(ofApp: file.source.name).contains { $0.moments.contains(twin) }
  }

  /// Whether the app of a file looks which quick action a scene is connected with.
  func readsShortcuts(inAppOf file: ReviewedFile) -> Bool {
    parts(ofApp: file.source.name).contains(where: \.readsShortcuts)
  }

  /// How many files of an app have an entrance of SwiftUI: one that lies nearer to another app is not its own.
  func swiftUIDoorCount(inAppOf file: ReviewedFile) -> Int {
    let own = Self.nearest(to: file.source.name, in: appsBelow)
    return parts.count { part in
      guard part.hasSwiftUIDoors else { return false }
      let other = Self.nearest(to: part.path, in: appsBelow)
      return own.hasPrefix(other) || other.hasPrefix(own)
    }
  }

  /// All files, where they have one app delegate; else those of the delegate's folder and below.
  private func parts(ofApp path: String) -> [Part] {
    guard delegatesBelow[""] ?? 0 > 1 else { return parts }
    let folder = Self.folder(of: path)
    // Several in one folder are no app.
    guard !folder.isEmpty, delegatesBelow[folder] ?? 0 <= 1 else { return parts.filter { $0.path == path } }
    return (partsBelow[folder] ?? []).map { parts[$0] }
  }

  /// The manifests of the Info.plist that lies nearest to an app delegate: those of extensions and of other apps lie elsewhere.
  private func manifests(of path: String) -> [SceneManifest] {
    let nearest = Self.nearest(to: path, in: plistsBelow)
    // Of several apps each has those of its own folder.
    if delegatesBelow[""] ?? 0 > 1, nearest != Self.folder(of: path) { return [] }
    return manifests.compactMap { $0.path.hasPrefix(nearest) ? $0.scenes : nil }
  }

  /// The innermost folder around a file that has something; empty where none has.
  private static func nearest(to path: String, in counts: [Substring: Int]) -> Substring {
    folders(around: path).last { counts[$0] ?? 0 > 0 } ?? ""
  }

  /// The folder of a file, with its slash.
  private static func folder(of path: String) -> Substring { folders(around: path).last ?? "" }

  /// The folders around a file with their last slash, from none at all to its own.
  private static func folders(around path: String) -> [Substring] {
    var folders: [Substring] = [""]
    for index in path.utf8.indices where path.utf8[index] == UInt8(ascii: "/") {
      folders.append(path[...index])
      if folders.count == depthLimit { break }
    }
    return folders
  }
}

/// What an Info.plist says about the scenes of its app.
package struct SceneManifest: Sendable {
  /// The classes that it names as delegates of scenes, without their modules.
  package let classes: [String]
  /// Whether it has configurations of scenes, or wants several scenes: alone it does not make an app one with scenes.
  package let hasConfigurations: Bool

  package init(classes: [String], hasConfigurations: Bool) {
    self.classes = classes
    self.hasConfigurations = hasConfigurations
  }
}
