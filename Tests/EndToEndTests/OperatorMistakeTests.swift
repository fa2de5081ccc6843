import Foundation
import Testing

/// What the program says to an operator about files, stores and flags that are wrong.
@Suite("Operators' mistakes", .timeLimit(.minutes(5)))
struct OperatorMistakeTests {
  let tool: Tool
  private static let store = ["--registry", "sqlite:r.db"]
  private static let campaign = ["--topic", "com.example.app", "--environment", "production", "--all"]
  private static let sqlite = Tool.installed("sqlite3")

  init() throws { tool = try Tool() }

  private func importDevice() throws {
    let token = String(repeating: "ab", count: 32)
    let device = #"{"token":"\#(token)","topic":"com.example.app","environment":"production"}"#
    try tool.write(device + "\n", to: "devices.jsonl")
    #expect(try tool.run(["registry", "import", "devices.jsonl"] + Self.store).status == 0)
  }

  private func change(_ sql: String) throws {
    let outcome = try tool.program(try #require(Self.sqlite), ["r.db", sql])
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  private func mode(_ bits: Int, of name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: bits], ofItemAtPath: tool.folder.appending(path: name).path)
  }

  // MARK: - Files

  static let files: [(flag: String, text: String, words: [String])] = [
    (
      "--payloads", #"{"default":{"aps":{"alert":"Hi"}},}"#,
      ["'file' is not JSON:\n", "file:1:34: error[json.trailing-comma]: "]
    ),
    (
      "--payloads", "\u{FEFF}" + #"{"default":{"aps":{"alert":"Hi"}}}"#,
      ["file:1:1: error[json.byte-order-mark]: ", "Save it as UTF-8 without a byte order mark"]
    ),
    ("--payloads", "[]", ["'file' is an array; expected an object of payloads by language.\n"]),
    ("--variants", "[\n{]", ["'file' is not JSON:\n", "file:2:2: error[json."]),
    ("--variants", "{}", ["'file' is an object; expected an array of variants.\n"]),
    ("--payload", #"{"aps":{"alert" "Hi"}}"#, ["'file' is not JSON:\n", "file:1:", "[json.missing-colon]"]),
    ("--payload", "7", ["'file' is a number; expected a payload.\n"]),
  ]

  @Test(arguments: files.indices) func aFileOfPayloadsSaysWhereItIsNoJSON(_ index: Int) throws {
    let (flag, text, words) = Self.files[index]
    try tool.write(text, to: "file")
    let outcome = try tool.run(["push", "campaign", "estimate", flag, "file"] + Self.campaign + Self.store)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    for part in words { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
  }

  @Test func aByteOfAnotherEncodingIsPlaced() throws {
    let bytes = Array(#"{"default":{"aps":{"alert":"Gr"#.utf8) + [0xFC] + Array(#"n"}}}"#.utf8)
    try Data(bytes).write(to: tool.folder.appending(path: "file"))
    let outcome = try tool.run(
      ["push", "campaign", "estimate", "--payloads", "file"] + Self.campaign + Self.store)
    #expect(outcome.errors.contains("file:1:31: error[json.not-utf-8]: "), "\(outcome.errors)")
  }

  static let wrongExports: [(text: String, words: [String], message: String)] = [
    (
      "id,language\n1,de\n", ["--from", "onesignal"],
      "line 1: The first line names no column 'identifier'.\n"
    ),
    (
      "\"id\";\"identifier\"\n1;ab\n", ["--from", "onesignal"],
      "line 1: The columns are separated by semicolons; expected commas.\n"
    ),
    (
      "deviceType,deviceToken\nios,ab\n", ["--from", "onesignal"],
      "names no column 'identifier'; it looks like an export for '--from parse'.\n"
    ),
    ("id,identifier\n1,ab\n", [], "'--from' reads exports of other services"),
  ]

  /// Nothing of it was imported, so it is no import with some errors.
  @Test(arguments: wrongExports.indices) func theWrongFileIsNotImported(_ index: Int) throws {
    let (text, words, message) = Self.wrongExports[index]
    try tool.write(text, to: "export.csv")
    let place = words.isEmpty ? [] : ["--topic", "com.example.app", "--environment", "production"]
    let outcome = try tool.run(["registry", "import", "export.csv"] + words + place + Self.store)
    #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome.output)")
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.errors.contains(" no device, so nothing was imported.\n"), "\(outcome.errors)")
  }

  @Test func aCertificateThatIsCutOffIsCalledSo() throws {
    let made = try tool.program(
      try #require(Tool.installed("openssl")),
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90"]
        + ["-subj", "/CN=example.com", "-keyout", "key.pem", "-out", "chain.pem"])
    #expect(made.status == 0)
    let pem = try tool.text("chain.pem")
    try tool.write(String(pem.prefix(pem.count / 2)), to: "cut.pem")
    try tool.write(pem.replacing("\nM", with: "\n!"), to: "broken.pem")
    let key = try tool.text("key.pem")
    try tool.write(String(key.prefix(key.count / 2)), to: "cut.key")
    for name in ["key.pem", "cut.key"] { try mode(0o600, of: name) }
    try tool.write("{}", to: "sites/example.com/.well-known/apple-app-site-association")
    let cut = "  It begins a certificate and has no line -----END CERTIFICATE-----, so it is cut off."
    let serve = ["serve", "sites", "--listen", "127.0.0.1:0", "--dry-run", "--certificate"]
    let check = ["check", "example.com", "--resolve", "example.com:443:127.0.0.1:1", "--allow-private"]
    let sign = ["sign", "sites/example.com/.well-known/apple-app-site-association", "-o", "signed", "--key"]
    for words in [
      serve + ["cut.pem", "--key", "key.pem"], check + ["--ca", "cut.pem"],
      sign + ["key.pem", "--cert", "cut.pem"],
    ] {
      let outcome = try tool.run(words)
      #expect(outcome.status == 2 && outcome.errors.contains(cut), "\(outcome.errors)")
    }
    let broken = try tool.run(serve + ["broken.pem", "--key", "key.pem"])
    #expect(broken.errors.contains("is not a certificate, or not all of one."), "\(broken.errors)")
    let cutKey = try tool.run(serve + ["chain.pem", "--key", "cut.key"])
    #expect(cutKey.errors.contains("It begins a key and has no line with -----END"), "\(cutKey.errors)")
  }

  // MARK: - Secrets

  private static let frame = "4c000c0e0057cd3b3cbd48f29e6bf563f09210065b1e1d49e249"

  /// The readers of secrets warn alike.
  @Test func aSecretThatEveryUserMayReadIsWarnedOf() throws {
    try tool.write(PushTests.key, to: "key.p8")
    try tool.restrict("key.p8")
    let made = try tool.run(["push", "token"] + PushTests.keyFlags)
    let names = ["key.p8", "token", "push.pem", "push.key", "push.p12", "passphrase", "digits"]
    try tool.write(made.output, to: "token")
    try tool.write("secret", to: "passphrase")
    try tool.write(String(repeating: "ab", count: 32) + "\n", to: "digits")
    try tool.openssl("req -x509 -newkey rsa:2048 -nodes -days 9 -subj /CN=x -keyout push.key -out push.crt")
    try tool.openssl("pkcs12 -export -inkey push.key -in push.crt -passout pass:secret -out push.p12")
    try tool.write(try tool.text("push.crt") + (try tool.text("push.key")), to: "push.pem")
    let push =
      ["push", "send", "--dry-run", "--alert", "Hi", "--token", String(repeating: "ab", count: 32)]
      + ["--topic", "com.example.app", "--environment", "sandbox"]
    let readers: [(words: [String], files: [String])] = [
      (["push", "token", "--check", "token"], ["token"]),
      (["stand-in", "apns", "--rules", "none"] + PushTests.keyFlags, ["key.p8"]),
      (["handoff", "decode", Self.frame, "--key-file", "digits"], ["digits"]),
      (push + ["--cert", "push.pem"], ["push.pem"]),
      (push + ["--cert", "push.crt", "--key", "push.key"], ["push.key"]),
      (
        push + ["--p12", "push.p12", "--passphrase-file", "passphrase"], ["push.p12", "passphrase"]
      ),
      (["registry", "doctor", "--server", "http://127.0.0.1:1", "--token-file", "token"], ["token"]),
      (
        ["push", "campaign", "list", "--server", "http://127.0.0.1:1", "--token-file", "token"], ["token"]
      ),
    ]
    for (bits, isOpen) in [(0o644, true), (0o640, false)] {
      for name in names { try mode(bits, of: name) }
      for reader in readers {
        let outcome = try tool.run(reader.words)
        for file in reader.files {
          let warning = "linkspan: warning: every user of this machine can read '\(file)': run chmod o-r"
          #expect(outcome.errors.contains(warning) == isOpen, "\(reader.words): \(outcome.errors)")
        }
      }
    }
  }

  // MARK: - Stores

  /// There is no server whose log has the reason.
  @Test(.enabled(if: sqlite != nil, "needs sqlite3 (Debian: sqlite3)"))
  func aStoreThatFailsSaysWhy() throws {
    try importDevice()
    let create = ["push", "campaign", "create", "--alert", "Hi", "--paused"] + Self.campaign + Self.store
    #expect(try tool.run(create).status == 0)
    try change("ALTER TABLE audit_log RENAME COLUMN action TO lost")
    for words in [create, ["push", "campaign", "resume", "1"] + Self.store] {
      let outcome = try tool.run(words)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("has no column named action"), "\(outcome.errors)")
      #expect(!outcome.errors.contains("server's log"), "\(outcome.errors)")
    }
  }

  /// A script that deploys what it read would deploy nothing.
  @Test(.enabled(if: sqlite != nil, "needs sqlite3 (Debian: sqlite3)"), arguments: [[], ["--json"]])
  func aCredentialThatTheStoreRefusesIsNotPrinted(_ words: [String]) throws {
    try importDevice()
    let create = ["token", "create", "--scope", "devices:read"] + words + Self.store
    for refusal in [
      "CREATE TRIGGER no BEFORE INSERT ON access_tokens BEGIN SELECT RAISE(ABORT, 'no'); END",
      "DROP TRIGGER no; ALTER TABLE audit_log RENAME COLUMN action TO lost",
    ] {
      try change(refusal)
      let outcome = try tool.run(create)
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome.output)")
    }
    try change("ALTER TABLE audit_log RENAME COLUMN lost TO action")
    let made = try tool.run(create)
    #expect(made.status == 0 && made.output.contains("lsp_"), "\(made.errors)")
    #expect(try tool.run(["token", "list"] + Self.store).lines.count == 1)
  }

