package import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCore

extension OriginCheck {
  /// The problems with how the file is served; ``AssociationChecker`` checks its content.
  package var servingFindings: [Finding] {
    if let client = preferredToTheCrawler { return [userAgentBlocked(client)] + answerFindings }
    switch wellKnown {
    case .failed(let failure): return [finding(for: failure)]
    case .answered(let response): return findings(for: response) + answerFindings
    }
  }

  private func finding(
    _ rule: String, _ severity: Finding.Severity, _ message: String, _ help: String, _ source: String,
    at location: AssociationLocation = .wellKnown
  ) -> Finding {
    Finding(
      rule: "fetch." + rule, severity: severity, at: .init(file: location.url(host: host)), message: message,
      help: help, source: source)
  }

  // MARK: - No answer

  private func finding(for failure: FetchFailure) -> Finding {
    switch failure {
    case .unresolvable:
      finding(
        "unresolvable", .error, "the host '\(host)' has no address",
        "Apple's CDN resolves it in the public DNS. Publish an A or AAAA record, or correct the name.", "T9")
    case .lookupFailed(let reason):
      finding(
        "lookup-failed", .warning, "this machine could not look up '\(host)': \(reason)",
        "Nothing was learnt about the host. Check this machine's resolver and network, or the name servers of the "
          + "host, and ask again.", "T9")
    case .privateAddress(let address):
      finding(
        "private-address", isForModesOnly ? .note : .error,
        "'\(host)' resolves to the private address \(address)",
        "Apple's CDN refuses private and reserved addresses (SWCERR00202). Publish the file on a public "
          + "address, or test with '?mode=developer', where the device fetches the file from the host.",
        "T9")
    case .unreachable(let reason):
      finding(
        "unreachable", .error,
        "'\(host)' \(failure.isBrokenOff ? "breaks the connection off" : "does not accept connections"): \(reason)",
        "Make port 443 reachable for everyone; Apple does not publish its crawler's addresses.", "T5")
    case .timedOut:
      finding(
        "too-slow", .error, "'\(host)' did not answer in time",
        "Apple's CDN reportedly times out after 5 seconds (SWCERR00301) and caches the failure for an hour. "
          + "Answer within one second, even after a cold start, and check that no firewall drops the packets.",
        "T8")
    case .unfinished(let bytes):
      finding(
        "unfinished", .error,
        "'\(host)' sent only \(bytes) bytes of its response before the timeout",
        "Apple's CDN reportedly times out after 5 seconds (SWCERR00301). Serve the file from disk or memory "
          + "with a Content-Length, and find out what slows the connection or keeps it open.",
        "T8")
    case .handshake(let reason):
      finding(
        "tls", .error, "the TLS handshake with '\(host)' failed: \(reason)",
        "Serve TLS 1.2 and 1.3 on port 443 with common ciphers and without a client certificate, "
          + "and check that the server on that port uses TLS.", "T10")
    case .certificate(let problem): certificate(problem)
    case .malformed(let reason):
      finding(
        "malformed", .error, "the response of '\(host)' is not valid HTTP: \(reason)",
        "Check which program listens on port 443.", "R1")
    case .tooLarge(let limit):
      finding(
        "too-large", .error, "the file of '\(host)' has more than \(limit) bytes",
        "The limit is \(AssociationLocation.maximumFileBytes) bytes; the rest was not read. "
          + "Shorten the file: replace long lists by wildcards or substitution variables.",
        "R4")
    }
  }

  private func certificate(_ problem: FetchFailure.CertificateProblem) -> Finding {
    let (rule, help) =
      switch problem {
      case .expired:
        (
          "certificate-expired",
          "Renew the certificate, and automate the renewal: links stop when it "
            + "expires."
        )
      case .wrongName:
        (
          "certificate-name",
          "Use a certificate for '\(host)'. If several hosts share an address, check that the server selects "
            + "the certificate by SNI."
        )
      case .untrusted:
        (
          "certificate-untrusted",
          "Use a certificate from a public authority, and send the intermediate certificates; self-signed "
            + "certificates and private roots are refused."
        )
      case .other: ("certificate", "Use a certificate for this host from a public authority.")
      }
    return finding(
      rule, isForModesOnly ? .note : .error, "the certificate of '\(host)' is \(problem.words)",
      help + " Only '?mode=developer' accepts any certificate.", "T1")
  }

  // MARK: - An answer of the wrong kind

