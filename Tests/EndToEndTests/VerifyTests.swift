import Foundation
import Testing

/// `linkspan verify`, with openssl as the peer that signs (G1s, G5s).
@Suite(.enabled(if: SigningAuthority.path != nil, Comment(rawValue: SigningAuthority.absence)))
struct VerifyTests {
  static let forms = [
    "-noattr", "-noattr -binary", "-noattr -stream", "-binary", "-stream", "-indef -binary",
    "-md sha384 -noattr", "-md sha512",
  ]

  @Test(arguments: forms, ["rsa", "p256", "p384"])
  func whatOpensslSignedIsGood(form: String, key: String) throws {
    let tool = try SigningAuthority.tool()
    try sign(tool, form, key)
    let outcome = try tool.run("verify", "signed", "--ca", "root.pem", "--output", "content")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(try tool.bytes("content") == tool.bytes("file"))
  }

  @Test func aSignerNamedByKeyIsFound() throws {
    let tool = try SigningAuthority.tool()
    try tool.openssl(
      "cms -sign -keyid -nodetach -outform DER -in file -signer rsa.pem -inkey rsa.key -certfile between.pem "
        + "-out signed")
    #expect(try tool.problems("signed").isEmpty)
  }

  @Test func aPaddingThatIsNotKnownIsRefusedByName() throws {
    let tool = try SigningAuthority.tool()
    try tool.openssl(
      "cms -sign -nodetach -outform DER -in file -signer rsa.pem -inkey rsa.key -keyopt rsa_padding_mode:pss "
        + "-out signed")
    #expect(try tool.problems("signed") == ["unsupported-algorithm"])
  }

  static let refusals: [(form: String, key: String, problems: [String])] = [
    ("-md sha1", "rsa", ["weak-digest"]),
    ("-nocerts", "rsa", ["signer-certificate-missing"]),
    ("", "client", ["wrong-purpose"]),
    ("", "weak", ["weak-certificate"]),
    ("", "past", ["expired"]),
    ("-signer p256.pem -inkey p256.key", "rsa", ["several-signers"]),
  ]

  @Test(arguments: refusals)
  func aSignatureThatIsNotGoodIsRefusedByName(form: String, key: String, problems: [String]) throws {
    let tool = try SigningAuthority.tool()
    try sign(tool, "-binary \(form)", key)
    #expect(try tool.problems("signed") == problems)
  }

  @Test func aDetachedSignatureIsRefusedByName() throws {
    let tool = try SigningAuthority.tool()
    try tool.openssl("smime -sign -outform DER -in file -signer rsa.pem -inkey rsa.key -out signed")
    #expect(try tool.problems("signed") == ["detached"])
  }

  @Test(arguments: [("PEM", "text-form"), ("SMIME", "text-form")])
  func aSignatureAsTextIsRefusedByName(form: String, problem: String) throws {
    let tool = try SigningAuthority.tool()
    try tool.openssl(
      "smime -sign -nodetach -outform \(form) -in file -signer rsa.pem -inkey rsa.key -out signed")
    #expect(try tool.problems("signed") == [problem])
    // The way out that the help names.
    try tool.openssl("cms -cmsout -inform \(form) -in signed -outform DER -out mended")
    #expect(try tool.problems("mended", "--ca", "between.pem") == [])
  }

  static let flips: [(form: String, problem: String)] = [
    ("-noattr", "signature-mismatch"), ("", "content-changed"),
  ]

