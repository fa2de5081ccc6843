internal import LinkspanCore

/// Which files of a review have an app delegate, scenes and entrances of them, so that each app is judged by its own.
struct AppEntrances: Sendable {
  /// What one file has.
  struct Part: Sendable {
    let path: String
    let hasAppDelegate: Bool
    let hasScenes: Bool
    /// Whether a scene delegate inherits from a class of the app's, which may take links.
    let hasInheritingScenes: Bool
    let moments: Set<Moment>
    let hasSwiftUIDoors: Bool

    init(_ file: ReviewedFile) {
      path = file.source.name
      moments = Set(file.functions.compactMap { $0.body == nil ? nil : $0.moment })
      let types = file.types.flatMap(\.inherited)
      hasAppDelegate =
        types.contains("UIApplicationDelegate") || moments.contains(.openURL)
        || moments.contains(.continueActivity)
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
      hasSwiftUIDoors = file.mentions(file.tokens.indices) {
        $0 == "onOpenURL" || $0 == "onContinueUserActivity"
      }
    }

    /// An Info.plist with a scene manifest.
    ///
    /// - Parameter isOwn: Whether the sources have every class that it names; any other may take links.
    init(sceneManifest path: String, isOwn: Bool) {
      self.path = path
      hasAppDelegate = false
      hasScenes = true
      hasInheritingScenes = !isOwn
      moments = []
      hasSwiftUIDoors = false
    }

    /// Whether the file says anything about entrances.
    var isOfInterest: Bool { hasAppDelegate || hasScenes || hasSwiftUIDoors || !moments.isEmpty }
  }

  private(set) var parts: [Part] = []

  mutating func add(_ part: Part) { if part.isOfInterest { parts.append(part) } }

  /// Whether the app of a file has scenes, none of which takes what its app delegate takes.
  func bypass(_ twin: Moment, of file: ReviewedFile) -> Bool {
    let own = parts(ofApp: file.source.name)
    guard own.contains(where: \.hasScenes) else { return false }
    return !own.contains { $0.moments.contains(twin) || $0.hasSwiftUIDoors || $0.hasInheritingScenes }
  }

  /// All files, where they have one app delegate; else those of the delegate's folder and below.
  private func parts(ofApp path: String) -> [Part] {
    guard parts.filter(\.hasAppDelegate).count > 1 else { return parts }
    let folder = Self.folder(path)
    let inFolder = parts.filter { $0.path == path || !folder.isEmpty && $0.path.hasPrefix(folder) }
    // Several in one folder are no app.
    return inFolder.count(where: \.hasAppDelegate) > 1 ? parts.filter { $0.path == path } : inFolder
  }

  private static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }
}
