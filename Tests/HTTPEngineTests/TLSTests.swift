import Foundation
import LinkspanCore
import LinkspanServer
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Certificates made once for the tests of this file; they begin an hour ago.
enum Certificates {
  static let now = Int64(Date().timeIntervalSince1970)
  static func make(_ names: [String], from start: Int64 = now - 3_600) throws -> ThrowawayCertificate {
    try ThrowawayCertificate.make(for: names, from: start)
  }
}

@Suite("TLS")
struct TLSTests {
  let one: ThrowawayCertificate
  let two: ThrowawayCertificate
  let configuration: HTTPServerConfiguration

  init() throws {
    one = try Certificates.make(["one.example", "127.0.0.1"])
    two = try Certificates.make(["Two.example", "*.two.example"])
    let credentials = try TLSCredentials([TLSIdentity(one), TLSIdentity(two)])
    configuration = HTTPServerConfiguration(listeners: [.init(credentials: credentials)])
  }

  func fetch(_ server: HTTPServer, _ host: String, _ trust: TLSTrust) throws(HTTPClientError) -> HTTPResponse
  {
    try HTTPClient(connectTo: server.addresses[0], trust: trust, deadline: .seconds(30))
      .send(HTTPRequest(authority: host, target: "/x"))
  }

  func failure(_ server: HTTPServer, _ host: String, _ trust: TLSTrust) -> HTTPClientError.Kind? {
    do throws(HTTPClientError) {
      _ = try fetch(server, host, trust)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func ofSeveralCertificatesForANameTheFirstValidOneIsShown() throws {
    let now = WallTime(milliseconds: Certificates.now * 1000)
    func identity(_ names: [String], startedHoursAgo hours: Int64) throws -> TLSIdentity {
      try TLSIdentity(Certificates.make(names, from: Certificates.now - hours * 3_600))
    }
    let ended = try identity(["one.example"], startedHoursAgo: 48)
    let later = try identity(["one.example"], startedHoursAgo: -2)
    let valid = try identity(["one.example"], startedHoursAgo: 2)
    let newer = try identity(["*.example"], startedHoursAgo: 1)
    for (identities, shown) in [
      ([ended, later, valid, newer], valid), ([valid, newer], valid), ([ended, newer], newer),
      ([later, ended], later), ([ended], ended),
    ] {
      let credentials = try TLSCredentials(identities)
      #expect(credentials.identity(for: "ONE.example.", at: now) === shown)
      // Nobody's name and no name go by the same rule.
      #expect(credentials.identity(for: nil, at: now) === shown)
      #expect(credentials.identity(for: "other.test", at: now) === shown)
    }
    let credentials = try TLSCredentials([newer, ended])
    #expect(credentials.identity(for: "one.example", at: now) === newer)
    #expect(try TLSCredentials([newer, valid]).identity(for: "one.example", at: now) === valid)
  }

  @Test func choosesTheCertificateByTheNameAskedFor() throws {
    try withServer(configuration) { server in
      for (host, certificate) in [
        ("one.example", one), ("ONE.example", one), ("127.0.0.1", one), ("two.example", two),
        ("TWO.example", two),
        ("a.two.example", two), ("B.Two.Example", two),
      ] {
        let answer = try fetch(server, host, .authoritiesPEM(certificate.certificatePEM))
        #expect(answer.fields["X-Target"] == "/x")
      }
    }
  }

  @Test func showsTheFirstCertificateForNamesNobodyHas() throws {
    try withServer(configuration) { server in
      for host in ["three.example", "a.b.two.example", "xtwo.example"] {
        #expect(failure(server, host, .authoritiesPEM(one.certificatePEM)) == .tls(.wrongName))
        let answer = try fetch(server, host, .anyone)
        #expect(answer.status == 200)
      }
    }
  }

  @Test func tellsWhyAServerIsNotBelieved() throws {
    try withServer(configuration) { server in
      #expect(failure(server, "one.example", .authoritiesPEM(two.certificatePEM)) == .tls(.unknownIssuer))
      #expect(failure(server, "one.example", .system) == .tls(.unknownIssuer))
    }
    for (start, expected) in [
      (Certificates.now - 200_000, TLSFailure.expired), (Certificates.now + 100_000, .notYetValid),
    ] {
      let certificate = try Certificates.make(["one.example"], from: start)
      let credentials = try TLSCredentials([TLSIdentity(certificate)])
      try withServer(HTTPServerConfiguration(listeners: [.init(credentials: credentials)])) { server in
        #expect(failure(server, "one.example", .authoritiesPEM(certificate.certificatePEM)) == .tls(expected))
      }
    }
  }

  @Test func refusesACertificateThatIsNotForServers() throws {
    let clientAuthentication = "1.3.6.1.5.5.7.3.2"
    let certificate = try ThrowawayCertificate.make(
      for: ["one.example"], from: Certificates.now - 3_600, lifetime: .seconds(86_400),
      purpose: clientAuthentication)
    let credentials = try TLSCredentials([TLSIdentity(certificate)])
    try withServer(HTTPServerConfiguration(listeners: [.init(credentials: credentials)])) { server in
      let kind = failure(server, "one.example", .authoritiesPEM(certificate.certificatePEM))
      #expect(kind == .tls(.other("the certificate is not for servers")))
    }
  }

  @Test func tellsThatAPlainServerSpeaksNoTLS() throws {
    try withServer { server in
      #expect(failure(server, "one.example", .anyone) == .handshake)
    }
  }

  @Test func carriesLargeAnswersAndManyRequestsInOneHandshakeEach() throws {
    var configuration = configuration
    configuration.messages.bodyBytes = 2_000_000
    let body = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try withServer(configuration) { server in
      let client = HTTPClient(connectTo: server.addresses[0], trust: .anyone, deadline: .seconds(60)) {
        $0.messages.bodyBytes = 2_000_000
      }
      let answer = try client.send(
        HTTPRequest(method: "POST", authority: "one.example", target: "/", body: body))
      #expect(answer.body == body)
    }
  }

  @Test(arguments: [HTTPClientConfiguration.Protocols.http1, .negotiated])
  func goesOnWithAnAnswerThatTheSocketTookAPartOf(_ protocols: HTTPClientConfiguration.Protocols) throws {
    let block = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var body: [UInt8] = []
    while body.count < 24_000_000 { body += block }
    try withServer(configuration, handler: { [body] _ in HTTPResponse(status: 200, body: body) }) { server in
      let client = HTTPClient(connectTo: server.addresses[0], trust: .anyone, deadline: .seconds(60)) {
        $0.protocols = protocols
        $0.messages.bodyBytes = body.count
      }
      let answer = try client.send(HTTPRequest(authority: "one.example", target: "/"))
      #expect(answer.body == body)
    }
  }

  @Test func refusesAKeyOfAnotherCertificate() throws {
    #expect(
      throws: TLSError(
        .keyOfAnotherCertificate, file: "k.pem",
        "the private key does not belong to the certificate in c.pem")
    ) {
      _ = try TLSIdentity(
        certificatePEM: one.certificatePEM, keyPEM: two.keyPEM, certificateFile: "c.pem", keyFile: "k.pem")
    }
  }

  @Test func namesTheFileAndTheReasonAndNeverTheKey() throws {
    let damaged = Array(one.keyPEM.dropLast(60))
    for (certificate, key, kind, file) in [
      (one.keyPEM, one.keyPEM, TLSError.Kind.badCertificate, "c.pem"),
      (one.certificatePEM, damaged, .badKey, "k.pem"),
      (one.certificatePEM, one.certificatePEM, .badKey, "k.pem"),
    ] {
      do throws(TLSError) {
        _ = try TLSIdentity(
          certificatePEM: certificate, keyPEM: key, certificateFile: "c.pem", keyFile: "k.pem")
        Issue.record("no error for \(kind)")
      } catch {
        #expect(error.kind == kind)
        #expect(error.description.hasPrefix("\(file): "))
        let secret = String(decoding: one.keyPEM, as: UTF8.self).split(separator: "\n")[1]
        #expect(!error.description.contains(secret))
      }
    }
  }

  /// The rest would be cut off, and devices that need it would find no authority that they trust.
  @Test func refusesAChainThatIsTooLong() throws {
    func identity(_ count: Int) throws -> TLSIdentity {
      try TLSIdentity(
        certificatePEM: (0..<count).flatMap { _ in one.certificatePEM }, keyPEM: one.keyPEM,
        certificateFile: "c.pem")
    }
    #expect(try identity(TLSIdentity.chainLimitCount).certificateCount == 16)
    #expect(
      throws: TLSError(
        .badCertificate, file: "c.pem",
        "more than 16 certificates; a server shows its own and those of its issuers")
    ) { _ = try identity(TLSIdentity.chainLimitCount + 1) }
  }

