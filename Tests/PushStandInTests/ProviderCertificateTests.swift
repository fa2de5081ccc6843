import LinkspanCore
import PushTerms
import Testing

@testable import PushStandIn

/// What a provider's certificate says of topics and environments (push notes 3.2).
@Suite struct ProviderCertificateTests {
  /// Made by openssl for these tests: the extensions 1.2.840.113635.100.6.3.1 and .6 with two topics, good from 2026-11-29 to
  /// 2036-11-26.
  private static let der = Base64.bytes(
    of: Array(
      """
      MIICHTCCAcOgAwIBAgIUcWoCFZn8TrI980AK5imDm6a9yiYwCgYIKoZIzj0EAwIwUDEtMCsGA1UEAwwkQXBwbGUgUH
      VzaCBTZXJ2aWNlczogY29tLmV4YW1wbGUuYXBwMR8wHQYKCZImiZPyLGQBAQwPY29tLmV4YW1wbGUuYXBwMB4XDTI2
      MTEyOTAzNTQwMVoXDTM2MTEyNjAzNTQwMVowUDEtMCsGA1UEAwwkQXBwbGUgUHVzaCBTZXJ2aWNlczogY29tLmV4YW
      1wbGUuYXBwMR8wHQYKCZImiZPyLGQBAQwPY29tLmV4YW1wbGUuYXBwMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
      lpjsQLNErJ2tQgKwdH7BMzL0DztKqYKdPyo9JLp23lSyrPFp7Kwv7DCo9pIGzvzz/HpGtlCZHNDby/9ozGmEPaN7MH
      kwRgYKKoZIhvdjZAYDBgQ4MDYMD2NvbS5leGFtcGxlLmFwcDAFDANhcHAMFGNvbS5leGFtcGxlLmFwcC52b2lwMAYM
      BHZvaXAwEAYKKoZIhvdjZAYDAQQCBQAwHQYDVR0OBBYEFOcV3bFyD4IxL6VPZ24By3bj7hK5MAoGCCqGSM49BAMCA0
      gAMEUCIQCGB5j4rxozTzHBZrbC4cwHCwDTEkWjb2f6ZgJHd2XDTgIgcJZ8wKVgOOnat/9Y1XXxSbL+5iFA/J6oFu6Q
      oWebvRg=
      """.utf8
    ).filter { $0 != 0x0A })

  @Test(arguments: [
    ("2026-11-29T03:54:00Z", false), ("2026-11-29T03:54:01Z", true), ("2036-11-26T03:54:01Z", true),
    ("2036-11-26T03:54:02Z", false),
  ]) func theTopicsAreTheTextsOfTheExtension(now: String, isUsable: Bool) throws {
    let certificate = ProviderCertificate(der: try #require(Self.der), at: try #require(WallTime(now)))
    #expect(certificate.topics == ["com.example.app", "com.example.app.voip"])
    #expect(certificate.environments == [.sandbox])
    #expect(certificate.isUsable == isUsable)
  }

  @Test func whatIsNoCertificateIsNotUsable() {
    let certificate = ProviderCertificate(der: [0x30, 0x00], at: Exchange.start)
    #expect(certificate.topics.isEmpty && !certificate.isUsable)
  }
}
