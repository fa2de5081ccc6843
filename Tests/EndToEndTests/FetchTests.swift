import Foundation
import LinkspanCore
import TestSupport
import Testing

/// `linkspan check HOST` against servers that do what servers do wrong. Every one listens on this machine.
@Suite struct FetchTests {
  static let path = "/.well-known/apple-app-site-association"
  static let url = "https://example.com" + path
  static let file = CheckTests.good

  static func json(_ body: String = file, _ fields: HTTPFields = [:]) -> HTTPResponse {
    var response = HTTPResponse(status: 200, fields: fields, body: Array(body.utf8))
    if response.fields["Content-Type"] == nil { response.fields["Content-Type"] = "application/json" }
    return response
  }

  struct Report {
    var outcome: Tool.Outcome
    var json: [String: Any]

    var findings: [[String: Any]] { json["findings"] as? [[String: Any]] ?? [] }
    /// `rule severity message`
    var lines: [String] {
      findings.map { "\($0["rule"]!) \($0["severity"]!) \($0["message"]!)" }
    }
    func help(_ rule: String) -> String {
      findings.first { $0["rule"] as? String == rule }?["help"] as? String ?? ""
    }
    var firstHelp: String { findings.first?["help"] as? String ?? "" }
    var causes: [String] {
      (json["diagnosis"] as? [[String: Any]] ?? []).compactMap { $0["cause"] as? String }
    }
    func next(_ cause: String) -> [String] {
      let all = json["diagnosis"] as? [[String: Any]] ?? []
      return all.first { $0["cause"] as? String == cause }?["next"] as? [String] ?? []
    }
    /// `asker status-or-failure`
    var asked: [String] {
      (json["asked"] as? [[String: Any]] ?? []).map {
        "\($0["asker"]!) \(($0["status"] as? Int).map(String.init) ?? $0["failure"] as? String ?? "?")"
      }
    }
    var notChecked: [String] { json["not_checked"] as? [String] ?? [] }
  }

  /// Runs the check with the host at a port of this machine.
  func check(
    _ port: UInt16, _ certificate: LocalCertificate, tool: Tool? = nil, patience_s: Int = 30,
    _ more: String...
  ) throws -> Report {
    let tool = try tool ?? Tool()
    try certificate.writeAuthority(to: tool)
    let outcome = try tool.run(
      [
        "check", "example.com", "--json", "--allow-private", "--timeout", "\(patience_s)", "--ca", "ca.pem",
        "--resolve",
        "example.com:443:127.0.0.1:\(port)",
      ] + more)
    return Report(outcome: outcome, json: outcome.output.isEmpty ? [:] : try outcome.json())
  }

