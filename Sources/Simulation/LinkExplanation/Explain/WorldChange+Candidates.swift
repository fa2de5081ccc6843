import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import LinkspanStories
import SimulatedDevices

extension WorldChange {
  /// The target of what makes a device look again, and changes nothing else.
  static let lookAgain = "look again"

  /// Ours: a world has few apps that could claim a host.
  private static let appLimit = 3

  /// Everything that could be tried, the cheapest first; whether it helps is for the search to find out.
  static func candidates(
    for situation: Situation, toward goal: ChangeSearch.Goal, _ player: inout WorldPlayer
  ) -> [WorldChange] {
    switch goal {
    case .app:
      var files = FileCandidates(situation)
      return ways(situation) + looks(situation) + choices(situation) + network(situation) + apps(situation)
        + files.grants(&player) + releases(situation)
    case .browser: return towardBrowser(situation)
    }
  }

  // MARK: - How it is followed

  private static func ways(_ situation: Situation) -> [WorldChange] {
    var changes: [WorldChange] = []
    let url = situation.url
    let chain = situation.way.navigation
    if !chain.through.isEmpty {
      changes.append(
        WorldChange(
          [.linkAuthor], "Link to '\(url.host)' directly, without the redirect", rules: ["section 10 row 1"],
          target: "way", [.way(.messages)]))
    } else if chain.pageHost != nil {
      changes.append(
        WorldChange(
          [.linkAuthor], "Link from a page of another host, such as a subdomain", rules: ["section 10 row 2"],
          target: "way", [.way(.safari(pageHost: "elsewhere.invalid"))]))
    }
    if changes.isEmpty, situation.way != .messages {
      changes.append(
        WorldChange(
          [.user], "Follow the link from another app, such as Messages or Notes", rules: ["section 10 row 1"],
          target: "way", [.way(.messages)]))
    }
    if !url.hasDefaultPort {
      let path = url.text(of: url.path.lowerBound..<url.byteCount)
      changes.append(
        WorldChange(
          [.linkAuthor], "Write the link without its port", rules: ["M3", "E3"], .inferred, target: "link",
          [.link("\(url.scheme)://\(url.host)\(path)")]))
    }
    return changes + trackers(situation)
  }

  /// Of a link that a tracker wraps only the tracker's host counts, which may have an association of its own.
  private static func trackers(_ situation: Situation) -> [WorldChange] {
    guard let tapped = situation.way.navigation.through.first.map(LinkURL.init) else { return [] }
    let path = tapped.path.isEmpty ? "/" : tapped.text(of: tapped.path)
    let entry = "applinks:\(tapped.host)"
    let os = situation.traits.os
    return situation.installed.prefix(appLimit).map { place in
      var app = situation.story.apps[place]
      if !app.build.entries.contains(entry) { app.build.entries.append(entry) }
      let file = EditableFile.granting(app.build.identifier, path: path, isOld: !os.readsComponents)
      return WorldChange(
        [.app, .site],
        "Set up universal links for the tracker: '\(entry)' in '\(app.name)', and a file at '\(tapped.host)' "
          + "that names the app and covers '\(path)'",
        rules: ["section 10 row 8", "E1", "F1"], .observed, target: "way",
        [.build(app.build), .site(host: tapped.host, FileCandidates.site(file.bytes, for: os))])
    }
  }

  private static func looks(_ situation: Situation) -> [WorldChange] {
    let hasChosen = situation.hasChosenBrowser
    return situation.installed.prefix(appLimit).map { place in
      let name = situation.story.apps[place].name
      return WorldChange(
        // That the user's choice goes with the app no source says.
        [.user],
        "Reinstall '\(name)': the device then fetches its files at once"
          + (hasChosen ? ", and may reset the user's choice" : ""),
        rules: hasChosen ? ["V1", "V3", "section 5"] : ["V1", "V3"], hasChosen ? .inferred : .documented,
        family: "install again", target: lookAgain, [.reinstall(app: place)])
    } + [
      WorldChange(
        [.user], "Wait for the device's next check, within about five days", rules: ["V2", "V3"],
        .observed, target: lookAgain, [.wait])
    ]
  }

  private static func choices(_ situation: Situation) -> [WorldChange] {
    let isMac = situation.traits.os.platform == .macOS
    return [
      WorldChange(
        [.user],
        isMac
          ? "Take Safari's offer to open the app, or control-click the link in Notes; the choice is remembered"
          : "Long-press a link to the host in Notes and choose the app; the choice is remembered",
        rules: ["section 10 row 5"], target: "choice", [.choose(browser: false, host: situation.url.host)])
    ]
  }

  private static func releases(_ situation: Situation) -> [WorldChange] {
    let os = situation.traits.os
    // Where a release brought something that decides (section 10, the table of versions).
    let steps: [OSVersion] =
      switch os.platform {
      case .iOS:
        [(9, 0), (9, 3), (12, 0), (13, 0), (13, 5), (14, 0)].map { OSVersion(.iOS, $0.0, $0.1) }
      case .macOS:
        [OSVersion(.macOS, 10, 15), OSVersion(.macOS, 10, 15, 5), OSVersion(.macOS, 10, 15, 6)]
          + [OSVersion(.macOS, 11)]
      case .watchOS: [OSVersion(.watchOS, 7)]
      case .tvOS, .visionOS: []
      }
    return steps.filter { $0.isLater(than: os) }.map { newer in
      WorldChange(
        [.user], "Update the device to \(newer.name) or later", rules: ["section 10"], family: "release",
        target: "release", [.release(newer)])
    }
  }

