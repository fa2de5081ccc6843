import Foundation
import TestSupport
import Testing

/// `linkspan rehearse`, against servers on this machine.
@Suite struct RehearseTests {
  static let curve =
    "time,requests,devices,failed\n"
    + [10, 10, 60, 10].enumerated().map { "2026-03-02T00:00:0\($0)Z,\($1),\($1),0\n" }.joined()

  static func json(_ run: Tool.Outcome) throws -> [String: Any] { try run.json(line: run.lines.count - 1) }

  @Test func refusesWhatIsNotThisMachine() throws {
    let tool = try Tool()
    try tool.write(Self.curve, to: "curve.csv")
    for target in ["https://192.0.2.1", "http://[2001:db8::1]:80"] {
      let run = try tool.run("rehearse", "curve.csv", "--target", target)
      #expect(run.status == 2 && run.errors.contains("is another machine"), "\(run.errors)")
    }
    for target in [
      "ftp://127.0.0.1", "http://", "http://127.0.0.1:0", "http://127.0.0.1:99999", "http://::1:80",
    ] {
      #expect(try tool.run("rehearse", "curve.csv", "--target", target).status == 2, "\(target)")
    }
  }

  /// A bound that nobody is told of would be another rehearsal than the one that was asked for.
  @Test(arguments: [
    (["--patience", "10000000000"], "'--patience': expected a number from 0 to 600, got '10000000000'."),
    (["--patience", "0"], "'--patience' is 0."),
    (["--retry-after", "601"], "'--retry-after': expected a number from 0 to 600, got '601'."),
    (["--scale", "1e300"], "'--scale': expected a number from 0 to 1000000, got '1e300'."),
    (["--seconds", "601"], "'--seconds': expected an integer from 1 to 600, got '601'."),
    (["--host", "a b"], "'--host': 'a b' contains a blank or a control character."),
    (["--path", "/a b"], "'--path': '/a b' contains a blank or a control character."),
  ])
  func boundsAreNamed(flags: [String], message: String) throws {
    let tool = try Tool()
    try tool.write(Self.curve, to: "curve.csv")
    let run = try tool.run(["rehearse", "curve.csv", "--target", "http://127.0.0.1:9"] + flags)
    #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
  }

  @Test(arguments: ["--seed", "--path", "--host", "--patience", "--retry-after", "--seconds"])
  func aCalibrationTakesNoOtherFlags(flag: String) throws {
    let run = try Tool().run("rehearse", "--calibrate", flag, "3")
    #expect(run.status == 2 && run.errors.contains("'\(flag)' does not go with --calibrate"), "\(run.errors)")
  }

  /// Standard input is read once, whatever it holds.
  @Test(arguments: [(curve, 60), ("{ devices: 2000, days: 3, site: { requests_per_s: 9 } }", nil)])
  func standardInputMayBeAFleet(input: String, offered: Int?) throws {
    let run = try Tool().run(
      ["rehearse", "-", "--target", "http://127.0.0.1:9", "--seconds", "1", "--retry-after", "0", "--json"],
      input: input)
    #expect(run.status == 1, "\(run.errors)")
    let sent = try #require(Self.json(run)["offered"] as? Int)
    #expect(offered.map { $0 == sent } ?? (sent > 0))
  }