  @Test func readsTheNamesOfACertificate() throws {
    #expect(try TLSIdentity(two).hosts == ["two.example", "*.two.example"])
    #expect(try TLSIdentity(one).usesRSA == false)
  }
}

@Suite("HTTP client")
struct HTTPClientTests {
  func failure(_ client: HTTPClient, _ request: HTTPRequest) -> HTTPClientError.Kind? {
    do throws(HTTPClientError) {
      _ = try client.send(request)
      return nil
    } catch {
      return error.kind
    }
  }

  let request = HTTPRequest(scheme: "http", authority: "a.example", target: "/")

  @Test func sendsTheHostAskedForWhereverItConnects() throws {
    let handler: HTTPHandler = { request in
      HTTPResponse(
        status: 200, fields: ["X-Host": request.authority, "X-Agent": request.fields["User-Agent"] ?? ""])
    }
    try withServer(handler: handler) { server in
      var request = request
      request.authority = "A.example:8080"
      request.fields = ["User-Agent": "x", "Host": "b", "Content-Length": "9", "Connection": "keep-alive"]
      let answer = try HTTPClient(connectTo: server.addresses[0]).send(request)
      #expect(answer.fields["X-Host"] == "A.example:8080")
      #expect(answer.fields["X-Agent"] == "x")
    }
  }

