import Foundation
import Testing

/// Hosts whose file is served signed (G1s, R3).
@Suite(.enabled(if: SigningAuthority.path != nil, Comment(rawValue: SigningAuthority.absence)))
struct SignedFormTests {
  static let path = ServeTests.path
  let good = CheckTests.good

  private func started(_ signer: String) throws -> OperatedServer {
    let tool = try SigningAuthority.tool()
    for host in ["example.com", "new.example.com"] { try tool.write(good, to: "site/\(host)\(Self.path)") }
    try tool.write(SigningAuthority.passphrase + "\n", to: "passphrase")
    try tool.restrict("passphrase")
    try tool.write(
      "{ sites: 'site', server: { signed: { 'example.com': \(signer) } } }", to: "linkspan.json5")
    return try OperatedServer(tool, ["--config", "linkspan.json5"])
  }

  private func fetch(_ server: OperatedServer, _ host: String = "example.com") throws -> String {
    try server.tool.curl([
      "-H", "Host: \(host)", "-o", "fetched", "-w", "%{http_code} %{content_type}",
      "http://127.0.0.1:\(server.port)\(Self.path)",
    ])
  }

  /// What openssl finds inside what was fetched last.
  private func verified(_ server: OperatedServer) throws -> String {
    try server.tool.openssl("smime -verify -inform DER -in fetched -CAfile root.pem -out content")
    return try server.tool.text("content")
  }

  @Test(arguments: [
    "{ p12: 'rsa-new.p12', passphrase_file: 'passphrase' }",
    "{ certificate: 'p256.pem', key: 'p256.key', chain: 'between.pem' }",
  ])
  func oneHostIsSignedAndTheOtherIsNot(signer: String) throws {
    let server = try started(signer)
    #expect(try fetch(server) == "200 application/pkcs7-mime")
    #expect(try verified(server) == good)
    #expect(try fetch(server, "new.example.com") == "200 application/json")
    #expect(try server.tool.text("fetched") == good)
  }

  @Test func aNewFileIsSignedAnew() throws {
    let server = try started("{ p12: 'rsa-new.p12', passphrase_file: 'passphrase' }")
    let other = good.replacing("/a", with: "/b")
    try server.tool.write(other, to: "site/example.com\(Self.path)")
    #expect(try server.next("publication")["outcome"] as? String == "changed")
    #expect(try fetch(server) == "200 application/pkcs7-mime")
    #expect(try verified(server) == other)
  }

  @Test func aNewCertificateSignsAnew() throws {
    let server = try started("{ certificate: 'rsa.pem', key: 'rsa.key', chain: 'between.pem' }")
    func ends() throws -> String {
      try #require(
        server.admin("/metrics").split(separator: "\n").first {
          $0.hasPrefix("linkspan_signed_file_expiry_timestamp_seconds{")
        }.map(String.init))
    }
    let before = try ends()
    try server.tool.write(server.tool.text("short.pem"), to: "rsa.pem")
    server.signal(SIGHUP)
    try server.next("reloaded")
    #expect(try ends() != before)
    #expect(try server.errors.contains("warning: example.com: the signed file: the certificate expires at "))
    _ = try fetch(server)
    #expect(try verified(server) == good)
  }

  @Test func aFailureToSignKeepsTheOldAndIsToldAsRefused() throws {
    let server = try started("{ p12: 'rsa-new.p12', passphrase_file: 'passphrase' }")
    _ = try fetch(server)
    let before = try Data(contentsOf: server.tool.folder.appending(path: "fetched"))
    try server.tool.write("wrong\n", to: "passphrase")
    try server.tool.restrict("passphrase")
    server.signal(SIGHUP)
    try server.next("not-reloaded")
    #expect(try fetch(server) == "200 application/pkcs7-mime")
    #expect(try Data(contentsOf: server.tool.folder.appending(path: "fetched")) == before)
    #expect(try server.readiness()["status"] as? String == "degraded")
    #expect(try server.admin("/metrics").contains("linkspan_publication_refused{host=\"example.com\"} 1\n"))
  }

  @Test func withoutASignatureTheFileIsServedAsItIs() throws {
    let server = try started("{ certificate: 'past.pem', key: 'rsa.key', chain: 'between.pem' }")
    #expect(try fetch(server) == "200 application/json")
    #expect(try server.readiness()["status"] as? String == "degraded")
  }

  /// iOS 8 asks at the root only (F2).
  @Test func theSignedFormIsAtTheRootAsWell() throws {
    let server = try started("{ p12: 'rsa-new.p12', passphrase_file: 'passphrase' }")
    for (host, status) in [("example.com", "200"), ("new.example.com", "404")] {
      let answer = try server.tool.curl([
        "-H", "Host: \(host)", "-o", "fetched", "-w", "%{http_code}",
        "http://127.0.0.1:\(server.port)/apple-app-site-association",
      ])
      #expect(answer == status)
    }
  }

  @Test func aHostThatIsNotThereCannotBeSignedAndThatIsSaid() throws {
    let server = try started("{ p12: 'rsa-new.p12', passphrase_file: 'passphrase' }")
    try server.tool.write(
      "{ sites: 'site', server: { signed: { 'gone.example': { p12: 'rsa-new.p12' } } } }",
      to: "linkspan.json5")
    server.signal(SIGHUP)
    try server.next("reloaded")
    #expect(try server.errors.contains("warning: 'signed' names 'gone.example', but that host is not served"))
    #expect(try fetch(server) == "200 application/json")
  }
}
