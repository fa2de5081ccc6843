internal import AppSiteAssociation
import LinkExplanation
internal import LinkspanCore
import SimulatedDevices

/// What in the way the link is followed, on the device or of its user keeps the app from opening.
struct WayCauses {
  let chain: LinkExplanation
  let link: LinkURL
  let way: WayOfFollowing
  let os: OSVersion
  let isInstalled: Bool

  /// In the order of repair.
  var causes: [FoundCause] {
    [ofWay, ofInstallation, ofRelease, ofUser].compactMap { $0 }
  }

  private func step(_ name: ExplanationStep.Name) -> ExplanationStep? {
    chain.steps.first { $0.name == name }
  }

  private var ofWay: FoundCause? {
    guard let step = step(.wayOfFollowing), step.verdict == .no || step.verdict == .unknown else {
      return nil
    }
    let navigation = way.navigation
    let cause: Cause
    if !navigation.through.isEmpty {
      cause = .redirectChain
    } else {
      switch (navigation.container, navigation.gesture) {
      case (.browser, .type): cause = .typed
      case (.browser, .tap): cause = .sameHost
      case (.browser, .script): cause = .script
      case (.webView, _), (.safariViewController, _), (.inAppBrowser, _): cause = .webView
      case (.otherBrowser, _): cause = .otherBrowser
      case (.otherApp, .open): cause = .ownApp
      default: cause = .unsettledWay
      }
    }
    return FoundCause(
      cause, Self.sureness(step.certainty), evidence: [Self.sentence(step.message)],
      remedy: chain.verdict.change ?? "Tap the link in another app, such as Messages or Notes.")
  }

  private var ofInstallation: FoundCause? {
    isInstalled ? nil : Self.notInstalled(link)
  }

  /// - Parameter link: What a banner on its page hands to the app; nil where no link was named.
  static func notInstalled(_ link: LinkURL?) -> FoundCause {
    FoundCause(
      .notInstalled, evidence: ["The app is not on the device."],
      remedy:
        "Install the app; the device then fetches the file (V1). Without it, a Smart App Banner offers it:\n"
        + #"<meta name="apple-itunes-app" content="app-id=ID, app-argument="#
        + (link?.text.withoutUserInformation ?? "URL") + #"">"#)
  }

  private var ofRelease: FoundCause? {
    guard !os.hasUniversalLinks else { return nil }
    return FoundCause(
      .releaseTooOld, evidence: ["\(os.name) has no universal links; they came with iOS 9."],
      remedy: "Update the device, or offer a custom URL scheme for releases before iOS 9.")
  }

  private var ofUser: FoundCause? {
    let isChosen = way.navigation.choosesBrowser == true
    guard isChosen || step(.userChoice)?.verdict == .no else { return nil }
    if os.platform == .macOS, !isChosen, chain.verdict.step == .userChoice, let change = chain.verdict.change
    {
      return FoundCause(
        .userChoseBrowser, evidence: [Self.sentence(chain.verdict.reason)], remedy: change,
        title: "A Mac opens the browser until the user chooses the app.")
    }
    let message = step(.userChoice).map { Self.sentence($0.message) } ?? "The user took the browser."
    return FoundCause(
      .userChoseBrowser,
      evidence: [
        isChosen ? "The user took the browser from the menu of a long press, and iOS remembers it." : message
      ],
      remedy: "Hold a link to '\(link.host)' in Notes and choose the app; that is remembered as well.")
  }

  static func sureness(_ certainty: Certainty) -> FoundCause.Sureness {
    switch certainty {
    case .documented: .documented
    case .observed: .observed
    case .inferred, .disputed, .open: .inferred
    }
  }

  /// A clause with a capital letter and a full stop.
  static func sentence(_ clause: String) -> String {
    let text = clause.prefix(1).uppercased() + clause.dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }
}
