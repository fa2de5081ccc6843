package import AppSiteAssociation
package import AssociatedDomains
internal import AssociationDelivery
import LinkspanCore

/// Whom a device asks for the file of an entry.
package enum FetchRoute: Hashable, Sendable, HasProvenance {
  /// The host itself, at these places, the next one after a 404.
  case direct([AssociationLocation])
  case cdn

  /// The host before iOS 14 and with a mode (C1, E13–E15); only the root before 9.3, `.well-known` and then
  /// the root since (F2); only `.well-known` with a mode (F4).
  package init(_ domain: AssociatedDomain, on os: OSVersion) {
    if domain.mode != nil {
      self = .direct([.wellKnown])
    } else if os.fetchesThroughCDN {
      self = .cdn
    } else {
      self = .direct(os.readsWellKnownAndWildcards ? [.wellKnown, .root] : [.root])
    }
  }

  /// What is asked first for the file of an entry.
  func url(for domain: AssociatedDomain) -> String {
    switch self {
    case .cdn: "https://\(ContentDeliveryNetwork.host)\(ContentDeliveryNetwork.pathPrefix)\(domain.host)"
    case .direct(let places): (places.first ?? .wellKnown).url(host: domain.host)
    }
  }

  /// What decides that it is this one.
  var rules: [String] {
    switch self {
    case .direct(let places): places.count > 1 || places == [.root] ? ["C1", "F2"] : ["C1", "F4"]
    case .cdn: ["C1"]
    }
  }

  /// F2's order of places is documented, its release observed.
  var certainty: Certainty {
    switch self {
    case .direct(let places): places == [.wellKnown] ? .documented : .observed
    case .cdn: .documented
    }
  }

  package var name: String {
    switch self {
    case .direct: "direct"
    case .cdn: "cdn"
    }
  }
}

/// What a check brought, before it is held against the app.
enum FetchOutcome: Sendable {
  case file([UInt8])
  case problem(FetchProblem)
}

extension FetchOutcome {
  /// How a device takes the answer of the host itself (R1, T1, T2).
  package init(direct result: FetchResult, from domain: AssociatedDomain, at location: AssociationLocation) {
    let host = domain.host
    let url = location.url(host: host)
    func problem(
      _ kind: FetchProblem.Kind, _ reason: String, _ change: String, _ rules: [String],
      _ certainty: Certainty? = nil
    ) -> FetchOutcome {
      .problem(
        FetchProblem(
          kind: kind, reason: reason, change: change, rules: rules, certainty: certainty ?? .documented))
    }
    switch result {
    case .answered(let response):
      switch response.status {
      case 200: self.init(body: response.body, host: host)
      case 300..<400 where response.fields["Location"] != nil:
        self = problem(
          .refused,
          "'\(host)' redirects the file to \((response.fields["Location"] ?? "").withoutUserInformation)",
          "Serve the file at \(url) itself: devices follow no redirect.", ["T2", "R1"])
      case 404:
        self = problem(
          .refused, "'\(host)' answers 404 at \(location.rawValue)",
          location == .root
            ? "Publish the file at \(url) as well: releases before iOS 9.3 look only there."
            : "Publish the file at \(url).", ["F1", "F2", "R1"])
      case 400..<500:
        self = problem(
          .refused, "'\(host)' answers \(response.status)",
          "Serve \(url) to every client: no login, and no filter by address or user agent.",
          ["T5", "R1"])
      case 500..<600:
        self = problem(
          .temporary, "'\(host)' answers \(response.status)",
          "Fix the server; the device retries about every 3 hours, up to 8 times.", ["R1"])
      default:
        self = problem(.refused, "'\(host)' answers \(response.status)", "Answer 200.", ["R1"])
      }
    case .failed(let failure):
      switch failure {
      case .certificate:
        self = problem(
          .unreadable, "'\(host)' \(failure.words)",
          "Use a certificate for this name from a public authority; only '?mode=developer' accepts any.",
          ["T1"])
      case .malformed, .tooLarge:
        self = problem(
          .unreadable, "'\(host)' \(failure.words)", "Fix the server.", ["R1", "R4"], .inferred)
      case .unresolvable, .lookupFailed, .privateAddress, .unreachable, .timedOut, .unfinished, .handshake:
        self = problem(
          .temporary, "'\(host)' \(failure.words)",
          "Make \(url) reachable; the device retries about every 3 hours, up to 8 times.", ["R1"],
          .inferred)
      }
    }
  }

