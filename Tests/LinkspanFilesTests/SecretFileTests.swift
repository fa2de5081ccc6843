import Foundation
import LinkspanCore
import LinkspanCrypto
import LinkspanFiles
import TestSupport
import Testing

/// Files and variables with secrets in them.
@Suite struct SecretFileTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func file(_ text: String, mode: mode_t = 0o600) throws -> String {
    try folder.write(text, to: "secret")
    #expect(chmod(folder.path("secret"), mode) == 0)
    return folder.path("secret")
  }

  @Test func whatOthersCanReadOrChangeIsRefused() throws {
    let cases: [(mode_t, String?)] = [
      (0o600, nil), (0o640, nil), (0o660, nil), (0o601, nil), (0o644, "can read"), (0o604, "can read"),
      (0o602, "can change"), (0o606, "can read"),
    ]
    for (mode, words) in cases {
      let path = try file("x", mode: mode)
      var message: String?
      do { try SecretFile.refuseOpen(path, holding: "a key") } catch { message = error.message }
      #expect((message == nil) == (words == nil) && message?.contains(words ?? "") != false, "\(mode)")
      #expect((SecretFile.warning(path, secret: "key") != nil) == (words == "can read"), "\(mode)")
      #expect(PassphraseReader.warning(aboutFile: path) == SecretFile.warning(path, secret: "passphrase"))
    }
    try SecretFile.refuseOpen(folder.path("none"), holding: "a key")
    try SecretFile.refuseOpen("/dev/null", holding: "a key")
    #expect(SecretFile.warning("/dev/null", secret: "key") == nil)
  }

  /// Certificate and key in each other's place: nobody has to replace a key that lies open nowhere.
  @Test func aCertificateIsNoSecret() throws {
    let certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
    let key = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"
    for (text, isSecret) in [(certificate, false), (certificate + key, true), (key, true), ("", true)] {
      let path = try file(text, mode: 0o644)
      var message: String?
      do { try SecretFile.refuseOpen(path, holding: "a key") } catch { message = error.message }
      #expect((message != nil) == isSecret, "\(text)")
      #expect((SecretFile.warning(path, secret: "key") != nil) == isSecret, "\(text)")
    }
    let path = try file(certificate, mode: 0o602)
    #expect(throws: LinkspanError.self) { try SecretFile.refuseOpen(path, holding: "a key") }
  }

  /// Root reads everything, so it plays another user.
  @Test func whoMayNotReadASecretHearsHowToGetTheRight() throws {
    let isRoot = getuid() == 0
    let user = isRoot ? 65_534 : getuid()
    let name = String(cString: try #require(getpwuid(user)).pointee.pw_name)
    let path = try file("x", mode: isRoot ? 0o600 : 0)
    func refusal(ofPassphrase isPassphrase: Bool, _ path: String) -> LinkspanError? {
      do throws(LinkspanError) {
        try Privileges.asUser(user, of: folder.url.path) { () throws(LinkspanError) in
          if isPassphrase {
            _ = try PassphraseReader.read(file: path)
          } else {
            _ = try SecretFile.bytes(path)
          }
        }
        return nil
      } catch { return error }
    }
    for isPassphrase in [false, true] {
      #expect(chmod(folder.url.path, 0o711) == 0)
      let error = refusal(ofPassphrase: isPassphrase, path)
      #expect(error?.message == "'\(path)' cannot be read: Permission denied.")
      #expect(
        error?.help
          == "This runs as '\(name)'. Give that user the file: chown \(name) \(path) && chmod 600 \(path)")
      #expect(chmod(folder.url.path, isRoot ? 0o700 : 0) == 0)
      let inside = refusal(ofPassphrase: isPassphrase, path)
      #expect(inside?.help?.contains("may not enter a directory on the way") == true)
      #expect(chmod(folder.url.path, 0o700) == 0)
      // Another reason needs another remedy.
      #expect(refusal(ofPassphrase: isPassphrase, "/none")?.help == nil)
    }
  }

  @Test(
    arguments: [
      ("word", "word"), ("word\n", "word"), ("word\r\nmore", "word"), ("wo\rrd\n", "wo\rrd"), ("", ""),
      ("\n", ""),
      ("\r\n", ""),
    ] as [(String, String)])
  func thePassphraseIsTheFirstLine(text: String, passphrase: String) throws {
    #expect(try Self.text(PassphraseReader.read(file: file(text))) == passphrase)
  }

  @Test func aPassphraseHasALimit() throws {
    let longest = String(repeating: "a", count: Passphrase.limitBytes)
    #expect(try Self.text(PassphraseReader.read(file: file(longest))) == longest)
    #expect(try Self.text(PassphraseReader.read(file: file(longest + "\r\n"))) == longest)
    for text in [longest + "a", longest + "aa", "a\0b"] {
      #expect(throws: LinkspanError.self) { try PassphraseReader.read(file: file(text)) }
    }
  }

  @Test func anOpenFileWillDoOnlyWhereThatIsSaid() throws {
    let path = try file("word", mode: 0o644)
    #expect(throws: LinkspanError.self) { try PassphraseReader.read(file: path) }
    #expect(try Self.text(PassphraseReader.read(file: path, mayBeOpen: true)) == "word")
    #expect(throws: LinkspanError.self) { try PassphraseReader.read(file: folder.path("none")) }
  }

  @Test func aVariableIsTakenOutOfTheEnvironment() throws {
    let name = "LINKSPAN_TEST_PASSPHRASE"
    #expect(setenv(name, "word", 1) == 0)
    #expect(try Self.text(PassphraseReader.read(variable: name)) == "word")
    #expect(getenv(name) == nil)
    #expect(throws: LinkspanError.self) { try PassphraseReader.read(variable: name) }
    #expect(setenv(name, "", 1) == 0)
    #expect(ProcessEnvironment.value(name) == "" && ProcessEnvironment.value(name, isNotEmpty: true) == nil)
    #expect(setenv(name, "x", 1) == 0)
    #expect(ProcessEnvironment.value(name, isNotEmpty: true) == "x")
    #expect(unsetenv(name) == 0)
    #expect(ProcessEnvironment.value(name) == nil)
  }

  @Test func chanceHasTheLengthThatIsAskedFor() throws {
    for count in [0, 1, 16, 257] { #expect(try SystemRandom.bytes(count).count == count) }
    #expect(try SystemRandom.bytes(16) != SystemRandom.bytes(16))
  }

  private static func text(_ passphrase: Passphrase) -> String {
    String(decoding: passphrase.bytes, as: UTF8.self)
  }
}
