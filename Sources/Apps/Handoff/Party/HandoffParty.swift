package import LinkspanCore

/// A device that takes part, as far as Handoff cares.
package struct HandoffDevice: Hashable, Sendable {
  package enum Platform: String, Hashable, Sendable, CaseIterable {
    case iOS
    case macOS
  }

  /// What the user, an administrator and the place decide.
  package struct Switches: Hashable, Sendable {
    package var account = "account"
    package var isHandoffOn = true
    package var isBluetoothOn = true
    package var isNear = true
    package var isUnlockedSinceBoot = true
    package var isRestricted = false
    package var isLowPower = false
    /// From so many bytes of `userInfo` on the transfer fails with 4611, which Apple does not publish; nil for never.
    package var userInfoLimitBytes: Int?

    package init() {}

    /// The switches that are true or false, by the names that a story uses, each with the value that lets Handoff work.
    package static var keys: [(name: String, path: WritableKeyPath<Switches, Bool>, usual: Bool)] {
      [
        ("on", \.isHandoffOn, true), ("bluetooth", \.isBluetoothOn, true), ("near", \.isNear, true),
        ("unlocked_since_boot", \.isUnlockedSinceBoot, true), ("restricted", \.isRestricted, false),
        ("low_power", \.isLowPower, false),
      ]
    }
  }

  package var name: String
  /// nil for a platform without Handoff between apps, such as watchOS here.
  package var platform: Platform?
  package var major: Int
  package var minor: Int
  package var switches: Switches

  package init(name: String, platform: Platform?, major: Int, minor: Int, switches: Switches = Switches()) {
    self.name = name
    self.platform = platform
    self.major = major
    self.minor = minor
    self.switches = switches
  }

  var hasHandoff: Bool {
    switch platform {
    case .iOS: major >= 8
    case .macOS: major > 10 || major == 10 && minor >= 10
    case nil: false
    }
  }

  /// The releases of the iOS 8 period, in which a page did not continue in a Mac app (A.5, observed).
  var isMacOfFirstPeriod: Bool { platform == .macOS && major == 10 && minor == 10 }

  /// What on this device keeps Handoff from working.
  package var obstacles: [HandoffObstacle] {
    var obstacles: [HandoffObstacle] = []
    func add(_ condition: HandoffObstacle.Condition, _ words: String, if isBroken: Bool) {
      if isBroken { obstacles.append(HandoffObstacle(condition, "\(name) \(words)")) }
    }
    add(.release, "has no Handoff", if: !hasHandoff)
    add(.handoffOff, "has Handoff switched off", if: !switches.isHandoffOn)
    add(.bluetoothOff, "has Bluetooth switched off", if: !switches.isBluetoothOn)
    add(.tooFar, "is not close by", if: !switches.isNear)
    add(.lockedSinceBoot, "has not been unlocked since it started", if: !switches.isUnlockedSinceBoot)
    add(.restricted, "may not use Handoff: device management forbids it", if: switches.isRestricted)
    add(.lowPower, "is in a low-power state", if: switches.isLowPower)
    return obstacles
  }
}

/// An app on a device, as far as Handoff cares.
package struct HandoffApp: Hashable, Sendable {
  package var identifier: String
  package var team: String
  /// Its `NSUserActivityTypes`.
  package var activityTypes: [String]
  package var isFromStore: Bool
  /// The team that signed it.
  package var signer: String

  package init(
    identifier: String, team: String, activityTypes: [String] = [], isFromStore: Bool = true,
    signer: String? = nil
  ) {
    self.identifier = identifier
    self.team = team
    self.activityTypes = activityTypes
    self.isFromStore = isFromStore
    self.signer = signer ?? team
  }

  /// From the store, or signed by the developer whose team it has (HO6).
  package var isTrusted: Bool { isFromStore || signer == team }
}

/// What ties a receiving app to the host of a page.
package enum DomainAssociation: Hashable, Sendable {
  /// `via` says by what: `activitycontinuation` or `applinks`; the certainty is that of the file's rules.
  case associated(via: String, certainty: Certainty = .documented)
  /// A name and a clause that say why not, and how sure that is.
  case refused(name: String, reason: String, certainty: Certainty = .documented)
  /// The app claims no such host.
  case unclaimed
}
