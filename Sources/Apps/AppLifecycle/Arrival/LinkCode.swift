/// What an app's own code does with what arrives.
package struct LinkCode: Hashable, Sendable {
  /// The callbacks from which it hands a payload to its router.
  package enum Forwarding: String, Hashable, Sendable, CaseIterable {
    /// From the start's options and from the callback of a running app.
    case everyDoor = "every-door"
    /// From the start's options alone: links do nothing while the app runs.
    case launchOnly = "launch-only"
    /// From the callback of a running app alone, as before scenes.
    case runningOnly = "running-only"
  }

  /// When the router may navigate.
  package enum Readiness: String, Hashable, Sendable, CaseIterable {
    case atLaunch = "at-launch"
    /// Once the app is active.
    case atActivation = "at-activation"
    /// Once the app is active and its session is restored.
    case afterSession = "after-session"
  }

  /// What it does with a link that it cannot route.
  package enum Unroutable: String, Hashable, Sendable, CaseIterable {
    case drops
    /// `UIApplication.open(_:)`, which goes to the browser and never back to the app itself.
    case handsBack = "hands-back"
    /// In a browser view of its own.
    case showsInside = "shows-inside"
  }

  /// What the page does after a link was handed back to the browser.
  package enum Page: String, Hashable, Sendable, CaseIterable {
    case stays
    /// It redirects to a host that the app claims too.
    case redirects
    /// It opens the app by its custom scheme.
    case opensScheme = "opens-scheme"
  }

  package var forwarding = Forwarding.everyDoor
  /// Whether it keeps a payload until ``readiness``; otherwise it navigates at once.
  package var queues = true
  package var readiness = Readiness.atLaunch
  /// Whether it recognises a payload that it was given before.
  package var ignoresRepeats = true
  /// Whether its router has a screen for the link.
  package var routes = true
  package var unroutable = Unroutable.drops
  package var page = Page.stays

  package init() {}

  /// What most apps begin with: every callback navigates at once.
  package static let naive: LinkCode = {
    var code = LinkCode()
    code.queues = false
    code.ignoresRepeats = false
    return code
  }()

  func forwards(_ callback: Callback) -> Bool {
    switch forwarding {
    case .everyDoor: true
    case .launchOnly: callback.isLaunch
    case .runningOnly: !callback.isLaunch
    }
  }
}
