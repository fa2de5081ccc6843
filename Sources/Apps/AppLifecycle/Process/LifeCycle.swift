/// How an app learns of its life cycle.
package enum LifeCycle: String, Hashable, Sendable, CaseIterable {
  /// `UIApplicationDelegate` alone.
  case appDelegate = "app-delegate"
  /// `UISceneDelegate`, with `UIApplicationSceneManifest` in the Info.plist.
  case scene
  case swiftUI = "swiftui"
}

/// What decides which callbacks an app gets.
package struct AppShape: Hashable, Sendable {
  package var lifeCycle: LifeCycle
  /// The major version of the iOS SDK that it was built with.
  package var sdk: Int
  /// In SwiftUI: whether a view has `onContinueUserActivity` besides `onOpenURL`.
  package var continuesActivities: Bool

  /// The first SDK whose apps have to have scenes.
  ///
  /// - Source: rule LC2, observed with Xcode 27.0 and the Simulator of iOS 27.0.
  package static let firstSDKWithScenes = 27
  /// Ours: the one before it.
  package static let usualSDK = 26

  package init(_ lifeCycle: LifeCycle, sdk: Int = usualSDK, continuesActivities: Bool = true) {
    self.lifeCycle = lifeCycle
    self.sdk = sdk
    self.continuesActivities = continuesActivities
  }

  /// Whether the system starts it at all.
  package var launches: Bool { lifeCycle != .appDelegate || sdk < Self.firstSDKWithScenes }
}
