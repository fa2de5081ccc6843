import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// What re-checks and the user may change.
extension Invariant {
  static let checks: [Invariant] = [
    Invariant(
      "approval-survives-what-passes",
      "An approved association keeps its approval and its file when a re-check only times out or gets a 5xx.",
      rules: ["R1", "V7"], .inferred
    ) { step in
      step.perKept { _, before, after, exchanges in
        guard before.siteApproval == .approved, !exchanges.isEmpty, exchanges.allSatisfy(\.passes) else {
          return nil
        }
        if after.siteApproval != .approved { return "it lost its approval over a temporary failure" }
        return after.file?.body == before.file?.body ? nil : "its file changed although none was fetched"
      } + step.lostInBetween
    },
    Invariant(
      "a-refusal-follows-the-switch",
      "After a 4xx at a re-check, which is not documented, the approval follows the story's switch.",
      rules: ["R1"], .inferred
    ) { step in
      let stays = step.story.deviceSwitches.keepsApprovalAfterRefusal
      return step.perKept { _, before, after, exchanges in
        guard before.siteApproval == .approved, !exchanges.isEmpty, exchanges.allSatisfy(\.isRefused),
          after.lastChecked != before.lastChecked
        else { return nil }
        if stays {
          return after.siteApproval == .approved
            ? nil : "it lost its approval over a 4xx, although the switch keeps it"
        }
        return after.siteApproval == .denied && after.file == nil
          ? nil : "it kept its approval or its file after a 4xx, although the switch drops them"
      }
    },
    Invariant(
      "the-users-choice-outlives-re-checks",
      "Only the user changes the user's choice, and only for the hosts the choice was made for.",
      rules: ["section 10"], .documented
    ) { step in
      step.perDevice { place, device in
        step.kept(place).compactMap { before, after in
          var wanted = before.userApproval
          if let browser = step.choice(on: place, for: after.domain) {
            wanted = browser ? .denied : .approved
          }
          guard after.userApproval != wanted else { return nil }
          return "\(device.traits.name), \(after.app), '\(after.domain.canonicalText)': the choice is "
            + "\(after.userApproval.rawValue); expected \(wanted.rawValue)"
        }
      }
    },
    Invariant(
      "no-re-check-too-early", "A re-check starts no earlier than scheduled, by the device's clock.",
      rules: ["V2"], .documented
    ) { EarlyWatcher() },
    Invariant(
      "no-re-check-forgotten", "After a wait, every entry's next check is in the future.",
      rules: ["V1", "V2"], .documented
    ) { step in
      guard case .wait(let duration) = step.action else { return [] }
      let end = step.began + duration
      return step.after.flatMap { device in
        device.records.compactMap { record in
          guard let next = record.nextCheck else {
            return device.awaitsLaunch(record) ? nil : "\(record.lane(device)) was never checked"
          }
          return next > end ? nil : "\(record.lane(device)) was due and not checked"
        }
      }
    },
    Invariant(
      "the-next-check-is-in-time",
      "After a successful check, and after a 3xx or 4xx, the next one follows in about a week; after each of the first 8 "
        + "other failures in about 3 hours; after that in about a week.", rules: ["R1", "V2"], .observed
    ) { step in
      let drift = Double(step.story.faults.clockDrift_ppm) / 1e6
      return step.events.compactMap { event in
        guard case .checked(let check)? = event.what as? DeviceHappening else { return nil }
        let interval_s =
          Double(check.next.wholeMilliseconds) / 1000 - Double(event.time.wholeMilliseconds) / 1000
        let isRetry = (1...8).contains(check.record.retries) && check.record.problem?.kind != .refused
        // V2: 4.9 to 5.0 days; R1 and V2: 3 h to 3 h 5 min.
        let range = isRetry ? 10_800.0...11_100.0 : 423_360.0...432_000.0
        let allowed = (range.lowerBound * (1 - 2 * drift) - 1)...(range.upperBound * (1 + 2 * drift) + 1)
        return allowed.contains(interval_s)
          ? nil
          : "\(event.party) schedules the next check of '\(check.record.domain.canonicalText)' in \(Int(interval_s)) s"
      }
    },
    Invariant(
      "an-install-asks-for-every-file",
      "After an install or an update, every entry's file has been requested, except for a Developer-ID app that "
        + "has not been launched yet.", rules: ["V1", "V9"], .documented
    ) { step in
      guard step.installs else { return [] }
      let changed = step.changedApps
      return changed.devices.sorted().flatMap { place -> [String] in
        let device = step.after[place]
        return device.records.filter { changed.identifiers.contains($0.app) }.compactMap { record in
          if device.awaitsLaunch(record) { return nil }
          guard let last = record.lastChecked, last >= step.began else {
            return "\(record.lane(device)) was not checked"
          }
          return nil
        }
      }
    },
    Invariant(
      "time-never-runs-back", "Later events of a run never have an earlier time.", rules: ["section 5"],
      .inferred
    ) { step in
      zip(step.events, step.events.dropFirst()).filter { $0.time > $1.time }.map {
        "\($1.party) \($1.kind) follows \($0.party) \($0.kind) but has an earlier time"
      }
        + (step.events.first.map { $0.time < step.began } == true
          ? ["the step's first event is earlier than the step"] : [])
    },
  ]
}

