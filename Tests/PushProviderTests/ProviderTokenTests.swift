import Foundation
import LinkspanCore
import LinkspanCrypto
import PushProvider
import Testing

/// Provider tokens (push notes 3.1, test rows 44 to 53).
@Suite struct ProviderTokenTests {
  /// Made by openssl for these tests.
  static let pkcs8 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0qj5lmOzFPBQi42J
    KbMdFdNFne7ujAqlO2Tu0XS3Si6hRANCAAQJM3cVMH3HlwOC3P0d6cPgSrv4/nSq
    i5zhAw1JFxSEfqcaYzVflIqCpZQMdjz1giGcl0LPBT8HSHuk2KE3EYob
    -----END PRIVATE KEY-----
    """
  static let publicPEM = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECTN3FTB9x5cDgtz9HenD4Eq7+P50
    qouc4QMNSRcUhH6nGmM1X5SKgqWUDHY89YIhnJdCzwU/B0h7pNihNxGKGw==
    -----END PUBLIC KEY-----
    """
  static let now = WallTime(milliseconds: 1_800_000_000_000)

  let key: P256PrivateKey
  let identity: ProviderKeyIdentity

  init() throws {
    key = try P256PrivateKey(Array(Self.pkcs8.utf8))
    identity = try ProviderKeyIdentity(team: "F6G7H8I9J0", key: "A1B2C3D4E5")
  }

  private func after(_ seconds: Int) -> WallTime { Self.now.advanced(by: .seconds(seconds)) }

  private func base64URL(_ text: String) -> String { base64URL(Data(text.utf8)) }

