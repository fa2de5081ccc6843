package import LinkspanCore
internal import LinkspanSpecification

/// Why nothing appears on the other device, or why it isn't the app.
package struct HandoffObstacle: Hashable, Sendable {
  /// The conditions of Handoff by the names that the program prints.
  package enum Condition: String, Hashable, Sendable, CaseIterable {
    case release = "release-too-old"
    case differentAccount = "different-account"
    case handoffOff = "handoff-off"
    case bluetoothOff = "bluetooth-off"
    case tooFar = "too-far"
    case lockedSinceBoot = "locked-since-boot"
    case restricted = "restricted-by-management"
    case lowPower = "low-power"
    case notEligible = "not-eligible"
    case expired = "activity-expired"
    case webpageURLScheme = "webpage-url-scheme"
    case valueClass = "value-class"
    case appAbsent = "app-absent"
    case differentTeam = "different-team"
    case otherSigner = "signed-by-another-developer"
    case typeNotDeclared = "activity-type-not-declared"
    case domainNotAssociated = "domain-not-associated"
    case noWebToMac = "no-web-to-mac-app"
  }

  package var condition: Condition
  /// What was found, as a clause.
  package var detail: String
  /// A name for what lies behind it, such as `signature-mismatch`; nil when there is none.
  package var cause: String?
  /// That of the condition, or less where what lies behind it is less sure.
  package var certainty: Certainty

  package init(
    _ condition: Condition, _ detail: String, cause: String? = nil, certainty: Certainty = .documented
  ) {
    self.condition = condition
    self.detail = detail
    self.cause = cause
    self.certainty = condition.certainty.and(certainty)
  }

  /// The condition, or the cause behind it.
  package var name: String { cause ?? condition.rawValue }

  /// `{"obstacle":…,"condition":…,"detail":…,"help":…,"rules":[…],"certainty":…}`
  package var json: JSON {
    .object([
      ("obstacle", .string(name)), ("condition", .string(condition.rawValue)), ("detail", .string(detail)),
      ("help", .string(condition.help)), ("rules", .array([.string(condition.rule)])),
      ("certainty", .string(certainty.rawValue)),
    ])
  }
}

extension HandoffObstacle.Condition {
  /// The rule that the condition is part of.
  package var rule: String {
    switch self {
    case .release, .differentAccount, .handoffOff, .bluetoothOff, .tooFar: "HO5"
    case .lockedSinceBoot, .restricted, .lowPower: "HO7"
    case .notEligible, .expired, .valueClass: "HO2"
    case .webpageURLScheme: "HO10"
    case .appAbsent, .typeNotDeclared: "HO4"
    case .differentTeam, .otherSigner: "HO6"
    case .domainNotAssociated: "HO9"
    case .noWebToMac: "HO11"
    }
  }

  /// That an app that is absent declares no activity type is our own conclusion.
  package var certainty: Certainty {
    Provenance(citing: [rule], atMost: self == .appAbsent ? .inferred : .documented).certainty
  }

  /// What to do, as a sentence.
  package var help: String {
    switch self {
    case .release: "Handoff needs iOS 8 or OS X 10.10 on both devices."
    case .differentAccount: "Sign in to the same iCloud account on both devices."
    case .handoffOff:
      "Switch Handoff on in Settings › General › AirPlay & Continuity, on a Mac in System Settings › General."
    case .bluetoothOff: "Switch Bluetooth on."
    case .tooFar: "Bring the devices close together."
    case .lockedSinceBoot: "Unlock the device once after it started."
    case .restricted: "Allow Handoff in the device management profile."
    case .lowPower: "Leave the low-power state."
    case .notEligible: "Set isEligibleForHandoff to true."
    case .expired: "Set a later expirationDate, or none."
    case .webpageURLScheme: "Use an http or https URL as webpageURL."
    case .valueClass: "Use only \(ActivityValue.allowedClasses.joined(separator: ", "))."
    case .appAbsent: "Install the app on the receiving device."
    case .differentTeam: "Sign both apps with the same team."
    case .otherSigner: "Install the app from the App Store, or the build that its developer signed."
    case .typeNotDeclared: "Add the activity type to NSUserActivityTypes of the receiving app."
    case .domainNotAssociated:
      "Associate the domain: on iOS 8 'activitycontinuation' with a signed file, later 'applinks'."
    case .noWebToMac: "Continue in the browser: in the iOS 8 period a page did not continue in a Mac app."
    }
  }
}
