import Foundation
import TestSupport
import Testing

/// Pipes and devices named as files: what comes through a pipe is read, and nothing waits for ever.
@Suite struct SpecialFileTests {
  static let url = "https://example.com/a/1"

  /// A named pipe that nothing writes to.
  static func tool() throws -> Tool {
    let tool = try Tool()
    try tool.write(MatchTests.file, to: "file")
    guard mkfifo(tool.folder.appending(path: "pipe").path, 0o600) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
    return tool
  }

  @Test(arguments: [
    ["check", "pipe"], ["match", url, "--file", "pipe"], ["match", "--file", "file", "--urls", "pipe"],
    ["match", "--batch", "pipe"], ["match", url, "--file", "file", "--app", "pipe"],
    ["coverage", "--file", "file", "--urls", "pipe"], ["forecast", "--fit", "pipe"],
    ["serve", "--config", "pipe"], ["simulate", "pipe"], ["push", "lint", "pipe"],
    ["sign", "file", "--p12", "file", "--passphrase-file", "pipe", "-o", "out"],
  ])
  func aPipeWithoutAWriterIsRefused(words: [String]) throws {
    let outcome = try Self.tool().run(words)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains(
        """
        error: 'pipe' is a named pipe that no program writes to.
          Start the program that writes to it first, or name a file.

        """), "\(outcome.errors)")
  }

  @Test(arguments: [["init", "pipe"], ["init", "--fleet", "pipe"], ["init", "--from", "file", "pipe"]])
  func aPipeWithoutAReaderIsRefused(words: [String]) throws {
    let outcome = try Self.tool().run(words)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains(
        """
        error: 'pipe' is a named pipe that no program reads.
          Start the program that reads it first, or name a file.

        """), "\(outcome.errors)")
  }

  /// Also when it begins to read a moment later.
  @Test(arguments: ["", "sleep 0.3; "]) func aPipeWithAReaderIsWritten(pause: String) throws {
    let tool = try Self.tool()
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", "\(pause)exec cat pipe > read"]
    shell.currentDirectoryURL = tool.folder
    try shell.run()
    let outcome = try tool.run("init", "pipe")
    #expect(outcome.status == 0, "\(outcome.errors)")
    shell.waitUntilExit()
    #expect(try tool.text("read") == tool.run("init", "-").output)
  }

  /// As a variable of CI has it, and a log would keep it.
  @Test(arguments: [PushTests.key, PushTests.key.split(separator: "\n").dropFirst().dropLast().joined()])
  func aKeyInPlaceOfItsFileIsNotShown(key: String) throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "site/example.com/.well-known/apple-app-site-association")
    let identifiers = ["--auth-key-id", "A1B2C3D4E5", "--team-id", "F6G7H8I9J0"]
    let token = String(repeating: "ab", count: 32)
    for words in [
      ["push", "send", "--token", token, "--topic", "com.example.app", "--silent", "--auth-key", key],
      ["apn", "push", token, "-n", "--topic", "com.example.app", "--auth-key", key],
      ["serve", "--registry", "sqlite:r.db", "--plain", "--listen", "127.0.0.1:0", "--auth-key", key],
      ["push", "token", "--auth-key", key],
    ] {
      let outcome = try tool.run(words + identifiers)
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains("a private key stands where the name of its file is expected"),
        "\(outcome.errors)")
      #expect(!(outcome.output + outcome.errors).contains(key.suffix(80).prefix(20)), "\(outcome.errors)")
    }
    let serve = ["serve", "site", "--listen", "127.0.0.1:0", "--certificate", key, "--key", key]
    for words in [
      serve, ["sign", "site/example.com/.well-known/apple-app-site-association", "-o", "out"] + serve[4...],
    ] {
      let outcome = try tool.run(words)
      #expect(outcome.status == 2)
      #expect(!(outcome.output + outcome.errors).contains(key.suffix(80).prefix(20)), "\(outcome.errors)")
    }
  }

  @Test func aKeyInAnotherPlaceIsNotShown() throws {
    let key = PushTests.key
    for words in [
      ["push", "token", key],
      ["push", "token", "--auth-key-id", key, "--auth-key", "k", "--team-id", "F6G7H8I9J0"],
      ["serve", "site", "--user", key], ["registry", "count", "--registry", key], [key],
    ] {
      let outcome = try Tool().run(words)
      #expect(outcome.status == 2)
      #expect(!(outcome.output + outcome.errors).contains("MIGH"), "\(outcome.errors)")
    }
  }

  /// Every command that takes a path says what stands there, and shows nothing of it.
  @Test(arguments: [
    ["check"], ["doctor"], ["inspect"], ["clip", "size"], ["review"], ["serve"], ["diff", "site"],
    ["check", "site", "--app"], ["match", "https://a.example/b", "--file"],
    ["explain", "https://a.example/b", "--site"],
    ["explain", "https://a.example/b", "--site", "site", "--app"],
  ])
  func aBareKeyOrTokenInPlaceOfAPathIsNotShown(words: [String]) throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "site/example.com/.well-known/apple-app-site-association")
    let key = PushTests.key.split(separator: "\n").dropFirst().dropLast().joined()
    let other = "MHcCAQEEIM+PVUTlZ1/slYNEoJfbuBoc1SYYCCOUjzaN1TuXjAQ2oAoGCCqGSM49AwEHoUQDQgAEi7VGNU83F=="
    let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJGNkc3SDhJOUowIn0.c2lnbmF0dXJl"
    for secret in [key, other, token] {
      let outcome = try tool.run(words + [secret])
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("stands where the name of its file is expected"), "\(outcome.errors)")
      #expect(!(outcome.output + outcome.errors).contains(secret.prefix(24)), "\(outcome.errors)")
    }
  }

  @Test func aTokenInPlaceOfItsFileIsNotShown() throws {
    let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJGNkc3SDhJOUowIn0.c2lnbmF0dXJl"
    let outcome = try Tool().run("push", "token", "--check", token)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("a token stands where the name of its file is expected"))
    #expect(!outcome.errors.contains("eyJpc3Mi"), "\(outcome.errors)")
  }

  @Test(arguments: [["inspect", "pipe"], ["clip", "size", "pipe"]])
  func whatIsReadInPiecesHasToBeAFile(words: [String]) throws {
    let outcome = try Self.tool().run(words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("This is not a regular file."), "\(outcome.errors)")
  }

  @Test(arguments: [
    ["check", "/dev/zero"], ["match", "--batch", "/dev/full"], ["push", "lint", "/dev/urandom"],
    ["forecast", "--fit", "/dev/zero"],
  ])
  func aDeviceIsRefused(words: [String]) throws {
    let outcome = try Tool().run(words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'\(words.last!)' is a device; expected a file."), "\(outcome.errors)")
  }

  /// As shells have it: `<(…)` is a pipe under the name of a descriptor, also when its program has ended already.
  @Test(arguments: [
    "match \(url) --file <(cat file)", "match \(url) --file /dev/stdin < file",
    "match \(url) --file /dev/fd/3 3< file", "match --file file --urls <(printf '%s\\n' \(url))",
    "match --file file --urls <(read -t 3 < pipe; printf '%s\\n' \(url))",
    "match --file file --urls /dev/stdin <<< \(url)",
    "match \(url) --file <(exec 3< file; read -r -d '' text <&3; printf '%s' \"$text\")",
  ])
  func aPipeWithAWriterIsRead(command: String) throws {
    let tool = try Self.tool()
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.currentDirectoryURL = tool.folder
    process.arguments = ["-c", "exec 9<> pipe; '\(Tool.binary.path)' \(command)"]
    process.environment = Tool.environment
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text.hasPrefix("match     \(Self.url)  ABCDE12345.com.example.app\n"), "\(text)")
  }

  /// A program that opens its end a little later than we do.
  @Test func aWriterMayComeLate() throws {
    let tool = try Self.tool()
    let process = tool.process(["match", Self.url, "--file", "pipe"])
    process.environment = Tool.environment
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let path = tool.folder.appending(path: "pipe").path
    // Waits until the command has its end open.
    let writer = try #require(FileHandle(forWritingAtPath: path))
    try writer.write(contentsOf: Data(MatchTests.file.utf8))
    try writer.close()
    _ = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test func theNullDeviceIsAnEmptyFile() throws {
    #expect(try Tool().run("push", "lint", "/dev/null").errors.contains("device") == false)
  }
}
