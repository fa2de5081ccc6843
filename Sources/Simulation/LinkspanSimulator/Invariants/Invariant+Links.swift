import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// What following a link may do.
extension Invariant {
  static let links: [Invariant] = [
    Invariant(
      "opens-only-what-the-file-allows",
      "A link opens an app only if the app is installed, its entry covers the host, the stored file matches the link, "
        + "and the user has not chosen the browser (on a Mac: has chosen the app).",
      rules: ["section 1", "section 8", "section 10 row 15", "M4"], .documented
    ) { step in
      step.problems { tap, device, reading in
        guard let app = tap.verdict.app else { return nil }
        guard device.apps.contains(where: { $0.identifier == app }) else {
          return "'\(tap.link.text)' opens \(app), which is not installed"
        }
        let speaks = reading.records.contains { $0.app == app && $0.decision == .match }
        return speaks ? nil : "'\(tap.link.text)' opens \(app), but no stored file matches"
      }
    },
    Invariant(
      "opens-what-everything-allows",
      "On iOS a link from another app opens an app if a usable record's file matches it and none of that app's excludes it.",
      rules: ["section 8", "section 10"], .documented
    ) { step in
      step.problems { tap, device, reading in
        let chain = tap.way.navigation
        let isPlain =
          [.messages, .mail, .notes, .otherApp].contains(chain.container) && chain.gesture == .tap
        guard isPlain, chain.through.isEmpty, tap.verdict.app == nil, device.traits.os.platform == .iOS else {
          return nil
        }
        let excluded = Set(reading.records.filter { $0.decision == .excluded }.map(\.app))
        return reading.records.first { $0.decision == .match && !excluded.contains($0.app) }.map {
          "'\(tap.link.text)' opens the browser, although everything allows \($0.app)"
        }
      }
    },
    Invariant(
      "exact-host-before-wildcard",
      "A wildcard decides only if no rule of the exact host's file matches, and a longer wildcard goes before a "
        + "shorter one.", rules: ["E9", "section 8"], .inferred
    ) { step in
      step.problems { tap, _, reading in
        // Of several links that are followed in a row it doesn't show which one the verdict is about.
        guard let app = tap.verdict.app, let domain = tap.verdict.domain, domain.isWildcard,
          tap.way.navigation.through.isEmpty
        else { return nil }
        let nearer = reading.records.first {
          $0.app == app && $0.decision != .noMatch
            && (!$0.domain.isWildcard || $0.domain.host.utf8.count > domain.host.utf8.count)
        }
        return nearer.map {
          "'\(tap.link.text)' is decided by '\(domain.canonicalText)' before '\($0.domain.canonicalText)'"
        }
      }
    },
    Invariant(
      "the-way-of-following-counts",
      "A URL does not open the app if it is typed, if the app itself opens it, if a script or another browser follows it, "
        + "or, since iOS 9.2, if it is tapped on a page of the same host.", rules: ["section 10"], .inferred
    ) { step in
      step.problems { tap, device, _ in
        guard let app = tap.verdict.app else { return nil }
        let opens = "'\(tap.link.text)' opens \(app)"
        let chain = tap.way.navigation
        if chain.gesture == .type { return opens + " although it was typed" }
        if chain.app == app { return opens + ", which opened the URL itself" }
        switch (chain.container, chain.gesture) {
        case (_, .script), (_, .load), (.otherBrowser, _), (.inAppBrowser, _), (.safariViewController, _):
          return opens + " although it was followed from '\(tap.way.name)'"
        default: break
        }
        let touched = chain.urls(to: tap.link)[0]
        guard chain.pageHost == touched.host, device.traits.os.keepsSameHostTapsInBrowser else { return nil }
        return opens + " from a page of the same host"
      }
    },
    Invariant(
      "following-asks-nobody", "Following a link causes no request: the stored files decide.", rules: ["V7"],
      .observed
    ) { step in
      guard case .tap = step.action, let first = step.exchanges.first else { return [] }
      return ["a tap made \(first.party) send a request for '\(first.host)'"]
    },
  ]
}

/// What the usable records of a device say of a link and of those that redirect to it, read anew from the bytes they hold.
struct LinkReading {
  struct Row {
    var app: String
    var domain: AssociatedDomain
    var decision: Decision.Verdict
  }

  var records: [Row] = []

  init(_ links: [LinkURL], on device: DeviceSnapshot, _ files: inout FileReadings) {
    // A Mac opens an app only for a user who has chosen it (row 15).
    let wanted: Set<AssociationRecord.Approval> =
      device.traits.os.platform == .macOS ? [.approved] : [.approved, .unspecified]
    for link in links {
      read(link, on: device, wanted, &files)
    }
  }

  private mutating func read(
    _ link: LinkURL, on device: DeviceSnapshot, _ wanted: Set<AssociationRecord.Approval>,
    _ files: inout FileReadings
  ) {
    for record in device.records
    where record.siteApproval == .approved && wanted.contains(record.userApproval)
      && record.domain.covers(host: link.host)
    {
      guard let body = record.file?.body, let matcher = files.matcher(body, device.traits.os) else {
        continue
      }
      let scope = HostScope(of: record.domain)
      let decision = matcher.decide(link, app: record.app, host: scope)
      records.append(Row(app: record.app, domain: record.domain, decision: decision.verdict))
    }
  }
}

/// Files that were read once for one look.
struct FileReadings {
  private struct Key: Hashable {
    var body: [UInt8]
    var os: OSVersion
  }

  private var matchers: [Key: AssociationMatcher?] = [:]

  mutating func matcher(_ body: [UInt8], _ os: OSVersion) -> AssociationMatcher? {
    let key = Key(body: body, os: os)
    if let known = matchers[key] { return known }
    let matcher = AssociationContent(body).file.map { AssociationMatcher($0, os: os) }
    matchers[key] = .some(matcher)
    return matcher
  }
}

extension StepRecord {
  /// Asks of every tap whether something is wrong with it.
  fileprivate func problems(_ check: (Tap, DeviceSnapshot, LinkReading) -> String?) -> [String] {
    var files = FileReadings()
    return taps.compactMap { tap in
      let device = after[tap.device]
      return check(
        tap, device, LinkReading(tap.way.navigation.urls(to: tap.link), on: device, &files)
      ).map {
        "\(device.traits.name): \($0)"
      }
    }
  }
}
