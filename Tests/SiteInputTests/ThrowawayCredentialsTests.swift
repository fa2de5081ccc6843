import LinkspanCore
import LinkspanCrypto
import LinkspanFiles
import SiteInput
import Testing

/// Certificates that are made where none is given.
@Suite struct ThrowawayCredentialsTests {
  private static let limit = ThrowawayCredentials.namesLimitCount

  /// A server of thousands of hosts started for hours while one certificate was made for all of them.
  @Test(arguments: [1, limit, limit + 1, 10 * limit - 1])
  func manyHostsShareCertificates(count: Int) throws {
    let hosts = (0..<count).map { "host\($0).example" }
    let made = try ThrowawayCredentials(for: hosts, from: 1_800_000_000)
    let certificates = try #require(Certificate.all(inPEM: made.certificatePEM))
    #expect(certificates.count == (count + Self.limit - 1) / Self.limit)
    #expect(certificates.allSatisfy { $0.hostNames.count <= Self.limit })
    #expect(certificates.flatMap(\.hostNames) == hosts)
  }

  /// One that is written over the last is known as one of these, however many it has.
  @Test(arguments: [1, limit + 1])
  func whatIsWrittenIsKnownAgain(count: Int) throws {
    let hosts = (0..<count).map { "host\($0).example" }
    let made = try ThrowawayCredentials(for: hosts, from: 1_800_000_000).certificatePEM
    let foreign = made + Array("-----BEGIN PRIVATE KEY-----\n".utf8)
    for (file, isOwn) in [(made, true), (foreign, false)] {
      #expect(
        try ThrowawayCredentials.outputKind.isOwn(head: file) { () throws(LinkspanError) in file } == isOwn)
    }
  }
}
