internal import LinkspanCore

/// What a device's state means for each (service, app, domain), and what to do next.
package struct DeviceDiagnosis: Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// Both sides agree and the user has not said otherwise.
    case works
    /// Both sides agree, and the user chose the browser.
    case userChoseBrowser
    case notApproved
    /// No check has ended yet.
    case notChecked

    package var name: String {
      switch self {
      case .works: "works"
      case .userChoseBrowser: "the user chose the browser"
      case .notApproved: "not approved"
      case .notChecked: "not checked yet"
      }
    }
  }

  package var association: DeviceAssociation
  package var state: State
  /// The cause first; none for an association that works.
  package var problems: [DeviceProblem]

  /// One for each association of the state, in its order.
  package static func all(of state: DeviceState) -> [DeviceDiagnosis] {
    var eventsOfHost: [String: DeviceEvent] = [:]
    for event in state.events where event.isProblem {
      // The last one counts: earlier trouble may be mended.
      if let domain = event.domain { eventsOfHost[domain] = event }
    }
    return state.associations.map { association in
      let isOff = state.settings.contains { setting in
        setting.isEnabled == false && setting.service == association.service
          && setting.app.isExactly(association.app)
          && (setting.domain == nil || setting.domain == association.domain)
      }
      return DeviceDiagnosis(association, isOff: isOff, event: eventsOfHost[association.host])
    }
  }

  private init(_ association: DeviceAssociation, isOff: Bool, event: DeviceEvent?) {
    self.association = association
    if association.siteApproval == .approved {
      let isDenied = association.userApproval == .denied
      state = isDenied || isOff ? .userChoseBrowser : .works
      problems = isDenied || isOff ? [Self.browserChosen(association, isCertain: isDenied)] : []
      return
    }
    let isUnchecked =
      association.lastChecked == nil && association.error == nil && association.siteApproval != .denied
    state = isUnchecked ? .notChecked : .notApproved
    problems = [Self.cause(association, event: event, isUnchecked: isUnchecked)]
    problems += [Self.modeProblem(association), Self.lateCheck(association), Self.givenUp(association)]
      .compactMap { $0 }
  }

  private static func browserChosen(_ association: DeviceAssociation, isCertain: Bool) -> DeviceProblem {
    DeviceProblem(
      "browser-chosen", "The user once chose the browser for links to '\(association.domain)'.",
      help: "Touch and hold such a link in Notes (on a Mac: control-click it) and choose the app; the device "
        + "remembers the choice.", "section 10", "section 5", certainty: isCertain ? .documented : .inferred)
  }

  private static func cause(
    _ association: DeviceAssociation, event: DeviceEvent?, isUnchecked: Bool
  ) -> DeviceProblem {
    let host = association.host
    // The log names the reason; the entry's own error is the same seen from further away.
    if let told = event.flatMap(DeviceProblem.of) { return told }
    if let error = association.error {
      return DeviceProblem.of(error, host: host, isDirect: association.mode != nil)
    }
    if isUnchecked {
      return DeviceProblem(
        "not-checked", "The device has not requested the file of '\(host)' yet.",
        help:
          "It requests the file when the app is installed or updated, and may wait for minutes after a restart. Reinstall "
          + "the app while online, then read the state again.", "V1", "V4", certainty: .documented)
    }
    return DeviceProblem(
      "not-approved",
      association.siteApproval == .denied
        ? "The file of '\(host)' does not grant '\(association.service)' to this app."
        : "The device could not fetch or use the file of '\(host)'.",
      help:
        "Run 'linkspan check \(host) --app APP.entitlements': it checks whether the file is available and lists "
        + "\(association.app.isEmpty ? "the app" : association.app).", "section 5", certainty: .documented)
  }

  /// Entries with a mode count on some devices only (E13–E15).
  private static func modeProblem(_ association: DeviceAssociation) -> DeviceProblem? {
    guard let mode = association.mode else { return nil }
    if mode.hasPrefix("developer"), !association.flags.contains("developer") {
      return DeviceProblem(
        "developer-mode-off",
        "The entry has '?mode=\(mode)', but the device does not flag it as "
          + "'developer'.",
        help: "Switch on Settings › Developer › Associated Domains Development, and use an app signed for "
          + "development. Apps from the App Store need an entry without a mode.", "E13", "E16",
        certainty: .inferred)
    }
    if mode == "managed" {
      return DeviceProblem(
        "managed", "The entry has '?mode=managed', which only works on managed devices.",
        help: "The device's administrator must allow direct downloads for the "
          + "app.", "E14", certainty: .documented)
    }
    return nil
  }

  /// Our choice: a failed check that is repeated within hours is no news.
  private static let soon = Duration.seconds(86_400)

  private static func lateCheck(_ association: DeviceAssociation) -> DeviceProblem? {
    guard let last = association.lastChecked?.moment, let next = association.nextCheck?.moment,
      last.advanced(by: soon) < next
    else { return nil }
    return DeviceProblem(
      "late-check", "The device's next check is only at \(next).",
      help: "Reinstall or update the app to check immediately.", "V1", "V3", certainty: .documented)
  }

  private static func givenUp(_ association: DeviceAssociation) -> DeviceProblem? {
    guard let retries = association.retries, retries >= 8 else { return nil }
    return DeviceProblem(
      "given-up", "\(retries) checks in a row have failed.",
      help:
        "After about 8 attempts, 3 hours apart, the device waits for its regular check. Fix the host, then reinstall "
        + "the app.", "R1", certainty: .documented)
  }

  /// What to say of an app that a device has no entry for.
  ///
  /// - Returns: nil when it has one for the app, and for the domain when one is asked about.
  package static func absence(of app: String, domain: String?, in state: DeviceState) -> DeviceProblem? {
    let entries = state.associations.filter { $0.app.isExactly(app) }
    if entries.contains(where: { domain == nil || $0.domain == domain }) { return nil }
    if let domain, !entries.isEmpty {
      let known = Set(entries.map { $0.domain }).sorted().prefix(5).joined(separator: ", ")
      return DeviceProblem(
        "no-entry", "The device has no entry for \(app) and '\(domain)'; its entries are for \(known).",
        help: "The installed app does not claim the domain. Check the entitlements that it was signed with: "
          + "'linkspan check \(domain) --app APP.entitlements'.", "E7", "E8", certainty: .documented)
    }
    let bundle = app.drop { $0 != "." }
    if let other = state.associations.first(where: { $0.app.drop { $0 != "." }.isExactly(bundle) })?.app {
      return DeviceProblem(
        "no-entry", "The device has no entry for \(app), but one for \(other), which has a different prefix.",
        help: "Use the identifier that the app is signed with, in the association file too.", "J5",
        certainty: .documented)
    }
    return DeviceProblem(
      "no-entry", "The device has no entry for \(app).",
      help:
        "The app is not installed, or was signed without its associated domains: re-signing can replace them with '*'. "
        + "Check the signed app's entitlements, then reinstall it.", "E19", "V1",
      certainty: .observed)
  }
}
