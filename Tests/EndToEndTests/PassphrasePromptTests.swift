import Foundation
import TestSupport
import Testing

/// The passphrase asked for at a terminal.
@Suite(.enabled(if: SigningAuthority.path != nil, "openssl is not on this machine (Debian: package openssl)"))
struct PassphrasePromptTests {
  static let answers: [(typed: String, status: Int32)] = [
    (SigningAuthority.passphrase, 0), (SigningAuthority.passphrase + "!", 2),
  ]

  @Test(.enabled(if: PlayedTerminal.isThere, Comment(rawValue: PlayedTerminal.isMissing)), arguments: answers)
  func theTerminalShowsNothingOfWhatIsTyped(typed: String, status: Int32) throws {
    let tool = try SigningAuthority.tool()
    let process = Process()
    process.executableURL = URL(filePath: PlayedTerminal.program)
    process.arguments = ["-qec", "'\(Tool.binary.path)' sign file --p12 rsa-new.p12 -o signed", "/dev/null"]
    process.currentDirectoryURL = tool.folder
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var shown = Data()
    // The terminal is silent before the prompt appears, so what is typed after it is not shown.
    while shown.range(of: Data("Passphrase of rsa-new.p12: ".utf8)) == nil {
      let piece = output.fileHandleForReading.availableData
      guard !piece.isEmpty else { break }
      shown += piece
    }
    try input.fileHandleForWriting.send(typed + "\n")
    shown += try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: shown, as: UTF8.self)
    #expect(process.terminationStatus == status, "\(text)")
    #expect(text.contains("Passphrase of rsa-new.p12: ") && !text.contains(typed))
  }

  @Test(arguments: ["rsa-new.p12", "rsa-old.p12"])
  func withoutATerminalTheWayOutIsSaid(bundle: String) throws {
    let tool = try SigningAuthority.tool()
    let process = Process()
    // A session of its own has no terminal.
    process.executableURL = URL(filePath: "/usr/bin/setsid")
    process.arguments = ["--wait", Tool.binary.path, "sign", "file", "--p12", bundle, "-o", "signed"]
    process.currentDirectoryURL = tool.folder
    let errors = Pipe()
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
    #expect(
      text
        == "linkspan sign: error: '\(bundle)' is encrypted, and there is no terminal to ask for its passphrase.\n"
        + "  Give it with --passphrase-file or --passphrase-env.\n")
  }
}
