internal import LinkspanCore

/// Where a person comes from when a clip opens.
package enum Entrance: String, CaseIterable, Sendable {
  case qr, nfc
  case appClipCode = "app-clip-code"
  /// The banner or card on a web page.
  case banner
  case messages, maps, siri, spotlight
  case richLink = "rich-link"
  case otherApp = "other-app"
  case appLibrary = "app-library"
  case notification
  case appSwitcher = "app-switcher"
  case testFlight = "testflight"
  /// A run from Xcode, with the URL of its scheme.
  case xcode

  package enum Availability: Sendable {
    case yes
    case no
    /// Only in part; how is documented nowhere.
    case limited
  }

  /// Whether it opens a kind of experience.
  ///
  /// - Source: Apple, "Configuring App Clip experiences" (AC15); for Local Experiences "Testing the launch experience".
  package func opens(_ kind: Experience.Kind) -> Availability {
    switch self {
    case .testFlight: return kind == .testFlight ? .yes : .no
    case .xcode, .notification, .appSwitcher, .appLibrary: return kind == .testFlight ? .no : .yes
    default: break
    }
    switch (self, kind) {
    case (_, .testFlight): return .no
    case (.qr, .local), (.nfc, .local), (.appClipCode, .local), (.banner, .local), (.messages, .local):
      return .yes
    case (_, .local): return .limited
    case (.banner, .standard), (.banner, .demo): return .no
    case (.messages, .demo): return .limited
    case (.appClipCode, .standard), (.appClipCode, .website): return .no
    case (.maps, .advanced), (.siri, .advanced): return .yes
    case (.maps, _): return .no
    case (.siri, .demo): return .no
    case (.otherApp, .advanced): return .no
    default: return .yes
    }
  }

  /// What the clip's code is given (AC22).
  enum Delivery {
    /// The URL that opened it.
    case invoked
    /// The registered URL, however long the one that opened it was.
    case registered
    /// The URL of the last time.
    case last
    case nothing
  }

  var delivery: Delivery {
    switch self {
    case .maps, .siri: .registered
    case .appLibrary, .spotlight: .last
    case .notification, .appSwitcher: .nothing
    default: .invoked
    }
  }

  /// Whether it opens a clip that is on the device again, so that no URL leads there (AC22).
  package var opensAgain: Bool {
    switch self {
    case .appLibrary, .notification, .appSwitcher: true
    default: false
    }
  }

  /// Whether a card stands before the clip.
  var showsCard: Bool {
    switch self {
    case .testFlight, .xcode: false
    default: !opensAgain
    }
  }
}
