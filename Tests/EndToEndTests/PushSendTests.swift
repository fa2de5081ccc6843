import Foundation
import LinkspanCore
import TestSupport
import Testing

/// `linkspan push send` and `linkspan apn push` beside the stand-in for APNs: certificates, long lists, disturbances.
@Suite struct PushSendTests {
  let tool: Tool
  private static let topic = "com.example.app"

  init() throws {
    tool = try Tool()
    try tool.write(PushTests.key, to: "key.p8")
  }

  private func standIn(_ more: String...) throws -> StandIn {
    try StandIn(
      tool,
      ["apns", "--write-certificate", "ca.pem", "--topic", Self.topic, "--record", "record.jsonl"]
        + PushTests.keyFlags + more)
  }

  private func record() throws -> [[String: Any]] {
    let text = try String(contentsOf: tool.folder.appending(path: "record.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func openssl(_ words: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + words
    process.currentDirectoryURL = tool.folder
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  /// A push certificate as Apple's portal makes them: the topic is the subject's UID.
  private func makeCertificate() throws {
    try openssl(
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", "own.key", "-out", "own.crt",
      "-subj", "/UID=\(Self.topic)/CN=Apple Push Services: \(Self.topic)", "-addext",
      "extendedKeyUsage=clientAuth")
    try openssl(
      "pkcs12", "-export", "-inkey", "own.key", "-in", "own.crt", "-out", "own.p12", "-passout", "pass:secret"
    )
    let folder = tool.folder
    let pem =
      try String(contentsOf: folder.appending(path: "own.crt"), encoding: .utf8)
      + String(contentsOf: folder.appending(path: "own.key"), encoding: .utf8)
    try tool.write(pem, to: "cert.pem")
    try tool.write("secret\n", to: "passphrase")
  }

  private func token(_ number: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 64 - text.count) + text
  }

  /// Push notes 3.2: from a PEM file, from two of them, and from a PKCS#12 file.
  @Test func aCertificateProvesTheSender() throws {
    try makeCertificate()
    let standIn = try standIn()
    let send = [
      "push", "send", "--alert", "Hi", "--server", standIn.url, "--ca", "ca.pem", "--json", "--token",
    ]
    for (number, proof) in [
      ["--cert", "cert.pem"], ["--cert", "own.crt", "--key", "own.key"],
      ["--p12", "own.p12", "--passphrase-file", "passphrase"],
    ].enumerated() {
      let outcome = try tool.run(send + [token(number), "--topic", Self.topic] + proof)
      #expect(outcome.status == 0, "\(proof) \(outcome.output) \(outcome.errors)")
    }
    let other = try tool.run(send + [token(9), "--cert", "cert.pem", "--topic", "com.example.other"])
    #expect(other.status == 1, "\(other.output)")
    let record = try record()
    #expect(record.map { $0["status"] as? Int } == [200, 200, 200, 400])
    // A silent push by Houston's flags; the topic is the certificate's.
    let apn = try tool.run(
      "apn", "push", token(4), "-c", "cert.pem", "-n", "--server", standIn.url, "--ca", "ca.pem")
    #expect(apn.status == 0, "\(apn.output) \(apn.errors)")
    let last = try #require(try self.record().last)
    #expect(last["push_type"] as? String == "background" && last["status"] as? Int == 200)
  }

  @Test func aCertificateThatCannotBeUsedIsNamed() throws {
    try makeCertificate()
    let send = [
      "push", "send", "--topic", Self.topic, "--alert", "Hi", "--server", "https://127.0.0.1:1", "--token",
      token(1),
    ]
    try tool.write("wrong\n", to: "wrong")
    let wrong = try tool.run(send + ["--p12", "own.p12", "--passphrase-file", "wrong"])
    #expect(wrong.status == 2 && wrong.errors.contains("the passphrase is wrong"), "\(wrong.errors)")
    // No handshake signs with a key on P-521, as `serve` says of a server's.
    try tool.openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-521 -nodes -days 9 -subj /CN=x -keyout p521.key"
        + " -out p521.crt")
    let curve = try tool.run(send + ["--cert", "p521.crt", "--key", "p521.key"])
    #expect(
      curve.status == 2
        && curve.errors.contains(
          """
          'p521.crt' cannot prove the sender: its key is of a kind that no connection is signed with.
            Ask Apple for a push certificate with an RSA key, as Keychain Access makes it.
          """),
      "\(curve.errors)")
    let both = try tool.run(send + ["--cert", "cert.pem"] + PushTests.keyFlags)
    #expect(both.status == 2 && both.errors.contains("not by both"), "\(both.errors)")
    let none = try tool.run(send)
    #expect(none.status == 2 && none.errors.contains("nothing proves who sends"), "\(none.errors)")
  }

