import HTTPTransport
import LinkspanCore
import LinkspanCrypto
import LinkspanServer
import Testing

@Suite struct SignedSiteTests {
  static let during = WallTime("2026-06-01T00:00:00Z")!

  /// An identity whose certificate is good from 2026 for a year.
  private func identity() throws -> SigningIdentity {
    let start = WallTime("2026-01-01T00:00:00Z")!
    let certificate = try ThrowawayCertificate.make(
      for: ["example.com"], from: start.milliseconds / 1000, lifetime: .seconds(365 * 86_400))
    return try SigningIdentity(
      certificatePEM: certificate.certificatePEM, keyPEM: certificate.keyPEM, chainPEM: nil, passphrase: nil)
  }

  private func site(_ host: String? = "example.com", at moment: String) throws -> SignedSite {
    try SignedSite(
      host: host, file: Array(#"{"applinks":{"details":[]}}"#.utf8), identity: identity(),
      at: try #require(WallTime(moment)))
  }

  @Test func aFreshCertificateGivesNoWarning() throws {
    let site = try site(at: "2026-01-01T00:00:00Z")
    #expect(site.warnings(at: Self.during).isEmpty)
    #expect(site.ends == WallTime("2027-01-01T00:00:00Z"))
  }

  static let moments: [(moment: String, warns: Bool)] = [
    ("2026-12-01T23:59:59Z", false), ("2026-12-02T00:00:00Z", true), ("2028-01-01T00:00:00Z", true),
  ]

  @Test(arguments: moments)
  func theLastThirtyDaysAreSaid(moment: String, warns: Bool) throws {
    let site = try site(at: "2026-01-01T00:00:00Z")
    #expect(
      site.warnings(at: try #require(WallTime(moment))) == (warns ? [.expiresSoon(site.ends)] : []))
  }

  @Test func aCertificateForAnotherHostIsSaid() throws {
    let site = try site("www.example.com", at: "2026-01-01T00:00:00Z")
    #expect(site.warnings(at: Self.during) == [.otherHost("www.example.com")])
  }

  @Test func aFileTooLargeForDevicesIsSaid() throws {
    let site = try SignedSite(
      host: nil, file: [UInt8](repeating: 0x20, count: SigningWarning.sizeLimitBytes),
      identity: identity(), at: Self.during)
    #expect(site.warnings(at: Self.during) == [.tooLarge(site.bytes.count)])
  }

  @Test(arguments: ["2025-12-31T23:59:59Z", "2027-01-01T00:00:01Z"])
  func nobodySignsOutsideTheCertificatesTime(moment: String) {
    #expect(throws: SignedSite.Refusal.self) { try site(at: moment) }
  }
}
