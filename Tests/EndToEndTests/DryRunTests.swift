import Foundation
import TestSupport
import Testing

/// `linkspan serve --dry-run` fails where a start would, and leaves nothing behind.
@Suite struct DryRunTests {
  private static let file = CheckTests.good

  private func tool(_ text: String = file) throws -> Tool {
    let tool = try Tool()
    try tool.write(text, to: "site/example.com/.well-known/apple-app-site-association")
    return tool
  }

  private func run(_ tool: Tool, _ flags: [String]) throws -> Tool.Outcome {
    try tool.run(["serve", "site", "--plain", "--listen", "127.0.0.1:0"] + flags)
  }

  /// What the start says is what the dry run has said.
  private func expectBothFail(_ tool: Tool, _ flags: [String], _ message: String) throws {
    for flags in [flags + ["--dry-run"], flags] {
      let outcome = try run(tool, flags)
      #expect(outcome.status == 2 && outcome.errors.contains(message), "\(flags): \(outcome.errors)")
    }
  }

  @Test func usersOfTheConsoleThatCannotBeReadPreventAStart() throws {
    let tool = try tool()
    let flags = ["--console", "127.0.0.1:0", "--state", "state"]
    try tool.write("{}", to: "state/console-users.json")
    let users = tool.folder.appending(path: "state/console-users.json").path
    #expect(chmod(users, 0o644) == 0)
    try expectBothFail(tool, flags, "every user of this machine can read 'state/console-users.json'")
    #expect(chmod(users, 0o600) == 0)
    try expectBothFail(tool, flags, "'state/console-users.json' is not a file of the console's users.")
    #expect(unlink(users) == 0 && mkdir(users, 0o700) == 0)
    try expectBothFail(tool, flags, "'state/console-users.json' is a link or not a regular file")
  }

  /// The file is root's alone, and the server is not root when it reads it.
  @Test(.enabled(if: getuid() == 0, "needs root, which becomes another user"))
  func aSecretThatTheServersUserMayNotReadIsToldWithItsRemedy() throws {
    let tool = try tool()
    try tool.write("aws_access_key_id = a\naws_secret_access_key = b\n", to: "keys")
    try tool.write("not read", to: "key.p8")
    try tool.write("not read", to: "signer.p12")
    for name in ["keys", "key.p8", "signer.p12"] { try tool.restrict(name) }
    try tool.write(
      "{ sites: 'site', server: { plain: true, signed: { 'example.com': { p12: 'signer.p12' } } } }",
      to: "signed.json5")
    // The registry may be made there, so that nothing else is in the way.
    let data = tool.folder.appending(path: "data").path
    let nobody = try #require(getpwnam("nobody")).pointee.pw_uid
    #expect(mkdir(data, 0o700) == 0 && chown(data, nobody, 0) == 0)
    let registry = ["--registry", "sqlite:data/registry.db"]
    for (file, flags) in [
      (
        "keys",
        registry + ["--journal-export", "https://bucket.s3.example.com/x", "--bucket-credentials", "keys"]
      ),
      (
        "key.p8",
        registry + ["--auth-key", "key.p8", "--auth-key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ"]
      ),
    ] {
      let outcome = try run(tool, flags + ["--user", "nobody", "--dry-run"])
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.hasSuffix(
          "'\(file)' cannot be read: Permission denied.\n"
            + "  This runs as 'nobody'. Give that user the file: chown nobody \(file) && chmod 600 \(file)\n"),
        "\(outcome.errors)")
    }
    let signed = try tool.run(
      "serve", "--config", "signed.json5", "--listen", "127.0.0.1:0", "--user", "nobody", "--dry-run")
    #expect(signed.status == 1)
    #expect((signed.output + signed.errors).contains("chown nobody "), "\(signed.output)\(signed.errors)")
  }

  /// As of a variable that nobody has set.
  @Test func aStateWithoutANamePreventsAStart() throws {
    try expectBothFail(try tool(), ["--state", ""], "the state '' is not a directory.")
  }

  @Test func aFolderForTheJournalThatCannotBeMadePreventsAStart() throws {
    let tool = try tool()
    try tool.write("", to: "file")
    let link = tool.folder.appending(path: "link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
    let flags = ["--registry", "sqlite:registry.db", "--journal-export"]
    try expectBothFail(tool, flags + ["file"], "'file' cannot be opened: Not a directory.")
    try expectBothFail(tool, flags + ["link"], "'link' is a link to a directory that is not there.")
    try expectBothFail(tool, flags + ["link/in"], "is a link to a directory that is not there.")
    let outcome = try run(tool, flags + ["exports/2026", "--dry-run"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "exports").path))
  }

  /// A start cannot bind the second one.
  @Test(arguments: [
    ["--admin", "127.0.0.1:18443"], ["--admin", "0.0.0.0:18443"], ["--console", "127.0.0.1:18443"],
    ["--admin", "127.0.0.1:18444", "--console", "127.0.0.1:18444"],
  ])
  func listenersThatShareAPortAreRefused(flags: [String]) throws {
    let tool = try tool()
    let serve = ["serve", "site", "--plain", "--state", "state", "--listen", "127.0.0.1:18443"] + flags
    for words in [serve, serve + ["--dry-run"]] {
      let outcome = try tool.run(words)
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      #expect(outcome.errors.contains(" share a port; give each listener one of its own."))
    }
  }

  /// A finding is an answer, also where nothing would be left to serve.
  @Test func filesWithErrorsEndADryRunWithOne() throws {
    let tool = try tool("{\"applinks\":{},}")
    #expect(try run(tool, ["--dry-run"]).status == 1)
    #expect(try run(tool, []).status == 2)
  }

  /// Whoever reads it would take the end of a dry run for the end of the log.
  @Test func aNamedPipeForTheAccessLogIsNotedAndNotOpened() throws {
    let tool = try tool()
    let pipe = tool.folder.appending(path: "pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let outcome = try run(tool, ["--access-log", "pipe", "--dry-run"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let note = "note: the access log 'pipe' is a named pipe; a start would fail while no program reads it"
    #expect(outcome.errors.contains(note), "\(outcome.errors)")
    let start = try run(tool, ["--access-log", "pipe"])
    #expect(start.status == 2)
    #expect(
      start.errors.contains(
        "the access log 'pipe' cannot be opened: it is a named pipe that no program reads."),
      "\(start.errors)")
  }
}