  @Test func doesNotFollowRedirects() throws {
    let handler: HTTPHandler = { _ in HTTPResponse(status: 301, fields: ["Location": "/b"]) }
    try withServer(handler: handler) { server in
      let answer = try HTTPClient(connectTo: server.addresses[0]).send(request)
      #expect(answer.status == 301)
    }
  }

  @Test func tellsRefusedFromUnresolved() throws {
    let address = try withServer { $0.addresses[0] }
    #expect(failure(HTTPClient(connectTo: address), request) == .refused)
    var unknown = request
    unknown.authority = "no-such-host.invalid"
    #expect(failure(HTTPClient(), unknown) == .cannotResolve(isAnswered: true))
  }

  /// Only the resolver's word says that a name has no address.
  @Test(arguments: [
    (EAI_NONAME, true), (-5, true), (EAI_AGAIN, false), (EAI_FAIL, false), (EAI_SYSTEM, false),
    (EAI_MEMORY, false),
  ])
  func aSilentResolverSaysNothing(code: CInt, isAnswered: Bool) {
    let error = HostResolver.error(code, "example.com:443")
    #expect(error.kind == .cannotResolve(isAnswered: isAnswered))
    #expect(error.reason.contains("has no address") == isAnswered)
  }

  @Test func givesUpAtTheDeadline() throws {
    // A listener nobody accepts from: the connection stands, and no answer comes.
    let server = try HTTPServer(HTTPServerConfiguration(), handler: Conversation.echo)
    let client = HTTPClient(connectTo: server.addresses[0], deadline: .milliseconds(1))
    #expect(failure(client, request) == .timeout)
  }

