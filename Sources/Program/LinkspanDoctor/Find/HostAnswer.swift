internal import AppSiteAssociation
internal import AssociationDelivery
internal import LinkspanCore
internal import SiteInput

/// What one host, and Apple's CDN about it, answered, and what of it a device gets.
struct HostAnswer {
  let host: String
  let origin: OriginCheck?
  let cdn: CDNCheck?
  /// Whether the device asks Apple's CDN, and not the host (C1, E13).
  let asksCDN: Bool

  /// Whether the CDN said what it has.
  var isCDNKnown: Bool { cdn.map { !$0.isUnknown } ?? false }

  /// The file of the host itself, whichever client is given it.
  var published: [UInt8]? { origin?.served?.response.body }

  /// Whether somebody is given a file where devices look for it.
  var givesFile: Bool {
    [origin?.wellKnown, origin?.wellKnownForDevice, origin?.wellKnownForBrowser].contains {
      $0?.carriesFile == true
    }
  }

  /// What the device gets: the CDN's copy where it asks the CDN, else what the host gives it. nil when it gets no file,
  /// or when nobody said.
  var delivered: [UInt8]? {
    if asksCDN, isCDNKnown { return cdn?.copy?.body }
    return published
  }

  /// The host's answer to the one who counts: the crawler, or the device where that asks itself.
  var counting: FetchResult? {
    guard let origin else { return nil }
    return asksCDN ? origin.wellKnown : origin.wellKnownForDevice ?? origin.wellKnown
  }

  /// That this machine could not ask the host, as an item of what was not checked. It is no cause of anything.
  var notAsked: String? {
    guard case .failed(let failure)? = counting, failure.isOfThisMachine else { return nil }
    return "what '\(host)' answers: \(Self.words(.failed(failure)))"
  }

  /// Whether nobody was asked: neither this host nor Apple's CDN said anything.
  var isUnasked: Bool { notAsked != nil && !(asksCDN && isCDNKnown) }

  /// One line for each question: who was asked, and what came back.
  var evidence: [String] {
    var lines: [String] = []
    for (question, result) in origin?.answers ?? [] {
      var line = "\(question.url), asked as Apple's crawler: "
      if question.client != .crawler { line = "\(question.url), asked as a \(question.client.rawValue): " }
      lines.append(line + Self.words(result))
    }
    if let cdn {
      let reason = cdn.answer?.failure?.reason ?? ""
      lines.append("\(cdn.subject): \(cdn.words)" + (reason.isEmpty ? "" : " (\(reason))"))
    }
    return lines
  }

  static func words(_ result: FetchResult) -> String {
    switch result {
    case .answered(let response):
      let size = response.body.count.counted("byte")
      let type = response.fields["Content-Type"].map { ", \($0)" } ?? ""
      if let target = response.fields["Location"], (300..<400).contains(response.status) {
        return "\(response.status) to \(target.withoutUserInformation)"
      }
      return "\(response.status), \(size)\(type)"
    case .failed(let failure):
      switch failure {
      case .lookupFailed(let reason), .unreachable(let reason), .handshake(let reason),
        .malformed(let reason):
        return "\(result.words): \(reason)"
      case .certificate(let problem): return "the certificate is \(problem.words)"
      default: return result.words
      }
    }
  }
}