  /// What the rehearsal takes may still fail, and what was printed is worth nothing then.
  @Test(.enabled(if: sqlite != nil, "needs sqlite3 (Debian: sqlite3)"))
  func aCredentialThatWasPrintedInVainIsCalledVoid() throws {
    try importDevice()
    try change(
      "CREATE TRIGGER no BEFORE INSERT ON access_tokens WHEN random() % 2 = 0 BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    // One in four is printed and refused.
    for _ in 0..<100 {
      let outcome = try tool.run(["token", "create", "--scope", "devices:read"] + Self.store)
      guard outcome.status != 0, !outcome.output.isEmpty else { continue }
      #expect(outcome.status == 2 && outcome.output.hasPrefix("lsp_"))
      let words = "The credential that was printed is void: it was not stored."
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
      return
    }
    Issue.record("none was printed and refused")
  }

  // MARK: - Flags

  @Test(arguments: [
    (["sign", "--certificate", "x"], "there is no flag '--certificate'. Did you mean '--cert'?"),
    (["serve", "--cert", "x"], "there is no flag '--cert'. Did you mean '--certificate'?"),
  ])
  func aFlagOfTheSiblingIsSuggested(_ words: [String], _ message: String) throws {
    let outcome = try tool.run(words)
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
  }

  /// A key that cannot be used is found before a registry is made, or brought to a new version.
  @Test func aStartThatFailsForItsKeyOpensNoRegistry() throws {
    try tool.write("no key", to: "key.p8")
    try tool.restrict("key.p8")
    let outcome = try tool.run(
      ["serve", "--plain", "--listen", "127.0.0.1:0"] + PushTests.keyFlags + Self.store)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'key.p8' cannot sign provider tokens"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("the device registry is"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "r.db").path))
  }
}
