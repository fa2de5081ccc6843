import Foundation
import TestSupport
import Testing

@Suite struct ServeTests {
  /// Starts the server on a free port, hands its port over, and ends it with SIGTERM.
  func serving(_ tool: Tool, _ arguments: [String], _ body: (String) throws -> Void) throws -> Int32 {
    try serving(tool, arguments) { port, _ in try body(port) }
  }

  /// The same, with a way to send SIGHUP, which returns the type of the line that the server says then.
  func serving(
    _ tool: Tool, _ arguments: [String], _ body: (String, _ hangUp: () throws -> String?) throws -> Void
  ) throws -> Int32 {
    let process = tool.process(["serve"] + arguments + ["--listen", "127.0.0.1:0", "--json"])
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    func line() throws -> [String: Any] {
      var line = Data()
      while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data([0x0A])
      {
        line += byte
      }
      return try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
    }
    let listening = try line()
    #expect(listening["type"] as? String == "listening")
    try body("\(try #require(listening["port"] as? Int))") {
      kill(process.processIdentifier, SIGHUP)
      var type: String?
      repeat { type = try line()["type"] as? String } while type == "publication"
      return type
    }
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  func curl(_ tool: Tool, _ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/curl")
    process.arguments = ["-s", "--max-time", "10", "--noproxy", "*"] + arguments
    process.currentDirectoryURL = tool.folder
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  static let path = "/.well-known/apple-app-site-association"

  @Test func eachHostGetsItsFileByteForByte() throws {
    let tool = try Tool()
    let one = CheckTests.good
    let other = one.replacing("/a", with: "/b") + "\n\n"
    try tool.write(one, to: "site/example.com\(Self.path)")
    try tool.write(other, to: "site/www.example.com\(Self.path)")
    let status = try serving(tool, ["site", "--localhost", "--write-certificate", "ca.pem"]) { port in
      for (host, file) in [("example.com", one), ("www.example.com", other)] {
        let body = try curl(
          tool, "--cacert", "ca.pem", "--resolve", "\(host):\(port):127.0.0.1",
          "https://\(host):\(port)\(Self.path)")
        #expect(body == file)
      }
      let local = try curl(
        tool, "-k", "-w", "|%{http_code} %{content_type} %{num_redirects}",
        "https://localhost:\(port)\(Self.path)")
      #expect(local == one + "|200 application/json 0")
      let unknown = try curl(
        tool, "-k", "-o", "body", "-w", "%{http_code}", "--resolve", "other.example:\(port):127.0.0.1",
        "https://other.example:\(port)\(Self.path)")
      #expect(unknown == "404")
    }
    #expect(status == 0)
  }

  @Test func plainHTTPIsForAProxyInFront() throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "file")
    let status = try serving(tool, ["file", "--plain"]) { port in
      let body = try curl(tool, "http://127.0.0.1:\(port)\(Self.path)")
      #expect(body == CheckTests.good)
    }
    #expect(status == 0)
  }

  @Test func hangUpReadsFilesAndCertificatesAnewOrKeepsTheOldOnes() throws {
    let tool = try Tool()
    func certify() throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/openssl")
      process.arguments =
        ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        + ["-keyout", "key.pem", "-out", "chain.pem"]
      process.currentDirectoryURL = tool.folder
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    let other = CheckTests.good.replacing("/a", with: "/b")
    try tool.write(CheckTests.good, to: "file")
    try certify()
    let arguments = ["file", "--no-watch", "--certificate", "chain.pem", "--key", "key.pem"]
    let status = try serving(tool, arguments) { port, hangUp in
      func fetch() throws -> String {
        try curl(tool, "--cacert", "chain.pem", "https://localhost:\(port)\(Self.path)")
      }
      #expect(try fetch() == CheckTests.good)
      try tool.write(other, to: "file")
      try certify()
      #expect(try fetch() == "")
      #expect(try hangUp() == "reloaded")
      #expect(try fetch() == other)
      try tool.write("{\"applinks\":{},}", to: "file")
      #expect(try hangUp() == "not-reloaded")
      #expect(try fetch() == other)
      try tool.write(CheckTests.good, to: "file")
      let chain = try String(contentsOf: tool.folder.appending(path: "chain.pem"), encoding: .utf8)
      try tool.write("nonsense", to: "chain.pem")
      #expect(try hangUp() == "not-reloaded")
      // The file is new nevertheless, under the certificate that was there.
      try tool.write(chain, to: "chain.pem")
      #expect(try fetch() == CheckTests.good)
    }
    #expect(status == 0)
  }

