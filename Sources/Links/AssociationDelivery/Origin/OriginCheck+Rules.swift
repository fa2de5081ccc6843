package import LinkspanCore

extension OriginCheck {
  /// Every rule about how the file is served, for the reference; each example is what a host does.
  package static let rules: [CheckRule] = [
    rule(
      "lookup-failed", .warning, "T9", "This machine can look up the host.",
      "a resolver that gives no answer, such as 'Temporary failure in name resolution'"),
    rule(
      "unresolvable", .error, "T9", "The host has an address in the public DNS.",
      "no A or AAAA record for www.example.com"),
    rule(
      "private-address", .error, "T9", "The host's address is public.", "www.example.com has address 10.0.0.7"
    ),
    rule("unreachable", .error, "T5", "The host accepts connections from everywhere.", "connection refused"),
    rule("too-slow", .error, "T8", "The host answers in time.", "no answer within 5 s"),
    rule("unfinished", .error, "T8", "The response is complete in time.", "200, a byte a second"),
    rule("tls", .error, "T10", "The TLS handshake succeeds.", "plain HTTP on port 443"),
    rule("certificate-expired", .error, "T1", "The certificate has not expired.", "valid until yesterday"),
    rule(
      "certificate-name", .error, "T1", "The certificate is for this host.",
      "a certificate for example.org at example.com"),
    rule(
      "certificate-untrusted", .error, "T1", "The certificate is from a public authority.",
      "a self-signed certificate"),
    rule(
      "certificate", .error, "T1", "The certificate is otherwise valid.", "valid from tomorrow on"),
    rule("malformed", .error, "R1", "The response is valid HTTP.", "SSH-2.0-OpenSSH_9.2"),
    rule("too-large", .error, "R4", "The response has at most 131072 bytes.", "200, 131073 bytes"),
    rule(
      "redirect", .error, "T2", "The file is served without a redirect.",
      "301, Location: https://www.example.com/.well-known/apple-app-site-association"),
    rule(
      "user-agent-blocked", .error, "T5", "The crawler gets the same response as a browser.",
      "403 for AASA-Bot, 200 for a browser"),
    rule(
      "device-blocked", .error, "T6", "A device gets the same response as the crawler.",
      "200 for AASA-Bot, 403 for CFNetwork"),
    rule(
      "different-answers", .warning, "T5", "The crawler and a device get the same file.",
      "{\"applinks\":…} for AASA-Bot, {\"webcredentials\":…} for CFNetwork"),
    rule("denied", .error, "T5", "The file is public.", "401 or 403"),
    rule(
      "root-only", .error, "F3", "The file is in .well-known.",
      "404 for .well-known/apple-app-site-association, 200 for /apple-app-site-association"),
    rule("missing", .error, "F1", "The host has an association file.", "404"),
    rule("server-error", .warning, "R1", "The host does not answer with a server error.", "503"),
    rule("status", .error, "R1", "The status is 200.", "204"),
    rule(
      "page", .error, "R8", "The response is the file, not a web page.",
      "200, text/html, <!doctype "
        + "html>"),
    rule("signed", .warning, "G3s", "The file is plain JSON.", "200, application/pkcs7-mime"),
    rule(
      "content-type", .error, "R2", "The content type is application/json.",
      "200, text/html, {\"applinks\":…}"),
    rule(
      "charset", .warning, "R5", "The content type declares no charset other than UTF-8.",
      "200, application/json; charset=utf-16"),
    rule(
      "content-encoding", .warning, "R6", "The response is not compressed without the client's consent.",
      "200, Content-Encoding: gzip, after Accept-Encoding: identity"),
    rule(
      "cache-control", .note, "R7", "The file may be cached for at most an hour.",
      "Cache-Control: max-age=31536000, immutable"),
    rule("cookie", .note, "T5", "The response sets no cookie.", "Set-Cookie: session=1"),
    rule("not-json", .error, "R5", "The file is a JSON object.", "200, application/json, {\"applinks\":{},}"),
    rule("grants-nothing", .error, "J2", "The file contains a known service.", "200, application/json, {}"),
  ]

  private static func rule(
    _ name: String, _ severity: Finding.Severity, _ source: String, _ summary: String, _ bad: String
  ) -> CheckRule {
    CheckRule(identifier: "fetch.\(name)", summary: summary, severity: severity, source: source, bad: [bad])
  }
}
