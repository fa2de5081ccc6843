package import LinkspanCore

/// Everything a host answered about its association file, and what that means for apps (spec 14.3).
package struct OriginCheck: Sendable {
  package var host: String
  /// The answer at `.well-known` to the crawler of Apple's CDN.
  package var wellKnown: FetchResult
  /// The answer at the root, when it was asked.
  package var root: FetchResult?
  /// The answer at `.well-known` to a browser, when it was asked.
  package var wellKnownForBrowser: FetchResult?
  /// Whether every entry that apps have for this host carries a mode, so that the CDN plays no part.
  package var isForModesOnly: Bool

  package init(
    host: String, wellKnown: FetchResult, root: FetchResult? = nil, wellKnownForBrowser: FetchResult? = nil,
    isForModesOnly: Bool = false
  ) {
    self.host = host
    self.wellKnown = wellKnown
    self.root = root
    self.wellKnownForBrowser = wellKnownForBrowser
    self.isForModesOnly = isForModesOnly
  }

  /// What is wrong with how the file is served; what is inside it is the checker's to say.
  package var findings: [Finding] {
    switch wellKnown {
    case .failed(let failure): [finding(for: failure)]
    case .answered(let response): findings(for: response)
    }
  }

  private func finding(
    _ rule: String, _ severity: Finding.Severity, _ message: String, _ help: String, _ source: String
  ) -> Finding {
    Finding(
      rule: "fetch." + rule, severity: severity,
      at: .init(file: AssociationLocation.wellKnown.url(host: host)), message: message, help: help,
      source: source)
  }

  private func finding(for failure: FetchFailure) -> Finding {
    switch failure {
    case .unresolvable:
      finding(
        "unresolvable", .error, "the host '\(host)' has no address",
        "Apple's CDN resolves it in the public DNS; publish an A or AAAA record, or mend the name.", "T9")
    case .privateAddress(let address):
      finding(
        "private-address", isForModesOnly ? .note : .error,
        "'\(host)' resolves to the private address \(address)",
        "Apple's CDN refuses private and reserved addresses (SWCERR00202). Publish the file on a public "
          + "address, or test with '?mode=developer', where the device asks the host itself.",
        "T9")
    case .unreachable(let reason):
      finding(
        "unreachable", .error, "'\(host)' does not take connections: \(reason)",
        "Let everybody reach port 443; Apple does not publish the addresses its crawler comes from.", "T5")
    case .timedOut:
      finding(
        "too-slow", .error, "'\(host)' did not answer in time",
        "Apple's CDN is reported to give up after 5 seconds (SWCERR00301) and to remember that for an hour. "
          + "Answer within one second, also from a cold start.",
        "T8")
    case .certificate(let problem):
      finding(
        "certificate", isForModesOnly ? .note : .error, "the certificate of '\(host)' is \(problem.words)",
        "Use a certificate for this name from a public authority; only '?mode=developer' accepts any.", "T1")
    case .malformed(let reason):
      finding(
        "malformed", .error, "the answer of '\(host)' is no HTTP: \(reason)",
        "Look at what listens on port 443.", "R1")
    case .tooLarge(let limit):
      finding(
        "too-large", .error, "the answer of '\(host)' is longer than \(limit) bytes",
        "An association file may have 131072 bytes.", "R4")
    }
  }

  private func findings(for response: HTTPResponse) -> [Finding] {
    switch response.status {
    case 200: return findings(forBodyOf: response)
    case 300..<400:
      let target = response.fields["Location"] ?? "nowhere"
      var help = "No redirect may stand before the file (T2): exempt this path from every redirect rule."
      if Self.registrable(of: target) == Self.registrable(of: "https://" + host) {
        help += "\nThe CDN was seen to follow a redirect inside one domain (T3). Don't rely on it."
      }
      return [finding("redirect", .error, "the file is redirected to \(target)", help, "T2")]
    case 401, 403:
      if case .answered(let other)? = wellKnownForBrowser, other.status == 200 {
        return [
          finding(
            "user-agent-blocked", .error,
            "the crawler gets \(response.status) where a browser gets the file",
            "A bot rule or firewall blocks the user agent 'AASA-Bot'. Exempt this path from it (T7).", "T5")
        ]
      }
      return [
        finding(
          "denied", .error, "the host answers \(response.status)",
          "The file must be public: no login, no client certificate, no filter by address or country.", "T5")
      ]
    case 404, 410:
      if case .answered(let other)? = root, other.status == 200 {
        return [
          finding(
            "root-only", .error, "the file lies at the root and not in .well-known",
            "Put it at \(AssociationLocation.wellKnown.rawValue): the root is deprecated since 2019, developer "
              + "and managed modes do not look there, and whether the CDN still does is contradictory (F5). "
              + "For a site that has worked so far this is a warning.",
            "F3")
        ]
      }
      return [
        finding(
          "missing", .error, "there is no association file: the host answers \(response.status)",
          "Publish it at \(AssociationLocation.wellKnown.rawValue), without any extension.", "F1")
      ]
    case 500..<600:
      return [
        finding(
          "server-error", .warning, "the host answers \(response.status)",
          "Taken as temporary: a device that asks directly tries again about every 3 hours, up to 8 times. "
            + "The CDN remembers the failure for an hour.",
          "R1")
      ]
    default:
      return [
        finding(
          "status", .error, "the host answers \(response.status); only 200 counts", "Answer 200.", "R1")
      ]
    }
  }

  private func findings(forBodyOf response: HTTPResponse) -> [Finding] {
    var findings: [Finding] = []
    let content = AssociationContent(response.body)
    let type = ASCII.lowercased(response.fields["Content-Type"] ?? "").prefix { $0 != ";" }
      .split(separator: " ").joined()
    if content.document.errors.contains(where: { $0.kind == .html })
      || (type == "text/html" && content.file == nil)
    {
      return [
        finding(
          "page", .error, "a page is served instead of the file",
          "The host answers 200 with HTML, as applications do for every path they don't know. "
            + "Serve the file itself at this path (CDN: SWCERR00401).",
          "R8")
      ]
    }
    if response.body.count > AssociationLocation.maximumFileBytes {
      findings.append(
        finding(
          "too-large", .error,
          "the file has \(response.body.count) bytes; \(AssociationLocation.maximumFileBytes) are allowed",
          "Shorten it: use wildcards and substitution variables in place of lists.", "R4"))
    }
    if content.format != .json {
      findings.append(
        finding(
          "signed", .warning, "the file is signed",
          "Signing is obsolete since iOS 9; publish the plain JSON.",
          "G3s"))
    } else if type == "text/html" {
      findings.append(
        finding(
          "content-type", .error, "the content type is text/html", "Serve it as application/json.", "R2"))
    } else if type != "application/json" {
      findings.append(
        finding(
          "content-type", .note, "the content type is \(type.isEmpty ? "absent" : String(type))",
          "Serve it as application/json; the CDN accepts others.", "R2"))
    }
    guard let file = content.file else {
      if let error = content.document.errors.first {
        findings.append(
          finding(
            "not-json", .error, "the file is not JSON: \(error.message)",
            error.help + " The CDN answers SWCERR00401 for it.", "R5"))
      } else {
        findings.append(
          finding(
            "not-json", .error, "the file is not a JSON object", "Write an object of services.", "J1"))
      }
      return findings
    }
    if file.appLinks == nil, file.apps.isEmpty {
      findings.append(
        finding(
          "grants-nothing", .error, "the file grants nothing: it has no key of a known service",
          "Known are \(Service.allCases.map(\.rawValue).joined(separator: ", ")).", "J2"))
    }
    return findings
  }

  /// The last two labels of a URL's host: an approximation of its registrable domain, good enough for a remark.
  package static func registrable(of url: String) -> String {
    LinkURL(url).host.split(separator: ".").suffix(2).joined(separator: ".")
  }
}

extension FetchFailure.CertificateProblem {
  package var words: String {
    switch self {
    case .expired: "expired"
    case .wrongName: "for another name"
    case .untrusted: "not from an authority that is trusted"
    case .other(let reason): "refused: \(reason)"
    }
  }
}
