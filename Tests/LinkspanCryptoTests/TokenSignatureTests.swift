import Foundation
import LinkspanCore
import LinkspanCrypto
import Testing

/// ES256 over keys as Apple and openssl write them (push notes, 1.2; RFC 7518, 3.4).
@Suite struct TokenSignatureTests {
  /// One key in its forms, made by openssl for these tests.
  static let pkcs8 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0qj5lmOzFPBQi42J
    KbMdFdNFne7ujAqlO2Tu0XS3Si6hRANCAAQJM3cVMH3HlwOC3P0d6cPgSrv4/nSq
    i5zhAw1JFxSEfqcaYzVflIqCpZQMdjz1giGcl0LPBT8HSHuk2KE3EYob
    -----END PRIVATE KEY-----
    """
  static let sec1 = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEINKo+ZZjsxTwUIuNiSmzHRXTRZ3u7owKpTtk7tF0t0ouoAoGCCqGSM49
    AwEHoUQDQgAECTN3FTB9x5cDgtz9HenD4Eq7+P50qouc4QMNSRcUhH6nGmM1X5SK
    gqWUDHY89YIhnJdCzwU/B0h7pNihNxGKGw==
    -----END EC PRIVATE KEY-----
    """
  static let publicPEM = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECTN3FTB9x5cDgtz9HenD4Eq7+P50
    qouc4QMNSRcUhH6nGmM1X5SKgqWUDHY89YIhnJdCzwU/B0h7pNihNxGKGw==
    -----END PUBLIC KEY-----
    """
  static let onAnotherCurve = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDx759bZ/HFHfmrWpVK
    np8e6x6Y67G5BetqqFKjDaoSmV/Q9/k+FPLHv7KVjUEUDP+hZANiAAS9xn+SogkO
    +uSmSlQnXpxfVldv7J8QLHXvG2N1Das2SJ0UQqsI+e35ptW3kVvu6Z5LQn9fSe+X
    DWgZrWQCmpEB1DfrN/ns0EikZ07zQ1xU4pjerKyV/elpGeGbP52X2x0=
    -----END PRIVATE KEY-----
    """

  let message = Array("header.claims".utf8)

  static func content(ofPEM text: String) -> [UInt8] {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-") }
    return [UInt8](Data(base64Encoded: lines.joined())!)
  }

  static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.utf8.map { ASCII.hexValue($0)! }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  static let forms: [(name: String, bytes: [UInt8])] = [
    ("PKCS #8, PEM", Array(pkcs8.utf8)),
    ("PKCS #8, PEM, CRLF", Array(pkcs8.utf8).flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }),
    ("PKCS #8, DER", content(ofPEM: pkcs8)), ("SEC 1, PEM", Array(sec1.utf8)),
    ("SEC 1, DER", content(ofPEM: sec1)),
  ]

  @Test(arguments: forms)
  func readsAKeyInEachForm(name: String, bytes: [UInt8]) throws {
    let signature = try P256PrivateKey(bytes).signature(over: message)
    #expect(signature.count == 64)
    #expect(try P256PublicKey(Array(Self.publicPEM.utf8)).verifies(signature, over: message))
    #expect(try P256PublicKey(Self.content(ofPEM: Self.publicPEM)).verifies(signature, over: message))
  }

  @Test func theOtherHalfIsTheOneOfTheFile() throws {
    let key = try P256PrivateKey(Array(Self.pkcs8.utf8))
    #expect(key.publicKey.der == Self.content(ofPEM: Self.publicPEM))
  }

  /// In one signature of 128 r or s begins with a zero byte, and keeps its 32 bytes.
  @Test func everySignatureHasSixtyFourBytesAndVerifies() throws {
    let key = try P256PrivateKey.generate()
    for round in 0..<400 {
      let message = Array("\(round)".utf8)
      let signature = try key.signature(over: message)
      #expect(signature.count == 64 && key.publicKey.verifies(signature, over: message))
    }
  }

  /// RFC 7515, A.3.
  @Test func verifiesTheSignatureOfTheStandard() throws {
    let key = try P256PublicKey(
      Self.bytes(
        "3059301306072a8648ce3d020106082a8648ce3d03010703420004"
          + "7fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445"
          + "c7f144cd1bbd9b7e872cdfedb9eeb9f4b3695d6ea90b24ad8a4623288588e5ad"))
    let input = Array(
      ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl"
        + "LmNvbS9pc19yb290Ijp0cnVlfQ").utf8)
    var signature = Self.bytes(
      "0ed1215379636c483c2f7f155807d402a3b228033af97c7e17819ac3169ea665"
        + "c50a07d38c3c70e5d8f12daf084a5480a66590c5f293509a8f3f7f8a83a354d5")
    #expect(key.verifies(signature, over: input))
    #expect(!key.verifies(signature, over: input + [0x20]))
    #expect(!key.verifies(Array(signature.dropLast()), over: input))
    #expect(!key.verifies(signature + [0], over: input))
    signature[63] ^= 1
    #expect(!key.verifies(signature, over: input))
    #expect(!key.verifies([UInt8](repeating: 0, count: 64), over: input))
  }

  @Test func anotherKeyDoesNotVerify() throws {
    let signature = try P256PrivateKey.generate().signature(over: message)
    #expect(try !P256PublicKey(Array(Self.publicPEM.utf8)).verifies(signature, over: message))
  }

  @Test func refusesAKeyOfAnotherCurve() {
    #expect(throws: IdentityError.unsupportedKey("EC/ECDSA 384")) {
      try P256PrivateKey(Array(Self.onAnotherCurve.utf8))
    }
  }

  @Test(arguments: ["", "0", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
  func refusesWhatIsNoKey(_ text: String) {
    #expect(throws: IdentityError.noKey) { try P256PrivateKey(Array(text.utf8)) }
    #expect(throws: IdentityError.noKey) { try P256PublicKey(Array(text.utf8)) }
  }
}
