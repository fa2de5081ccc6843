extension InfoPlist {
  /// The classes that `UIApplicationSceneManifest` names as delegates of scenes, without their modules; nil for an app without
  /// scenes.
  ///
  /// A manifest may name none: the app delegate chooses them, or SwiftUI does.
  package var sceneDelegates: [String]? {
    guard let manifest = document.root["UIApplicationSceneManifest"], manifest.dictionary != nil else {
      return nil
    }
    let roles = manifest["UISceneConfigurations"]?.dictionary ?? []
    return roles.flatMap { $0.value.array ?? [] }.compactMap { scene -> String? in
      guard let name = scene["UISceneDelegateClassName"]?.string else { return nil }
      return name.split(separator: ".").last.map { String($0) }
    }
  }
  /// Whether `UIApplicationSceneManifest` has configurations of scenes, or says that the app has several scenes. A manifest
  /// with neither leaves it to the code.
  package var configuresScenes: Bool {
    guard let manifest = document.root["UIApplicationSceneManifest"] else { return false }
    // Xcode writes an empty dictionary where the app delegate, or SwiftUI, has the configurations.
    let configurations = manifest["UISceneConfigurations"]?.dictionary ?? []
    return !configurations.isEmpty || manifest["UIApplicationSupportsMultipleScenes"]?.bool ?? false
  }
}