  @Test func aLineOfACurveIsCountedWithEmptyOnes() throws {
    let tool = try Tool()
    try tool.write("time,requests,devices,failed\n\r\n\nx\n", to: "curve.csv")
    let run = try tool.run("rehearse", "curve.csv", "--target", "http://127.0.0.1:9")
    #expect(
      run.status == 2 && run.errors.contains("curve.csv:4: this is not a line of a curve."), "\(run.errors)")
  }

  @Test func missingAndSharedFilesAreToldPlainly() throws {
    let tool = try Tool()
    let missing = try tool.run("rehearse", "--target", "http://127.0.0.1:9")
    #expect(missing.status == 2)
    #expect(
      missing.errors.contains("error: FORECAST is missing, such as "), "\(missing.errors)")
    try tool.write("{ devices: 10, days: 1 }", to: "fleet.json5")
    let shared = try tool.run("forecast", "fleet.json5", "--csv", "x", "--html", "x")
    #expect(shared.status == 2)
    #expect(shared.errors.contains("'--csv' and '--html' name the same file 'x'"), "\(shared.errors)")
  }

  /// An answer is no fleet: one sentence says what it is.
  @Test func theAnswerOfAForecastIsCalledSo() throws {
    let tool = try Tool()
    try tool.write("{ devices: 10, days: 3 }", to: "fleet.json5")
    try tool.write(try tool.run("forecast", "fleet.json5", "--json").output, to: "answer.json")
    for words in [["forecast"], ["rehearse", "--target", "http://127.0.0.1:9"]] {
      let outcome = try tool.run(words + ["answer.json"])
      #expect(outcome.status == 2, "\(outcome.errors)")
      let message = "'answer.json' is the answer of 'linkspan forecast --json'; expected a fleet file."
      #expect(outcome.errors.contains(message))
      #expect(!outcome.errors.contains("fleet.unknown-key"))
    }
  }

  /// The curve that is written is the one that the fleet itself would drive: with visitors' new connections, too.
  @Test func theCurveOfAFleetIsTheFleet() throws {
    let tool = try Tool()
    try tool.write("{ devices: 2000, days: 3, site: { requests_per_s: 9 } }", to: "fleet.json5")
    #expect(try tool.run("forecast", "fleet.json5", "--csv", "curve.csv").status == 0)
    let offered = try ["fleet.json5", "curve.csv"].map { curve in
      let run = try tool.run(
        "rehearse", curve, "--target", "http://127.0.0.1:9", "--seconds", "2", "--before", "1",
        "--retry-after",
        "0", "--json")
      return try #require(try Self.json(run)["offered"] as? Int)
    }
    #expect(offered[0] == offered[1] && offered[0] > 0, "\(offered)")
  }

  /// However short it is, it has the peak; what a spreadsheet made of the curve is read as it was.
  @Test(arguments: [(["--seconds", "1"], 40), (["--seconds", "2"], 42), (["--seconds", "5"], 54)])
  func aRehearsalHasThePeak(flags: [String], offered: Int) throws {
    let tool = try Tool()
    let counts = [1, 1, 1, 1, 1, 1, 5, 5, 40, 2, 2, 2, 2, 2, 2, 2]
    let lines = counts.enumerated().map { "2026-03-02T00:00:\(10 + $0.offset).000Z,9,9,0,\($0.element)" }
    let curve = ["time,requests,devices,failed,connections"] + lines
    try tool.write(curve.map { $0 + "\n" }.joined(), to: "curve.csv")
    try tool.write("\u{FEFF}" + curve.map { $0 + "\r\n" }.joined(), to: "sheet.csv")
    for name in ["curve.csv", "sheet.csv"] {
      let run = try tool.run(
        ["rehearse", name, "--target", "http://127.0.0.1:9", "--retry-after", "0", "--json"] + flags)
      #expect(try Self.json(run)["offered"] as? Int == offered, "\(run.output)\(run.errors)")
    }
  }

  @Test func aRehearsalThatWouldEndBeforeThePeakIsRefused() throws {
    let tool = try Tool()
    try tool.write("time,requests,devices,failed\n2026-03-02T00:00:00.000Z,9,9,0\n", to: "curve.csv")
    let flags = ["--seconds", "3", "--before", "3"]
    let run = try tool.run(["rehearse", "curve.csv", "--target", "http://127.0.0.1:9"] + flags)
    #expect(run.status == 2)
    #expect(
      run.errors.contains("'--before 3' and '--seconds 3' end the load before the peak."), "\(run.errors)")
  }

  /// Nothing listens there: every device fails, and the report is whole.
  @Test(arguments: ["127.0.0.1", "localhost", "[::1]"])
  func aServerThatIsNotThere(host: String) throws {
    let tool = try Tool()
    try tool.write(Self.curve, to: "curve.csv")
    let run = try tool.run(
      "rehearse", "curve.csv", "--target", "http://\(host):9", "--seconds", "1", "--before", "0",
      "--retry-after", "0",
      "--json")
    #expect(run.status == 1, "\(run.errors)")
    let report = try Self.json(run)
    #expect(report["type"] as? String == "rehearsal" && report["offered"] as? Int == 60)
    #expect(report["held"] as? Int == 0 && report["broke_at_s"] as? Int == 0)
    let failed = try #require(report["failed"] as? [String: Int])
    #expect(failed.values.reduce(0, +) == 60, "\(failed)")
  }

  /// The text says what became of them, and that who failed tried again earlier than devices do (V2).
  @Test func whoFailsTriesAgainOnceAndTheTextSaysSo() throws {
    let tool = try Tool()
    try tool.write(Self.curve, to: "curve.csv")
    let run = try tool.run(
      "rehearse", "curve.csv", "--target", "http://127.0.0.1:9", "--seconds", "1", "--before", "0",
      "--retry-after", "0.1")
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.lines.first?.hasPrefix("0 of 120 answered, at most ") == true, "\(run.output)")
    #expect(run.lines[1] == "  p50 – ms, p90 – ms, p99 – ms, p999 – ms, from the scheduled start")
    #expect(run.lines[2] == "  120 failed: connect-ECONNREFUSED")
    #expect(run.lines[3] == "  more than 1 % failed in second 0")
    #expect(run.lines.contains("  second     sent        retries  answered    failed"))
    #expect(run.lines.last == "  devices that failed tried again after 0.1 s instead of 3 hours")
  }

  /// A device asks for a host; with an address as the target it is the one in the certificate.
  @Test func aHostOfTheCertificateIsAskedFor() throws {
    let tool = try Tool()
    try tool.write(Self.curve, to: "curve.csv")
    try tool.write(EndOfServiceTests.file(1), to: "site/example.com\(ServeTests.path)")
    let server = try OperatedServer(tool, ["site"], isPlain: false)
    let run = try tool.run(
      "rehearse", "curve.csv", "--target", "https://127.0.0.1:\(server.port)", "--seconds", "1", "--before",
      "0", "--json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try Self.json(run)["held"] as? Int == 60)
    let other = try tool.run(
      "rehearse", "curve.csv", "--target", "https://127.0.0.1:\(server.port)", "--host", "other.example")
    #expect(other.status == 2 && other.errors.contains("answers 4"), "\(other.errors)")
    #expect(other.errors.contains("--host"))
    let path = try tool.run(
      "rehearse", "curve.csv", "--target", "https://127.0.0.1:\(server.port)", "--path", "a")
    #expect(path.status == 2)
    #expect(
      path.errors.contains("'--path': expected a path that begins with '/', got 'a'"), "\(path.errors)")
    #expect(server.end() == 0)
  }

  @Test func aHostMayBeNamedInUnicode() throws {
    let tool = try Tool()
    try tool.write(Self.curve, to: "curve.csv")
    try tool.write(EndOfServiceTests.file(1), to: "site/xn--bcher-kva.example\(ServeTests.path)")
    let server = try OperatedServer(tool, ["site"])
    let run = try tool.run(
      "rehearse", "curve.csv", "--target", "http://127.0.0.1:\(server.port)", "--host", "Bücher.example",
      "--seconds", "1", "--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(server.end() == 0)
  }

  /// Nothing is driven at a port that speaks the other of the two.
  @Test(arguments: [false, true])
  func theOtherSchemeIsNamed(isPlain: Bool) throws {
    let tool = try Tool()
    try tool.write(Self.curve, to: "curve.csv")
    try tool.write(EndOfServiceTests.file(1), to: "site/example.com\(ServeTests.path)")
    let server = try OperatedServer(tool, ["site"], isPlain: isPlain)
    let (wrong, right) = isPlain ? ("https", "http") : ("http", "https")
    let run = try tool.run("rehearse", "curve.csv", "--target", "\(wrong)://127.0.0.1:\(server.port)/")
    #expect(run.status == 2)
    #expect(
      run.errors == """
        linkspan rehearse: error: port \(server.port) uses \(isPlain ? "clear text, not TLS" : "TLS"), but '--target' says \(wrong)://.
          Write --target \(right)://127.0.0.1:\(server.port)

        """)
    #expect(server.end() == 0)
  }

  @Test(arguments: [false, true])
  func nginxIsATargetToo(isTLS: Bool) throws {
    guard
      let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx"].first(where: FileManager.default.isExecutableFile)
    else {
      print("skipped: nginx is not installed")
      return
    }
    if isTLS, SigningAuthority.path == nil {
      print("skipped: \(SigningAuthority.absence)")
      return
    }
    let tool = try Tool()
    if isTLS {
      _ = try tool.openssl("ecparam -name prime256v1 -genkey -noout -out own.key")
      _ = try tool.openssl("req -x509 -new -key own.key -subj /CN=example.com -days 9 -out own.pem")
    }
    try tool.write(Self.curve, to: "curve.csv")
    try tool.write("{}", to: "html/.well-known/apple-app-site-association")
    let port = try #require(Self.freePort())
    let folder = tool.folder.path
    try tool.write(
      """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/error.log;
      events { worker_connections 512; }
      http { access_log off; client_body_temp_path \(folder)/a; proxy_temp_path \(folder)/b; fastcgi_temp_path \(folder)/c;
        uwsgi_temp_path \(folder)/d; scgi_temp_path \(folder)/e; server { listen 127.0.0.1:\(port)\(isTLS ? " ssl" : "");
        \(isTLS ? "ssl_certificate \(folder)/own.pem; ssl_certificate_key \(folder)/own.key;" : "") root \(folder)/html; } }
      """, to: "nginx.conf")
    let server = Process()
    server.executableURL = URL(filePath: nginx)
    server.arguments = ["-c", folder + "/nginx.conf", "-e", folder + "/error.log"]
    try server.run()
    // A child of a shared thread has SIGTERM blocked, and this server does not change that.
    defer {
      kill(server.processIdentifier, SIGKILL)
      server.waitUntilExit()
    }
    var isUp = false
    for _ in 0..<2_000 where !isUp { isUp = Self.answers(port) }
    let run = try tool.run(
      "rehearse", "curve.csv", "--target", "\(isTLS ? "https" : "http")://127.0.0.1:\(port)", "--before", "2",
      "--seconds", "4", "--patience", "30", "--json")
    let report = try Self.json(run)
    #expect(run.status == 0 && report["held"] as? Int == 90, "\(run.output) \(run.errors)")
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func freePort() -> UInt16? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    return isBound ? UInt16(bigEndian: address.sin_port) : nil
  }

  /// Waits a few milliseconds where nothing answers.
  private static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port)
    let isUp = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if !isUp { poll(nil, 0, 10) }
    return isUp
  }
}
