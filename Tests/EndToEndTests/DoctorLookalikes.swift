import LinkspanCore

/// Faults that look like others, each with what tells them apart.
extension DoctorTests {
  static let lookalikes: [Fault] = ofAnswers + ofCDN + ofPatterns + ofApps

  private static let html: HTTPFields = ["Content-Type": "text/html"]

  private static func page(_ text: String) -> HTTPHandler { serves(FetchTests.json(text, html)) }

  private static let ofAnswers: [Fault] = [
    Fault("304 without a target", "status") { $0.origin = serves(HTTPResponse(status: 304)) },
    Fault("a field for a password, in loose HTML", "login-page") {
      $0.origin = page("<html><INPUT TYPE = 'Password' name=p>")
    },
    Fault("a form that leads to a login", "login-page") {
      $0.origin = page("<html><form method=post action=\"/login\"><input name=user></form>")
    },
    Fault("a page that leads on to a login", "login-page") {
      $0.origin = page("<meta http-equiv=\"refresh\" content=\"0;url=/users/sign_in\">")
    },
    Fault("a login in German", "login-page") { $0.origin = page("<html><title>Anmelden</title>") },
    Fault("a page with a search", "not-json") { $0.origin = page("<html><form action=/search>") },
    Fault("the conflict markers of Git", "not-json") {
      $0.origin = serves("<<<<<<< HEAD\n" + file() + "\n=======\n")
    },
  ]

  private static let ofCDN: [Fault] = [
    Fault("451 at the CDN alone", "cdn-blocked") {
      $0.cdn = serves(
        FetchCDNTests.no("SWCERR00101 Bad HTTP Response: 451", "{\"status\":\"451 For Legal Reasons\"}"))
    },
    Fault("a certificate that the CDN alone refuses", "tls") {
      $0.cdn = serves(FetchCDNTests.no("SWCERR00201 x509: certificate signed by unknown authority"))
    },
    Fault("a page of a proxy where the CDN should be", nil) { $0.cdn = page("<html>Please log in") },
  ]

  private static let ofPatterns: [Fault] = [
    Fault("a regular expression", "rule-never-matches") {
      $0.origin = serves(file(app, #"{"/":"^/shop/.*$"}"#))
    },
    Fault("a colon before a name", "rule-never-matches") {
      $0.origin = serves(file(app, #"{"/":"/shop/:id"}"#))
    },
    Fault("a name in braces", "rule-never-matches") { $0.origin = serves(file(app, #"{"/":"/shop/{id}"}"#)) },
    Fault("a variable of a shell", "rule-never-matches") {
      $0.origin = serves(file(app, #"{"/":"/${part}/*"}"#))
    },
    Fault("backslashes", "rule-never-matches") { $0.origin = serves(file(app, #"{"/":"\\shop\\*"}"#)) },
    Fault("braces in a rule for other pages", "no-rule") {
      $0.origin = serves(file(app, #"{"/":"/help/{id}"}"#))
    },
    Fault("a port in the link", "unusable-link") { $0.link = "https://example.com:8443/shop/1" },
    Fault("a port in the link to a host that refuses the file", "unusable-link") {
      $0.link = "https://example.com:8443/shop/1"
      $0.origin = serves(.text(401, "no"))
      $0.also = ["login-page"]
    },
    Fault("an address in the link", "unusable-link") { $0.link = "https://127.0.0.1/shop/1" },
    Fault("an object for the list of rules", "no-rule") {
      $0.origin = serves(
        #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":{"/":"/shop/*"}}]}}"#)
      $0.verdict = "unknown"
    },
  ]

  private static let ofApps: [Fault] = [
    Fault("a Mac", "user-chose-browser") { $0.flags = ["--os", "macos:15"] },
    Fault("a build for developers by its own word", nil) {
      $0.entitlements = entitlements("applinks:example.com?mode=developer")
        .replacing("</dict>", with: "<key>get-task-allow</key><true/></dict>")
      $0.flags = ["--developer"]
    },
  ]
}
