package import LinkspanCore
internal import LinkspanSpecification

/// What the receiving device offers for an activity that is advertised: an app, the browser, or nothing.
///
/// - Source: rules HO4 to HO7, HO9, HO10.
package struct HandoffOffer: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case nothing
    case browser
    /// The identifier of the app, and whether the activity type, `activitycontinuation` or `applinks` speaks for it.
    case app(String, via: String)
  }

  package private(set) var outcome = Outcome.nothing
  /// Why nothing appears, or why the browser stands in for the app.
  package private(set) var obstacles: [HandoffObstacle] = []

  /// How sure the file is that associates the app's domain.
  private var certaintyOfAssociation = Certainty.documented

  /// ``rules`` and how sure the outcome is.
  package var provenance: Provenance {
    Provenance(
      citing: rules, atMost: obstacles.map(\.certainty).reduce(certaintyOfAssociation) { $0.and($1) })
  }

  /// What the outcome rests on, then the conditions behind the obstacles, each rule once.
  package var rules: [String] {
    let first =
      switch outcome {
      case .nothing: "HO5"
      case .browser: "HO10"
      case .app(_, let via): via == "activity-type" ? "HO4" : "HO9"
      }
    return obstacles.map(\.condition.rule).reduce(into: [first]) { rules, rule in
      if !rules.contains(rule) { rules.append(rule) }
    }
  }

  /// - Parameters:
  ///   - app: The sender's; nil for a browser.
  ///   - apps: Those of the receiving device.
  ///   - association: Whether an app of the receiving device has the domain of the `webpageURL`.
  package init(
    _ activity: UserActivity, of app: HandoffApp?, from sender: HandoffDevice, to receiver: HandoffDevice,
    apps: [HandoffApp], at now: WallTime, association: (HandoffApp) -> DomainAssociation
  ) {
    obstacles = sender.obstacles + receiver.obstacles
    if sender.switches.account != receiver.switches.account {
      obstacles.append(
        HandoffObstacle(
          .differentAccount, "\(sender.name) and \(receiver.name) are signed in to different iCloud accounts")
      )
    }
    obstacles += activity.obstacles(at: now)
    if let app, !app.isTrusted { obstacles.append(Self.untrusted(app)) }
    guard obstacles.isEmpty else { return }
    choose(activity, app, receiver, apps.sorted { $0.identifier < $1.identifier }, association)
  }

  /// Nothing, for the sending device has no app that could make the activity.
  package static func withoutSender(_ device: String) -> HandoffOffer {
    HandoffOffer([HandoffObstacle(.appAbsent, "\(device) does not have the app that makes the activity")])
  }

  private init(_ obstacles: [HandoffObstacle]) { self.obstacles = obstacles }

  private mutating func choose(
    _ activity: UserActivity, _ sender: HandoffApp?, _ receiver: HandoffDevice, _ apps: [HandoffApp],
    _ association: (HandoffApp) -> DomainAssociation
  ) {
    for app in apps {
      guard let answer = answer(of: app, activity, sender, receiver, association) else { continue }
      switch answer {
      case .success(let via, let certainty):
        certaintyOfAssociation = certainty
        outcome = .app(app.identifier, via: via)
        obstacles = []
        return
      case .failure(let obstacle): obstacles.append(obstacle)
      }
    }
    if activity.webpageURL != nil { outcome = .browser }
    if obstacles.isEmpty, sender == nil, !apps.isEmpty {
      obstacles.append(
        HandoffObstacle(
          .domainNotAssociated, "no app on \(receiver.name) claims '\(activity.webpageHost ?? "")'"))
    }
    if obstacles.isEmpty {
      obstacles.append(
        HandoffObstacle(.appAbsent, "\(receiver.name) has no app that could continue '\(activity.type)'"))
    }
  }

  private enum Answer {
    case success(String, Certainty)
    case failure(HandoffObstacle)
  }

  /// - Returns: nil for an app that has nothing to do with the activity.
  private func answer(
    of app: HandoffApp, _ activity: UserActivity, _ sender: HandoffApp?, _ receiver: HandoffDevice,
    _ association: (HandoffApp) -> DomainAssociation
  ) -> Answer? {
    var obstacle: HandoffObstacle?
    if let sender {
      let declares = app.activityTypes.contains(exactly: activity.type)
      let isSameTeam = app.team.isExactly(sender.team)
      if declares, isSameTeam { return trusted(app, "activity-type", .documented) }
      if declares {
        obstacle = HandoffObstacle(
          .differentTeam,
          "'\(app.identifier)' belongs to the team '\(app.team)', the sender to '\(sender.team)'")
      } else if isSameTeam {
        obstacle = HandoffObstacle(
          .typeNotDeclared, "'\(app.identifier)' does not declare '\(activity.type)'")
      }
    }
    guard activity.webpageURL != nil else { return obstacle.map { .failure($0) } }
    let host = activity.webpageHost ?? ""
    switch association(app) {
    case .associated(let via, let certainty):
      if receiver.isMacOfFirstPeriod {
        return .failure(HandoffObstacle(.noWebToMac, "'\(app.identifier)' is a Mac app of the iOS 8 period"))
      }
      return trusted(app, via, certainty)
    case .refused(let name, let reason, let certainty):
      return .failure(
        HandoffObstacle(
          .domainNotAssociated, "'\(app.identifier)' and '\(host)': \(reason)", cause: name,
          certainty: certainty))
    case .unclaimed: return obstacle.map { .failure($0) }
    }
  }

  private func trusted(_ app: HandoffApp, _ via: String, _ certainty: Certainty) -> Answer {
    app.isTrusted ? .success(via, certainty) : .failure(Self.untrusted(app))
  }

  private static func untrusted(_ app: HandoffApp) -> HandoffObstacle {
    HandoffObstacle(
      .otherSigner,
      "'\(app.identifier)' is not from the App Store, and '\(app.signer)' signed it, not '\(app.team)'")
  }
}

extension UserActivity {
  /// What keeps the activity from being offered, whatever the devices are.
  fileprivate func obstacles(at now: WallTime) -> [HandoffObstacle] {
    var obstacles: [HandoffObstacle] = []
    if let url = webpageURL, !["http", "https"].contains(ASCII.lowercased(String(url.prefix { $0 != ":" }))) {
      obstacles.append(HandoffObstacle(.webpageURLScheme, "the webpageURL is '\(url)'"))
    }
    if let (path, className) = userInfo.foreignClass() {
      obstacles.append(HandoffObstacle(.valueClass, "\(path) is of the class '\(className)'"))
    }
    if !isEligibleForHandoff {
      obstacles.append(HandoffObstacle(.notEligible, "the activity is not eligible"))
    }
    if let expires, expires <= now {
      obstacles.append(HandoffObstacle(.expired, "the activity expired at \(expires)"))
    }
    return obstacles
  }
}
