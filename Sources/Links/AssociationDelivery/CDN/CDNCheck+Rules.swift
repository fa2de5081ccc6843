package import LinkspanCore

extension CDNCheck {
  /// Every rule about the answer of Apple's CDN, for the reference; each example is what it answers.
  package static let rules: [CheckRule] = [
    rule("no-answer", .warning, "C1", "Apple's CDN responds.", "no connection"),
    rule("status", .error, "C1", "Apple's CDN answers 200, 404 or 405.", "400"),
    rule("unknown-host", .error, "section 4", "Apple's CDN knows the host.", "405"),
    rule(
      "bad-http-response", .error, "R1", "The host answered the crawler with 200.",
      "404, Apple-Failure-Reason: SWCERR00101 Bad HTTP Response: 403 Forbidden"),
    rule(
      "private-address", .error, "T9", "The crawler saw a public address.",
      "404, Apple-Failure-Reason: SWCERR00202 Connections to private/reserved IP addresses are not allowed"),
    rule(
      "timeout", .error, "T8", "The host answered the crawler in time.",
      "404, Apple-Failure-Reason: SWCERR00301 Timeout"),
    rule(
      "bad-json", .error, "R5", "The crawler received JSON.",
      "404, Apple-Failure-Reason: SWCERR00401 Bad JSON content"),
    rule(
      "unknown-code", .error, "section 4", "The CDN reports no other failure.",
      "404, Apple-Failure-Reason: SWCERR00217 something new"),
    rule("no-reason", .error, "section 4", "The CDN gives a reason for a failure.", "404 without a reason"),
    rule(
      "redirected", .warning, "T3", "The CDN fetched the file without a redirect.",
      "200, Apple-From: https://example.com/…,https://www.example.com/…"),
    rule(
      "from-root", .warning, "F5", "The CDN fetched the file from .well-known.",
      "200, Apple-From: https://example.com/apple-app-site-association"),
    rule(
      "origin-format", .note, "section 4", "The CDN reports the format 'json'.",
      "200, Apple-Origin-Format: "
        + "pkcs7"
    ),
    rule(
      "stale-copy", .warning, "C10", "The CDN's copy has the same meaning as the host's file.",
      "the host serves today's rules, the CDN yesterday's"),
    rule(
      "only-copy", .warning, "C11", "The host still serves the file that the CDN has.",
      "200 from the CDN, 404 from the host"),
  ]

  private static func rule(
    _ name: String, _ severity: Finding.Severity, _ source: String, _ summary: String, _ bad: String
  ) -> CheckRule {
    CheckRule(identifier: "cdn.\(name)", summary: summary, severity: severity, source: source, bad: [bad])
  }
}
