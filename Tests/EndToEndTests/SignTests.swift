import Foundation
import Testing

/// `linkspan sign`, with openssl as the peer that reads what it makes (G1s).
@Suite(.enabled(if: SigningAuthority.path != nil, Comment(rawValue: SigningAuthority.absence)))
struct SignTests {
  private static let secret = ["SECRET": SigningAuthority.passphrase]

  @Test(arguments: ["rsa-new", "rsa-old", "p256-new", "p256-old", "p384-new", "p384-old"])
  func opensslAcceptsWhatAPKCS12FileSigned(bundle: String) throws {
    let tool = try SigningAuthority.tool()
    let outcome = try tool.run(
      ["sign", "file", "--p12", "\(bundle).p12", "--passphrase-env", "SECRET", "-o", "signed"],
      environment: Self.secret)
    #expect(outcome.status == 0, "\(outcome.errors)")
    try tool.openssl("smime -verify -inform DER -in signed -CAfile root.pem -out content")
    #expect(try tool.bytes("content") == tool.bytes("file"))
  }

  @Test func opensslAcceptsAServersCertificateAsAServers() throws {
    let tool = try SigningAuthority.tool()
    #expect(try sign(tool, "server", key: "rsa.key").status == 0)
    try tool.openssl("smime -verify -purpose sslserver -inform DER -in signed -CAfile root.pem -out content")
    #expect(try tool.bytes("content") == tool.bytes("file"))
  }

  @Test func withAnRSAKeyTheBytesAreThoseOfOpenssl() throws {
    let tool = try SigningAuthority.tool()
    #expect(try sign(tool, "rsa", key: "rsa.key").status == 0)
    try tool.openssl(
      "smime -sign -binary -nodetach -noattr -outform DER -in file -signer rsa.pem -inkey rsa.key "
        + "-certfile between.pem -out peer")
    #expect(try tool.bytes("signed") == tool.bytes("peer"))
  }

