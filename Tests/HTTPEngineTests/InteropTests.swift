import Foundation
import LinkspanCore
import TestSupport
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Programs that others wrote, run against a server of this process.
enum Program {
  /// Whether a program is on the path.
  static func exists(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }

  /// Runs a program to its end.
  ///
  /// - Returns: What it wrote, errors included.
  static func run(_ words: [String], input: String = "") throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // No program holds the tests for ever.
    process.arguments = ["timeout", "60"] + words
    let (input, output) = (try Pipe(with: input), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}

extension Pipe {
  /// A pipe with a short text in it, and nothing behind the text.
  fileprivate convenience init(with text: String) throws {
    self.init()
    try fileHandleForWriting.send(text)
    fileHandleForWriting.closeFile()
  }
}

@Suite("Interoperability")
struct InteropTests {
  static let curl: ConditionTrait = .enabled("curl is not installed") { Program.exists("curl") }
  static let nghttp: ConditionTrait = .enabled("nghttp2-client is not installed") { Program.exists("h2load") }
  static let openssl: ConditionTrait = .enabled("openssl is not installed") { Program.exists("openssl") }

  static let file = Array(repeating: UInt8(ascii: "x"), count: 2_000)

  /// A server over TLS and a plain one.
  func serving(_ body: (_ tls: UInt16, _ plain: UInt16) throws -> Void) throws {
    let credentials = try TLSCredentials([TLSIdentity(Certificates.make(["localhost", "127.0.0.1"]))])
    let configuration = HTTPServerConfiguration(listeners: [.init(credentials: credentials), .init()])
    let handler: HTTPHandler = { request in
      switch request.path {
      case "/file": HTTPResponse(status: 200, body: Self.file)
      case "/length": .text(200, String(request.body.count))
      default: .text(404, "nothing here")
      }
    }
    try withServer(configuration, handler: handler) { server in
      try body(server.addresses[0].port, server.addresses[1].port)
    }
  }

  @Test(
    curl,
    arguments: [
      (["--http2"], true, "2 200 2000"), (["--http1.1"], true, "1.1 200 2000"), ([], true, "2 200 2000"),
      (["--http2-prior-knowledge"], true, "2 200 2000"), (["--no-alpn", "--http1.1"], true, "1.1 200 2000"),
      (["--http2-prior-knowledge"], false, "2 200 2000"), (["--http1.1"], false, "1.1 200 2000"),
      (["--http2"], false, "1.1 200 2000"),
      (["--http2", "--tlsv1.2", "--tls-max", "1.2"], true, "2 200 2000"),
    ])
  func curlGetsTheFile(_ words: [String], _ overTLS: Bool, _ expected: String) throws {
    try serving { tls, plain in
      let place = overTLS ? "https://127.0.0.1:\(tls)" : "http://127.0.0.1:\(plain)"
      let common = ["curl", "-sk", "--noproxy", "*", "-o", "/dev/null"]
      let output = try Program.run(
        common + ["-w", "%{http_version} %{http_code} %{size_download}"] + words + [place + "/file"])
      #expect(output == expected)
    }
  }

  @Test(curl, arguments: ["--http2", "--http1.1"])
  func curlSendsALargeBody(_ version: String) throws {
    try serving { tls, _ in
      let output = try Program.run(
        ["curl", "-sk", "--noproxy", "*", version, "--data-binary", "@-", "https://127.0.0.1:\(tls)/length"],
        input: String(repeating: "x", count: 50_000))
      #expect(output == "50000\n")
    }
  }

  @Test(nghttp) func nghttpReadsEveryFrame() throws {
    try serving { tls, _ in
      let output = try Program.run(["nghttp", "-nv", "https://127.0.0.1:\(tls)/file"])
      #expect(output.contains("The negotiated protocol: h2"))
      #expect(output.contains(":status: 200"))
      #expect(output.contains("content-length: 2000"))
      #expect(!output.contains("INVALID"))
    }
  }

  @Test(nghttp, arguments: [true, false])
  func h2loadGetsEveryAnswer(overTLS: Bool) throws {
    try serving { tls, plain in
      let place = overTLS ? "https://127.0.0.1:\(tls)" : "http://127.0.0.1:\(plain)"
      let output = try Program.run(["h2load", "-n", "2000", "-c", "4", "-m", "16", place + "/file"])
      #expect(
        output.contains("2000 total, 2000 started, 2000 done, 2000 succeeded, 0 failed, 0 errored, 0 timeout")
      )
      #expect(output.contains("status codes: 2000 2xx"))
    }
  }

  @Test(
    openssl,
    arguments: [
      (["-alpn", "h2,http/1.1"], "ALPN protocol: h2"), (["-alpn", "http/1.1,h2"], "ALPN protocol: h2"),
      (["-alpn", "http/1.1"], "ALPN protocol: http/1.1"), ([], "No ALPN negotiated"),
      (["-alpn", "ftp"], "alert no application protocol"),
    ])
  func opensslAgreesOnAProtocol(_ words: [String], _ expected: String) throws {
    try serving { tls, _ in
      let output = try Program.run(["openssl", "s_client", "-connect", "127.0.0.1:\(tls)"] + words)
      #expect(output.contains(expected))
    }
  }

  @Test(openssl) func opensslWithoutALPNSpeaksHTTP1() throws {
    try serving { tls, _ in
      let output = try Program.run(
        ["openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(tls)"],
        input: "GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(output.contains("HTTP/1.1 404 Not Found"))
    }
  }
}
