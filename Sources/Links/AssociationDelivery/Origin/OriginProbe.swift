package import AppSiteAssociation
package import LinkspanCore

/// One question to a host about its association file.
package struct OriginQuestion: Hashable, Sendable {
  /// As whom it is asked.
  package enum Client: String, Hashable, Sendable, CaseIterable {
    /// The crawler of Apple's CDN.
    case crawler
    /// A device in developer or managed mode, or before iOS 14.
    case device
    /// A person who looks.
    case browser

    /// The numbers are those of one release (iOS 18).
    package var userAgent: String {
      switch self {
      case .crawler: AssociationUserAgent.crawler
      case .device: AssociationUserAgent.device(network: "1568.100.1", kernel: "24.0.0")
      case .browser: AssociationUserAgent.browser
      }
    }
  }

  package var host: String
  package var location: AssociationLocation
  package var client: Client

  package init(host: String, location: AssociationLocation, client: Client) {
    self.host = host
    self.location = location
    self.client = client
  }

  package var url: String { location.url(host: host) }

  /// The request accepts only the identity coding, so that a compressed response is reported (R6).
  package var request: HTTPRequest {
    HTTPRequest(
      authority: host, target: location.rawValue,
      fields: ["User-Agent": client.userAgent, "Accept": "*/*", "Accept-Encoding": "identity"])
  }
}

/// Asks a host as few questions as tell what its answers mean for apps.
package enum OriginProbe {
  /// Asks at `.well-known` as the crawler and as a device; as a browser when neither was given a file; at the root
  /// when there is none at `.well-known`. A host that cannot be reached is asked once.
  ///
  /// - Parameters:
  ///   - isForModesOnly: Whether every entry that apps have for this host carries a mode.
  ///   - fetch: Carries one question and follows no redirect. What it throws is passed on.
  package static func ask<Failure: Error>(
    _ host: String, isForModesOnly: Bool = false,
    _ fetch: (OriginQuestion) throws(Failure) -> FetchResult
  ) throws(Failure) -> OriginCheck {
    func ask(_ client: OriginQuestion.Client, at location: AssociationLocation) throws(Failure)
      -> FetchResult
    {
      try fetch(OriginQuestion(host: host, location: location, client: client))
    }
    var check = OriginCheck(
      host: host, wellKnown: try ask(.crawler, at: .wellKnown), isForModesOnly: isForModesOnly)
    guard !check.wellKnown.isTheSameForEverybody else { return check }
    let forDevice = try ask(.device, at: .wellKnown)
    check.wellKnownForDevice = forDevice
    if !check.wellKnown.carriesFile, !forDevice.carriesFile, check.wellKnown.mayDependOnTheClient {
      check.wellKnownForBrowser = try ask(.browser, at: .wellKnown)
    }
    if check.wellKnown.isMissing { check.root = try ask(.crawler, at: .root) }
    return check
  }
}

extension FetchResult {
  /// Whether the user agent cannot have played a part: nothing of it had been sent.
  fileprivate var isTheSameForEverybody: Bool {
    switch self {
    case .answered: return false
    case .failed(let failure):
      switch failure {
      case .unresolvable, .lookupFailed, .privateAddress, .certificate, .handshake, .unreachable: return true
      case .timedOut, .unfinished, .malformed, .tooLarge: return false
      }
    }
  }

  /// Whether a filter may be behind it (T7): a refusal, a page, silence. A redirect or a 404 is the site's own.
  fileprivate var mayDependOnTheClient: Bool {
    switch self {
    case .answered(let response): return !(300..<400).contains(response.status) && !isMissing
    case .failed(let failure): return failure == .timedOut
    }
  }

  package var isMissing: Bool {
    guard case .answered(let response) = self else { return false }
    return response.status == 404 || response.status == 410
  }

  /// Whether this is an answer with an association file that a device can use, or with one compressed, which is not
  /// looked into.
  package var carriesFile: Bool {
    guard case .answered(let response) = self, response.status == 200 else { return false }
    return response.contentCoding != nil || AssociationContent(response.body).file != nil
  }

  /// What was answered, in a few words that go on after "the crawler gets".
  package var words: String {
    switch self {
    case .answered(let response):
      if response.isPage { return "a page" }
      if response.status == 200 { return carriesFile ? "the file" : "no JSON" }
      return "\(response.status)"
    case .failed(let failure):
      switch failure {
      case .unresolvable: return "no address"
      case .lookupFailed: return "no answer from this machine's resolver"
      case .privateAddress(let address): return "the private address \(address)"
      case .unreachable: return failure.isBrokenOff ? "a broken connection" : "no connection"
      case .timedOut: return "no response in time"
      case .unfinished: return "an incomplete response"
      case .handshake: return "no TLS connection"
      case .certificate: return "a certificate that is refused"
      case .malformed: return "invalid HTTP"
      case .tooLarge: return "a file that is too large"
      }
    }
  }

  /// The answer as it counts, when the body was cut at ``AssociationLocation/readLimitBytes``: for a page, and for
  /// any other status than 200, what was read is enough; a file is too large.
  package init(_ response: HTTPResponse) {
    let isTooLarge =
      response.status == 200 && response.contentCoding == nil && !response.isPage
      && response.body.count > AssociationLocation.maximumFileBytes
    self =
      isTooLarge
      ? .failed(.tooLarge(limitBytes: AssociationLocation.maximumFileBytes)) : .answered(response)
  }
}

extension Array<UInt8> {
  /// Whether a page or XML is served as if it were the file, behind blanks and a byte order mark (R8).
  package var isMarkup: Bool {
    OtherContent.isMarkup(drop { ASCII.isSpace($0) || [0xEF, 0xBB, 0xBF].contains($0) })
  }
}

extension HTTPResponse {
  /// The compression, when the answer names one (R6).
  package var contentCoding: String? {
    let coding = ASCII.lowercased(fields["Content-Encoding"] ?? "").split(separator: " ").joined()
    return coding.isEmpty || coding == "identity" ? nil : coding
  }

  /// The content type without its parameters, lower-case; empty when there is none.
  var mediaType: String {
    ASCII.lowercased(fields["Content-Type"] ?? "").prefix { $0 != ";" }.split(separator: " ").joined()
  }

  /// Whether a JSON file has the content type of a page, which nobody documents the effect of (R2).
  package var isCalledPage: Bool {
    mediaType == "text/html" && contentCoding == nil && AssociationContent(body).format == .json
  }

  /// Whether a page was served as if it were the file (R8).
  package var isPage: Bool {
    guard status == 200, contentCoding == nil else { return false }
    if body.isMarkup { return true }
    return mediaType == "text/html" && AssociationContent(body).file == nil
  }
}
