import HTTPTransport
import LinkspanCore
import LinkspanCrypto

/// A signer whose certificate is its own authority, good from 2026 for a year.
struct Signer {
  static let start = WallTime("2026-01-01T00:00:00Z")!
  static let during = WallTime("2026-06-01T00:00:00Z")!
  static let days: Int64 = 365
  static let content = Array(#"{"applinks":{"details":[]}}"#.utf8)

  let certificatePEM: [UInt8]
  let identity: SigningIdentity
  let authorities: TrustedAuthorities

  init(hosts: [String] = ["example.com"]) throws {
    let certificate = try ThrowawayCertificate.make(
      for: hosts, from: Self.start.milliseconds / 1000, lifetime: .seconds(Self.days * 86_400))
    certificatePEM = certificate.certificatePEM
    identity = try SigningIdentity(
      certificatePEM: certificate.certificatePEM, keyPEM: certificate.keyPEM, chainPEM: nil, passphrase: nil)
    authorities = TrustedAuthorities(pem: certificate.certificatePEM)!
  }

  func report(_ bytes: [UInt8], at moment: WallTime = during) -> SignatureReport {
    SignatureReport(bytes, trusting: authorities, at: moment, purposes: [.server, .mail])
  }

  func problems(_ bytes: [UInt8], at moment: WallTime = during) -> [String] {
    report(bytes, at: moment).problems.map(\.name)
  }
}