  @Test func aFileWithErrorsIsRefused() throws {
    let tool = try Tool()
    try tool.write("{\"applinks\":{},}", to: "file")
    let outcome = try tool.run("serve", "file", "--listen", "127.0.0.1:0")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("file:1:15: error[json.trailing-comma]"))
    #expect(outcome.errors.hasSuffix("  Fix them, or serve them as they are with --accept-errors.\n"))
  }

  @Test(arguments: [
    (["--plain", "--certificate", "x", "--key", "y"], "'--certificate' does not go with '--plain'"),
    (["--plain", "--key", "y"], "'--key' does not go with '--plain'"),
    (["--plain", "--write-certificate", "x"], "'--write-certificate' does not go with '--plain'"),
    (
      ["--write-certificate", "x", "--certificate", "x", "--key", "y"],
      "'--write-certificate' writes the throwaway certificate"
    ), (["--host", "example.org"], "'--host' is for files named one by one"),
  ])
  func aFlagThatWouldDoNothingIsRefused(words: [String], message: String) throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "site/example.com\(Self.path)")
    let outcome = try tool.run(["serve", "site", "--listen", "127.0.0.1:0"] + words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("linkspan serve: error: \(message)"), "\(outcome.errors)")
  }

  @Test func aConnectionAboveTheLimitIsClosedAtOnce() throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "file")
    let status = try serving(tool, ["file", "--plain", "--max-connections-per-address", "1"]) { port in
      // Kept after its answer.
      let first = try Connection(port)
      defer { first.end() }
      first.send("GET \(Self.path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(first.read().hasPrefix("HTTP/1.1 200"))
      let second = try Connection(port)
      defer { second.end() }
      second.send("GET \(Self.path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(second.read() == "")
    }
    #expect(status == 0)
  }

  /// A socket of our own: curl has no way to hold one.
  private struct Connection {
    let descriptor: Int32

    init(_ port: String) throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = try #require(UInt16(port)).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let outcome = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(outcome == 0)
    }

    func send(_ text: String) { _ = Foundation.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    /// What comes first, or nothing when the connection ends.
    func read() -> String {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    func end() { close(descriptor) }
  }

  @Test func withoutAFileThereIsNothingToServe() throws {
    let tool = try Tool()
    try tool.write("", to: "site/example.com\(Self.path).json")
    let outcome = try tool.run("serve", "site", "--listen", "127.0.0.1:0")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error[site.no-file]"))
    #expect(outcome.errors.contains("linkspan serve: error: there is no association file to serve."))
    #expect(try tool.run("serve", "example.com").errors.contains("there is no file or folder 'example.com'."))
  }

  @Test(arguments: [
    (["--listen", "nowhere"], "'--listen': 'nowhere' is not an address and port."),
    (["--listen", "127.0.0.1:+80"], "'--listen': '127.0.0.1:+80' is not an address and port."),
    (["--listen", "example.com:443"], "'--listen': 'example.com' is no IP address."),
    (["--admin", "9464"], "'--admin': '9464' is not an address and port."),
    (["--console", "host:1", "--state", "state"], "'--console': 'host' is no IP address."),
    (["--certificate", "x.pem"], "each '--certificate' needs its '--key', and each key its certificate."),
    (["--certificate", "x.pem", "--key", "y.pem"], "'x.pem' cannot be read: No such file or directory."),
    (
      ["--certificate", "file", "--key", "file"],
      "'file' cannot be used: no usable certificate in PEM form: No certificate was found.\n  A PEM file begins"
    ),
    (["--max-connections", "0"], "'--max-connections': expected an integer from 1 to 2147483647, got '0'."),
    (
      ["--max-connections", "9223372036854775807"],
      "'--max-connections': expected an integer from 1 to 2147483647, got '9223372036854775807'."
    ),
    (
      ["--max-connections-per-address", "many"],
      "'--max-connections-per-address': expected an integer from 1 to 2147483647, got 'many'."
    ),
    (["--pause-above", "101"], "'--pause-above': expected an integer from 0 to 100, got '101'."),
    (
      ["--apns-retry", "99999999999"],
      "'--apns-retry': expected an integer from 1 to 86400, got '99999999999'."
    ),
    (
      ["--sender-lease", "9223372036854775807"],
      "'--sender-lease': expected an integer from 1 to 3600, got '9223372036854775807'."
    ),
  ])
  func wrongSettingsSayWhatAndWhere(words: [String], message: String) throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "file")
    try tool.restrict("file")
    let outcome = try tool.run(["serve", "file"] + words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("linkspan serve: error: \(message)"))
  }
}