  /// How a device takes the answer of Apple's CDN (section 4).
  ///
  /// - Parameter name: What messages call the CDN.
  package init(cdn response: HTTPResponse, named name: String, from domain: AssociatedDomain) {
    guard let failure = CDNFailure(response) else {
      self.init(body: response.body, host: domain.host)
      return
    }
    self = .problem(
      FetchProblem(
        kind: failure.isTemporary ? .temporary : failure.code == "00401" ? .unreadable : .refused,
        reason: "\(name) has no file of '\(domain.host)': \(failure.line)",
        change: failure.advice(for: domain), rules: ["C1", "C6"], certainty: .observed, error: .noUsableCopy))
  }

  /// How a device takes it that nothing came from Apple's CDN: as something that passes (R1).
  package init(lostOnTheWayToCDN result: FetchResult, named name: String, from domain: AssociatedDomain) {
    self = .problem(
      FetchProblem(
        kind: .temporary, reason: "\(name), asked about '\(domain.host)', \(result.traceWords)",
        change: "Let the device reach \(ContentDeliveryNetwork.host); it retries about every 3 hours.",
        rules: ["C1", "R1"], certainty: .inferred))
  }

  /// R4: the limit is documented for iOS 9.3.1 and later, for whatever way the file came.
  private init(body: [UInt8], host: String) {
    guard body.count > AssociationLocation.maximumFileBytes else {
      self = .file(body)
      return
    }
    self = .problem(
      FetchProblem(
        kind: .unreadable,
        reason: "the file of '\(host)' has \(body.count) bytes; "
          + "the limit is \(AssociationLocation.maximumFileBytes) bytes",
        change: "Shorten it with wildcards and substitution variables.", rules: ["R4"],
        certainty: .documented))
  }
}

extension CDNFailure {
  /// What the owner of the site can do.
  fileprivate func advice(for domain: AssociatedDomain) -> String {
    let url = AssociationLocation.wellKnown.url(host: domain.host)
    let inside =
      "for a host that must stay internal, test with '\(domain.canonicalText)?mode=developer' in a development "
      + "build on a device with developer mode (E13)"
    switch (code, originStatus) {
    case (_, 404?): return "Publish the file at \(url); the CDN caches the failure for an hour (C6)."
    case (_, let status?) where (300..<400).contains(status):
      return "Serve the file at \(url) itself: redirects are not followed (T2)."
    case (_, let status?) where status >= 500:
      return "Fix the server; the CDN caches the failure for an hour (C6)."
    case (_, _?):
      return "Serve \(url) to every client, including the user agent 'AASA-Bot' (T5, T7); \(inside)."
    case ("00202", _): return "Give the host a public address; \(inside)."
    case ("00301", _):
      return "Make \(url) reachable for every client, and answer within a second (T5, T8); \(inside)."
    case ("00401", _):
      return "Serve the JSON file itself at \(url), not a page, and without comments (R5, R8)."
    case (nil, _) where !AssociatedDomain.isPublicName(domain.host):
      return "Use a public host name, which '\(domain.host)' can never be (T9); \(inside)."
    case (nil, _): return "Add '\(domain.host)' to the public DNS, and the file at \(url)."
    default: return "Fix the server of \(url); the CDN caches the failure for an hour (C6)."
    }
  }
}
