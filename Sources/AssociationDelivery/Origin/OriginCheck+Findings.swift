internal import AppSiteAssociation
package import LinkspanCore

extension OriginCheck {
  /// What is wrong with how the file is served; what is inside it is ``AssociationChecker``'s to say.
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
          + "Answer within one second, also from a cold start; and look whether a firewall drops the packets.",
        "T8")
    case .unfinished(let bytes):
      finding(
        "unfinished", .error,
        "'\(host)' had sent \(bytes) bytes when time was up, and its answer was not whole",
        "Apple's CDN is reported to give up after 5 seconds (SWCERR00301). Serve the file from disk or memory "
          + "with its Content-Length, and look at what slows the connection or holds it open.",
        "T8")
    case .handshake(let reason):
      finding(
        "tls", .error, "'\(host)' makes no TLS connection: \(reason)",
        "Serve TLS 1.2 and 1.3 on port 443 with the usual ciphers, without asking for a client certificate; "
          + "look whether something without TLS listens there.", "T10")
    case .certificate(let problem): certificate(problem)
    case .malformed(let reason):
      finding(
        "malformed", .error, "the answer of '\(host)' is no HTTP: \(reason)",
        "Look at what listens on port 443.", "R1")
    case .tooLarge(let limit):
      finding(
        "too-large", .error, "the file of '\(host)' has more than \(limit) bytes",
        "An association file may have \(AssociationLocation.maximumFileBytes) bytes; no more of it was read. "
          + "Shorten it: wildcards and substitution variables stand for long lists.",
        "R4")
    }
  }

  private func certificate(_ problem: FetchFailure.CertificateProblem) -> Finding {
    let (rule, help) =
      switch problem {
      case .expired:
        ("certificate-expired", "Renew it, and have it renewed by itself: links stop when it runs out again.")
      case .wrongName:
        (
          "certificate-name",
          "Get one that names '\(host)'. Where several hosts share an address, look whether the server chooses "
            + "the certificate by the name asked for (SNI)."
        )
      case .untrusted:
        (
          "certificate-untrusted",
          "Get one from a public authority, and send the intermediate certificates with it; self-signed ones "
            + "and a company's own roots are refused."
        )
      case .other: ("certificate", "Use a certificate for this name from a public authority.")
      }
    return finding(
      rule, isForModesOnly ? .note : .error, "the certificate of '\(host)' is \(problem.words)",
      help + " Only '?mode=developer' accepts any.", "T1")
  }

  // MARK: - An answer of the wrong kind

  private func findings(for response: HTTPResponse) -> [Finding] {
    switch response.status {
    case 200: return response.isPage ? [page] : []
    case 300..<400: return [redirect(to: response.fields["Location"] ?? "nowhere")]
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

  private var page: Finding {
    finding(
      "page", .error, "a page is served instead of the file",
      "The host answers 200 with HTML, as applications do for every path they don't know. "
        + "Serve the file itself at this path (CDN: SWCERR00401).",
      "R8")
  }

  private func redirect(to target: String) -> Finding {
    let url = LinkURL(target)
    var help = "No redirect may stand before the file (T2): exempt this path from every redirect rule."
    if ["login", "signin", "sign-in", "auth", "sso"].contains(where: ASCII.lowercased(target).contains) {
      help += "\nIt looks like a login: the file must be public (T5)."
    }
    if url.scheme == "http" { help += "\nFrom https to http a device refuses it outright (T4)." }
    let isRelative = url.scheme.isEmpty && url.host.isEmpty && target.hasPrefix("/")
    if isRelative || Self.registrable(of: target) == Self.registrable(of: "https://" + host) {
      help += "\nThe CDN was seen to follow a redirect inside one domain (T3). Don't rely on it."
    }
    return finding("redirect", .error, "the file is redirected to \(target)", help, "T2")
  }

  // MARK: - One client against the other

  private func userAgentBlocked(_ client: OriginQuestion.Client) -> Finding {
    finding(
      "user-agent-blocked", .error,
      "the crawler gets \(wellKnown.words) where a \(client.rawValue) gets the file",
      "A bot rule or firewall blocks the user agent 'AASA-Bot'. Exempt this path from it (T7).", "T5")
  }

  /// What an answer has that it had better not, and how the answers differ.
  private var answerFindings: [Finding] {
    var findings: [Finding] = []
    if wellKnown.carriesFile, let wellKnownForDevice {
      if !wellKnownForDevice.carriesFile {
        findings.append(
          finding(
            "device-blocked", isForModesOnly ? .error : .warning,
            "a device gets \(wellKnownForDevice.words) where the crawler gets the file",
            "Devices ask the host themselves in developer and managed mode and before iOS 14. Admit user agents "
              + "with 'CFNetwork', and answer every time.", "T6"))
      } else if let one = wellKnown.document, let other = wellKnownForDevice.document,
        !one.hasSameMeaning(as: other)
      {
        findings.append(
          finding(
            "different-answers", .warning, "the crawler and a device get different files",
            ([
              "Serve one file to everybody; behind a load balancer, one of the machines may have an old copy."
            ]
              + AssociationDifference.lines(from: other, to: one).map { "For the crawler, \($0)." })
              .joined(separator: "\n"), "T5"))
      }
    }
    guard case .answered(let response)? = answers.map(\.result).first(where: \.carriesFile) else {
      return findings
    }
    return findings + fieldFindings(response)
  }

  private func fieldFindings(_ response: HTTPResponse) -> [Finding] {
    var findings: [Finding] = []
    if let coding = response.contentCoding {
      findings.append(
        finding(
          "content-encoding", .warning,
          "the answer is compressed ('\(coding)') although none was asked for",
          "Whether the CDN and every device undo that is not documented. Serve the file as it is; the limit of "
            + "\(AssociationLocation.maximumFileBytes) bytes is for the uncompressed file anyhow.", "R6"))
    } else {
      findings += contentType(response)
    }
    let cache = CacheControl(response.fields)
    if cache.isImmutable || (cache.maxAge_s ?? 0) > 3_600 {
      let life = cache.maxAge_s.map { "for \(CacheControl.words($0))" } ?? "for ever"
      findings.append(
        finding(
          "cache-control", .note, "the file may be kept \(life)",
          "It is not known that Apple's CDN looks at it, and proxies in between do. "
            + "Keep max-age at 3600 or less, and leave 'immutable' away.", "R7"))
    }
    if response.fields["Set-Cookie"] != nil {
      findings.append(
        finding(
          "cookie", .note, "the answer sets a cookie",
          "Neither the crawler nor a device keeps it. It shows that the path runs through the application or a "
            + "bot filter; a plain file is faster and cannot be turned away.", "T5"))
    }
    return findings
  }

  private func contentType(_ response: HTTPResponse) -> [Finding] {
    let type = response.mediaType
    // What carries a signature has a type of its own (R3); that it is signed is said of its content.
    if AssociationContent(response.body).format != .json { return [] }
    if type == "text/html" {
      return [
        finding(
          "content-type", .error, "the content type is text/html", "Serve it as application/json.", "R2")
      ]
    }
    guard type != "application/json" else { return charset(response) }
    return charset(response) + [
      finding(
        "content-type", .note, "the content type is \(type.isEmpty ? "absent" : type)",
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
          "charset", .warning, "the content type says that the file is '\(parts[1])'",
          "The file is UTF-8, as JSON always is. Serve it as application/json, without 'charset'.", "R5")
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
            "not-json", .error, "the file is not a JSON object", "Write an object of services.", "J1")
        ]
      }
      return signed + [
        finding(
          "not-json", .error, "the file is not JSON: \(error.message)",
          error.help + " The CDN answers SWCERR00401 for it.", "R5")
      ]
    }
    guard file.appLinks == nil, file.apps.isEmpty else { return signed }
    return signed + [
      finding(
        "grants-nothing", .error, "the file grants nothing: it has no key of a known service",
        "Known are \(Service.allCases.map(\.rawValue).joined(separator: ", ")).", "J2")
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
