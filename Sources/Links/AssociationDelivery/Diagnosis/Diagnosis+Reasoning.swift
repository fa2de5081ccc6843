internal import AppSiteAssociation
package import LinkspanCore

extension Diagnosis {
  /// Which of the known failures the findings add up to, the most frequent first.
  ///
  /// - Parameters:
  ///   - findings: Everything that was found.
  ///   - origins: The hosts that were asked themselves.
  ///   - cdn: What Apple's CDN was asked about.
  ///   - isAppKnown: Whether an app's claims were checked.
  /// - Returns: Empty when only files were checked and no known failure explains their findings.
  package static func all(
    findings: [Finding], origins: [OriginCheck] = [], cdn: [CDNCheck] = [], isAppKnown: Bool = false
  ) -> [Diagnosis] {
    let reasoning = Reasoning(findings: findings, origins: origins, cdn: cdn)
    var all = reasoning.failures
    let hasErrors = findings.contains { $0.severity == .error }
    if hasErrors, let remark = reasoning.otherValidatorsGreen { all.append(remark) }
    let looked = isAppKnown || !origins.isEmpty || cdn.contains { !$0.isUnknown }
    if all.isEmpty, !hasErrors, looked {
      all = [Diagnosis(cause: .nothingWrong, because: [], next: nothingWrong)]
    }
    return all
  }

  private static let nothingWrong = [
    "Tap the link in Notes or Messages: a URL typed or pasted into the address bar stays in the browser.",
    "A link on a page of the same host stays in Safari; link from another host or subdomain.",
    "If the user once chose the browser, links stay there: touch and hold the link in Notes and choose the app.",
    "For a link through a click tracker, the tracker's host decides; that host needs its own association.",
    "The device may not have fetched the file yet: it does so at installation and then about once a week (V1, V2). "
      + "Reinstall the app, wait a few minutes, and look in Settings > Developer > Universal Links.",
    "'sudo swcutil show' on a Mac, or a sysdiagnose of an iPhone, shows 'approved' once the device has the file.",
  ]
}

private struct Reasoning {
  let findings: [Finding]
  let origins: [OriginCheck]
  let cdn: [CDNCheck]

  /// The rules among these that found something an app suffers from.
  private func found(_ rules: Set<String>) -> [String] {
    Set(findings.filter { $0.severity != .note && rules.contains($0.rule) }.map { $0.rule }).sorted()
  }

  private func found(withPrefix prefixes: [String], severity: Finding.Severity) -> [String] {
    Set(
      findings.filter { finding in
        finding.severity == severity && prefixes.contains { finding.rule.hasPrefix($0) }
      }.map { $0.rule }
    ).sorted()
  }

  /// The CDN's refusals, each with the rule it was reported as.
  private var refusals: [(check: CDNCheck, failure: CDNAnswer.Failure, rule: String)] {
    cdn.compactMap { check in
      guard !check.isUnknown, !check.isForModesOnly, let failure = check.answer?.failure,
        let rule = check.findings.first?.rule
      else { return nil }
      return (check, failure, rule)
    }
  }

  /// A refusal although the host gives out the file, or one that says so itself.
  private func isBlocked(_ refusal: (check: CDNCheck, failure: CDNAnswer.Failure, rule: String)) -> Bool {
    if let origin = refusal.check.origin { return origin.carriesFile }
    return [401, 403, 429].contains(refusal.failure.originStatus)
  }

  var failures: [Diagnosis] {
    let all: [Diagnosis?] = [
      cdnBlocked, staleCopy, entitlementLost, somethingElseServed, notPublished, hostUnreachable, fileDropped,
      sidesDisagree,
    ]
    return all.compactMap { $0 }
  }

  private func diagnosis(_ cause: Diagnosis.Cause, _ because: [String], _ next: [String]) -> Diagnosis? {
    because.isEmpty
      ? nil : Diagnosis(cause: cause, because: Set(because).sorted(), next: next)
  }

  /// The hosts that findings of these rules are about, as part of a sentence.
  private func hosts(_ rules: [String]) -> String {
    var seen: Set<String> = []
    let names = origins.map { $0.host } + cdn.map { $0.host }
    let concerned = names.filter { host in
      seen.insert(host).inserted
        && findings.contains { rules.contains($0.rule) && Self.isAbout(host, $0.location.file) }
    }
    return concerned.isEmpty ? "the host" : concerned.joined(separator: ", ")
  }

  /// Whether a URL is one of the host's own, or the one under which Apple's CDN has it.
  private static func isAbout(_ host: String, _ url: String) -> Bool {
    LinkURL(url).host == host || url.hasSuffix("/" + host)
  }

  private var cdnBlocked: Diagnosis? {
    let blocked = refusals.filter(isBlocked)
    let because = found(["fetch.user-agent-blocked"]) + blocked.map { $0.rule }
    var next = [
      "Exempt \(AssociationLocation.wellKnown.rawValue) of \(hosts(because)) from bot rules, rate limits, logins "
        + "and filters by country; allow the user agents 'AASA-Bot' and 'CFNetwork'.",
      "Do not filter by address: Apple does not publish its crawler's addresses (T5).",
    ]
    if let longest = blocked.compactMap({ $0.check.answer?.remaining_s }).max() {
      next.append(
        "The CDN caches its answer for another \(CacheControl.words(longest)) (C6); after that, run "
          + "'linkspan check HOST --fetch cdn' again.")
    } else {
      next.append("Then run 'linkspan check HOST --fetch both', which also checks the CDN.")
    }
    return diagnosis(.cdnBlocked, because, next)
  }

