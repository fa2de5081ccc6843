import Foundation
import HTTPClientEngine
import LinkspanCore
import Testing

/// A stand-in of the built binary on free ports, until it goes out of scope.
final class StandIn {
  let url: String
  let admin: String?
  private let process: Process

  init(_ tool: Tool, _ arguments: [String], hasAdmin: Bool = true) throws {
    process = tool.process(
      ["stand-in"] + arguments + ["--listen", "127.0.0.1:0", "--json"]
        + (hasAdmin ? ["--admin", "127.0.0.1:0"] : []))
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data([0x0A]) {
      line += byte
    }
    let start = try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
    #expect(start["type"] as? String == "listening")
    url = try #require(start["url"] as? String)
    admin = start["admin_url"] as? String
  }

  /// `ADDRESS:PORT`.
  var place: String { String(url.drop { $0 != "/" }.dropFirst(2)) }

  deinit { if process.isRunning { process.terminate() } }

  /// Ends it with SIGTERM.
  func end() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// - Parameter post: The body of a POST; nil asks with GET.
  func call(_ path: String, post: String? = nil, fields: HTTPFields = [:]) throws -> HTTPResponse {
    let authority = String(try #require(admin).drop { $0 != "/" }.dropFirst(2))
    return try HTTPClient(deadline: .seconds(30)).send(
      HTTPRequest(
        method: post == nil ? "GET" : "POST", scheme: "http", authority: authority, target: path,
        fields: fields,
        body: Array((post ?? "").utf8)))
  }

  func json(_ path: String, post: String? = nil) throws -> [String: Any] {
    let response = try call(path, post: post)
    #expect(response.status == 200)
    return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
  }
}
