package import LinkspanCore

/// Why something that arrived was not handled exactly once.
package enum ArrivalProblem: String, Hashable, Sendable, CaseIterable {
  case missingScene = "missing-scene"
  case handledTwice = "handled-twice"
  /// The callback that brought it is not forwarded.
  case notForwarded = "not-forwarded"
  /// The system calls nothing that brings it.
  case notDelivered = "not-delivered"
  case interfaceNotReady = "interface-not-ready"
  case unroutable
  case loop

  /// A sentence.
  package var cause: String {
    switch self {
    case .missingScene:
      "The app has no scene manifest and was built with the iOS \(AppShape.firstSDKWithScenes) SDK or a later one, so it "
        + "does not launch; the command that starts it still reports a process."
    case .handledTwice:
      "The system hands it over twice after a cold start, and the app forwards both to its router."
    case .notForwarded: "The callback that brings it does not forward it to the router."
    case .notDelivered: "Without onContinueUserActivity no view receives this activity."
    case .interfaceNotReady:
      "It arrives before the interface or the session exists, and the app navigates at once."
    case .unroutable: "The association file claims the link, and the app's router has no screen for it."
    case .loop:
      "The app hands the link back to the browser, and the page opens the app again, which hands it back again."
    }
  }

  /// The way out, as a sentence.
  package var help: String {
    switch self {
    case .missingScene: "Add UIApplicationSceneManifest to the Info.plist and move to the scene life cycle."
    case .handledTwice:
      "Forward from one callback only, or remember the last payload and ignore its repetition."
    case .notForwarded:
      "Forward from the start's options (launchOptions, connectionOptions) and from the callbacks of a running app."
    case .notDelivered: "Add onContinueUserActivity for the activity's type."
    case .interfaceNotReady: "Keep the link in a queue and route it when the interface is ready."
    case .unroutable:
      "Exclude the path in the association file, or open the page in the browser with UIApplication.open(_:)."
    case .loop:
      "Show the page inside the app (SFSafariViewController), or exclude the path in the association file."
    }
  }

  package var certainty: Certainty {
    switch self {
    case .missingScene, .handledTwice: .observed
    case .unroutable: .documented
    case .notForwarded, .notDelivered, .interfaceNotReady, .loop: .inferred
    }
  }

  /// `{"problem":…,"cause":…,"help":…,"certainty":…}`
  package var json: JSON {
    .object([
      ("problem", .string(rawValue)), ("cause", .string(cause)), ("help", .string(help)),
      ("certainty", .string(certainty.rawValue)),
    ])
  }
}
