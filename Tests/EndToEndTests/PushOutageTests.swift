import Foundation
import TestSupport
import Testing

/// What `push send`, `apn push` and `serve` do while APNs fails or refuses the key: the same (push notes 1.12, 3.1 and 4).
@Suite("Push outages", .timeLimit(.minutes(5)))
struct PushOutageTests {
  let tool: Tool
  private static let topic = "com.example.app"

  init() throws {
    tool = try Tool()
    try tool.write(PushTests.key, to: "key.p8")
    try tool.restrict("key.p8")
  }

  private func standIn(_ rules: String) throws -> StandIn {
    try tool.write(rules, to: "rules.json5")
    return try StandIn(
      tool,
      [
        "apns", "--write-certificate", "ca.pem", "--topic", Self.topic, "--record", "record.jsonl",
        "--rules", "rules.json5",
      ] + PushTests.keyFlags)
  }

  private func token(_ number: Int) -> String { String(format: "%064x", number) }

  private func record() throws -> [[String: Any]] {
    try tool.text("record.jsonl").split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// The first four answers are 503; all pushes are accepted some seconds later, and none waits for 15 minutes.
  @Test(arguments: ["push send", "apn push"]) func aBurstOfFailuresCostsSeconds(command: String) throws {
    let standIn = try standIn("{rules: [{count: 4, answer: 503}]}")
    let tokens = (1...50).map(token)
    try tool.write(tokens.joined(separator: "\n") + "\n", to: "tokens.txt")
    let words =
      command == "push send"
      ? ["push", "send", "--tokens", "tokens.txt", "--alert", "Hi"] : ["apn", "push", "-m", "Hi"] + tokens
    let outcome = try tool.run(
      words + ["--topic", Self.topic, "--server", standIn.url, "--ca", "ca.pem"] + PushTests.keyFlags)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasSuffix("50 accepted, 0 rejected, 0 deferred\n"))
    #expect(outcome.errors.contains("APNs fails (503 ServiceUnavailable); pushes wait"))
    #expect(outcome.errors.contains("APNs takes pushes again"))
    #expect(try record().count == 54)
  }

  @Test(arguments: ["InvalidProviderToken", "UnrelatedKeyIdInToken", "ExpiredProviderToken"])
  func aRefusedKeyIsTriedOnce(reason: String) throws {
    let standIn = try standIn("{rules: [{answer: {status: 403, reason: \"\(reason)\"}}]}")
    try tool.write((1...100).map(token).joined(separator: "\n") + "\n", to: "tokens.txt")
    let outcome = try tool.run(
      ["push", "send", "--tokens", "tokens.txt", "--alert", "Hi", "--topic", Self.topic, "--server"]
        + [standIn.url, "--ca", "ca.pem"] + PushTests.keyFlags)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("APNs refuses the key: \(reason)."), "\(outcome.errors)")
    #expect(outcome.output.contains("1 rejected") || outcome.output.contains("rejected: 403 \(reason)"))
    #expect(try record().count <= 2)
  }

  /// A server stops sending, says why, and sends everything when APNs works again; `/readyz` names the part.
  @Test func aServerWaitsForTheEndOfAnOutage() throws {
    let standIn = try standIn("{rules: [{answer: {status: 503, retry_after_s: 1}}]}")
    let store = ["--registry", "sqlite:registry.db"]
    let access =
      try tool.run(
        ["token", "create", "--scope", "devices:write,notifications:write,notifications:read"] + store
      ).lines.first ?? ""
    let server = try OperatedServer(
      tool, store + PushTests.keyFlags + ["--apns", standIn.url, "--apns-ca", "ca.pem"])
    func call(_ method: String, _ path: String, _ body: String? = nil) throws -> [String: Any] {
      var words = ["-X", method, "-H", "Authorization: Bearer \(access)"]
      if let body { words += ["-H", "Content-Type: application/json", "-d", body] }
      let text = try tool.curl(words + ["http://127.0.0.1:\(server.port)\(path)"])
      return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }
    for number in 1...40 {
      _ = try call(
        "PUT", "/v1/devices/\(token(number))",
        #"{"topic":"com.example.app","environment":"sandbox","alias":"user\#(number)"}"#)
    }
    let aliases = (1...40).map { "\"user\($0)\"" }.joined(separator: ",")
    let made = try call(
      "POST", "/v1/notifications",
      #"{"topic":"com.example.app","environment":"sandbox","payload":{"aps":{"alert":"Hi"}},"aliases":[\#(aliases)]}"#
    )
    let path = "/v1/notifications/\(try #require(made["id"] as? String))"
    while try !server.errors.contains("APNs (sandbox) fails: 503 ServiceUnavailable.") {}
    #expect(try server.admin("/readyz?part=push").contains(#""status":"unavailable","part":"push""#))
    #expect(try server.readiness()["status"] as? String == "ready")
    #expect(try server.admin("/metrics").contains(#"outage{environment="sandbox",cause="service"} 1"#))
    _ = try standIn.call("/rules", post: "{\"rules\": []}")
    while try !(call("GET", path)["finished_at"] is String) {}
    #expect(try server.errors.contains("APNs (sandbox) takes pushes again"))
    let page = try server.admin("/metrics")
    #expect(page.contains(#"linkspan_push_attempts_total{environment="sandbox",result="accepted"} 40"#))
    #expect(
      page.contains(
        #"linkspan_push_delivery_seconds_count{lane="transactional",environment="sandbox",topic="com.example.app"} 40"#
      ))
    #expect(server.end() == 0)
  }
}