  /// Tokens come from a pipe of any length; one that stands twice gets one push, and a bad line stops the reading only.
  @Test func tokensAreReadWhileOthersAreSent() throws {
    let standIn = try standIn()
    let send = [
      "push", "send", "--topic", Self.topic, "--alert", "Hi", "--server", standIn.url, "--ca", "ca.pem",
      "--tokens",
    ]
    let lines = (0..<5_000).map { token($0 % 4_000) }
    let outcome = try tool.run(
      send + ["-"] + PushTests.keyFlags, input: lines.joined(separator: "\n") + "\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasSuffix("4000 accepted, 0 rejected, 0 deferred\n"))
    try tool.write("\u{FEFF}\(token(1))\r\n\(token(2))\r\n", to: "spreadsheet")
    let marked = try tool.run(send + ["spreadsheet"] + PushTests.keyFlags)
    #expect(marked.output.hasSuffix("2 accepted, 0 rejected, 0 deferred\n"), "\(marked.errors)")
    let bad = try tool.run(
      send + ["-"] + PushTests.keyFlags, input: "\(token(1))\nnonsense\n\(token(2))\n")
    #expect(bad.status == 2 && bad.errors.contains("standard input:2 is not a device token"), "\(bad.errors)")
    #expect(bad.output.hasPrefix("\(token(1)): accepted"))
    // A list that came out empty is no success.
    try tool.write("\n", to: "none")
    for (file, name) in [("-", "standard input"), ("none", "'none'")] {
      let empty = try tool.run(send + [file] + PushTests.keyFlags)
      #expect(empty.status == 2)
      #expect(empty.output.isEmpty)
      #expect(empty.errors.contains("\(name) has no device token, so nothing was sent."), "\(empty.errors)")
    }
    // Of a file that is checked first nothing is sent.
    try tool.write("\(token(1))\nnonsense\n", to: "tokens")
    let file = try tool.run(send + ["tokens"] + PushTests.keyFlags)
    #expect(file.status == 2 && file.errors.contains("tokens:2 is not a device token") && file.output.isEmpty)
  }

  /// Exit status 0 says that all were accepted, which nobody knows of pushes that were not sent.
  @Test func outcomesThatNobodyReadsEndTheSending() throws {
    let standIn = try standIn()
    try tool.write((0..<20_000).map { token($0) + "\n" }.joined(), to: "tokens")
    let (status, text) = try tool.runUnread(
      [
        "push", "send", "--topic", Self.topic, "--alert", "Hi", "--server", standIn.url, "--ca", "ca.pem",
        "--tokens", "tokens", "--json",
      ] + PushTests.keyFlags)
    #expect(status == 2)
    #expect(text.contains("error: cannot write the output: the program that reads it has ended."), "\(text)")
    let number = text.firstMatch(of: /(\d+) pushes were not tried\./).flatMap { Int($0.1) }
    let ended = text.firstMatch(of: /Ended: (\d+) accepted/).flatMap { Int($0.1) }
    let open = text.firstMatch(of: /not answered yet: (\d+)/).flatMap { Int($0.1) } ?? 0
    #expect(try #require(number) > 0)
    #expect(try #require(number) + #require(ended) + open == 20_000, "\(text)")
  }

  /// Whoever ends it goes on with the rest later: a push that APNs has accepted unheard would be sent twice.
  @Test func whoEndsItHearsOfEveryPushThatWasSent() throws {
    let standIn = try standIn()
    let count = 60_000
    try tool.write((0..<count).map { token($0) }.joined(separator: "\n"), to: "tokens")
    let process = tool.process(
      ["push", "send", "--topic", Self.topic, "--alert", "Hi", "--server", standIn.url, "--ca", "ca.pem"]
        + PushTests.keyFlags + ["--tokens", "tokens", "--json"])
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    var text = output.fileHandleForReading.availableData
    process.terminate()
    text += output.fileHandleForReading.readDataToEndOfFile()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 2, "\(said)")
    #expect(said.contains("error: interrupted. ") && said.contains(" pushes were not tried."), "\(said)")
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    #expect(lines.last?.contains(#""type":"push-summary""#) == true)
    func tokens(_ lines: [Substring], with part: String) -> Set<String> {
      Set(
        lines.filter { $0.contains(part) }.compactMap { $0.firstMatch(of: /"token":"([0-9a-f]+)"/) }.map {
          String($0.1)
        })
    }
    let told = tokens(lines, with: #""outcome":"accepted""#)
    let accepted = tokens(try tool.text("record.jsonl").split(separator: "\n"), with: #""status":200"#)
    #expect(accepted == told)
    let deferred = tokens(lines, with: #""outcome":"not-now""#)
    let untried = said.firstMatch(of: /(\d+) pushes were not tried/).flatMap { Int($0.1) } ?? 0
    #expect(!told.isEmpty && untried > 0 && told.count + deferred.count + untried == count, "\(said)")
  }

  /// Standard output closed by its reader, and standard input still open.
  private func runUnread(_ words: [String], input: String) throws -> (status: Int32, errors: String) {
    let process = tool.process(words)
    let (input, text, output, errors) = (Pipe(), input, Pipe(), Pipe())
    try output.fileHandleForReading.close()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    try input.fileHandleForWriting.send(text)
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try input.fileHandleForWriting.close()
    return (process.terminationStatus, said)
  }

  @Test func tokensThatWereNotReadAreNotCalledTried() throws {
    let standIn = try standIn()
    let send =
      ["push", "send", "--topic", Self.topic, "--alert", "Hi", "--server", standIn.url] + PushTests.keyFlags
    // The certificate is not trusted, so reading stops; then the outcome cannot be written.
    let (status, errors) = try runUnread(send + ["--tokens", "-"], input: token(1) + "\n")
    #expect(status == 2)
    #expect(errors.contains("No push was tried for the tokens that were not read yet."), "\(errors)")
    // The same behind a line that is no token.
    let bad = try runUnread(
      send + ["--ca", "ca.pem", "--tokens", "-"], input: "\(token(1))\nnonsense\n")
    #expect(bad.status == 2)
    #expect(bad.errors.contains("No push was tried for the tokens that were not read yet."), "\(bad.errors)")
  }

  @Test func outcomesThatNobodyReadsAreNoFailureWhereAllWereAccepted() throws {
    let standIn = try standIn()
    let (status, errors) = try runUnread(
      [
        "push", "send", "--topic", Self.topic, "--alert", "Hi", "--server", standIn.url, "--ca", "ca.pem",
        "--token", token(1),
      ] + PushTests.keyFlags, input: "")
    #expect(status == 0 && !errors.contains("cannot write the output"), "\(errors)")
  }

  /// No second attempt can help where a certificate is not trusted.
  @Test func aServerThatIsNotTrustedIsNamedAtOnce() throws {
    let standIn = try standIn()
    try tool.write((0..<3_000).map { token($0) + "\n" }.joined(), to: "tokens")
    let send =
      ["push", "send", "--topic", Self.topic, "--alert", "Hi", "--server", standIn.url] + PushTests.keyFlags
    let outcome = try tool.run(send + ["--json", "--tokens", "tokens"])
    #expect(outcome.status == 2)
    let push = try outcome.json()
    #expect(push["outcome"] as? String == "not-now" && push["next"] as? String == "fix")
    #expect(push["attempts"] as? Int == 1 && push["retry_at"] is NSNull)
    #expect(push["possible_duplicate"] as? Bool == false)
    #expect(outcome.errors.contains("the certificate's issuer is not trusted."), "\(outcome.errors)")
    #expect(outcome.errors.contains("'--ca'"), "\(outcome.errors)")
    let pushes = outcome.lines.count { $0.contains("\"type\":\"push\"") }
    let rest = outcome.errors.firstMatch(of: /(\d+) push(?:es were|) not tried/).flatMap { Int($0.1) }
    #expect(pushes + (rest ?? 0) == 3_000, "\(outcome.errors)")
    let text = try tool.run(send + ["--token", token(1)])
    #expect(text.output == "\(token(1)): deferred: the certificate's issuer is not trusted.\n")
  }

  @Test func silenceIsNotTakenForAPushThatWasNotSent() throws {
    try tool.write(#"{ rules: [{ loss: "silence" }] }"#, to: "rules.json5")
    let standIn = try standIn("--rules", "rules.json5")
    let outcome = try tool.run(
      [
        "push", "send", "--topic", Self.topic, "--alert", "Hi", "--server", standIn.url, "--ca", "ca.pem",
        "--token", token(1), "--patience", "1", "--json",
      ] + PushTests.keyFlags)
    #expect(outcome.status == 2)
    let push = try outcome.json()
    #expect(push["possible_duplicate"] as? Bool == true)
    let reason = try #require(push["reason"] as? String)
    #expect(!reason.contains("not sent"), "\(reason)")
  }

  /// GOAWAY, resets, lost connections, few streams, 429 and 500: one end for each, and none is lost (row 64).
  @Test func nothingIsLostWhenTheServerMovesItsClients() throws {
    try tool.write(
      """
      { rules: [
        { share: "1/200", goaway: { reason: "Shutdown" } },
        { share: "1/200", settings: { max_concurrent_streams: 5 } },
        { share: "1/500", reset: "REFUSED_STREAM" },
        { share: "1/100", answer: { status: 429, reason: "TooManyRequests", retry_after_s: 1 } },
        { share: "1/100", answer: { status: 410, reason: "Unregistered" } },
      ] }
      """, to: "rules.json5")
    let standIn = try standIn("--rules", "rules.json5")
    try tool.write((0..<2_000).map { token($0) + "\n" }.joined(), to: "tokens")
    let outcome = try tool.run(
      [
        "push", "send", "--topic", Self.topic, "--alert", "Hi", "--server", standIn.url, "--ca", "ca.pem",
        "--tokens", "tokens", "--json", "--connections", "2",
      ] + PushTests.keyFlags)
    #expect(outcome.status == 1, "\(outcome.errors)")
    var ends: [String: Int] = [:]
    for line in outcome.lines where line.contains("\"type\":\"push\"") {
      let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      ends[try #require(object["token"] as? String), default: 0] += 1
    }
    #expect(ends.count == 2_000 && ends.values.allSatisfy { $0 == 1 })
  }
}
