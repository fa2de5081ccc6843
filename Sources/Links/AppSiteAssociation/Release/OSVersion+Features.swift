/// What a release understands. Rules: section 2, 6.2 to 6.4 and 10.
extension OSVersion {
  /// Universal links at all: iOS 9, tvOS 10, macOS 10.15, watchOS 7, visionOS 1 (section 2, documented).
  package var hasUniversalLinks: Bool {
    switch platform {
    case .iOS: isAtLeast(9)
    case .tvOS: isAtLeast(10)
    case .macOS: isAtLeast(10, 15)
    case .watchOS: isAtLeast(7)
    case .visionOS: isAtLeast(1)
    }
  }

  /// `components` and `appIDs` (6.3, documented); before, only `paths` and `appID` are read.
  package var readsComponents: Bool {
    switch platform {
    case .iOS, .tvOS: isAtLeast(13)
    case .macOS, .watchOS, .visionOS: true
    }
  }

  /// `"apps": []` must be present (6.2, documented).
  package var needsAppsKey: Bool { !readsComponents }

  /// `caseSensitive` (6.4, documented for iOS and macOS; tvOS inferred from its substitution variables).
  package var readsCaseSensitive: Bool {
    switch platform {
    case .iOS: isAtLeast(13, 5)
    case .tvOS: isAtLeast(13, 4)
    case .macOS: isAtLeast(10, 15, 5)
    case .watchOS, .visionOS: true
    }
  }

  /// `substitutionVariables` and the predefined ones (6.2, documented).
  package var readsSubstitutionVariables: Bool {
    switch platform {
    case .iOS: isAtLeast(13, 5)
    case .tvOS: isAtLeast(13, 4)
    case .macOS: isAtLeast(10, 15, 6)
    case .watchOS, .visionOS: true
    }
  }

  /// Whether `$(region)` and `$(lang)` stand for the codes that were published, those of macOS 27 (S5, observed). The lists of
  /// other releases are not known; they differ by a few codes.
  package var hasPublishedCodes: Bool { isAtLeast(27) }

  /// `percentEncoded` and `defaults` (6.2 and 6.4, documented).
  package var readsDefaults: Bool {
    switch platform {
    case .iOS, .tvOS: isAtLeast(14)
    case .macOS: isAtLeast(11)
    case .watchOS, .visionOS: true
    }
  }

  /// Entries without a mode are fetched from Apple's CDN (C1, documented for iOS and macOS).
  package var fetchesThroughCDN: Bool { readsDefaults }

  /// `?mode=developer` and `?mode=managed` (E13–E15, documented with the CDN in 2020).
  package var readsModes: Bool { readsDefaults }

  /// `NSURL` percent-encodes what no URL holds, and hosts by IDNA, in apps that are built with the SDK of the release
  /// (documented: iOS 17 and its siblings).
  package var encodesURLsInCode: Bool {
    switch platform {
    case .iOS, .tvOS: isAtLeast(17)
    case .macOS: isAtLeast(14)
    case .watchOS: isAtLeast(10)
    case .visionOS: true
    }
  }

  /// Some top-level domains before others when files are downloaded (E21, documented for iOS).
  package var ordersDownloads: Bool { platform == .iOS && isAtLeast(13) }

  /// Wildcard entries, and `.well-known` before the root (E5 and F2, observed: iOS 9.3).
  package var readsWellKnownAndWildcards: Bool { platform != .iOS || isAtLeast(9, 3) }

  /// A link on a page of the same host stays in the browser (section 10, documented; since iOS 9.2, observed).
  package var keepsSameHostTapsInBrowser: Bool { platform != .iOS || isAtLeast(9, 2) }
}
