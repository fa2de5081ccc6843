import Foundation
import TestSupport
import Testing

/// One server with keys of two teams: a key that APNs refuses stops its own topics (push notes 1.18 and 3.1).
@Suite("Several keys", .timeLimit(.minutes(5)))
struct SeveralKeysTests {
  let tool: Tool
  private static let store = ["--registry", "sqlite:registry.db"]

  init() throws {
    tool = try Tool()
    try tool.write(PushTests.key, to: "key.p8")
    try writeKey("other.p8")
    try tool.restrict("key.p8")
  }

  private func writeKey(_ name: String) throws {
    let made = try tool.program(
      "/usr/bin/env", ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"])
    try tool.write(String(made.output[made.output.firstRange(of: "-----BEGIN")!.lowerBound...]), to: name)
    try tool.restrict(name)
  }

  private func token(_ number: Int) -> String { String(format: "%064x", number) }

  private struct Client {
    let server: OperatedServer
    let access: String

    func call(_ method: String, _ path: String, _ body: String? = nil) throws -> [String: Any] {
      var words = ["-X", method, "-H", "Authorization: Bearer \(access)"]
      if let body { words += ["-H", "Content-Type: application/json", "-d", body] }
      let text = try server.tool.curl(words + ["http://127.0.0.1:\(server.port)\(path)"])
      return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    /// The path of a notification to a token.
    func notify(_ topic: String, _ token: String) throws -> String {
      let made = try call(
        "POST", "/v1/notifications",
        #"{"topic":"\#(topic)","environment":"production","payload":{"aps":{"alert":"Hi"}},"tokens":["\#(token)"]}"#
      )
      return "/v1/notifications/\(try #require(made["id"] as? String))"
    }

    func isEnded(_ path: String) throws -> Bool { try call("GET", path)["finished_at"] is String }
  }

  /// The stand-in knows the first key only, until it knows both.
  @Test func aRefusedKeyStopsItsOwnTopicsOnly() throws {
    try tool.write(
      #"{rules: [{topic: "com.example.b", answer: {status: 403, reason: "InvalidProviderToken"}}]}"#,
      to: "rules.json5")
    let standIn = try StandIn(
      tool,
      [
        "apns", "--write-certificate", "ca.pem", "--environment", "production", "--record", "record.jsonl",
        "--rules", "rules.json5", "--auth-key", "other.p8", "--auth-key-id", "B1B2C3D4E5", "--team-id",
        "F6G7H8I9J0", "--team-id", "K6L7M8N9P0",
      ] + PushTests.keyFlags.dropLast(2))
    let access =
      try tool.run(
        ["token", "create", "--scope", "devices:write,notifications:write,notifications:read"] + Self.store
      ).lines.first ?? ""
    // The stand-in's first team is that of its first key.
    let server = try OperatedServer(
      tool,
      Self.store + [
        "--auth-key", "key.p8", "--auth-key-id", "A1B2C3D4E5", "--team-id", "K6L7M8N9P0", "--auth-key-for",
        "com.example.b=B1B2C3D4E5:F6G7H8I9J0:other.p8", "--apns", standIn.url, "--apns-ca", "ca.pem",
      ])
    let client = Client(server: server, access: access)
    let refused = try client.notify("com.example.b", token(1))
    while try !server.errors.contains("refuses the key B1B2C3D4E5 of team F6G7H8I9J0") {}
    for number in 2...5 {
      let path = try client.notify("com.example.a", token(number))
      while try !client.isEnded(path) {}
    }
    #expect(try !client.isEnded(refused))
    let page = try server.admin("/metrics")
    let label = #"environment="production",team="F6G7H8I9J0",key="B1B2C3D4E5",cause="credential""#
    #expect(page.contains("linkspan_push_key_outage{\(label)} 1"), "\(page)")
    #expect(
      page.contains(
        #"linkspan_push_key_outage{environment="production",team="K6L7M8N9P0",key="A1B2C3D4E5",cause="credential"} 0"#
      ))
    #expect(page.contains(#"linkspan_push_held{environment="production"} 1"#))
    #expect(
      try server.admin("/readyz?part=push").contains("refuses the key B1B2C3D4E5: InvalidProviderToken."))
    var doctor = try tool.run(["registry", "doctor"] + Self.store)
    while doctor.status == 0 { doctor = try tool.run(["registry", "doctor"] + Self.store) }
    #expect(
      doctor.output.contains(
        "NO  key: APNs (production) answered 403 InvalidProviderToken, and 1 push waits; check that key,"),
      "\(doctor.output)\(doctor.errors)")
    _ = try standIn.call("/rules", post: "{\"rules\": []}")
    server.signal(SIGHUP)
    while try !client.isEnded(refused) {}
    let record = try tool.text("record.jsonl")
    #expect(record.contains(#""topic":"com.example.a""#) && !record.contains("PRIVATE"))
    #expect(try !server.errors.contains("PRIVATE"))
    #expect(server.end() == 0)
  }

  /// A key that is added to the configuration sends its topics after a reload, and one that is removed stops.
  @Test func keysComeAndGoWithAReload() throws {
    let standIn = try StandIn(
      tool,
      [
        "apns", "--write-certificate", "ca.pem", "--environment", "production", "--record", "record.jsonl",
        "--auth-key", "key.p8", "--auth-key-id", "C1B2C3D4E5",
      ] + PushTests.keyFlags)
    func configure(_ keys: String) throws {
      try tool.write(
        """
        { server: { registry: "sqlite:registry.db", apns: "\(standIn.url)", apns_ca: "ca.pem", auth_keys: [\(keys)] } }
        """, to: "linkspan.json5")
    }
    func key(_ topic: String, _ identifier: String) -> String {
      #"{ topics: ["\#(topic)"], auth_key: "key.p8", auth_key_id: "\#(identifier)", team_id: "F6G7H8I9J0" }"#
    }
    try configure(key("com.example.a", "A1B2C3D4E5"))
    let access =
      try tool.run(
        ["token", "create", "--scope", "devices:write,notifications:write,notifications:read"] + Self.store
      ).lines.first ?? ""
    let server = try OperatedServer(tool, ["--config", "linkspan.json5", "--no-watch"])
    let client = Client(server: server, access: access)
    let first = try client.notify("com.example.a", token(1))
    while try !client.isEnded(first) {}
    let waiting = try client.notify("com.example.b", token(2))
    try configure(key("com.example.b", "C1B2C3D4E5"))
    server.signal(SIGHUP)
    while try !client.isEnded(waiting) {}
    let left = try client.notify("com.example.a", token(3))
    let next = try client.notify("com.example.b", token(4))
    while try !client.isEnded(next) {}
    #expect(try !client.isEnded(left))
    #expect(server.end() == 0)
  }
}
