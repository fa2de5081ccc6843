import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Handshakes with every kind of key, signed by OpenSSL or GnuTLS, verified by the other library.
@Suite("Signing of handshakes", InteropTests.openssl)
struct HandshakeSignerTests {
  enum Key: String, CaseIterable {
    case p256, p384, rsa2048, rsa3072

    /// What `openssl genpkey` wants to hear.
    var words: [String] {
      switch self {
      case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
      case .p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
      case .rsa2048: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
      case .rsa3072: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:3072"]
      }
    }
  }

  /// A certificate for `localhost` that openssl made.
  static func makeCertificate(_ key: Key) throws -> ThrowawayCertificate { try makeCertificate(key.words) }

  /// - Parameter key: What `openssl genpkey` wants to hear.
  private static func makeCertificate(_ key: [String]) throws -> ThrowawayCertificate {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (keyFile, file) = (folder.appendingPathComponent("k"), folder.appendingPathComponent("c"))
    _ = try Program.run(["openssl", "genpkey", "-out", keyFile.path] + key)
    _ = try Program.run(
      [
        "openssl", "req", "-x509", "-new", "-key", keyFile.path, "-out", file.path, "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext", "extendedKeyUsage=serverAuth",
      ])
    return try ThrowawayCertificate(
      certificatePEM: Array(Data(contentsOf: file)), keyPEM: Array(Data(contentsOf: keyFile)))
  }

  static func serve(_ key: Key, _ body: (HTTPServer, ThrowawayCertificate) throws -> Void) throws {
    let certificate = try makeCertificate(key)
    let credentials = try TLSCredentials([TLSIdentity(certificate)])
    try withServer(HTTPServerConfiguration(listeners: [.init(credentials: credentials)])) {
      try body($0, certificate)
    }
  }

  @Test(
    arguments: [(.p256, true), (.p384, false), (.rsa2048, true), (.rsa3072, true)]
      as [(Key, Bool)])
  func openSSLSignsWithTheKeysItIsFasterWith(_ key: Key, _ expected: Bool) throws {
    #expect(try TLSIdentity(Self.makeCertificate(key)).signsWithOpenSSL == expected)
  }

  @Test(arguments: Key.allCases)
  func ourClientBelievesTheServer(_ key: Key) throws {
    try Self.serve(key) { server, certificate in
      let client = HTTPClient(
        connectTo: server.addresses[0], trust: .authoritiesPEM(certificate.certificatePEM),
        deadline: .seconds(30))
      let answer = try client.send(HTTPRequest(authority: "localhost", target: "/"))
      #expect(answer.status == 200)
    }
  }

  // Schemes of RFC 8446, 4.2.3; PKCS #1 v1.5 signs no handshake of TLS 1.3.
  @Test(
    arguments: [
      (.p256, "-tls1_3", "ecdsa_secp256r1_sha256", "SHA256", "ECDSA"),
      (.p256, "-tls1_2", "ECDSA+SHA256", "SHA256", "ECDSA"),
      (.p256, "-tls1_2", "ECDSA+SHA384", "SHA384", "ECDSA"),
      (.p384, "-tls1_3", "ecdsa_secp384r1_sha384", "SHA384", "ECDSA"),
      (.p384, "-tls1_2", "ECDSA+SHA384", "SHA384", "ECDSA"),
      (.rsa2048, "-tls1_3", "rsa_pss_rsae_sha256", "SHA256", "RSA-PSS"),
      (.rsa2048, "-tls1_3", "rsa_pss_rsae_sha384", "SHA384", "RSA-PSS"),
      (.rsa2048, "-tls1_3", "rsa_pss_rsae_sha512", "SHA512", "RSA-PSS"),
      (.rsa2048, "-tls1_2", "rsa_pss_rsae_sha256", "SHA256", "RSA-PSS"),
      (.rsa2048, "-tls1_2", "RSA+SHA256", "SHA256", "RSA"),
      (.rsa2048, "-tls1_2", "RSA+SHA384", "SHA384", "RSA"),
      (.rsa2048, "-tls1_2", "RSA+SHA512", "SHA512", "RSA"),
      (.rsa3072, "-tls1_3", "rsa_pss_rsae_sha256", "SHA256", "RSA-PSS"),
    ] as [(Key, String, String, String, String)])
  func opensslVerifiesTheSignature(
    _ key: Key, _ version: String, _ scheme: String, _ digest: String, _ kind: String
  ) throws {
    try Self.serve(key) { server, _ in
      let output = try Program.run([
        "openssl", "s_client", "-connect", "127.0.0.1:\(server.port)", version, "-sigalgs", scheme,
      ])
      #expect(output.contains("Peer signature type: \(kind)\n"))
      #expect(output.contains("Peer signing digest: \(digest)\n"))
      #expect(output.contains("New, TLSv1.\(version.last!), Cipher is "))
    }
  }

  /// Accepted, it left a server that runs and lets nobody in: the handshake has no signature for such a key.
  @Test(
    arguments: [
      (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"], "on a curve"),
      (["-algorithm", "ED25519"], "of a kind"), (["-algorithm", "RSA-PSS"], "of a kind"),
    ])
  func refusesAKeyWithWhichNoDeviceMakesAConnection(_ key: [String], _ what: String) throws {
    let made = try Self.makeCertificate(key)
    #expect(
      throws: TLSError(
        .unusableCertificate, file: "c.pem",
        "the certificate's key is \(what) with which no device makes a connection; use one on P-256 or P-384")
    ) {
      _ = try TLSIdentity(
        certificatePEM: made.certificatePEM, keyPEM: made.keyPEM, certificateFile: "c.pem", keyFile: "k.pem")
    }
  }

  @Test func refusesAnRSAKeyOfAnotherCertificate() throws {
    let (one, two) = try (Self.makeCertificate(.rsa2048), Self.makeCertificate(.rsa2048))
    #expect(
      throws: TLSError(
        .keyOfAnotherCertificate, file: "k.pem",
        "the private key does not belong to the certificate in c.pem")
    ) {
      _ = try TLSIdentity(
        certificatePEM: one.certificatePEM, keyPEM: two.keyPEM, certificateFile: "c.pem", keyFile: "k.pem")
    }
  }

  @Test func manyThreadsSignWithOneKey() throws {
    let certificate = try Self.makeCertificate(.p256)
    let credentials = try TLSCredentials([TLSIdentity(certificate)])
    var configuration = HTTPServerConfiguration(listeners: [.init(credentials: credentials)])
    configuration.loops = 4
    try withServer(configuration) { server in
      let address = server.addresses[0]
      let trust = TLSTrust.authoritiesPEM(certificate.certificatePEM)
      let statuses = (0..<4).map { _ in LockedState<[Int]>([]) }
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        for _ in 0..<50 {
          let answer = try? HTTPClient(connectTo: address, trust: trust, deadline: .seconds(30))
            .send(HTTPRequest(authority: "localhost", target: "/"))
          statuses[index].withLock { $0.append(answer?.status ?? 0) }
        }
      }
      #expect(statuses.flatMap { $0.withLock { $0 } } == Array(repeating: 200, count: 200))
    }
  }
}

extension TLSIdentity {
  fileprivate var signsWithOpenSSL: Bool { signer != nil }
}
