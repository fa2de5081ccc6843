import LinkspanCore

/// Forty further faults, of other kinds than the first ones.
extension DoctorTests {
  static let others: [Fault] = otherAnswers + otherFiles + otherRules + otherApps + otherWays

  private static let typed = "text/html"

  private static func redirects(to target: String, _ status: Int = 302) -> HTTPHandler {
    serves(HTTPResponse(status: status, fields: ["Location": target]))
  }

  private static func forCrawlers(_ response: HTTPResponse) -> HTTPHandler {
    { FetchTests.isCrawler($0) ? response : FetchTests.json(file()) }
  }

  private static let otherAnswers: [Fault] = [
    Fault("401 with a challenge", "login-page") { $0.origin = serves(.text(401, "no")) },
    Fault("410", "status") { $0.origin = serves(.text(410, "no")) },
    Fault("429", "status") { $0.origin = serves(.text(429, "no")) },
    Fault("204", "status") { $0.origin = serves(HTTPResponse(status: 204)) },
    Fault("308 to a slash", "redirect") {
      $0.origin = redirects(to: "https://example.com/.well-known/apple-app-site-association/", 308)
    },
    Fault("301 to http", "redirect") {
      $0.origin = redirects(to: "http://example.com/.well-known/apple-app-site-association", 301)
    },
    Fault("a login within the site", "login-page") { $0.origin = redirects(to: "/users/sign_in?next=x") },
    Fault("compressed unasked", "compressed") {
      $0.origin = serves(FetchTests.json("\u{1F}x", ["Content-Encoding": "gzip"]))
      $0.cdn = serves(FetchCDNTests.no("SWCERR00401 Bad JSON content"))
    },
    Fault("a file that is called a page", "content-type") {
      $0.origin = serves(FetchTests.json(file(), ["Content-Type": typed]))
      $0.cdn = serves(FetchCDNTests.no("SWCERR00401 Bad JSON content"))
    },
    Fault("a challenge page for the crawler", "cdn-blocked") {
      $0.origin = forCrawlers(FetchTests.json(page, ["Content-Type": typed]))
      $0.cdn = serves(FetchCDNTests.no("SWCERR00401 Bad JSON content"))
    },
    Fault("a redirect for the crawler alone", "cdn-blocked") {
      $0.origin = forCrawlers(HTTPResponse(status: 302, fields: ["Location": "https://m.example.com/"]))
      $0.cdn = serves(FetchCDNTests.no("SWCERR00101 Bad HTTP Response: 302 Found"))
    },
    Fault("the CDN remembers a 500", "cdn-stale") {
      $0.cdn = serves(
        FetchCDNTests.no("SWCERR00101 Bad HTTP Response: 500 Oops", "{\"status\":\"500 Oops\"}"))
    },
    Fault("the CDN has an exclusion of before", "cdn-stale") {
      $0.cdn = serves(FetchCDNTests.copy(file(app, #"{"/":"/shop/*","exclude":true}"#)))
    },
    Fault("a private address for the CDN", "private-address") {
      $0.cdn = serves(
        FetchCDNTests.no("SWCERR00202 Connections to private/reserved IP addresses are not allowed"))
    },
  ]

  private static let otherFiles: [Fault] = [
    Fault("single quotes", "not-json") { $0.origin = serves(file().replacing("\"", with: "'")) },
    Fault("a comment above", "not-json") { $0.origin = serves("// links\n" + file()) },
    Fault("cut off", "not-json") { $0.origin = serves(String(file().dropLast(4))) },
    Fault("a list around it", "not-json") { $0.origin = serves("[\(file())]") },
    Fault("appLinks", "no-apps") { $0.origin = serves(file().replacing("applinks", with: "appLinks")) },
    Fault("appIds", "no-apps") { $0.origin = serves(file().replacing("appIDs", with: "appIds")) },
    Fault("component, which sources read differently", "no-rule") {
      $0.origin = serves(file().replacing("components", with: "component"))
      $0.verdict = "unknown"
    },
  ]

  private static let otherRules: [Fault] = [
    Fault("a bundle identifier in another case", "app-not-listed") {
      $0.origin = serves(file("ABCDE12345.com.example.App"))
    },
    Fault("an identifier without its prefix", "app-not-listed") {
      $0.origin = serves(file("com.example.app"))
    },
    Fault("a wildcard for an identifier", "app-not-listed") { $0.origin = serves(file("ABCDE12345.*")) },
    Fault("an exclusion by query", "rule-excludes") {
      $0.link = "https://example.com/shop/1?web=1"
      $0.origin = serves(file(app, #"{"/":"*","?":{"web":"1"},"exclude":true},{"/":"*"}"#))
    },
    Fault("a query that the link lacks", "no-rule") {
      $0.origin = serves(file(app, #"{"/":"/shop/*","?":{"id":"?*"}}"#))
    },
    Fault("a fragment that the link lacks", "no-rule") {
      $0.origin = serves(file(app, ##"{"/":"/shop/*","#":"app"}"##))
    },
    Fault("a variable that nobody defines", "rule-never-matches") {
      $0.origin = serves(file(app, #"{"/":"/$(area)/*"}"#))
    },
    Fault("a variable without values", "rule-never-matches") {
      $0.origin = serves(
        file(app, #"{"/":"/$(area)/*"}"#)
          .replacing("{\"details\"", with: "{\"substitutionVariables\":{\"area\":[]},\"details\""))
    },
    Fault("an encoded pattern that is compared decoded", "rule-never-matches") {
      $0.link = "https://example.com/café/1"
      $0.origin = serves(file(app, #"{"/":"/caf%C3%A9/*","percentEncoded":false}"#))
    },
    Fault("a host in front of the path", "rule-never-matches") {
      $0.origin = serves(file(app, #"{"/":"example.com/shop/*"}"#))
    },
    Fault("a blank in a query's value", "rule-never-matches") {
      $0.link = "https://example.com/find?q=red%20shoes"
      $0.origin = serves(file(app, #"{"/":"/find","?":{"q":"red shoes"}}"#))
    },
    Fault("paths alone, without apps, on iOS 12", "file-format-of-release") {
      $0.flags = ["--os", "ios:12.5"]
      $0.origin = serves(#"{"applinks":{"details":[{"appID":"\#(app)","paths":["/shop/*"]}]}}"#)
    },
  ]

  private static let otherApps: [Fault] = [
    Fault("https in the entry", "entitlement-host") {
      $0.entitlements = entitlements("applinks:https://example.com")
    },
    Fault("a slash in the entry", "entitlement-host") {
      $0.entitlements = entitlements("applinks:example.com/")
    },
    Fault("a port in the entry", "entitlement-host") {
      $0.entitlements = entitlements("applinks:example.com:443")
    },
    Fault("www for the apex", "entitlement-host") {
      $0.entitlements = entitlements("applinks:www.example.com")
    },
    Fault("the profile's star", "domains-lost-in-signing") { $0.entitlements = entitlements("*") },
    Fault("managed mode on a device of nobody's", "developer-mode") {
      $0.entitlements = entitlements("applinks:example.com?mode=managed")
    },
  ]

  private static let otherWays: [Fault] = [
    Fault("a newsletter's counter", "redirect-chain") {
      $0.flags = ["--from", "mail", "--through", "https://click.example.net/x"]
      $0.verdict = "unknown"
    },
    Fault("a load in SafariServices", "web-view") {
      $0.flags = ["--container", "safari-view-controller", "--gesture", "load"]
    },
    Fault("a file that is no JSON, and typed", "not-json") {
      $0.origin = serves("{")
      $0.flags = ["--from", "typed"]
      $0.also = ["typed"]
    },
    Fault("the CDN's old rules, and typed", "cdn-stale") {
      $0.cdn = serves(FetchCDNTests.copy(file(app, #"{"/":"/old/*"}"#)))
      $0.flags = ["--from", "typed"]
      $0.also = ["typed"]
    },
    Fault("a camera's code", nil) { $0.flags = ["--from", "qr"] },
    Fault("a wildcard, and a host below it", nil) {
      $0.entitlements = entitlements("applinks:*.example.com", "applinks:example.com")
    },
  ]
}