  private func findings(for response: HTTPResponse) -> [Finding] {
    switch response.status {
    case 200: return response.isPage ? [page] : []
    case 300..<400 where response.fields["Location"] != nil:
      return [redirect(to: response.fields["Location"] ?? "")]
    case 401, 403:
      return [
        finding(
          "denied", .error, "the host answers \(response.status)",
          "The file must be public: no login, no client certificate, no filter by address or country.", "T5")
      ]
    case 404, 410:
      if root?.carriesFile == true {
        return [
          finding(
            "root-only", .error, "the file is at the root, not in .well-known",
            "Move it to \(AssociationLocation.wellKnown.rawValue). The root is deprecated since 2019, developer "
              + "and managed modes do not read it, and sources disagree on whether the CDN still does (F5).",
            "F3")
        ]
      }
      return [
        finding(
          "missing", .error, "there is no association file: the host answers \(response.status)",
          "Publish it at \(AssociationLocation.wellKnown.rawValue), without a file extension.", "F1")
      ]
    case 500..<600:
      return [
        finding(
          "server-error", .warning, "the host answers \(response.status)",
          "Clients treat this as temporary: a device that asks the host retries about every 3 hours, at most 8 times. "
            + "The CDN caches the failure for an hour.",
          "R1")
      ]
    default:
      return [
        finding(
          "status", .error, "the host answers \(response.status); only 200 is accepted", "Answer 200.", "R1")
      ]
    }
  }

  private var page: Finding {
    finding(
      "page", .error, "a page is served instead of the file",
      "The host answers 200 with HTML, as many web applications do for unknown paths. "
        + "Serve the file itself at this path (CDN: SWCERR00401).",
      "R8")
  }

  /// Ours: words of hosts and paths of login pages.
  private static let loginWords: Set<String> = [
    "login", "signin", "logon", "auth", "oauth", "oauth2", "authorize", "authenticate", "sso", "saml",
  ]

  /// Whether a host or a path is one of a login page. Whole words count, and not the query: a page that redirects back
  /// names the association file there, which has the letters of "sso" in its name.
  package static func isLogin(_ url: LinkURL) -> Bool {
    let words = ASCII.lowercased(url.host + "/" + url.text(of: url.path)).split {
      !$0.isLetter && !$0.isNumber
    }
    if words.contains(where: { loginWords.contains(String($0)) || $0.hasSuffix("login") }) { return true }
    return zip(words, words.dropFirst()).contains { ["sign", "log"].contains($0) && $1 == "in" }
  }

  private func redirect(to target: String) -> Finding {
    let url = LinkURL(target)
    var finding = finding(
      "redirect", .error, "the file is redirected to \(target.withoutUserInformation)",
      "The file must not be redirected (T2): exempt this path from every redirect rule.", "T2")
    if Self.isLogin(url) {
      finding.addHelp("The target looks like a login page: the file must be public (T5).")
    }
    if url.scheme == "http" { finding.addHelp("Devices refuse redirects from https to http (T4).") }
    let isRelative = url.scheme.isEmpty && url.host.isEmpty && target.hasPrefix("/")
    if isRelative || Self.registrable(of: target) == Self.registrable(of: "https://" + host) {
      finding.addHelp(
        "The CDN was seen to follow redirects within one domain (T3), but that is not guaranteed.")
    }
    return finding
  }

  // MARK: - One client against the other

  private func userAgentBlocked(_ client: OriginQuestion.Client) -> Finding {
    finding(
      "user-agent-blocked", .error,
      "the crawler gets \(wellKnown.words), a \(client.rawValue) gets the file",
      "A bot rule or firewall blocks the user agent 'AASA-Bot'. Exempt this path (T7).", "T5")
  }

  /// What an answer has that it had better not, and how the answers differ.
  private var answerFindings: [Finding] {
    var findings: [Finding] = []
    if wellKnown.carriesFile, let wellKnownForDevice {
      if !wellKnownForDevice.carriesFile {
        findings.append(
          finding(
            "device-blocked", isForModesOnly ? .error : .warning,
            "a device gets \(wellKnownForDevice.words), the crawler gets the file",
            "Devices fetch the file from the host in developer and managed mode and before iOS 14. Allow user agents "
              + "with 'CFNetwork'.", "T6"))
      } else if let one = wellKnown.document, let other = wellKnownForDevice.document,
        !one.hasSameMeaning(as: other)
      {
        var finding = finding(
          "different-answers", .warning, "the crawler and a device get different files",
          "Serve the same file to every client. Behind a load balancer, one of the servers may have an old copy.",
          "T5")
        for line in AssociationDifference.lines(from: other, to: one) {
          finding.addHelp("For the crawler, \(line).")
        }
        findings.append(finding)
      }
    }
    guard case .answered(let response)? = answers.map({ $0.result }).first(where: { $0.carriesFile }) else {
      return findings
    }
    return findings + fieldFindings(response)
  }

