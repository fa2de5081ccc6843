import Foundation
import TestSupport
import Testing

/// The life of a person's data in the built program, to its end: rows 3 and 4 of the second attack.
@Suite("Erasure program", .timeLimit(.minutes(15)))
struct ErasureTests {
  private static let store = ["--registry", "sqlite:registry.db"]
  private static let (person, other) = (
    String(repeating: "a1", count: 32), String(repeating: "b2", count: 32)
  )
  private static let secrets = ["user-17", person, "private for", "private-name", "private-collapse"]

  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.write(PushTests.key, to: "key.p8")
    try tool.restrict("key.p8")
  }

  private func ask(
    _ server: OperatedServer, _ access: String, _ method: String, _ path: String, _ body: String? = nil
  ) throws -> [String: Any] {
    var words = ["-X", method, "-H", "Authorization: Bearer \(access)"]
    if let body { words += ["-H", "Content-Type: application/json", "-d", body] }
    let text = try tool.curl(words + ["http://127.0.0.1:\(server.port)\(path)"])
    return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  private func message(_ alias: String, _ alert: String) -> String {
    #"{"topic":"com.example.app","environment":"sandbox","payload":{"aps":{"alert":"\#(alert)"}},"#
      + #""name":"private-name","collapse_id":"private-collapse","aliases":["\#(alias)"]}"#
  }

  private func put(_ server: OperatedServer, _ access: String, _ token: String, _ alias: String) throws {
    _ = try ask(
      server, access, "PUT", "/v1/devices/\(token)",
      #"{"topic":"com.example.app","environment":"sandbox","alias":"\#(alias)"}"#)
  }

  /// The secrets that files of the tool's folder hold.
  private func traces() throws -> [String] {
    try FileManager.default.contentsOfDirectory(at: tool.folder, includingPropertiesForKeys: nil).flatMap {
      file in
      guard let bytes = try? Data(contentsOf: file) else { return [String]() }
      return Self.secrets.filter { bytes.range(of: Data($0.utf8)) != nil }.map {
        "\($0) in \(file.lastPathComponent)"
      }
    }
  }

  @Test("Rows 3 and 4: after the receipt nothing is left and nothing goes out", arguments: [true, false])
  func nothingIsLeftAndNothingGoesOut(isDeleted: Bool) throws {
    let scopes = "devices:read,devices:write,notifications:read,notifications:write"
    let access = try #require(try tool.run(["token", "create", "--scope", scopes] + Self.store).lines.first)
    let flags = Self.store + ["--access-log", "access.log"]
    var server = try OperatedServer(tool, flags)
    try put(server, access, Self.person, "user-17")
    _ = try ask(server, access, "POST", "/v1/notifications", message("user-17", "private for user-17"))
    if isDeleted {
      #expect(try ask(server, access, "DELETE", "/v1/devices/\(Self.person)")["deleted"] as? Int == 1)
    } else {
      try put(server, access, Self.person, "user-18")
    }
    #expect(try !traces().isEmpty)
    let receipt = try tool.run(["registry", "erase", "user-17", "--json"] + Self.store).json()
    #expect(receipt["type"] as? String == "erasure")
    #expect(receipt["erased"] as? Int == 0)
    #expect(receipt["redacted"] as? Int == 1)
    #expect((receipt["remains"] as? [[String: Any]])?.count == 1)
    let notification = try ask(server, access, "GET", "/v1/notifications/1")
    #expect(notification["redacted"] as? Bool == true)
    #expect(notification["name"] is NSNull)
    #expect(try tool.run(["registry", "backup", "copy.db"] + Self.store).status == 0)
    #expect(server.end() == 0)
    let left = try traces()
    // A device that moved keeps its token under the new alias.
    #expect(
      isDeleted ? left.isEmpty : left.allSatisfy { $0.hasPrefix(Self.person) && !$0.contains(".log") },
      "\(left)")

    let standIn = try StandIn(
      tool,
      ["apns", "--write-certificate", "ca.pem", "--topic", "com.example.app", "--record", "record.jsonl"]
        + PushTests.keyFlags)
    server = try OperatedServer(
      tool, flags + PushTests.keyFlags + ["--apns", standIn.url, "--apns-ca", "ca.pem"])
    try put(server, access, Self.other, "user-19")
    let made = try ask(server, access, "POST", "/v1/notifications", message("user-19", "for another"))
    let path = "/v1/notifications/\(try #require(made["id"] as? String))"
    while try ask(server, access, "GET", path)["finished_at"] is NSNull {}
    #expect(server.end() == 0)
    let record = try tool.text("record.jsonl")
    #expect(record.contains(Self.other))
    #expect(!record.contains(Self.person))
  }
}