  private func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// A token by another encoder than the one under test.
  private func token(
    header: String = #"{"alg":"ES256","kid":"A1B2C3D4E5"}"#, issued: String, by key: P256PrivateKey
  ) throws -> String {
    let signed = base64URL(header) + "." + base64URL(#"{"iss":"F6G7H8I9J0","iat":\#(issued)}"#)
    return signed + "." + base64URL(Data(try key.signature(over: Array(signed.utf8))))
  }

  @Test func saysWhoSignsAndWhen() throws {
    let token = try ProviderToken(for: identity, signedBy: key, at: Self.now.advanced(by: .milliseconds(999)))
    #expect(token.issuedAt == Self.now)
    let parts = token.text.split(separator: ".")
    #expect(parts.count == 3)
    #expect(String(parts[0]) == base64URL(#"{"alg":"ES256","kid":"A1B2C3D4E5"}"#))
    #expect(String(parts[1]) == base64URL(#"{"iss":"F6G7H8I9J0","iat":1800000000}"#))
    let read = try #require(ReceivedProviderToken(token.text))
    #expect(read.verdict(by: key.publicKey, at: Self.now) == .valid)
    #expect(read.key == "A1B2C3D4E5" && read.team == "F6G7H8I9J0" && read.issuedAt == Self.now)
  }

  @Test(arguments: [("short", "A1B2C3D4E5"), ("F6G7H8I9J0", "A1B2C3D4E"), ("F6G7H8I9J0", "A1B2C3D4E-")])
  func identifiersHaveTenLettersAndDigits(team: String, key: String) {
    #expect(throws: ProviderTokenError.self) { try ProviderKeyIdentity(team: team, key: key) }
  }

  /// Rows 46 to 51: verdicts by age, and by who signed what.
  @Test func aVerifierJudgesByItsClock() throws {
    let seconds = 1_800_000_000
    func verdict(
      _ issued: String, header: String = #"{"alg":"ES256","kid":"A1B2C3D4E5"}"#
    ) throws -> ReceivedProviderToken.Verdict? {
      ReceivedProviderToken(try token(header: header, issued: issued, by: key))?
        .verdict(by: key.publicKey, at: Self.now)
    }
    #expect(try verdict("\(seconds - 3_601)") == .expired)  // row 48
    #expect(try verdict("\(seconds - 3_599)") == .valid)  // row 49
    #expect(try verdict("\"\(seconds - 60)\"") == .valid)  // row 50, a string
    #expect(try verdict("\(seconds - 60)000") == .valid)  // row 50, milliseconds
    #expect(try verdict("\"\(seconds - 60)000\"") == .valid)
    #expect(try verdict("\(seconds + 600)") == .future)  // row 51
    // The last second of an age and of a skew, and the largest number that is one of seconds.
    #expect(try verdict("\(seconds - 3_600)") == .valid && verdict("\(seconds + 300)") == .valid)
    #expect(try verdict("\(seconds + 301)") == .future)
    #expect(try verdict("100000000000") == .future && verdict("100000000001") == .expired)
    #expect(try verdict("253402300799999") == .future && verdict("253402300800000") == nil)
    #expect(try verdict("-1") == nil)
    #expect(try verdict("9223372036854775807") == nil)
    // Row 47.
    #expect(try verdict("\(seconds)", header: #"{"alg":"HS256","kid":"A1B2C3D4E5"}"#) == .invalidSignature)
    let other = try token(issued: "\(seconds)", by: .generate())
    let read = try #require(ReceivedProviderToken(other))
    #expect(read.verdict(by: key.publicKey, at: Self.now) == .invalidSignature)  // row 46
    // Push notes, 3.1: a signature is needed, and nobody looked at it.
    #expect(read.verdict(by: nil, at: Self.now) == .unverified)
  }

  @Test(arguments: [
    "", "a.b", "..", "e30.e30.", "e30=.e30.AA", "a.b.c.d", String(repeating: "a", count: 5_000),
  ])
  func otherTextsAreNoTokens(text: String) { #expect(ReceivedProviderToken(text) == nil) }

  /// One token until its safe age: between 38 and 42 minutes, counted from its signing.
  @Test(arguments: 0..<50 as Range<UInt64>) func signsAnewAtTheSafeAge(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var signer = ProviderTokenSigner(identity, key: key)
    let first = try signer.token(at: Self.now, using: &generator)
    #expect(try signer.token(at: after(38 * 60 - 1), using: &generator) == first)
    let second = try signer.token(at: after(42 * 60), using: &generator)
    #expect(second.issuedAt == after(42 * 60))
    #expect(try signer.token(at: after(80 * 60 - 1), using: &generator) == second)
  }

  /// Rows 52 and 53: a refused token is replaced when it is at least 20 minutes old; a younger one means clock skew.
  @Test func aYoungTokenIsNeverReplaced() throws {
    var generator = SeededGenerator(seed: 1)
    var signer = ProviderTokenSigner(identity, key: key)
    let first = try signer.token(at: Self.now, using: &generator)
    #expect(signer.expired(first.issuedAt, at: after(19 * 60)) == .clockSkew(age: .seconds(19 * 60)))
    #expect(try signer.token(at: after(19 * 60), using: &generator) == first)
    #expect(signer.expired(first.issuedAt, at: after(21 * 60)) == .renewed)
    let second = try signer.token(at: after(21 * 60), using: &generator)
    #expect(second.issuedAt == after(21 * 60))
    // A second push that was refused with the first token gets the new one.
    #expect(signer.expired(first.issuedAt, at: after(21 * 60)) == .renewed)
    #expect(try signer.token(at: after(21 * 60), using: &generator) == second)
  }

  @Test func aClockThatIsSetBackByMuchNeedsANewToken() throws {
    var generator = SeededGenerator(seed: 1)
    var signer = ProviderTokenSigner(identity, key: key)
    let first = try signer.token(at: Self.now, using: &generator)
    #expect(try signer.token(at: after(-19 * 60), using: &generator) == first)
    #expect(try signer.token(at: after(-21 * 60), using: &generator).issuedAt == after(-21 * 60))
  }

  // MARK: - An independent verifier

  /// Debian's python3, if it has PyJWT and what that verifies ES256 with.
  static let python: URL? = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", "import jwt, cryptography"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? process.executableURL : nil
  }()
  static let noPython = "/usr/bin/python3 has no PyJWT; 'Scripts/setup test' installs it"

  @Test(.enabled(if: python != nil, Comment(rawValue: noPython)))
  func pyJWTVerifiesTheToken() throws {
    let token = try ProviderToken(for: identity, signedBy: key, at: Self.now)
    let script = """
      import jwt, sys
      claims = jwt.decode(sys.argv[1], sys.argv[2], algorithms=["ES256"], options={"verify_iat": False})
      print(jwt.get_unverified_header(sys.argv[1])["kid"], claims["iss"], claims["iat"])
      """
    let process = Process()
    process.executableURL = Self.python
    process.arguments = ["-c", script, token.text, Self.publicPEM]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try #require(try pipe.fileHandleForReading.readToEnd())
    process.waitUntilExit()
    #expect(String(decoding: output, as: UTF8.self) == "A1B2C3D4E5 F6G7H8I9J0 1800000000\n")
  }
}
