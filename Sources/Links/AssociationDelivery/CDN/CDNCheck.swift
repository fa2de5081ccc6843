internal import AppSiteAssociation
package import LinkspanCore

/// What Apple's CDN has for a host, and how that compares with the host's own response.
package struct CDNCheck: Sendable {
  package let host: String
  package let url: String
  /// Whether a stand-in was asked, and not Apple's CDN.
  package let isOfStandIn: Bool
  package let result: FetchResult
  /// The host's own answers, when it was asked as well.
  package let origin: OriginCheck?
  /// Whether every entry that apps have for this host carries a mode, so that the CDN plays no part.
  package let isForModesOnly: Bool
  /// nil when the CDN gave no answer.
  package let answer: CDNAnswer?

  package init(
    host: String, endpoint: CDNEndpoint, result: FetchResult, origin: OriginCheck? = nil,
    isForModesOnly: Bool = false
  ) {
    self.host = host
    url = endpoint.url(for: host)
    isOfStandIn = endpoint != .apple
    (subject, name) = (endpoint.subject, endpoint.name)
    self.result = result
    self.origin = origin
    self.isForModesOnly = isForModesOnly
    // A page comes from a proxy or a portal on the way, never from the CDN.
    answer =
      if case .answered(let response) = result, !response.isPage { CDNAnswer(response) } else { nil }
  }

  /// What was asked, as messages begin.
  package let subject: String
  /// The same within a sentence.
  package let name: String

  /// The CDN's copy, for the checker; nil when the CDN has none.
  package var copy: HTTPResponse? {
    guard case .answered(let response) = result, response.status == 200, answer != nil else { return nil }
    return response
  }

  /// Whether the CDN did not respond or failed itself, so that nothing is known about the copy.
  package var isUnknown: Bool {
    guard let answer else { return true }
    return answer.status >= 500
  }

  /// That the CDN did not say what it has, as an item of what was not checked.
  package var unknownCopy: String? { isUnknown ? "what \(name) has for \(host): \(words)" : nil }

  /// `200`, `404 SWCERR00301`, `no answer in time`.
  package var words: String {
    guard let answer else { return result.words }
    return [String(answer.status), answer.failure?.code.map { "SWCERR" + $0 }].compactMap { $0 }
      .joined(separator: " ")
  }

  package var findings: [Finding] {
    guard let answer else { return [unanswered] }
    guard let failure = answer.failure else { return findings(forCopy: answer) }
    return [finding(for: failure, answer)]
  }

  private func finding(
    _ rule: String, _ severity: Finding.Severity, _ message: String, _ help: [String], _ source: String
  ) -> Finding {
    var finding = Finding(
      rule: "cdn." + rule, severity: isForModesOnly ? .note : severity, at: .init(file: url),
      message: message, source: source)
    for line in help { finding.addHelp(line) }
    return finding
  }

  private var unanswered: Finding {
    finding(
      "no-answer", .warning, "\(subject) did not respond to this machine: \(result.words)",
      [
        "Its copy could not be checked. Check whether a proxy or firewall blocks the request, or run the command from "
          + "another network."
      ], "C1")
  }

  // MARK: - It has no file

  private func finding(for failure: CDNAnswer.Failure, _ answer: CDNAnswer) -> Finding {
    let reason = failure.reason.isEmpty ? "it answers \(answer.status)" : failure.reason
    let no = "\(subject) has no file for '\(host)': \(reason)"
    if answer.status == 405 {
      return finding(
        "unknown-host", .error, "\(subject) does not know '\(host)'",
        [
          "It answers 405 when it cannot resolve the host (one report). Check the spelling of the host, and that it has "
            + "an address in the public DNS."
        ] + remembered(answer), "section 4")
    }
    guard answer.status == 404 || failure.code != nil else {
      let isTrouble = answer.status >= 500
      return finding(
        "status", isTrouble ? .warning : .error, "\(subject) answers \(answer.status)",
        [isTrouble ? "This is an error of the CDN: try again later." : "Apple does not document this status."]
          + cause(failure), "C1")
    }
    let (rule, help, source): (String, String, String)
    switch failure.code {
    case "00101":
      rule = "bad-http-response"
      help = failure.isRefusal ? Self.refusal : advice(originStatus: failure.originStatus)
      source = "R1"
    case "00202":
      rule = "private-address"
      help =
        "The crawler resolved a private or reserved address. Publish a public address for '\(host)', and check split "
        + "DNS."
      source = "T9"
    case "00301":
      rule = "timeout"
      help =
        "The host was too slow for the crawler or dropped its packets. Answer within one second, even after a cold "
        + "start, and make port 443 reachable for everyone: Apple does not publish the crawler's addresses."
      source = "T8"
    case "00401":
      rule = "bad-json"
      help =
        "The crawler did not receive JSON but a web page, a login page or a file with a syntax error. 'linkspan check' shows where."
      source = "R5"
    default:
      rule = failure.kind == .untold ? "no-reason" : "unknown-code"
      help = advice(for: failure.kind)
      source = "section 4"
    }
    return finding(
      rule, .error, no, [help] + cause(failure) + originIsFine() + remembered(answer), source)
  }

  private static let refusal =
    "The host rejected the crawler. Exempt the path from logins, bot rules, rate limits and filters by address or "
    + "country; the user agent is 'AASA-Bot' (T7)."

  /// What to do about another status that the origin gave the crawler.
  private func advice(originStatus: Int?) -> String {
    switch originStatus {
    case 404, 410:
      "The crawler found no file. Publish it at \(AssociationLocation.wellKnown.url(host: host))."
    case .some(300..<400): "The crawler was redirected. The file must not be redirected (T2)."
    case .some(500..<600):
      "The host answered the crawler with a server error. Fix the host; the CDN retries by itself."
    default: "The host answered the crawler with a status other than 200. Only 200 is accepted."
    }
  }

  /// What to do about a code that nobody has published: its hundreds tell the kind (inferred).
  private func advice(for kind: CDNAnswer.Kind) -> String {
    switch kind {
    case .http:
      "The code is unknown; its first digits indicate the host's HTTP response. Check the status and the headers."
    case .connection:
      "The code is unknown; its first digits indicate the connection. Check DNS, port 443 and the certificate."
    case .time: "The code is unknown; its first digits indicate a timeout. Answer within one second."
    case .content:
      "The code is unknown; its first digits indicate the file's content. Check its size and "
        + "its JSON."
    case .other: "The code is unknown; Apple does not document it."
    case .untold: "The CDN gives no reason. Check the host with '--fetch direct'."
    }
  }

  private func cause(_ failure: CDNAnswer.Failure) -> [String] {
    var lines: [String] = []
    if let detail = failure.detail, !failure.text.contains(detail) {
      lines.append("The CDN's details: \(detail).")
    }
    if let source = failure.source { lines.append("The CDN reports the source: \(source).") }
    if failure.triesDirect == true {
      lines.append(
        "Meanwhile devices may fetch the file from the host "
          + "(inferred).")
    }
    return lines
  }

  private func originIsFine() -> [String] {
    // A host that turns the crawler away here as well blocks it by its name, which the probe's own finding says.
    guard let origin, origin.carriesFile, origin.preferredToTheCrawler == nil else { return [] }
    return [
      "The host serves the file to this machine, so either the CDN's answer is outdated, or the host blocks the "
        + "crawler by address or country."
    ]
  }

  /// C6.
  private func remembered(_ answer: CDNAnswer) -> [String] {
    guard let remaining = answer.remaining_s else {
      return ["The CDN caches a failure for up to an hour (C6)."]
    }
    return [
      "The CDN caches this answer for another \(CacheControl.words(remaining)) (C6); check again "
        + "after that."
    ]
  }

  // MARK: - It has a file

  private func findings(forCopy answer: CDNAnswer) -> [Finding] {
    var findings: [Finding] = []
    if answer.urls.count > 1 {
      findings.append(
        finding(
          "redirected", .warning,
          "\(subject) followed a redirect: \(answer.urls.joined(separator: " to "))",
          [
            "It only follows redirects within one domain, and not always (T3). Serve the file without a "
              + "redirect."
          ],
          "T3"))
    }
    if answer.urls.contains(AssociationLocation.root.url(host: host)) {
      findings.append(
        finding(
          "from-root", .warning, "\(subject) fetched the file from the root",
          ["Sources disagree on whether it still checks the root (F5). Publish the file in .well-known."],
          "F5"))
    }
    if let format = answer.originFormat, format != "json" {
      findings.append(
        finding(
          "origin-format", .note, "\(subject) reports the format '\(format)'",
          ["Only 'json' was ever observed. Publish plain JSON."], "section 4"))
    }
    if let difference = comparison(answer) { findings.append(difference) }
    return findings
  }

  /// The copy against what the host serves now (C10, C11).
  private func comparison(_ answer: CDNAnswer) -> Finding? {
    guard let origin, let copy, !origin.wellKnown.isUnlookedInto else { return nil }
    guard let copied = FetchResult.answered(copy).document else { return nil }
    guard origin.carriesFile else {
      return finding(
        "only-copy", .warning,
        "\(subject) still has a file for '\(host)', but the host gives the crawler \(origin.wellKnown.words)",
        [
          "Devices get the copy until the CDN fetches the file again. \(life(answer))",
          "Fix the host "
            + "before that.",
        ],
        "C11")
    }
    guard let served = origin.served, let fresh = FetchResult.answered(served.response).document,
      !fresh.hasSameMeaning(as: copied)
    else { return nil }
    let lines = AssociationDifference.lines(from: copied, to: fresh, readers: .fetchingThroughCDN)
    let age = answer.age_s.map { ", fetched \(CacheControl.words($0)) ago," } ?? ""
    return finding(
      "stale-copy", lines.isEmpty ? .note : .warning,
      "\(subject) has a different file than '\(host)' serves: the CDN's copy\(age) is stale",
      (lines.isEmpty
        ? ["The differences have no effect on devices."] : lines.map { "In the host's file, \($0)." })
        + [
          life(answer),
          "The copy cannot be purged (C4). An arbitrary query on the CDN's URL only affects your own request (C7). Devices "
            + "check again about once a week, or when the app is reinstalled (V2, V3).",
        ], "C10")
  }

  private func life(_ answer: CDNAnswer) -> String {
    let promise =
      "Apple documents a refresh within 24 hours (C2); developers observed minutes to days (C8)."
    guard let remaining = answer.remaining_s else {
      return "The CDN does not say how long it keeps the copy. \(promise)"
    }
    if remaining == 0 { return "According to its headers the copy expires now (C5). \(promise)" }
    return "The CDN may keep the copy for another \(CacheControl.words(remaining)) (C5). \(promise)"
  }
}

extension FetchResult {
  /// An answer whose content could not be looked into: compressed.
  fileprivate var isUnlookedInto: Bool {
    if case .answered(let response) = self { return response.contentCoding != nil }
    return false
  }
}