  // MARK: - The host itself

  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// What the host answers, by user agent.
    var handler: HTTPHandler
    var findings: [String]
    /// A part of the first finding's help.
    var help: String
    var causes: [String]
    var asked: [String]
    /// 2 where no answer holds a file that can be read.
    var statusWithoutErrors: Int32 = 0
  }

  static func isCrawler(_ request: HTTPRequest) -> Bool {
    request.fields["User-Agent"]?.hasPrefix("AASA-Bot") == true
  }

  static func isBrowser(_ request: HTTPRequest) -> Bool {
    request.fields["User-Agent"]?.hasPrefix("Mozilla") == true
  }

  static let faults: [Fault] = [
    Fault(
      testDescription: "nothing wrong", handler: { _ in json() }, findings: [], help: "",
      causes: ["nothing-wrong"], asked: ["crawler 200", "device 200"]),
    Fault(
      testDescription: "redirect",
      handler: { _ in HTTPResponse(status: 301, fields: ["Location": "https://www.example.com" + path]) },
      findings: [
        "fetch.redirect error The file is redirected to https://www.example.com\(path)."
      ], help: "(T3), but that is not guaranteed.", causes: ["something-else-served"],
      asked: ["crawler 301", "device 301"]),
    Fault(
      testDescription: "redirect to a login",
      handler: { _ in HTTPResponse(status: 302, fields: ["Location": "http://sso.example.org/login?next=/"])
      },
      findings: ["fetch.redirect error The file is redirected to http://sso.example.org/login?next=/."],
      help: "The target looks like a login page", causes: ["something-else-served"],
      asked: ["crawler 302", "device 302"]),
    Fault(
      testDescription: "page with 200",
      handler: { _ in json("<!doctype html><title>Shop</title>", ["Content-Type": "text/html"]) },
      findings: ["fetch.page error A page is served instead of the file."], help: "SWCERR00401",
      causes: ["something-else-served"], asked: ["crawler 200", "device 200", "browser 200"]),
    Fault(
      testDescription: "large page with 200",
      handler: { _ in json("\n<html>" + String(repeating: " ", count: 300_000)) },
      findings: ["fetch.page error A page is served instead of the file."], help: "SWCERR00401",
      causes: ["something-else-served"], asked: ["crawler 200", "device 200", "browser 200"]),
    Fault(
      testDescription: "403 for the crawler only",
      handler: { isCrawler($0) ? .text(403, "no bots") : json() },
      findings: ["fetch.user-agent-blocked error The crawler gets 403, a device gets the file."],
      help: "'AASA-Bot'. Exempt this path", causes: ["cdn-blocked", "other-validators-green"],
      asked: ["crawler 403", "device 200"]),
    Fault(
      testDescription: "a challenge for everything but browsers",
      handler: { isBrowser($0) ? json() : json("<html>checking your browser") },
      findings: ["fetch.user-agent-blocked error The crawler gets a page, a browser gets the file."],
      help: "'AASA-Bot'", causes: ["cdn-blocked", "other-validators-green"],
      asked: ["crawler 200", "device 200", "browser 200"]),
    Fault(
      testDescription: "403 for the device only",
      handler: { isCrawler($0) ? json() : .text(403, "no bots") },
      findings: ["fetch.device-blocked warning A device gets 403, the crawler gets the file."],
      help: "'CFNetwork'", causes: ["nothing-wrong"], asked: ["crawler 200", "device 403"]),
    Fault(
      testDescription: "403 for everybody", handler: { _ in .text(403, "no") },
      findings: ["fetch.denied error The host answers 403."], help: "no filter by address or country",
      causes: ["something-else-served"], asked: ["crawler 403", "device 403", "browser 403"]),
    Fault(
      testDescription: "404", handler: { _ in .text(404, "no") },
      findings: ["fetch.missing error There is no association file: the host answers 404."],
      help: "without a file extension", causes: ["not-published"],
      asked: ["crawler 404", "device 404", "crawler 404"]),
    Fault(
      testDescription: "404 with a large page",
      handler: { _ in HTTPResponse(status: 404, body: Array(repeating: 0x20, count: 300_000)) },
      findings: ["fetch.missing error There is no association file: the host answers 404."],
      help: "without a file extension", causes: ["not-published"],
      asked: ["crawler 404", "device 404", "crawler 404"]),
    Fault(
      testDescription: "only at the root",
      handler: { $0.path == path ? .text(404, "no") : json() },
      findings: ["fetch.root-only error The file is at the root, not in .well-known."], help: "(F5)",
      causes: ["not-published"], asked: ["crawler 404", "device 404", "crawler 200"]),
    Fault(
      testDescription: "503", handler: { _ in .text(503, "busy") },
      findings: ["fetch.server-error warning The host answers 503."], help: "at most 8 times",
      causes: ["host-unreachable"], asked: ["crawler 503", "device 503", "browser 503"],
      statusWithoutErrors: 2),
    Fault(
      testDescription: "more than 128 KB",
      handler: { _ in json(file + String(repeating: " ", count: 131_073 - file.utf8.count)) },
      findings: ["fetch.too-large error The file of 'example.com' has more than 131072 bytes."],
      help: "Shorten the file", causes: ["file-dropped"],
      asked: ["crawler a file that is too large", "device a file that is too large"]),
    Fault(
      testDescription: "128 KB exactly",
      handler: { _ in json(file + String(repeating: " ", count: 131_072 - file.utf8.count)) },
      findings: ["aasa.size warning The file has 131072 bytes; the limit is 131072 bytes."],
      help: "The file is still below the limit",
      causes: ["nothing-wrong"], asked: ["crawler 200", "device 200"]),
    Fault(
      testDescription: "compressed",
      handler: { _ in json("\u{1F}compressed", ["Content-Encoding": "gzip"]) },
      findings: [
        "fetch.content-encoding warning The response is compressed ('gzip'), although the client did not accept it."
      ], help: "Serve the file uncompressed", causes: [], asked: ["crawler 200", "device 200"],
      statusWithoutErrors: 2),
    Fault(
      testDescription: "content type, cookie and long life",
      handler: { _ in
        json(
          file,
          [
            "Content-Type": "application/octet-stream",
            "Cache-Control": "public, max-age=31536000, immutable",
            "Set-Cookie": "a=b",
          ])
      },
      findings: [
        "fetch.cache-control note The file may be cached for 365 d.",
        "fetch.content-type note The content type is application/octet-stream.",
        "fetch.cookie note The response sets a cookie.",
      ], help: "max-age to 3600", causes: ["nothing-wrong"], asked: ["crawler 200", "device 200"]),
    Fault(
      testDescription: "a mistake in the JSON", handler: { _ in json("{\"applinks\":{\"details\":[],}}") },
      findings: ["json.trailing-comma error There is a ',' after the last value."], help: "Remove it",
      causes: ["file-dropped"], asked: ["crawler 200", "device 200", "browser 200"]),
    Fault(
      testDescription: "two files",
      handler: { json(isCrawler($0) ? file : file.replacing("\"/a\"", with: "\"/b\"")) },
      findings: ["fetch.different-answers warning The crawler and a device get different files."],
      help: "For the crawler, ABCDE12345.com.example.app has the new rule {\"/\":\"/a\"}.",
      causes: ["nothing-wrong"], asked: ["crawler 200", "device 200"]),
  ]

  @Test(arguments: faults) func aFaultHasItsFinding(_ fault: Fault) throws {
    let certificate = try LocalCertificate()
    let server = try LocalServer(certificate, fault.handler)
    let report = try check(server.port, certificate)
    #expect(report.lines == fault.findings)
    #expect(fault.help.isEmpty || report.firstHelp.contains(fault.help))
    #expect(report.causes == fault.causes)
    #expect(report.asked == fault.asked)
    let hasErrors = report.lines.contains { $0.contains(" error ") }
    #expect(report.outcome.status == (hasErrors ? 1 : fault.statusWithoutErrors))
    for request in server.requests { #expect(request.fields["Accept-Encoding"] == "identity") }
  }

  static let raw: [(String, RawServer.Manner, [String], String)] = [
    (
      "stalls", .silent, ["fetch.too-slow error 'example.com' did not answer in time."],
      "Answer within one second"
    ),
    (
      "trickles", .trickles("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"),
      ["fetch.unfinished error"], "with a Content-Length"
    ),
    (
      "speaks no HTTP", .sends("SSH-2.0-OpenSSH_9.2p1 and much more of that kind\r\n"),
      [
        "fetch.malformed error The response of 'example.com' is not valid HTTP: the answer does not begin with 'HTTP/1.1' "
          + "and a status."
      ], "Check which program listens"
    ),
  ]

  @Test(arguments: raw.indices) func aServerThatNeverEndsHasItsFinding(_ index: Int) throws {
    let (_, manner, findings, help) = Self.raw[index]
    let certificate = try LocalCertificate()
    let server = try RawServer(manner, certificate)
    let report = try check(server.port, certificate, patience_s: 1)
    #expect(report.lines.count == 1)
    for (line, start) in zip(report.lines, findings) { #expect(line.hasPrefix(start)) }
    #expect(report.firstHelp.contains(help))
    #expect(report.causes == ["host-unreachable"])
    #expect(report.outcome.status == 1)
  }

  @Test func waitingShowsThatItGoesOn() throws {
    let certificate = try LocalCertificate()
    let server = try RawServer(.silent, certificate)
    let report = try check(server.port, certificate, patience_s: 1)
    #expect(
      report.outcome.errors.hasPrefix(
        "linkspan check: 0 of 1 hosts have answered; a silent one takes up to 3 s …\n"))
  }

  enum Trouble: String, CaseIterable { case expired, wrongName, untrusted, plain }

  @Test(
    arguments: zip(
      Trouble.allCases,
      [
        "fetch.certificate-expired error The certificate of 'example.com' is expired.",
        "fetch.certificate-name error The certificate of 'example.com' is for another name.",
        "fetch.certificate-untrusted error The certificate of 'example.com' is not from an authority that is trusted.",
        "fetch.tls error The TLS handshake with 'example.com' failed: ",
      ]))
  func eachTroubleWithTLSIsToldApart(_ trouble: Trouble, finding: String) throws {
    let good = try LocalCertificate()
    let shown =
      switch trouble {
      case .expired: try LocalCertificate(isExpired: true)
      case .wrongName: try LocalCertificate(["example.org"])
      default: try LocalCertificate()
      }
    let server = try LocalServer(trouble == .plain ? nil : shown) { _ in Self.json() }
    let report = try check(server.port, trouble == .untrusted ? good : shown)
    #expect(report.lines.count == 1)
    #expect(report.lines.first?.hasPrefix(finding) == true)
    #expect(report.asked.count == 1)
    #expect(report.causes == ["host-unreachable"])
    #expect(server.requests.isEmpty)
  }

  /// T11: what browsers of before took, and other clients take.
  @Test(
    .enabled(if: SigningAuthority.path != nil, "openssl is not on this machine"),
    arguments: [
      ("-subj /CN=example.com -days 30", "it names its host in the common name only (T11)"),
      (
        "-subj /CN=x -days 30 -addext subjectAltName=DNS:example.com",
        "it has no extended key usage, which has to name TLS servers (T11)"
      ),
      (
        "-subj /CN=x -days 826 -addext subjectAltName=DNS:example.com -addext extendedKeyUsage=serverAuth",
        "it is valid for 826 days, more than 825 (T11)"
      ),
    ])
  func whatAppleAloneRefusesIsTold(_ flags: String, reason: String) throws {
    let tool = try Tool()
    _ = try tool.openssl(
      "req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout k.pem -out c.pem \(flags)")
    let made = try LocalCertificate(certificatePEM: tool.bytes("c.pem"), keyPEM: tool.bytes("k.pem"))
    let server = try LocalServer(made) { _ in Self.json() }
    let report = try check(server.port, made, tool: tool)
    #expect(
      report.lines == ["fetch.certificate error The certificate of 'example.com' is refused: \(reason)."])
    #expect(server.requests.isEmpty)
  }

  // MARK: - Addresses

  /// The server is there and would answer; nothing arrives at it.
  @Test func aPrivateAddressIsNotAskedUnlessAllowed() throws {
    let certificate = try LocalCertificate()
    let server = try RawServer(.silent, certificate)
    let tool = try Tool()
    let outcome = try tool.run(
      "check", "example.com", "--json", "--resolve", "example.com:443:127.0.0.1:\(server.port)")
    let report = Report(outcome: outcome, json: try outcome.json())
    #expect(
      report.lines == [
        "fetch.private-address error 'example.com' resolves to the private address 127.0.0.1."
      ])
    #expect(report.help("fetch.private-address").contains("SWCERR00202"))
    #expect(
      report.notChecked.contains(
        "how the file is served at the private address of example.com: '--allow-private' fetches it"
      ))
    #expect(outcome.status == 1)
    #expect(server.accepted == 0)
  }

  /// One public address does not make the private one beside it harmless.
  @Test func everyAddressIsLookedAt() throws {
    let certificate = try LocalCertificate()
    let server = try RawServer(.silent, certificate)
    let outcome = try Tool().run(
      "check", "example.com", "--json", "--resolve", "example.com:443:127.0.0.1:\(server.port),93.184.215.14")
    let report = Report(outcome: outcome, json: try outcome.json())
    #expect(report.lines.map { $0.prefix { $0 != " " } } == ["fetch.private-address"])
    #expect(server.accepted == 0)
  }

  @Test func refusedConnectionsAndUnknownNamesAreToldApart() throws {
    let certificate = try LocalCertificate()
    let port: UInt16
    do { port = try LocalServer(certificate) { _ in Self.json() }.port }
    let refused = try check(port, certificate)
    #expect(
      refused.lines == [
        "fetch.unreachable error 'example.com' does not accept connections: connecting to 127.0.0.1:\(port): "
          + "Connection refused."
      ])
    let outcome = try Tool().run("check", "no-such-host.invalid", "--json")
    let unknown = Report(outcome: outcome, json: try outcome.json())
    #expect(unknown.lines == ["fetch.unresolvable error The host 'no-such-host.invalid' has no address."])
    #expect(unknown.causes == ["host-unreachable"])
  }

  @Test func hostsAreNamedInManyWays() throws {
    let tool = try Tool()
    let certificate = try LocalCertificate(["example.com", "xn--bcher-kva.example"])
    let server = try LocalServer(certificate) { _ in Self.json() }
    try certificate.writeAuthority(to: tool)
    let outcome = try tool.run(
      "check", "https://Example.com/shop", "bücher.example", "--allow-private", "--ca", "ca.pem", "--resolve",
      "example.com:443:127.0.0.1:\(server.port)", "--resolve",
      "xn--bcher-kva.example:443:127.0.0.1:\(server.port)")
    #expect(outcome.status == 0)
    #expect(
      outcome.output.hasPrefix(
        """
        example.com: crawler: OK; device: OK
        xn--bcher-kva.example: crawler: OK; device: OK
        2 files: no problems found

        """))
    #expect(
      outcome.output.contains(
        """

        No problems in what was checked. If a link still opens the browser, see Documentation/symptoms.md.
        """))
    #expect(!outcome.output.contains("What this means:"))
    #expect(
      outcome.errors == """
        linkspan check: 'https://Example.com/shop' is read as the host 'example.com': each host has one file, for all paths.
        linkspan check: 'bücher.example' is 'xn--bcher-kva.example' in Punycode; entitlements use that form too (E11).

        """)
  }

  @Test(arguments: [
    (
      ["http://example.com"],
      "'http://example.com' is not an https URL; association files are served over https only (T1).",
      "Write the host only: 'example.com'."
    ),
    (
      ["https://example.com:8443"],
      "'https://example.com:8443' has a port; association files are fetched from port 443 only (E3).",
      "Write the host only; '--resolve example.com:443:ADDRESS:8443' connects to another port."
    ),
    (
      ["10.0.0.1"], "'10.0.0.1' is an IP address; associated domains are host names.",
      "Write the host name; '--resolve HOST:443:ADDRESS' connects to a specific address."
    ),
    (
      ["example.com", "--resolve", "example.com:127.0.0.1"],
      "'example.com:127.0.0.1' is not a value of '--resolve'; expected HOST:PORT:ADDRESS.",
      "Write example.com:443:127.0.0.1, or with another port example.com:443:127.0.0.1:8443."
    ),
    (
      ["example.com", "--fetch", "phone"], "'--fetch': expected direct, cdn or both, got 'phone'.",
      "Usage: linkspan check SITE… [flags]; 'linkspan check --help' describes it."
    ),
    (
      ["example.com", "--cdn", "nowhere"],
      "'--cdn': expected a URL such as http://127.0.0.1:8080.",
      "Usage: linkspan check SITE… [flags]; 'linkspan check --help' describes it."
    ),
    (
      ["example.com", "--resolve", "example.com:443:127.0.0.1:1", "--allow-private", "--ca", "/dev/null"],
      "'/dev/null' contains no readable certificate.",
      "A PEM file begins a certificate with -----BEGIN CERTIFICATE-----."
    ),
  ])
  func wrongWordsAskNobody(words: [String], message: String, help: String) throws {
    let outcome = try Tool().run(["check"] + words)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors == "linkspan check: error: \(message)\n  \(help)\n")
  }

  @Test func aMistypedFileIsNotLookedForInTheNetwork() throws {
    let outcome = try Tool().run("check", "apple-app-site-association.json")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors
        == "linkspan check: error: there is no file or folder 'apple-app-site-association.json'.\n")
  }

  // MARK: - With an app

  @Test func aFetchedFileIsJoinedWithTheApp() throws {
    let certificate = try LocalCertificate()
    let server = try LocalServer(certificate) { _ in
      Self.json(Self.file.replacing("ABCDE12345", with: "ZZZZZ12345"))
    }
    let tool = try Tool()
    try tool.write(CheckTests.entitlements, to: "app.entitlements")
    let report = try check(server.port, certificate, tool: tool, "--app", "app.entitlements")
    #expect(
      report.lines.filter { $0.contains(" error ") } == [
        "joined.other-prefix error '\(Self.url)' lists ZZZZZ12345.com.example.app, but the app is ABCDE12345.com.example.app."
      ])
    #expect(report.causes == ["sides-disagree", "other-validators-green"])
    #expect(report.notChecked.contains("the files of example.org, which the app claims"))
  }

  @Test(arguments: [
    "<key>com.apple.developer.associated-domains</key><array><string>*</string></array>", "",
  ])
  func anEntitlementThatWasLostIsTold(_ key: String) throws {
    let certificate = try LocalCertificate()
    let server = try LocalServer(certificate) { _ in Self.json() }
    let tool = try Tool()
    try tool.write(
      "<plist version=\"1.0\"><dict><key>application-identifier</key><string>ABCDE12345.com.example.app</string>\(key)"
        + "</dict></plist>", to: "app.entitlements")
    let report = try check(server.port, certificate, tool: tool, "--app", "app.entitlements")
    #expect(report.outcome.status == 1)
    #expect(report.causes.first == "entitlement-lost")
    #expect(report.next("entitlement-lost").first?.contains("codesign") == true)
  }

  @Test func aPrivateHostIsNoFaultForDeveloperModeOnly() throws {
    let tool = try Tool()
    try tool.write(
      CheckTests.entitlements.replacing("example.com<", with: "example.com?mode=developer<"),
      to: "app.entitlements")
    let outcome = try tool.run(
      "check", "example.com", "--resolve", "example.com:443:127.0.0.1:1", "--app", "app.entitlements",
      "--json")
    let report = Report(outcome: outcome, json: try outcome.json())
    #expect(
      report.lines.contains(
        "fetch.private-address note 'example.com' resolves to the private address 127.0.0.1."))
  }
}
