internal import AppSiteAssociation
package import LinkspanCore

/// What Apple's CDN has for a host, and what that means beside the host's own answer.
package struct CDNCheck: Sendable {
  package let host: String
  package let url: String
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
    self.result = result
    self.origin = origin
    self.isForModesOnly = isForModesOnly
    answer = if case .answered(let response) = result { CDNAnswer(response) } else { nil }
  }

  /// The CDN's copy as the checker reads it; nil when it has none.
  package var copy: HTTPResponse? {
    guard case .answered(let response) = result, response.status == 200 else { return nil }
    return response
  }

  /// Whether the CDN itself could not be asked, so that nothing is known.
  package var isUnknown: Bool {
    guard let answer else { return true }
    return answer.status >= 500
  }

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
    Finding(
      rule: "cdn." + rule, severity: isForModesOnly ? .note : severity, at: .init(file: url),
      message: message, help: help.joined(separator: "\n"), source: source)
  }

  private var unanswered: Finding {
    finding(
      "no-answer", .warning, "Apple's CDN cannot be asked from this machine: \(result.words)",
      [
        "Nothing is known of its copy. Look whether a proxy or firewall here stands before it, or ask from "
          + "another network."
      ], "C1")
  }

  // MARK: - It has no file

  private func finding(for failure: CDNAnswer.Failure, _ answer: CDNAnswer) -> Finding {
    let reason = failure.reason.isEmpty ? "it answers \(answer.status)" : failure.reason
    let no = "Apple's CDN has no file of '\(host)': \(reason)"
    if answer.status == 405 {
      return finding(
        "unknown-host", .error, "Apple's CDN does not know '\(host)'",
        [
          "It answers 405 where it cannot resolve the host (one report). Look whether the name is spelled as in "
            + "the public DNS and has an address there."
        ] + remembered(answer), "L2")
    }
    guard answer.status == 404 || failure.code != nil else {
      let isTrouble = answer.status >= 500
      return finding(
        "status", isTrouble ? .warning : .error, "Apple's CDN answers \(answer.status)",
        [isTrouble ? "That is its own trouble: ask again later." : "No such answer was ever published."]
          + cause(failure), "C1")
    }
    let (rule, help, source): (String, String, String)
    switch failure.code {
    case "00101":
      rule = "bad-http-response"
      help = advice(originStatus: failure.originStatus)
      source = "R1"
    case "00202":
      rule = "private-address"
      help =
        "The crawler saw a private or reserved address. Publish a public one for '\(host)', also where names are "
        + "answered by place (split DNS)."
      source = "T9"
    case "00301":
      rule = "timeout"
      help =
        "The host was too slow for the crawler, or dropped its packets. Answer within one second, also from a cold "
        + "start, and let everybody reach port 443: Apple does not publish the crawler's addresses."
      source = "T8"
    case "00401":
      rule = "bad-json"
      help =
        "What the crawler got is no JSON: a page, a login, or a mistake in the file. 'linkspan check' shows the place."
      source = "R5"
    default:
      rule = failure.kind == .untold ? "no-reason" : "unknown-code"
      help = advice(for: failure.kind)
      source = "section 4"
    }
    return finding(
      rule, .error, no, [help] + cause(failure) + originIsFine() + remembered(answer), source)
  }

  /// What to do about a status that the origin gave the crawler.
  private func advice(originStatus: Int?) -> String {
    switch originStatus {
    case 404, 410:
      "The crawler found no file. Publish it at \(AssociationLocation.wellKnown.url(host: host))."
    case 401, 403, 429:
      "The crawler is turned away. Exempt the path from logins, bot rules, rate limits and filters by address or "
        + "country; the user agent is 'AASA-Bot' (T7)."
    case .some(300..<400): "The crawler was redirected. No redirect may stand before the file (T2)."
    case .some(500..<600):
      "The host was in trouble when the crawler asked. Mend it; the CDN asks again by itself."
    default: "The host answered the crawler with something else than 200. Only 200 counts."
    }
  }

  /// What to do about a code that nobody has published: its hundreds tell the kind (inferred).
  private func advice(for kind: CDNAnswer.Kind) -> String {
    switch kind {
    case .http:
      "The code is new to us; its hundreds speak of the host's HTTP answer. Look at status and headers."
    case .connection:
      "The code is new to us; its hundreds speak of the connection. Look at DNS, port 443 and the certificate."
    case .time: "The code is new to us; its hundreds speak of time. Answer within one second."
    case .content: "The code is new to us; its hundreds speak of the file's content. Look at size and JSON."
    case .other: "The code is new to us. Its text is all there is."
    case .untold: "It does not say why. Look at the host with '--fetch direct'."
    }
  }

  private func cause(_ failure: CDNAnswer.Failure) -> [String] {
    var lines: [String] = []
    if let detail = failure.detail, !failure.text.contains(detail) {
      lines.append("The CDN says: \(detail).")
    }
    if let source = failure.source { lines.append("The CDN names the source: \(source).") }
    if failure.triesDirect == true { lines.append("Devices may ask the host itself meanwhile (inferred).") }
    return lines
  }

  private func originIsFine() -> [String] {
    guard let origin, origin.carriesFile else { return [] }
    return [
      "The host gives the file to this machine, so this is either an answer from before, or the crawler is kept out "
        + "by its address or country."
    ]
  }

  /// C6.
  private func remembered(_ answer: CDNAnswer) -> [String] {
    guard let remaining = answer.remaining_s else {
      return ["The CDN remembers a failure for up to an hour (C6)."]
    }
    return ["The CDN remembers this answer for \(CacheControl.words(remaining)) more (C6); then ask again."]
  }

  // MARK: - It has a file

  private func findings(forCopy answer: CDNAnswer) -> [Finding] {
    var findings: [Finding] = []
    if answer.urls.count > 1 {
      findings.append(
        finding(
          "redirected", .warning,
          "Apple's CDN followed a redirect: \(answer.urls.joined(separator: " to "))",
          ["It does so inside one domain at most, and not always (T3). Serve the file without a redirect."],
          "T3"))
    }
    if answer.urls.contains(AssociationLocation.root.url(host: host)) {
      findings.append(
        finding(
          "from-root", .warning, "Apple's CDN has the file from the root",
          ["Whether it goes on looking there is contradictory (F5). Publish the file in .well-known."], "F5"))
    }
    if let format = answer.originFormat, format != "json" {
      findings.append(
        finding(
          "origin-format", .note, "Apple's CDN names the format '\(format)'",
          ["Only 'json' was ever seen. Publish plain JSON."], "section 4"))
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
        "Apple's CDN still has a file of '\(host)', and the host itself gives the crawler \(origin.wellKnown.words)",
        [
          "Devices go on getting the copy until the CDN asks again. \(life(answer))", "Mend the host before.",
        ],
        "C11")
    }
    guard let served = origin.served, let fresh = FetchResult.answered(served.response).document,
      !fresh.hasSameMeaning(as: copied)
    else { return nil }
    let lines = AssociationDifference.lines(from: copied, to: fresh)
    let age = answer.age_s.map { " of \(CacheControl.words($0)) ago" } ?? ""
    return finding(
      "stale-copy", lines.isEmpty ? .note : .warning,
      "Apple's CDN has another file than '\(host)' serves: the CDN's copy\(age) is the stale one",
      (lines.isEmpty
        ? ["They differ only in what no device reads."] : lines.map { "In the host's file, \($0)." })
        + [
          life(answer),
          "Nobody can purge it (C4). A junk query on the CDN's URL at most changes what you see (C7). Devices look "
            + "again about weekly, or when the app is installed anew (V2, V3).",
        ], "C10")
  }

  private func life(_ answer: CDNAnswer) -> String {
    let promise =
      "Apple promises to ask the host within 24 hours (C2), and developers saw minutes to days (C8)."
    guard let remaining = answer.remaining_s else {
      return "It does not say how long it keeps it. \(promise)"
    }
    if remaining == 0 { return "By its headers the copy is due to be renewed now (C5). \(promise)" }
    return "It may keep the copy \(CacheControl.words(remaining)) more (C5). \(promise)"
  }
}

extension FetchResult {
  /// An answer whose content could not be looked into: compressed.
  fileprivate var isUnlookedInto: Bool {
    if case .answered(let response) = self { return response.contentCoding != nil }
    return false
  }
}
