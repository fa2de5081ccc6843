import LinkspanCore
import LinkspanServer
import Testing

@testable import LinkspanDaemon
@testable import ServiceConfiguration

/// The signed form of a host's file: who gets it, and how long it goes on.
@Suite struct SignedFormsTests {
  /// Made by openssl for these tests, as its certificate, which is good for a hundred years.
  private static let key = pem(
    "PRIVATE KEY",
    """
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgk9NUHJqsgfNw/Eju
    R5gUu0eP8B8QBYsFrqSY470Hlg2hRANCAATNYiwxZkJtRo7umzmeDsPY7g4R8/0p
    2CqXwX6a4iZYeRhuGs+M0UlTYCUeW6RB+kfTx0FHW52FKfEF7gp6dARW
    """)
  private static let certificate = pem(
    "CERTIFICATE",
    """
    MIIBljCCATugAwIBAgIUZ1G09PIKpbEKsLRivZ35ZxYftI8wCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJYS5leGFtcGxlMCAXDTI2MTEyODE3NDEzNloYDzIxMjYxMTA0
    MTc0MTM2WjAUMRIwEAYDVQQDDAlhLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAATNYiwxZkJtRo7umzmeDsPY7g4R8/0p2CqXwX6a4iZYeRhuGs+M0UlT
    YCUeW6RB+kfTx0FHW52FKfEF7gp6dARWo2kwZzAdBgNVHQ4EFgQUq1UD7Geo4anj
    6rd+jsyF53zuKS8wHwYDVR0jBBgwFoAUq1UD7Geo4anj6rd+jsyF53zuKS8wDwYD
    VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglhLmV4YW1wbGUwCgYIKoZIzj0EAwID
    SQAwRgIhAN7rLsEfAMulORtZSSC13C6OQcap2W8cSVV9fHc8cSQUAiEA2vb9zEJU
    x5HGgP6bSkdt2jJgWUM4VMveMuOYAintMxA=
    """)
  private static let ends = WallTime("2126-11-04T17:41:36Z")!
  private static let now = WallTime("2030-01-01T00:00:00Z")!
  private static let plain = Array(#"{"applinks":{"details":[]}}"#.utf8)

  private static func pem(_ name: String, _ base64: String) -> [UInt8] {
    Array("-----BEGIN \(name)-----\n\(base64)\n-----END \(name)-----\n".utf8)
  }

  private static func signer(_ host: String, key: String = "key") -> FileSigner {
    FileSigner(host: host, certificate: "certificate", key: key)
  }

  private static func forms(_ signers: [FileSigner]) -> SignedForms {
    SignedForms(signers) { path throws(LinkspanError) in
      switch path {
      case "key": Self.key
      case "certificate": Self.certificate
      default: throw LinkspanError("is not there", at: path)
      }
    }
  }

  private static func site(_ host: String?, _ file: [UInt8]? = plain) -> AssociationSite {
    AssociationSite(host: host, associationFile: file)
  }

  @Test func onlyTheNamedHostsAreSigned() {
    let forms = Self.forms([Self.signer("b.example"), Self.signer("a.example")])
    let sites = [Self.site("a.example"), Self.site("b.example"), Self.site("c.example"), Self.site(nil)]
    let served = forms.sites(sites, at: Self.now)
    #expect(served.map { $0.associationFile == Self.plain } == [false, false, true, true])
    #expect(served.map(\.servesRootName) == [true, true, false, false])
    #expect(forms.problems.isEmpty)
    #expect(forms.digests(of: served).keys.sorted() == ["a.example", "b.example"])
    #expect(forms.digests(of: sites).isEmpty)
    #expect(forms.ends.map(\.host) == ["a.example", "b.example"])
    #expect(forms.ends.allSatisfy { $0.ends == Self.ends })
    let warnings = forms.warnings(at: Self.now)
    #expect(warnings.count == 1 && warnings.allSatisfy { $0.hasPrefix("b.example: the signed file: ") })
  }

  /// Each signature is another one, so the same bytes were not signed again.
  @Test func aFileIsSignedAnewWhenItChangesOrItsSignatureEnds() {
    let forms = Self.forms([Self.signer("a.example")])
    func signed(_ file: [UInt8] = SignedFormsTests.plain, at now: WallTime = SignedFormsTests.now) -> [UInt8]?
    {
      forms.sites([Self.site("a.example", file)], at: now)[0].associationFile
    }
    let first = signed()
    #expect(signed() == first && signed(at: Self.ends) == first)
    #expect(forms.problems.isEmpty)
    // It cannot be signed any more: what was signed goes on, and it is told.
    #expect(signed(at: Self.ends.advanced(by: .milliseconds(1))) == first)
    #expect(forms.problems.map(\.host) == ["a.example"])
    #expect(forms.problems.map(\.servesPlain) == [false])
    let other = signed(Self.plain + [0x20])
    #expect(other != first && other != Self.plain + [0x20])
    #expect(forms.problems.isEmpty)
  }

  @Test func whatCannotBeSignedIsServedPlainAndTold() {
    let forms = Self.forms([Self.signer("a.example", key: "other"), Self.signer("d.example")])
    #expect(forms.sites([Self.site("a.example")], at: Self.now)[0].associationFile == Self.plain)
    #expect(forms.problems.map(\.host) == ["a.example"])
    #expect(forms.problems.map(\.servesPlain) == [true])
    #expect(forms.ends.isEmpty)
    #expect(forms.warnings(at: Self.now) == ["'signed' names 'd.example', but that host is not served"])
  }

  @Test func aHostThatIsNoMoreToBeSignedIsForgotten() {
    let forms = Self.forms([Self.signer("a.example"), Self.signer("b.example")])
    _ = forms.sites([Self.site("a.example"), Self.site("b.example")], at: Self.now)
    forms.signers = [Self.signer("b.example")]
    #expect(forms.ends.map(\.host) == ["b.example"])
  }
}