  @Test(arguments: ["pkcs8 -topk8 -in rsa.key -out", "rsa -aes128 -traditional -in rsa.key -out"])
  func encryptedKeysOfEitherFormAreRead(command: String) throws {
    let tool = try SigningAuthority.tool()
    try tool.openssl("\(command) encrypted.key -passout pass:\(SigningAuthority.passphrase)")
    try tool.write("\(SigningAuthority.passphrase)\n", to: "secret")
    try mode(0o600, of: "secret", tool)
    let outcome = try sign(tool, "rsa", key: "encrypted.key", "--passphrase-file", "secret")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try tool.problems("signed").isEmpty)
  }

  /// As of a file with a credential: the mark that some editors write is no part of the text.
  @Test func aPassphraseMayStandBehindAByteOrderMark() throws {
    let tool = try SigningAuthority.tool()
    try tool.openssl(
      "pkcs8 -topk8 -in rsa.key -out encrypted.key -passout pass:\(SigningAuthority.passphrase)")
    try tool.write("\u{FEFF}\(SigningAuthority.passphrase)\r\n", to: "secret")
    try mode(0o600, of: "secret", tool)
    let outcome = try sign(tool, "rsa", key: "encrypted.key", "--passphrase-file", "secret")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func aPassphraseThatEveryoneMayReadIsWarnedOf() throws {
    let tool = try SigningAuthority.tool()
    try tool.openssl(
      "pkcs8 -topk8 -in rsa.key -out encrypted.key -passout pass:\(SigningAuthority.passphrase)")
    try tool.write(SigningAuthority.passphrase, to: "open")
    try mode(0o644, of: "open", tool)
    let outcome = try sign(tool, "rsa", key: "encrypted.key", "--passphrase-file", "open")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.contains("warning: every user of this machine can read 'open'"), "\(outcome.errors)")
    try mode(0o600, of: "open", tool)
    #expect(
      try !sign(tool, "rsa", key: "encrypted.key", "--passphrase-file", "open").errors.contains("every user"))
  }

  @Test func aKeyThatEveryoneMayReadIsWarnedOf() throws {
    let tool = try SigningAuthority.tool()
    for (bits, isOpen) in [(0o644, true), (0o666, true), (0o600, false), (0o640, false)] {
      try mode(bits, of: "rsa.key", tool)
      let outcome = try sign(tool, "rsa", key: "rsa.key")
      #expect(outcome.status == 0)
      let warning = "warning: every user of this machine can read 'rsa.key'"
      #expect(outcome.errors.contains(warning) == isOpen, "\(outcome.errors)")
    }
  }

  static let refusals: [(words: [String], reason: String)] = [
    (["--p12", "rsa-new.p12", "--passphrase-env", "WRONG"], "the passphrase is wrong"),
    (["--p12", "rsa-old.p12", "--passphrase-env", "WRONG"], "the passphrase is wrong"),
    (
      ["--p12", "no-key.p12", "--passphrase-env", "SECRET"], "it contains no readable private key"
    ),
    (["--p12", "rsa.pem"], "it is not a PKCS#12 file"),
    (["--cert", "rsa.pem", "--key", "p256.key"], "the private key does not belong to the certificate"),
    (["--cert", "rsa.key", "--key", "rsa.key"], "it contains no readable certificate"),
    (["--cert", "rsa.pem", "--key", "rsa.pem"], "it contains no readable private key"),
    (
      ["--cert", "rsa.pem", "--key", "rsa.key", "--chain", "rsa.key"],
      "the chain is empty or contains an unreadable certificate"
    ),
    (["--cert", "ed.pem", "--key", "ed.key"], "EdDSA (Ed25519) keys are not supported"),
    (
      ["--p12", "rsa-new.p12", "--passphrase-env", "NOBODY"],
      "--passphrase-env names 'NOBODY', which is not set"
    ),
    (["--p12", "rsa-new.p12", "--passphrase-file", "long"], "more than 1024 bytes"),
    (["--p12", "rsa-new.p12", "--cert", "rsa.pem"], "'--p12' already has certificate and key"),
    (["--cert", "rsa.pem"], "a signer is missing"),
  ]

  @Test(arguments: refusals)
  func aSignerThatCannotSignIsNamed(words: [String], reason: String) throws {
    let tool = try SigningAuthority.tool()
    try tool.openssl(
      "pkcs12 -export -in rsa.pem -nokeys -passout pass:\(SigningAuthority.passphrase) -out no-key.p12")
    try tool.openssl("req -x509 -newkey ed25519 -nodes -keyout ed.key -out ed.pem -subj /CN=ed -days 9")
    try tool.write(String(repeating: "x", count: 1_025), to: "long")
    try mode(0o600, of: "long", tool)
    let outcome = try tool.run(
      ["sign", "file", "-o", "signed"] + words,
      environment: Self.secret.merging(["WRONG": SigningAuthority.passphrase + "!"]) { $1 })
    #expect(outcome.status == 2 && outcome.errors.contains(reason), "\(outcome.errors)")
    #expect(!outcome.errors.contains(SigningAuthority.passphrase))
    #expect(!exists("signed", tool))
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/certtool"),
      "certtool is not on this machine (Debian: package gnutls-bin)"))
  func ofTwoKeysNobodyKnowsWhichIsMeant() throws {
    let tool = try SigningAuthority.tool()
    for kind in ["key", "pem"] {
      try tool.put(tool.bytes("rsa.\(kind)") + tool.bytes("p256.\(kind)"), to: "two.\(kind)")
    }
    let peer = Process()
    peer.executableURL = URL(filePath: "/usr/bin/certtool")
    let files = "--load-privkey two.key --load-certificate two.pem --outder --outfile two.p12"
    let words = "--to-p12 --p12-name x --password \(SigningAuthority.passphrase) \(files)"
    peer.arguments = words.split(separator: " ").map(String.init)
    peer.currentDirectoryURL = tool.folder
    (peer.standardOutput, peer.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try peer.run()
    peer.waitUntilExit()
    let outcome = try tool.run(
      ["sign", "file", "--p12", "two.p12", "--passphrase-env", "SECRET", "-o", "signed"],
      environment: Self.secret)
    #expect(outcome.status == 2 && outcome.errors.contains("there are 2 private keys in it"))
  }

  @Test func thePassphraseIsInNoOutput() throws {
    let tool = try SigningAuthority.tool()
    for flags in [[], ["--json"]] {
      let outcome = try tool.run(
        ["sign", "file", "--p12", "rsa-new.p12", "--passphrase-env", "SECRET", "-o", "signed"] + flags,
        environment: Self.secret)
      #expect(outcome.status == 0)
      #expect(!(outcome.output + outcome.errors).contains(SigningAuthority.passphrase))
    }
  }

  @Test func aFileWithErrorsIsSignedOnlyWhenToldTo() throws {
    let tool = try SigningAuthority.tool()
    try tool.write(#"{"applinks":{"details":{}},}"#, to: "file")
    let refused = try sign(tool, "rsa", key: "rsa.key", "--json")
    #expect(refused.status == 1 && !exists("signed", tool))
    #expect((try refused.json()["refused"] as? String)?.hasPrefix("the file has errors") == true)
    #expect(try sign(tool, "rsa", key: "rsa.key", "--accept-errors").status == 0)
    #expect(try tool.problems("signed").isEmpty)
  }

  static let warnings: [(name: String, host: String, warning: String)] = [
    ("short", "example.com", "the certificate expires at "),
    ("client", "example.com", "the certificate is not one for TLS servers"),
    ("rsa", "www.example.com", "the certificate does not name 'www.example.com'"),
    ("rsa", "bücher.example", "the certificate does not name 'xn--bcher-kva.example'"),
  ]

  @Test(arguments: warnings)
  func whatDevicesMayRefuseIsAWarning(name: String, host: String, warning: String) throws {
    let tool = try SigningAuthority.tool()
    let outcome = try sign(tool, name, key: "rsa.key", "--host", host)
    #expect(outcome.status == 0 && outcome.errors.hasPrefix("warning: \(warning)"), "\(outcome.errors)")
  }

  @Test func theHostInTheFilesPathHasToBeNamedToo() throws {
    let tool = try SigningAuthority.tool()
    let file = try tool.write(SigningAuthority.file, to: "example.org/apple-app-site-association")
    let outcome = try tool.run(
      "sign", file, "--cert", "rsa.pem", "--key", "rsa.key", "--chain", "between.pem", "-o", "signed")
    #expect(outcome.errors == "warning: the certificate does not name 'example.org'\n")
  }

  @Test func aChainLeftOutIsAWarning() throws {
    let tool = try SigningAuthority.tool()
    let outcome = try tool.run("sign", "file", "--cert", "rsa.pem", "--key", "rsa.key", "-o", "signed")
    #expect(outcome.status == 0 && outcome.errors.contains("the certificate's issuer is missing"))
  }

  @Test func nobodySignsWithAnExpiredCertificate() throws {
    let tool = try SigningAuthority.tool()
    let outcome = try sign(tool, "past", key: "rsa.key")
    #expect(outcome.status == 1 && outcome.errors.contains("expired at"), "\(outcome.errors)")
    #expect(!exists("signed", tool))
  }

  @Test func theFileToBeSignedIsNeverOverwritten() throws {
    let tool = try SigningAuthority.tool()
    let outcome = try tool.run("sign", "file", "--cert", "rsa.pem", "--key", "rsa.key", "-o", "./file")
    #expect(outcome.status == 2 && outcome.errors.contains("is the input file, which is never overwritten"))
    #expect(try tool.bytes("file") == Array(SigningAuthority.file.utf8))
  }

  @Test func aSignedFileIsNotSignedAgain() throws {
    let tool = try SigningAuthority.tool()
    #expect(try sign(tool, "rsa", key: "rsa.key").status == 0)
    let again = try tool.run("sign", "signed", "--cert", "rsa.pem", "--key", "rsa.key", "-o", "twice")
    #expect(again.status == 2 && again.errors.contains("'signed' is signed already"))
  }

  @Test func theOutputIsForEveryoneToReadAndNothingIsLeftBesideIt() throws {
    let tool = try SigningAuthority.tool()
    #expect(try sign(tool, "rsa", key: "rsa.key").status == 0)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: tool.folder.appending(path: "signed").path)
    #expect(attributes[.posixPermissions] as? Int == 0o644)
    let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
    #expect(names.filter { $0.hasPrefix("signed") } == ["signed"])
  }

  private func sign(_ tool: Tool, _ name: String, key: String, _ flags: String...) throws -> Tool.Outcome {
    try tool.run(
      ["sign", "file", "--cert", "\(name).pem", "--key", key, "--chain", "between.pem", "-o", "signed"]
        + flags)
  }

  private func exists(_ name: String, _ tool: Tool) -> Bool {
    FileManager.default.fileExists(atPath: tool.folder.appending(path: name).path)
  }

  private func mode(_ mode: Int, of name: String, _ tool: Tool) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: tool.folder.appending(path: name).path)
  }
}