/// Knows when each entry is due, from the state before a step and then from what each check announced.
private struct EarlyWatcher: InvariantWatcher {
  mutating func problems(_ step: StepRecord) -> [String] {
    guard case .wait = step.action else { return [] }
    var problems: [String] = []
    for (place, device) in step.before.enumerated() {
      let name = device.traits.name
      let forward = step.events(of: name).reduce(Duration.zero) { sum, event in
        guard case .setClock(let forward)? = event.what as? DeviceHappening else { return sum }
        return sum + forward
      }
      let checks = Dictionary(grouping: step.checks(of: name)) { $0.check.record.key }
      let asked = Dictionary(grouping: step.exchanges(of: place), by: \.lane)
      for record in device.records {
        let lane = record.lane(device)
        guard var due = record.nextCheck.map({ $0 - forward }) else { continue }
        for exchange in asked[lane] ?? [] {
          // Announced by the last check that had ended before this question.
          let known = checks[record.key]?.last { $0.time <= exchange.started }
          if let known { due = .milliseconds(known.check.next.wholeMilliseconds) }
          if exchange.started < due {
            problems.append(
              "\(lane) is checked \((due - exchange.started).components.seconds) s before its time")
            break
          }
        }
      }
    }
    return problems
  }
}

extension AssociationRecord {
  fileprivate func lane(_ device: DeviceSnapshot) -> String { device.traits.name + " " + key.lane }
}

extension DeviceSnapshot {
  /// Whether nothing was fetched for it because its app was never started (V9).
  fileprivate func awaitsLaunch(_ record: AssociationRecord) -> Bool {
    record.lastChecked == nil && apps.contains { $0.identifier == record.app && $0.kind == .developerID }
  }
}

extension StepRecord {
  /// The checks of a device that ended in this step, in order.
  fileprivate func checks(of device: String) -> [(time: Duration, check: EntryCheck)] {
    events(of: device).compactMap { event in
      guard case .checked(let check)? = event.what as? DeviceHappening else { return nil }
      return (event.time, check)
    }
  }

  /// What the user chose in this step on a device for the hosts of an entry: the browser or not; nil for nothing.
  fileprivate func choice(on place: Int, for domain: AssociatedDomain) -> Bool? {
    switch action {
    case .choose(let browser, let host, let devices):
      devices.contains(place) && domain.covers(host: host) ? browser : nil
    case .tap(let links, let way, let devices, _):
      devices.contains(place)
        && links.contains { domain.covers(host: LinkURL(written: story.links[$0]).host) }
        ? way.navigation.choosesBrowser : nil
    default: nil
    }
  }

  fileprivate var installs: Bool {
    switch action {
    case .install, .update, .reinstall: true
    default: false
    }
  }

  /// Approvals that a check took away over what passes, also when a later check of the same step gave them back.
  fileprivate var lostInBetween: [String] {
    guard !exchanges.isEmpty else { return [] }
    return perDevice { place, device in
      let asked = Dictionary(grouping: exchanges(of: place), by: \.lane)
      let checks = Dictionary(grouping: checks(of: device.traits.name)) { $0.check.record.lane(device) }
      return kept(place).compactMap { before, after in
        let lane = after.lane(device)
        var isApproved = before.siteApproval == .approved
        var rest = (asked[lane] ?? [])[...]
        for (time, check) in checks[lane] ?? [] {
          let questions = rest.prefix { $0.ended <= time }
          rest = rest.dropFirst(questions.count)
          let stays = check.record.siteApproval == .approved
          if isApproved, !stays, !questions.isEmpty, questions.allSatisfy(\.passes) {
            return "\(lane): it lost its approval for a while over a temporary failure"
          }
          isApproved = stays
        }
        return nil
      }
    }
  }

  /// Asks of every record that stayed, with the questions about it.
  fileprivate func perKept(
    _ check: (DeviceSnapshot, AssociationRecord, AssociationRecord, [Exchange]) -> String?
  ) -> [String] {
    guard !exchanges.isEmpty else { return [] }
    return perDevice { place, device in
      let asked = exchanges(of: place)
      guard !asked.isEmpty else { return [] }
      let lanes = Dictionary(grouping: asked, by: \.lane)
      return kept(place).compactMap { before, after in
        let lane = after.lane(device)
        return check(device, before, after, lanes[lane] ?? []).map { "\(lane): \($0)" }
      }
    }
  }
}