  @Test(arguments: flips)
  func aFlippedByteInTheContentIsRefusedByName(form: String, problem: String) throws {
    let tool = try SigningAuthority.tool()
    try sign(tool, "-binary \(form)", "rsa")
    var bytes = try tool.bytes("signed")
    let place = try #require(bytes.firstRange(of: Array("applinks".utf8))).lowerBound
    bytes[place] ^= 1
    try tool.put(bytes, to: "signed")
    #expect(try tool.problems("signed") == [problem])
    let outcome = try tool.run("verify", "signed", "--ca", "root.pem", "--output", "content")
    #expect(outcome.status == 1)
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "content").path))
  }

  @Test(arguments: ["-noattr", ""], ["rsa", "p256"])
  func aFlippedByteInTheSignatureIsRefusedByName(form: String, key: String) throws {
    let tool = try SigningAuthority.tool()
    try sign(tool, "-binary \(form)", key)
    var bytes = try tool.bytes("signed")
    bytes[bytes.count - 1] ^= 1
    try tool.put(bytes, to: "signed")
    #expect(try tool.problems("signed") == ["signature-mismatch"])
  }

  @Test func theTimeIsWhatAtSays() throws {
    let tool = try SigningAuthority.tool()
    try sign(tool, "-noattr", "rsa")
    #expect(
      try tool.problems("signed", "--ca", "root.pem", "--at", "2099-01-01T00:00:00Z")
        == ["expired", "expired", "expired"])
    #expect(
      try tool.problems("signed", "--ca", "root.pem", "--at", "2001-01-01T00:00:00Z")
        == ["not-yet-valid", "not-yet-valid", "not-yet-valid"])
  }

  @Test func anotherAuthorityIsRefusedByName() throws {
    let tool = try SigningAuthority.tool()
    try sign(tool, "-noattr", "rsa")
    #expect(try tool.problems("signed", "--ca", "other.pem") == ["unknown-authority"])
  }

  @Test func aCertificateBesideTheChainIsNoProblemUntilItIsChanged() throws {
    let tool = try SigningAuthority.tool()
    try tool.write(tool.text("between.pem") + tool.text("other.pem"), to: "more.pem")
    try tool.openssl("x509 -in other.pem -outform DER -out other.der")
    try tool.openssl(
      "smime -sign -nodetach -outform DER -in file -signer rsa.pem -inkey rsa.key -certfile more.pem "
        + "-out signed")
    #expect(try tool.problems("signed") == [])
    var signed = try tool.bytes("signed")
    let other = try #require(signed.firstRange(of: tool.bytes("other.der")))
    signed[other.upperBound - 1] ^= 1
    try tool.put(signed, to: "signed")
    #expect(try tool.problems("signed") == ["stray-certificate"])
  }

  @Test func aChainLeftOutIsRefusedByName() throws {
    let tool = try SigningAuthority.tool()
    try tool.openssl("smime -sign -nodetach -outform DER -in file -signer rsa.pem -inkey rsa.key -out signed")
    #expect(try tool.problems("signed") == ["incomplete-chain"])
  }

  @Test func lineEndsThatOpensslChangedAreNoted() throws {
    let tool = try SigningAuthority.tool()
    try tool.write("{\n}\n", to: "file")
    try sign(tool, "-noattr", "rsa")
    let outcome = try tool.run("verify", "signed", "--ca", "root.pem")
    #expect(outcome.status == 0 && outcome.output.contains("the content has CRLF line ends"))
  }

  static let unreadable: [[String]] = [
    ["nothing"], ["file", "--ca", "nothing"], ["file", "--ca", "file"], ["file", "--at", "yesterday"], [],
  ]

  @Test(arguments: unreadable)
  func whatCannotBeReadIsNoAnswer(words: [String]) throws {
    #expect(try SigningAuthority.tool().run(["verify"] + words).status == 2)
  }

  @Test func theCheckerReadsWhatWasSigned() throws {
    let tool = try SigningAuthority.tool()
    try sign(tool, "-stream", "p256")
    let outcome = try tool.run("check", "signed")
    #expect(outcome.status == 0 && outcome.output.contains("warning[aasa.signed]"))
  }

  private func sign(_ tool: Tool, _ form: String, _ name: String) throws {
    let key = ["p256", "p384"].contains(name) ? name : "rsa"
    try tool.openssl(
      "smime -sign -nodetach \(form) -outform DER -in file -signer \(name).pem -inkey \(key).key "
        + "-certfile between.pem -out signed")
  }
}