  // MARK: - The network

  private static func network(_ situation: Situation) -> [WorldChange] {
    let network = situation.network
    return hosts(situation).flatMap { host -> [WorldChange] in
      guard let facts = network[host] else { return [] }
      return NetworkFact.allCases.compactMap { fact in
        fact.healed(facts) == nil
          ? nil
          : WorldChange(
            [fact == .certificate ? .site : .network], fact.remedy(facts, host: host), rules: fact.rules,
            fact == .latency ? .observed : .documented, target: "network \(host) \(fact)",
            [.heal(host: host, fact)])
      }
    }
  }

  /// The hosts whose files could decide: the link's own, and the parents of wildcards that cover it.
  static func hosts(_ situation: Situation) -> [String] {
    let host = situation.url.host
    var hosts = [host]
    for place in situation.installed {
      for text in situation.story.apps[place].build.entries {
        let entry = (AssociatedDomain.mended(text) ?? text)
        guard let domain = try? AssociatedDomain(asDevicesRead: entry), domain.covers(host: host),
          !domain.isTopLevelWildcard
        else { continue }
        if !hosts.contains(domain.host) { hosts.append(domain.host) }
      }
    }
    return hosts
  }

  // MARK: - The app

  /// The installed apps that could open it: those that claim its host, else all.
  static func claimants(_ situation: Situation) -> [Int] {
    let host = situation.url.host
    let claiming = situation.installed.filter { place in
      situation.story.apps[place].build.entries.contains { text in
        let entry = AssociatedDomain.mended(text) ?? text
        return (try? AssociatedDomain(asDevicesRead: entry))?.covers(host: host) ?? false
      }
    }
    return Array((claiming.isEmpty ? situation.installed : claiming).prefix(appLimit))
  }

  private static func apps(_ situation: Situation) -> [WorldChange] {
    var changes: [WorldChange] = []
    if situation.installed.isEmpty {
      changes += situation.story.apps.indices.prefix(appLimit).map { place in
        let name = situation.story.apps[place].name
        guard let needed = situation.neededRelease else {
          return WorldChange(
            [.user], "Install '\(name)'", rules: ["section 1", "V1"], target: "install",
            [.install(app: place)])
        }
        return WorldChange(
          [.user], "Update the device to \(needed.name) or later, and install '\(name)'",
          rules: ["section 1", "V1"], target: "install", [.release(needed), .install(app: place)])
      }
    }
    return changes + claimants(situation).flatMap { BuildCandidates(situation, app: $0).all }
  }

  // MARK: - The other direction

  private static func towardBrowser(_ situation: Situation) -> [WorldChange] {
    let host = situation.url.host
    var changes = [
      WorldChange(
        [.user], "Type or paste the URL into the browser's address bar", rules: ["section 10 row 4"],
        target: "way", [.way(.typed)]),
      WorldChange(
        [.user], "Long-press a link to the host in Notes and choose the browser; the choice is remembered",
        rules: ["section 10 row 5", "section 10 row 6"], target: "choice",
        [.choose(browser: true, host: host)]),
      WorldChange(
        [.linkAuthor], "Link from a page of '\(host)' itself, in Safari", rules: ["section 10 row 3"],
        target: "way", [.way(.safari(pageHost: host))]),
    ]
    changes += FileCandidates(situation).exclusions
    changes += situation.installed.prefix(appLimit).map { place in
      WorldChange(
        [.user], "Delete '\(situation.story.apps[place].name)'", rules: ["section 1"], target: "delete",
        [.delete(app: place)])
    }
    return changes
  }
}

extension OSVersion {
  /// Whether this release came after another of its platform.
  fileprivate func isLater(than other: OSVersion) -> Bool {
    platform == other.platform
      && (major, minor, patch) > (other.major, other.minor, other.patch)
  }
}

extension NetworkFact {
  fileprivate var rules: [String] {
    switch self {
    case .drops, .forbids, .regions: ["T5", "T7"]
    case .privateAddress: ["T9"]
    case .unresolvable, .down: ["F1", "T1"]
    case .certificate: ["T1"]
    case .latency: ["T8"]
    }
  }

  fileprivate func remedy(_ facts: HostFacts, host: String) -> String {
    switch self {
    case .drops:
      "Let \(facts.drops.words) through the filter of '\(host)', which drops the packets"
    case .forbids:
      "Let \(facts.forbids.words) through the filter of '\(host)', which answers 403"
    case .regions:
      "Let '\(host)' answer in every region, not only in \(facts.regions?.joined(separator: ", ") ?? "some regions")"
    case .privateAddress:
      "Give '\(host)' a public address instead of \(facts.privateAddress ?? "a private one")"
    case .unresolvable: "Add '\(host)' to the public DNS"
    case .down: "Start a server at '\(host)'"
    case .certificate: "Use a valid certificate for '\(host)' from a public authority"
    case .latency: "Make '\(host)' answer within a second"
    }
  }
}