  private var staleCopy: Diagnosis? {
    let because = found(["cdn.stale-copy", "cdn.only-copy"])
    let stale = cdn.filter { check in
      check.findings.contains { because.contains($0.rule) }
    }.compactMap { $0.answer?.remaining_s }
    let life = stale.max().map { "another " + CacheControl.words($0) } ?? "some hours"
    return diagnosis(
      .staleCopy, because,
      [
        "Wait: the CDN may keep the copy for \(life), and it cannot be purged (C4).",
        "Meanwhile, test with 'applinks:HOST?mode=developer', where the device fetches the file from the host (E13).",
        "Once the CDN has the new file, reinstall the app; other devices check about once a week (V2, V3).",
        "In future, publish a new file a day before the app that needs it.",
      ])
  }

  private var entitlementLost: Diagnosis? {
    diagnosis(
      .entitlementLost,
      found([
        "signature.domains-lost", "entitlement.only-star", "entitlement.empty-list", "joined.claims-nothing",
      ]),
      [
        "Check the signed app: 'codesign -d --entitlements - App.app'. A '*' there is the profile's "
          + "placeholder, which a re-signing tool copied (E19).",
        "Sign with the app's own entitlements, 'applinks:HOST' for each host; enable Associated Domains for the "
          + "App ID and create a new profile.",
        "Run 'linkspan check' with the entitlements of the signed app.",
      ])
  }

  private var somethingElseServed: Diagnosis? {
    var because = found(["fetch.page", "fetch.redirect", "fetch.denied", "fetch.status"])
    because += refusals.filter { refusal in
      refusal.check.origin == nil
        && (refusal.failure.code == "00401"
          || refusal.failure.originStatus.map { (300..<400).contains($0) } == true)
    }.map { $0.rule }
    return diagnosis(
      .somethingElseServed, because,
      [
        "Request \(AssociationLocation.wellKnown.rawValue) of \(hosts(because)) with 'curl -i': the response must be "
          + "200 with the JSON itself.",
        "Add a rule for this path before every redirect, login and catch-all of the server, framework and CDN; some "
          + "hosting services do not publish directories that begin with a dot.",
      ])
  }

  private var notPublished: Diagnosis? {
    let missing = refusals.filter { refusal in
      refusal.check.origin == nil && [404, 410].contains(refusal.failure.originStatus)
    }.map { $0.rule }
    return diagnosis(
      .notPublished,
      found([
        "fetch.missing", "fetch.root-only", "site.root-only", "site.no-file", "joined.host-without-file",
      ]) + missing,
      [
        "Publish the file at \(AssociationLocation.wellKnown.rawValue) of each host that the app claims; 'www.' and "
          + "the bare domain each need their own.",
        "Do not add '.json', and do not publish it only at the root.",
      ])
  }

  private var hostUnreachable: Diagnosis? {
    var because = found([
      "fetch.unresolvable", "fetch.private-address", "fetch.unreachable", "fetch.too-slow",
      "fetch.unfinished",
      "fetch.tls", "fetch.certificate", "fetch.certificate-expired", "fetch.certificate-name",
      "fetch.certificate-untrusted", "fetch.malformed", "fetch.server-error",
    ])
    because += refusals.filter { refusal in
      refusal.check.origin == nil
        && (["00202", "00301"].contains(refusal.failure.code) || refusal.rule == "cdn.unknown-host"
          || [.connection, .time].contains(refusal.failure.kind)
          || refusal.failure.originStatus.map { (500..<600).contains($0) } == true)
    }.map { $0.rule }
    return diagnosis(
      .hostUnreachable, because,
      [
        "Make \(hosts(because)) answer on port 443 within one second, at a public address and with a "
          + "certificate from a public authority.",
        "Check from another network too; Apple's CDN uses its own.",
        "For an internal host, claim 'applinks:HOST?mode=developer' or '?mode=managed' (E13, E14).",
      ])
  }

  private var fileDropped: Diagnosis? {
    diagnosis(
      .fileDropped,
      found(
        withPrefix: [
          "json.", "aasa.not-an-object", "aasa.grants-nothing", "aasa.size", "fetch.too-large",
          "fetch.not-json",
        ], severity: .error),
      ["Fix the errors above; a single JSON error makes devices ignore the whole file."])
  }

  private var sidesDisagree: Diagnosis? {
    let rules: Set<String> = [
      "joined.other-prefix", "joined.other-case", "joined.app-not-named", "joined.host-not-claimed",
      "joined.file-not-consulted",
    ]
    return diagnosis(
      .sidesDisagree, found(rules),
      [
        "List the identifier that the app is signed with, PREFIX.bundle, in the file of each host it claims.",
        "Claim each host in the entitlement by name; '*.' uses only the parent's file (E6, E8).",
      ])
  }

  /// What is wrong where nobody looks who only fetches the file with a browser's or a tool's own user agent.
  var otherValidatorsGreen: Diagnosis? {
    let seenByOthers = found(withPrefix: ["json.", "aasa.", "fetch.", "site."], severity: .error)
    guard seenByOthers.allSatisfy({ $0 == "fetch.user-agent-blocked" }) else { return nil }
    let because =
      seenByOthers + found(withPrefix: ["joined.", "entitlement."], severity: .error)
      + refusals.filter(isBlocked).map { $0.rule } + found(["cdn.stale-copy"])
    return diagnosis(
      .otherValidatorsGreen, because,
      [
        "They fetch the file like a browser. They do not check Apple's CDN, its crawler's user agent or the app's "
          + "entitlement, and Apple's old web validator accepts anything (section 11.4). Trust the findings above."
      ])
  }
}
