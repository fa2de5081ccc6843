package import LinkspanCore

/// One thing that keeps links out of an app on a device, and the next step.
package struct DeviceProblem: Hashable, Sendable {
  /// `device.` and a few words; it never changes its meaning.
  package var identifier: String
  /// A whole sentence.
  package var message: String
  package var help: String
  /// The rules it rests on, such as `R1`.
  package var rules: [String]
  package var certainty: Certainty

  init(
    _ identifier: String, _ message: String, help: String, _ rules: String..., certainty: Certainty
  ) {
    self.identifier = "device." + identifier
    self.message = message
    self.help = help
    self.rules = rules
    self.certainty = certainty
  }
}

extension DeviceProblem {
  /// The command that asks the host and Apple's CDN.
  private static func check(_ host: String) -> String { "'linkspan check \(host)'" }

  /// What an error of a check means; nil when nobody has published a meaning.
  static func of(_ error: DeviceError, host: String, isDirect: Bool) -> DeviceProblem {
    if let reason = error.text.firstRange(of: "SWCERR").map({ error.text[$0.lowerBound...] }) {
      return refusedByCDN(String(reason.prefix { $0 != "\"" && $0 != "}" && $0 != "," }), host: host)
    }
    for cause in error.causes {
      if let known = of(cause, error, host: host, isDirect: isDirect) { return known }
    }
    let name = error.causes.first.map { "\($0.domain) \($0.code)" } ?? "'\(error.text.prefix(120))'"
    return DeviceProblem(
      "unknown-error", "The last check failed with an unknown error: \(name).",
      help: "Run \(check(host)): it shows the responses of the host and Apple's "
        + "CDN.", "section 5", certainty: .inferred)
  }

  private static func of(
    _ cause: DeviceError.Cause, _ error: DeviceError, host: String, isDirect: Bool
  ) -> DeviceProblem? {
    switch (cause.domain, cause.code) {
    case ("SWCErrorDomain", 7):
      return DeviceProblem(
        "no-usable-copy",
        isDirect
          ? "The host served no usable file." : "Apple's CDN has no usable copy of the file of '\(host)'.",
        help:
          "Run \(check(host)): it shows the responses of the host and the CDN. The CDN may cache the failure for up "
          + "to an hour after the host is fixed.", "section 4", "C6", certainty: .observed)
    case ("NSCocoaErrorDomain", 3840):
      return DeviceProblem(
        "not-json", "The response is not JSON.",
        help:
          "Run \(check(host)): it shows the line. The most common cause is a web page served with status 200.",
        "R5", "R8", certainty: .observed)
    case ("NSURLErrorDomain", -1001):
      return DeviceProblem(
        "no-answer", "The host did not answer in time.",
        help: "Run \(check(host)). Answer within one second: the limit is reported to be five.", "T8",
        certainty: .inferred)
    case ("NSURLErrorDomain", -1003), ("NSURLErrorDomain", -1006):
      return DeviceProblem(
        "no-such-host", "The host '\(host)' could not be resolved.",
        help: "Check the spelling in the entitlement, and that the host has an address.", "E1",
        certainty: .inferred)
    case ("NSURLErrorDomain", -1009):
      return DeviceProblem(
        "offline", "The device had no network when it checked.",
        help: "Links do not open the app until the next check. Reinstall the app while online to check "
          + "immediately.",
        "V5",
        certainty: .inferred)
    case ("NSURLErrorDomain", -1206 ... -1200):
      return certificateRefused(host: host, code: cause.code)
    case ("NSURLErrorDomain", _):
      return DeviceProblem(
        "no-connection", "The file could not be fetched (NSURLErrorDomain \(cause.code)).",
        help: "Run \(check(host)): it shows where the connection fails.", "T1", certainty: .inferred)
    default: return nil
    }
  }

  /// - Parameter reason: `SWCERR00101 Bad HTTP Response: 403 Forbidden`, or nothing.
  static func refusedByCDN(_ reason: String, host: String) -> DeviceProblem {
    let digits = reason.dropFirst(6).prefix { $0.isNumber }
    let meaning =
      switch digits {
      case "00202": "it resolves to a private address"
      case "00301": "it was too slow or dropped the crawler's packets"
      case "00401": "its response is not JSON"
      case _ where digits.hasPrefix("001"): "it answered the crawler with a status other than 200"
      case _ where digits.hasPrefix("002"): "the crawler could not connect"
      case _ where digits.hasPrefix("003"): "it was too slow"
      case _ where digits.hasPrefix("004"): "its response is unusable"
      default: "the reason is unknown"
      }
    return DeviceProblem(
      "refused-by-cdn",
      "Apple's CDN could not get the file of '\(host)': \(meaning)"
        + (reason.isEmpty ? "." : " (\(reason))."),
      help:
        "Run \(check(host)): it sends the crawler's request. The CDN may cache the failure for up to an hour after "
        + "the host is fixed.", "section 4", "C6", certainty: digits.isEmpty ? .inferred : .observed)
  }

  static func redirectRefused(from: String, to: String, host: String) -> DeviceProblem {
    DeviceProblem(
      "redirect", "The device refused a redirect from '\(from)' to '\(to)'.",
      help: "Serve the file itself at the first URL: devices do not follow redirects.", "T2", "T4",
      certainty: .observed)
  }

  static func certificateRefused(host: String, code: Int?) -> DeviceProblem {
    let number = code.map { " (\($0))" } ?? ""
    return DeviceProblem(
      "certificate", "The certificate of '\(host)' was refused\(number).",
      help: "Run \(check(host)): it shows the problem with the host name, the dates or the chain. Only "
        + "'?mode=developer' accepts untrusted certificates.", "T1", "E13", certainty: .observed
    )
  }

  /// What a log line tells; nil for one that tells nothing bad.
  package static func of(_ event: DeviceEvent) -> DeviceProblem? {
    let host = event.domain ?? "HOST"
    switch event.kind {
    case .download, .added: return nil
    case .refusedByCDN(_, let reason): return refusedByCDN(reason, host: host)
    case .redirectRefused(let from, let to): return redirectRefused(from: from, to: to, host: host)
    case .certificateRefused(let code): return certificateRefused(host: host, code: code)
    }
  }
}