  @Test func refusesAnAnswerThatIsTooLarge() throws {
    try withServer(handler: { _ in HTTPResponse(status: 200, body: [1, 2, 3]) }) { server in
      func client(_ limit: Int) -> HTTPClient {
        HTTPClient(connectTo: server.addresses[0]) { $0.messages.bodyBytes = limit }
      }
      #expect(failure(client(2), request) == .tooLarge(isHeader: false))
      #expect(failure(client(3), request) == nil)
    }
  }

  @Test func cutsAnAnswerWhereItIsTold() throws {
    try withServer(handler: { _ in HTTPResponse(status: 404, body: [1, 2, 3]) }) { server in
      for (limit, body) in [(1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (4, [1, 2, 3])] as [(Int, [UInt8])] {
        let client = HTTPClient(connectTo: server.addresses[0]) {
          $0.cutsBody = true
          $0.messages.bodyBytes = limit
        }
        let answer = try client.send(request)
        #expect(answer.status == 404 && answer.body == body)
      }
    }
  }

  @Test(arguments: ["a b", "", "me@a", "a/b", "a\r\nX: y"])
  func sendsNothingToAnAuthorityThatIsNone(_ authority: String) {
    var request = request
    request.authority = authority
    #expect(failure(HTTPClient(), request) == .unusableRequest)
  }

  @Test func sendsNoFieldThatCouldBeReadAsTwo() {
    for fields: HTTPFields in [["X": "a\r\nY: b"], ["X: a\r\nY": "b"], ["": "a"]] {
      var request = request
      request.fields = fields
      #expect(failure(HTTPClient(), request) == .unusableRequest)
    }
  }

  @Test func saysThatAuthoritiesCannotBeUsed() throws {
    try withServer { server in
      var request = request
      request.scheme = "https"
      let client = HTTPClient(connectTo: server.addresses[0], trust: .authoritiesPEM(Array("no PEM".utf8)))
      #expect(failure(client, request) == .unusableTrust)
    }
  }
}

@Suite("Association files through curl")
struct CurlTests {
  @Test func fetchesEachHostsFileByteForByte() throws {
    let hosts = ["one.example", "two.example", "www.two.example"]
    let files = hosts.map { Array("{\"applinks\":{\"details\":[]},\"x\":\"\($0) \u{00}\"}\n".utf8) }
    let handler = AssociationHandler(
      zip(hosts, files).map { AssociationSite(host: $0, associationFile: $1) })
    let identities = try [["one.example"], ["two.example", "*.two.example"]].map {
      try TLSIdentity(Certificates.make($0))
    }
    let credentials = try TLSCredentials(identities)
    let listeners = [HTTPServerConfiguration.Listener(credentials: credentials), .init()]
    try withServer(HTTPServerConfiguration(listeners: listeners), handler: handler.handler) { server in
      for (host, file) in zip(hosts, files) {
        for (scheme, address) in zip(["https", "http"], server.addresses) {
          let place = "\(host):\(address.port)"
          let output = try curl([
            "-sk", "--resolve", "\(place):127.0.0.1",
            "\(scheme)://\(place)/.well-known/apple-app-site-association?x=1",
          ])
          #expect(output == file)
        }
      }
      let port = server.addresses[0].port
      let head = try curl([
        "-skI", "--http1.1", "--tlsv1.2", "--tls-max", "1.2", "--resolve", "one.example:\(port):127.0.0.1",
        "https://one.example:\(port)/.well-known/apple-app-site-association",
      ])
      let text = String(decoding: head, as: UTF8.self)
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(text.contains("\r\nContent-Length: \(files[0].count)\r\n"))
    }
  }

  private func curl(_ arguments: [String]) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["curl", "--max-time", "30", "--noproxy", "*"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return Array(output)
  }
}
