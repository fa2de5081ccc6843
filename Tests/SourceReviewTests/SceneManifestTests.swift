import LinkspanCore
import SourceReview
import Testing

/// An Info.plist says that an app has scenes where its sources do not: `review.delegate-bypassed`.
@Suite struct SceneManifestTests {
  private static let delegate = """
    class AppDelegate: UIResponder, UIApplicationDelegate {
      func application(_ app: UIApplication, open url: URL, options: OpenOptions) -> Bool { router.handle(url) }
    }
    """

  /// - Parameter manifests: The classes that each names, by its path.
  private static func bypassed(
    _ sources: [(path: String, text: String)], _ manifests: [(path: String, classes: [String])]
  ) -> [String] {
    var index = ReviewIndex()
    for source in sources { index.add(SourceText(name: source.path, source.text)) }
    for manifest in manifests {
      index.addInfoPlist(
        at: manifest.path, scenes: SceneManifest(classes: manifest.classes, hasConfigurations: true))
    }
    let files = sources.map { ReviewedFile(SourceText(name: $0.path, $0.text), .swift) }
    return SourceReview(files, of: index).findings.filter { $0.rule == "review.delegate-bypassed" }
      .map(\.location.file)
  }

  @Test func aManifestAloneSaysIt() {
    #expect(Self.bypassed([("App/AppDelegate.swift", Self.delegate)], []) == [])
    #expect(
      Self.bypassed([("App/AppDelegate.swift", Self.delegate)], [("App/Info.plist", [])]) == [
        "App/AppDelegate.swift"
      ])
  }

  /// A class of somebody else may take links; one of the app's is judged by its sources.
  @Test(arguments: [
    ("class ShopScenes: Scenes { var window: UIWindow? }", "ShopScenes", 1),
    ("struct Shop {}", "FlutterSceneDelegate", 0),
    (
      "class ShopScenes: UIResponder, UIWindowSceneDelegate {"
        + " func scene(_ s: UIScene, openURLContexts c: Set<UIOpenURLContext>) { router.handle(c) } }",
      "ShopScenes", 0
    ),
  ])
  func theClassThatItNamesCounts(scenes: String, name: String, count: Int) {
    let sources = [("App/AppDelegate.swift", Self.delegate), ("App/Scenes.swift", scenes)]
    #expect(Self.bypassed(sources, [("App/Info.plist", [name])]).count == count)
  }

  /// Of the app's Info.plist and those of other targets, the one that lies nearest to the delegate is the app's.
  @Test func theNearestInfoPlistCounts() {
    let source = SourceText(name: "Shop/Classes/AppDelegate.swift", Self.delegate)
    func bypassed(_ plists: [(path: String, scenes: SceneManifest?)]) -> Bool {
      var index = ReviewIndex()
      index.add(source)
      for plist in plists { index.addInfoPlist(at: plist.path, scenes: plist.scenes) }
      return !SourceReview([ReviewedFile(source, .swift)], of: index).findings.isEmpty
    }
    let scenes = SceneManifest(classes: [], hasConfigurations: true)
    #expect(!bypassed([("Shop/Resources/Info.plist", nil), ("Hardware/Printer/Info.plist", scenes)]))
    #expect(bypassed([("Shop/Resources/Info.plist", scenes), ("Hardware/Printer/Info.plist", nil)]))
    #expect(bypassed([("Info.plist", scenes)]))
  }

  /// A manifest without a configuration leaves it to the code.
  @Test func aManifestWithoutConfigurationsNeedsTheCode() {
    let configuring = """
      extension AppDelegate {
        func application(
          _ application: UIApplication, configurationForConnecting session: UISceneSession, options: SceneOptions
        ) -> UISceneConfiguration { UISceneConfiguration(name: "Shop", sessionRole: session.role) }
      }
      """
    for (text, count) in [("", 0), (configuring, 1)] {
      let source = SourceText(name: "App/AppDelegate.swift", Self.delegate + "\n" + text)
      var index = ReviewIndex()
      index.add(source)
      index.addInfoPlist(
        at: "App/Info.plist", scenes: SceneManifest(classes: [], hasConfigurations: false))
      #expect(SourceReview([ReviewedFile(source, .swift)], of: index).findings.count == count)
    }
  }

  /// Of several apps each has the manifests of its own folder.
  @Test func anotherAppsManifestSaysNothing() {
    let sources = [("One/AppDelegate.swift", Self.delegate), ("Two/AppDelegate.swift", Self.delegate)]
    #expect(Self.bypassed(sources, [("Two/Support/Info.plist", [])]) == ["Two/AppDelegate.swift"])
  }
}
