internal import AppSiteAssociation
internal import AssociationDelivery
internal import LinkspanCore

extension HostAnswer {
  /// Why the device gets no file from where it asks; nil when it gets something, or when nobody said what.
  var servingCause: FoundCause? {
    if asksCDN, isCDNKnown { return cdn?.copy == nil ? refusalCause : nil }
    return hostCause
  }

  /// What is wrong with the host's own answer, although the CDN's copy may hide it for a while.
  var hostCause: FoundCause? {
    guard let origin, let result = counting else { return nil }
    if asksCDN, let client = origin.preferredToTheCrawler { return blocked(client) }
    switch result {
    case .failed(let failure): return cause(of: failure)
    case .answered(let response): return cause(of: response)
    }
  }

  private func found(
    _ cause: Cause, _ remedy: String, sure sureness: FoundCause.Sureness = .documented, title: String? = nil
  ) -> FoundCause { FoundCause(cause, sureness, evidence: evidence, remedy: remedy, title: title) }

  // MARK: - The host's answer

  /// - Returns: nil where nothing was learnt about the host.
  private func cause(of failure: FetchFailure) -> FoundCause? {
    switch failure {
    case .unresolvable:
      found(.dns, "Publish an A or AAAA record for '\(host)', or correct the name in the link.")
    case .lookupFailed: nil
    case .privateAddress(let address):
      found(
        .privateAddress,
        "Give '\(host)' a public address: Apple's CDN refuses \(address) (T9). For an internal host, claim it in a "
          + "development build:\n<string>applinks:\(host)?mode=developer</string>")
    case .unreachable:
      found(
        .connect, "Have '\(host)' answer on port 443 from everywhere; Apple publishes no addresses (T5).",
        title: failure.isBrokenOff ? "The host breaks the connection off." : nil)
    case .timedOut, .unfinished:
      found(
        .timeout, "Have '\(host)' answer within one second; Apple's CDN waits about five (T8).",
        sure: .observed)
    case .handshake:
      found(
        .tls, "Serve TLS 1.2 or 1.3 on port 443 of '\(host)', without a client certificate (T5, T10).",
        sure: .inferred)
    case .certificate(let problem):
      found(
        .tls,
        "Use a certificate for '\(host)' from a public authority, with its intermediate certificates (T1).",
        title: "The host's certificate is \(problem.words).")
    case .malformed:
      found(.notHTTP, "Check which program listens on port 443 of '\(host)'.", sure: .inferred)
    case .tooLarge(let limit): tooLarge(limit: limit)
    }
  }

  private func tooLarge(limit: Int) -> FoundCause {
    found(
      .tooLarge,
      "Shorten the file to \(limit) bytes (R4): replace lists of pages by wildcards or substitution variables."
    )
  }

  private func cause(of response: HTTPResponse) -> FoundCause? {
    switch response.status {
    case 200: return content(of: response)
    case 300..<400 where response.fields["Location"] != nil:
      return redirect(to: response.fields["Location"] ?? "")
    case 401:
      return found(.loginPage, "Exempt /.well-known/apple-app-site-association from every login (T5).")
    case 403:
      return found(
        .status, "Exempt /.well-known/apple-app-site-association from logins and filters (T5).",
        title: "The host refuses the request for the association file.")
    case 404, 410:
      let atRoot = origin?.root?.carriesFile == true
      return found(
        .status,
        (atRoot ? "Move the file from the root" : "Publish the file")
          + " to https://\(host)/.well-known/apple-app-site-association, without '.json':\n"
          + Remedy.location,
        title: atRoot
          ? "The file is at the root, and not in .well-known." : "The host has no association file.")
    case 500..<600:
      return found(
        .status, "Mend the server behind /.well-known/apple-app-site-association of '\(host)'.",
        title: "The host answers \(response.status).")
    default:
      return found(
        .status, "Answer 200 with the file itself (R1):\n" + Remedy.location,
        title: "The host answers \(response.status); only 200 counts.")
    }
  }

  private func content(of response: HTTPResponse) -> FoundCause? {
    if let coding = response.contentCoding {
      return found(
        .compressed,
        "Send the file without 'Content-Encoding: \(coding)' to clients that do not ask for it (R6):\n"
          + "location = /.well-known/apple-app-site-association { gzip off; brotli off; }", sure: .inferred)
    }
    if response.isPage {
      guard LoginPage(response.body).isLogin else { return nil }
      return found(
        .loginPage, "Exempt /.well-known/apple-app-site-association from every login (T5).", sure: .inferred)
    }
    let limit = AssociationLocation.maximumFileBytes
    if response.body.count > limit { return tooLarge(limit: limit) }
    guard response.isCalledPage else { return nil }
    return found(
      .contentType,
      "Serve the file as application/json, and not as text/html (R2):\n"
        + "types { } default_type application/json;",
      sure: .inferred)
  }

  private func redirect(to target: String) -> FoundCause {
    let remedy =
      "Serve the file itself, before every rule that redirects (T2); links through '\(host)' have no other place "
      + "to look:\n" + Remedy.location
    guard OriginCheck.isLogin(LinkURL(target)) else { return found(.redirect, remedy) }
    return found(.loginPage, "Exempt /.well-known/apple-app-site-association from every login (T5).")
  }

  private func blocked(_ client: OriginQuestion.Client) -> FoundCause {
    found(
      .cdnBlocked,
      "Exempt /.well-known/apple-app-site-association of '\(host)' from bot rules and filters: the crawler's user "
        + "agent is 'AASA-Bot' (T7), and its addresses are not published (T5).", sure: .observed)
  }

  // MARK: - The CDN's refusal

  /// That the CDN has an earlier answer, of a stand-in; nil leaves the cause's own title.
  var staleTitle: String? {
    cdn.flatMap { $0.isOfStandIn ? "\($0.subject) still has an earlier answer." : nil }
  }

  private var refusalCause: FoundCause? {
    guard let cdn, let failure = cdn.answer?.failure else { return nil }
    if let own = hostCause, !givesFile || own.cause == .compressed { return own }
    if !givesFile, origin != nil {
      // The host gives out something that is no file: the finders of files say what.
      return nil
    }
    if origin?.preferredToTheCrawler != nil { return hostCause }
    if cdn.answer?.status == 405 {
      return found(
        .dns, "Publish an A or AAAA record for '\(host)' in the public DNS.", sure: .observed,
        title: "\(cdn.subject) cannot resolve the host.")
    }
    if failure.code == "00202" {
      return found(
        .privateAddress, "Publish a public address for '\(host)', and check split DNS (T9).", sure: .observed)
    }
    if failure.blamesCertificate {
      return found(
        .tls,
        "Use a certificate for '\(host)' from a public authority, with its intermediate certificates (T1), at every "
          + "address of the host. If that was mended just now, wait: the CDN remembers failures for an hour (C6).",
        sure: .observed, title: "\(cdn.subject) refuses the host's certificate.")
    }
    if failure.isRefusal || [.time, .connection].contains(failure.kind) {
      return found(
        .cdnBlocked,
        "Let everybody fetch /.well-known/apple-app-site-association of '\(host)': no filter by address, country or "
          + "user agent (T5, T7).", sure: .observed)
    }
    if let own = hostCause, own.cause == .contentType { return own }
    let life = cdn.answer?.remaining_s.map { "another " + CacheControl.words($0) } ?? "up to an hour"
    return FoundCause(
      .cdnStale, .observed, evidence: evidence,
      remedy:
        "The host is right by now. Wait: \(cdn.name) keeps its answer for \(life) (C6); then install the app "
        + "again.", title: staleTitle)
  }
}
