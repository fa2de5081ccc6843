import AppSiteAssociation
internal import AssociatedDomains
internal import AssociationDelivery
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// Who may ask whom, and when.
extension Invariant {
  static let fetches: [Invariant] = [
    Invariant(
      "no-fetch-before-install",
      "A device requests a host's file only while an installed app has an entry for the host.",
      rules: ["V1"], .documented
    ) { step in
      let changed = step.changedApps
      let arriving: [AppBuild] =
        switch step.action {
        case .install(let apps, _), .update(let apps, _), .reinstall(let apps, _):
          apps.map { step.story.apps[$0].build }
        default: []
        }
      return step.before.indices.flatMap { place -> [String] in
        guard !step.exchanges(of: place).isEmpty else { return [] }
        let builds = step.before[place].apps + (changed.devices.contains(place) ? arriving : [])
        let traits = step.before[place].traits
        let hosts = Set(builds.flatMap { DeviceSnapshot.claims($0, on: traits) }.map(\.domain.host))
        return step.exchanges(of: place).filter { !hosts.contains($0.host) }.map {
          "\($0.party) asks about '\($0.host)', which no installed app claims"
        }
      }
    },
    Invariant(
      "nothing-after-delete", "Deleting an app causes no request.",
      rules: ["V1"], .documented
    ) { step in
      guard case .delete = step.action else { return [] }
      return step.exchanges.filter { !$0.isByCrawler }.map {
        "\($0.party) asks about '\($0.host)' while an app is deleted"
      }
    },
    Invariant(
      "offline-asks-nothing", "A device without a network requests no file.", rules: ["V5", "V7"], .observed
    ) { step in
      step.before.indices.flatMap { place -> [String] in
        guard !step.before[place].isOnline else { return [] }
        return step.exchanges(of: place).map { "\($0.party) asks about '\($0.host)' while it is offline" }
      }
    },
    Invariant(
      "negative-cache-honoured",
      "Apple's CDN does not crawl a host again within an hour of a failure (or the time the story sets).",
      rules: ["C6"], .observed
    ) { CacheWatcher(isFailure: true) },
    Invariant(
      "positive-cache-honoured",
      "Apple's CDN does not crawl a host again within six hours of a success (or the time the story sets).",
      rules: ["C5"], .observed
    ) { CacheWatcher(isFailure: false) },
    Invariant(
      "only-the-cdn-is-asked",
      "Since iOS 14 a device contacts a host directly only for an entry with a mode, or after Apple-Try-Direct if "
        + "the story allows it.", rules: ["C1", "E13", "E14"], .documented
    ) { step in
      guard !step.story.deviceSwitches.asksHostWhenTold else { return [] }
      return step.perDevice { place, device in
        guard device.traits.os.fetchesThroughCDN else { return [] }
        return step.exchanges(of: place).filter { !$0.isThroughCDN && !$0.lane.contains("?mode=") }.map {
          "\(device.traits.name) contacts '\($0.host)' directly for an entry without a mode"
        }
      }
    },
    Invariant(
      "old-releases-ask-the-host", "Before iOS 14 a device contacts the host directly and never Apple's CDN.",
      rules: ["C1", "V6"], .observed
    ) { step in
      step.perDevice { place, device in
        guard !device.traits.os.fetchesThroughCDN else { return [] }
        return step.exchanges(of: place).filter(\.isThroughCDN).map {
          "\(device.traits.name), on \(device.traits.os.name), asks Apple's CDN about '\($0.host)'"
        }
      }
    },
    Invariant(
      "the-release-decides-the-place",
      "Before iOS 9.3 a device requests only the root path; since iOS 14 direct requests go to .well-known only.",
      rules: ["F2", "F4"], .documented
    ) { step in
      step.perDevice { place, device in
        let os = device.traits.os
        let forbidden: AssociationLocation? =
          !os.readsWellKnownAndWildcards ? .wellKnown : os.fetchesThroughCDN ? .root : nil
        return step.exchanges(of: place).filter {
          !$0.isThroughCDN && $0.request.target == forbidden?.rawValue
        }.map {
          "\(device.traits.name), on \(os.name), asks '\($0.host)' for \($0.request.target)"
        }
      }
    },
    Invariant(
      "the-crawler-stays-outside", "Apple's crawler never reaches a host with a private address.",
      rules: ["T9"], .observed
    ) { step in
      step.exchanges.filter { exchange in
        guard exchange.isByCrawler, step.facts[exchange.host]?.privateAddress != nil else { return false }
        if case .answered = exchange.result { return true }
        return false
      }
      .map { "the crawler got an answer from '\($0.host)', whose address is private" }
    },
    Invariant(
      "no-redirect-is-followed",
      "Apple's crawler requests only hosts that devices asked the CDN about, except for redirects the story allows.",
      rules: ["T2", "T3"], .observed
    ) { step in
      guard !step.story.cdnSwitches.followsRedirectInsideDomain else { return [] }
      let wanted = Set(step.exchanges.filter(\.isThroughCDN).map(\.host))
      return step.exchanges.filter { $0.isByCrawler && !wanted.contains($0.host) }.map {
        "the crawler requests '\($0.host)', which no device asked about"
      }
    },
  ]
}

/// Holds each crawl of a host against the one before, by what the crawler was answered and not by what the CDN says it
/// keeps.
private struct CacheWatcher: InvariantWatcher {
  let isFailure: Bool
  /// By host: when the last crawl ended, and whether it brought a good answer; an old copy in its place is none.
  private var last: [String: (ended: Duration, isGood: Bool)] = [:]

  init(isFailure: Bool) { self.isFailure = isFailure }

  /// An old copy is answered as if it were new, and kept like the failure it stands for (C11).
  private func life(_ switches: CDNSwitches) -> Duration {
    let (good_s, bad_s) = (switches.positiveLife_s, switches.negativeLife_s)
    return .seconds(isFailure ? bad_s : switches.keepsOldCopy ? min(good_s, bad_s) : good_s)
  }

  mutating func problems(_ step: StepRecord) -> [String] {
    var problems: [String] = []
    let life = life(step.story.cdnSwitches)
    let asked = Dictionary(
      grouping: step.exchanges.filter {
        $0.isByCrawler && $0.request.target == AssociationLocation.wellKnown.rawValue
      }, by: \.host)
    // By host, how many of them had begun by the event that was looked at last, so that each is passed once.
    var begun: [String: Int] = [:]
    for event in step.events {
      // A server that forgets everything may ask anew.
      if case .restartedEdge? = event.what as? StoryHappening { last = [:] }
      guard let crawl = event.what as? Crawl else { continue }
      let host = crawl.host
      let questions = asked[host] ?? []
      var count = begun[host] ?? 0
      while count < questions.count, questions[count].started <= event.time { count += 1 }
      begun[host] = count
      // The crawl's own question is the last that ended by then.
      let began = questions[..<count].last { $0.ended <= event.time }?.started ?? event.time
      if let before = last[host], before.isGood != isFailure, began < before.ended + life {
        let ago = (began - before.ended).components.seconds
        problems.append(
          "the CDN crawls '\(host)' again \(ago) s after \(isFailure ? "a failure" : "a success"), which it "
            + "should keep for \(life.components.seconds) s")
      }
      let isOldCopy = step.story.cdnSwitches.keepsOldCopy && !crawl.isOriginGood
      last[host] = (event.time, crawl.hasFile && !isOldCopy)
    }
    return problems
  }
}

extension StepRecord {
  func perDevice(_ check: (Int, DeviceSnapshot) -> [String]) -> [String] {
    after.indices.flatMap { check($0, after[$0]) }
  }
}