  private func fieldFindings(_ response: HTTPResponse) -> [Finding] {
    var findings: [Finding] = []
    if let coding = response.contentCoding {
      findings.append(contentEncoding(coding, isPlain: AssociationContent(response.body).file != nil))
    } else {
      findings += contentType(response)
    }
    let cache = CacheControl(response.fields)
    if cache.isImmutable || (cache.maxAge_s ?? 0) > 3_600 {
      let life = cache.maxAge_s.map { "for \(CacheControl.words($0))" } ?? "forever"
      findings.append(
        finding(
          "cache-control", .note, "the file may be cached \(life)",
          "Apple's CDN is not known to honour Cache-Control, but proxies do. "
            + "Set max-age to 3600 or less, without 'immutable'.", "R7"))
    }
    if response.fields["Set-Cookie"] != nil {
      findings.append(
        finding(
          "cookie", .note, "the response sets a cookie",
          "The crawler and devices ignore cookies. The cookie suggests that an application or a bot filter handles "
            + "this path; serving a static file is faster and more reliable.", "T5"))
    }
    return findings
  }

  /// - Parameter isPlain: Whether the body is a file as it stands, whatever the field says.
  private func contentEncoding(_ coding: String, isPlain: Bool) -> Finding {
    isPlain
      ? finding(
        "content-encoding", .warning,
        "the response says that it is compressed ('\(coding)'), but its body is not",
        "It is not documented what the CDN and devices do; a client that decompresses the body cannot read the file "
          + "(inferred). Serve the file without 'Content-Encoding'.", "R6")
      : finding(
        "content-encoding", .warning,
        "the response is compressed ('\(coding)'), although the client did not accept it",
        "It is not documented whether the CDN and devices decompress it. Serve the file uncompressed; the limit of "
          + "\(AssociationLocation.maximumFileBytes) bytes applies to the uncompressed file.", "R6")
  }

  private func contentType(_ response: HTTPResponse) -> [Finding] {
    let type = response.mediaType
    // What carries a signature has a type of its own (R3); that it is signed is said of its content.
    if AssociationContent(response.body).format != .json { return [] }
    if response.isCalledPage {
      return [
        finding(
          "content-type", .error, "the content type is text/html", "Serve it as application/json.", "R2")
      ]
    }
    guard type != "application/json" else { return charset(response) }
    return charset(response) + [
      finding(
        "content-type", .note, "the content type is \(type.isEmpty ? "missing" : type)",
        "Serve it as application/json; the CDN accepts others.", "R2")
    ]
  }

  /// What the content type says of the encoding, when that is another than the file has.
  private func charset(_ response: HTTPResponse) -> [Finding] {
    let parameters = (response.fields["Content-Type"] ?? "").split(separator: ";").dropFirst()
    for parameter in parameters {
      let parts = ASCII.lowercased(String(parameter.filter { !" \t\"".contains($0) })).split(separator: "=")
      guard parts.count == 2, parts[0] == "charset" else { continue }
      if ["utf-8", "utf8", "us-ascii"].contains(parts[1]) { return [] }
      return [
        finding(
          "charset", .warning, "the content type declares the charset '\(parts[1])'",
          "JSON is always UTF-8. Serve it as application/json, without 'charset'.", "R5")
      ]
    }
    return []
  }

  // MARK: - The file itself, in short

  /// The first thing that keeps a device from using the file; the checker says more, and where.
  var contentFindings: [Finding] {
    guard case .answered(let response) = wellKnown, response.status == 200, !response.isPage,
      response.contentCoding == nil
    else { return [] }
    if response.body.count > AssociationLocation.maximumFileBytes {
      return [finding(for: .tooLarge(limitBytes: AssociationLocation.maximumFileBytes))]
    }
    let content = AssociationContent(response.body)
    let signed =
      content.format == .json
      ? []
      : [
        finding(
          "signed", .warning, "the file is signed",
          "Signing is obsolete since iOS 9; publish the plain JSON.", "G3s")
      ]
    guard let file = content.file else {
      guard let error = content.document.errors.first else {
        return signed + [
          finding(
            "not-json", .error, "the file is not a JSON object", "Write an object whose keys are services.",
            "J1")
        ]
      }
      return signed + [
        finding(
          "not-json", .error, "the file is not JSON: \(error.message)",
          error.help + " The CDN reports it as SWCERR00401.", "R5")
      ]
    }
    guard file.appLinks == nil, file.apps.isEmpty else { return signed }
    return signed + [
      finding(
        "grants-nothing", .error, "the file has no effect: it contains no known service",
        "Known services: \(Service.allCases.map { $0.rawValue }.joined(separator: ", ")).", "J2")
    ]
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
