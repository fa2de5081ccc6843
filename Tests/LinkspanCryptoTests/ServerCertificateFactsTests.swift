import LinkspanCore
import Testing

@testable import LinkspanCrypto

/// Which certificates Apple's systems refuse (T11).
@Suite struct ServerCertificateFactsTests {
  private static func refusal(
    namesHosts: Bool = true, rsaBits: Int? = nil, from begins: String = "2026-01-01T00:00:00Z",
    milliseconds: Int64 = 86_400_000, hasUsage: Bool = true, isForName: Bool = true
  ) throws -> String? {
    let begins = try #require(WallTime(begins))
    return ServerCertificateFacts(
      namesHosts: namesHosts, rsaBits: rsaBits, begins: begins,
      ends: begins.advanced(by: .milliseconds(milliseconds)), hasExtendedKeyUsage: hasUsage
    ).refusalByApple(isForName: isForName)
  }

  @Test func aNameHasToBeAmongTheAlternativeNames() throws {
    #expect(try Self.refusal() == nil)
    #expect(try Self.refusal(namesHosts: false)?.contains("common name only") == true)
    #expect(try Self.refusal(namesHosts: false, isForName: false) == nil)
  }

  @Test(arguments: [(1_024, false), (2_047, false), (2_048, true), (4_096, true)])
  func aKeyOfRSAHasALeastLength(bits: Int, isTaken: Bool) throws {
    #expect(try (Self.refusal(rsaBits: bits) == nil) == isTaken)
  }

  /// RFC 5280, 4.1.2.5: both ends are in the period.
  @Test func aPeriodHasBothItsEnds() throws {
    let certificate = try #require(Certificate.all(inPEM: try Signer().certificatePEM)?.first)
    #expect(certificate.begins < certificate.ends)
    for (moment, outwards) in [(certificate.begins, -1), (certificate.ends, 1)] as [(WallTime, Int64)] {
      #expect(certificate.isGood(at: moment))
      #expect(certificate.isGood(at: moment.advanced(by: .milliseconds(-outwards))))
      #expect(!certificate.isGood(at: moment.advanced(by: .milliseconds(outwards))))
    }
  }

  /// Since 1 July 2019 it says what it is for, and is good for 825 days at most.
  @Test(arguments: [("2019-06-30T23:59:59Z", true), ("2019-07-01T00:00:00Z", false)])
  func laterOnesAreHeldToMore(begins: String, isTaken: Bool) throws {
    #expect(try (Self.refusal(from: begins, hasUsage: false) == nil) == isTaken)
    let day: Int64 = 86_400_000
    #expect(try (Self.refusal(from: begins, milliseconds: 826 * day) == nil) == isTaken)
    #expect(try Self.refusal(from: begins, milliseconds: 826 * day - 1) == nil)
    #expect(try Self.refusal(from: begins, milliseconds: 825 * day) == nil)
  }
}
