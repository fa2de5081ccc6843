internal import LinkspanCore

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

  /// An app of a new SDK that declares no scenes: iOS does not launch it (LC2).
  ///
  /// Extensions have no scenes of their own, and of other systems than iOS nothing was reported.
  static func sceneFinding(in document: PropertyListDocument) -> Finding? {
    let root = document.root
    guard root["UIApplicationSceneManifest"] == nil, root["NSExtension"] == nil,
      root["CFBundlePackageType"]?.string == "APPL", let member = root.member("DTSDKName"),
      let sdk = member.value.string,
      let name = ["iphoneos", "iphonesimulator"].first(where: sdk.hasPrefix),
      let major = Int(sdk.dropFirst(name.count).prefix { $0 != "." }), major >= firstSDKWithScenesOnly
    else { return nil }
    return Finding(
      rule: "info-plist.no-scenes", severity: .error,
      at: document.location(
        of: member.keyRange, pointer: JSONPointer().appending("DTSDKName").description),
      message: "The app was built with the iOS \(major) SDK and has no 'UIApplicationSceneManifest'.",
      help:
        "iOS does not launch such an app. Move its interface, and the callbacks for links, to a scene delegate, and declare it.",
      source: "LC2")
  }

  /// - Source: LC2.
  private static let firstSDKWithScenesOnly = 27
}
