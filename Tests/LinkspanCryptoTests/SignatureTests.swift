import AppSiteAssociation
import LinkspanCore
import LinkspanCrypto
import Testing

/// Signed files (G1s, G5s).
@Suite struct SignatureTests {
  let signer: Signer
  let signed: [UInt8]

  init() throws {
    signer = try Signer()
    signed = try signer.identity.sign(Signer.content)
  }

  @Test func whatWasSignedVerifies() {
    let report = signer.report(signed)
    #expect(report.isGood && report.content == Signer.content && report.hasSignedAttributes == false)
    #expect(report.signer?.subject == "CN=linkspan throw-away" && report.digest == "SHA-256")
  }

  @Test func theCheckerReadsTheSameContent() {
    let content = AssociationContent(signed)
    #expect(content.format == .signed && content.json == Signer.content)
  }

  @Test(arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536, 200_000])
  func contentOfAnyLengthComesBack(count: Int) throws {
    let content = [UInt8](repeating: 0x20, count: count)
    let report = signer.report(try signer.identity.sign(content))
    #expect(report.isGood && report.content == content)
  }

  @Test func aFlippedBitInTheContentIsRefused() throws {
    let start = try #require(signed.firstRange(of: Signer.content)).lowerBound
    for place in start..<(start + Signer.content.count) {
      #expect(signer.problems(flipped(place)) == ["signature-mismatch"])
    }
  }

  @Test func aFlippedBitInTheSignatureIsRefused() {
    #expect(signer.problems(flipped(signed.count - 1)) == ["signature-mismatch"])
  }

  @Test func noFlippedBitIsBelieved() {
    for place in signed.indices {
      for bit in 0..<8 {
        #expect(!signer.report(flipped(place, 1 << bit)).isGood, "bit \(bit) of byte \(place)")
      }
    }
  }

  @Test func aFileCutAnywhereIsRefused() {
    for count in 0..<signed.count {
      #expect(!signer.report(Array(signed[..<count])).isGood, "after \(count) bytes")
    }
    #expect(signer.problems(Array(signed.dropLast())) == ["broken"])
  }

  @Test func bytesBehindTheEndAreRefused() {
    #expect(signer.problems(signed + [0x0A]) == ["trailing-bytes"])
  }

  static let others: [(text: String, problem: String)] = [
    ("", "not-signed-data"), ("{}", "not-signed-data"), ("0", "not-signed-data"),
    ("-----BEGIN PKCS7-----\nMIIB\n", "text-form"), ("-----BEGIN CMS-----\n", "text-form"),
    ("MIME-Version: 1.0\n", "text-form"), ("-----BEGIN CERTIFICATE-----\nMIIB\n", "not-signed-data"),
    ("-----BEGIN PRIVATE KEY-----\nMIIB\n", "not-signed-data"),
  ]

  @Test(arguments: others)
  func whatIsNoDERIsNamed(text: String, problem: String) {
    #expect(signer.problems(Array(text.utf8)) == [problem])
  }

  @Test func aFileBeyondTheSizeLimitIsNotRead() {
    #expect(signer.problems([UInt8](repeating: 0x30, count: 4 << 20 | 1)) == ["too-large"])
    #expect(signer.problems([UInt8](repeating: 0x30, count: 4 << 20)) != ["too-large"])
  }

  static let moments: [(moment: String, problems: [String])] = [
    ("2025-12-31T23:59:59Z", ["not-yet-valid"]), ("2026-01-01T00:00:00Z", []), ("2027-01-01T00:00:00Z", []),
    ("2027-01-01T00:00:01Z", ["expired"]),
  ]

  @Test(arguments: moments)
  func theCertificateHasToBeGoodAtTheMoment(moment: String, problems: [String]) throws {
    #expect(signer.problems(signed, at: try #require(WallTime(moment))) == problems)
  }

  @Test func anUnknownAuthorityIsRefused() throws {
    let other = try Signer()
    #expect(other.problems(signed) == ["unknown-authority"])
  }

  @Test func everyProblemSaysWhatItIs() {
    for problem in signer.report(flipped(signed.count - 1)).problems {
      #expect(problem.message.hasSuffix("."))
    }
  }

  @Test func theCertificateHasToBeForOneOfThePurposes() {
    func problems(_ purposes: [Certificate.Purpose]?) -> [String] {
      SignatureReport(signed, trusting: signer.authorities, at: Signer.during, purposes: purposes).problems
        .map(\.name)
    }
    #expect(problems([.server]).isEmpty && problems([.code, .server]).isEmpty && problems(nil).isEmpty)
    #expect(problems([.code]) == ["wrong-purpose"])
  }

  private func flipped(_ place: Int, _ bits: UInt8 = 1) -> [UInt8] {
    var bytes = signed
    bytes[place] ^= bits
    return bytes
  }
}
