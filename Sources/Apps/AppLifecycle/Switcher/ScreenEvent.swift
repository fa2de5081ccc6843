/// Something that takes an app from the screen, lies over it, or brings it back.
package enum ScreenEvent: String, Hashable, Sendable, CaseIterable {
  /// The app is opened, or returned to.
  case open
  case home
  /// One press of the home button, and two more just as the home screen appears.
  case doublePressRace = "double-press-race"
  case switcher
  /// Another app is chosen.
  case otherApp = "other-app"
  /// An alert of the system, such as a request for a permission.
  case alert
  case call
  case controlCentre = "control-centre"
  case biometricPrompt = "biometric-prompt"
  /// Another app's notification, which the user follows.
  case notification

  /// As the head of a row.
  package var words: String {
    switch self {
    case .open: "open the app"
    case .home: "home, then the switcher"
    case .doublePressRace: "home, then double press at once"
    case .switcher: "switcher from the active app"
    case .otherApp: "another app from the switcher"
    case .alert: "system alert, permission prompt"
    case .call: "incoming call"
    case .controlCentre: "control centre"
    case .biometricPrompt: "biometric prompt"
    case .notification: "another app's notification, followed"
    }
  }
}
