import Foundation
import HTTPClientEngine
import HTTPTransport
import LinkspanCore
import LinkspanCrypto
import TestSupport
import Testing

/// `linkspan stand-in apns` over sockets (push notes 1 to 4, test rows 52, 62 to 68).
@Suite struct StandInAPNsTests {
  let tool: Tool
  private static let token = String(repeating: "ab", count: 32)
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

  private func send(_ standIn: StandIn, _ more: String...) throws -> Tool.Outcome {
    try tool.run(
      ["push", "send", "--topic", Self.topic, "--server", standIn.url, "--ca", "ca.pem", "--json"]
        + PushTests.keyFlags + more)
  }

  private func record() throws -> [[String: Any]] {
    let text = try String(contentsOf: tool.folder.appending(path: "record.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// A client of the engine's own.
  private func client() throws -> HTTPClient {
    let authority = try Data(contentsOf: tool.folder.appending(path: "ca.pem"))
    var configuration = HTTPClientConfiguration(trust: .authoritiesPEM(Array(authority)))
    configuration.protocols = .http2
    configuration.retries = 0
    return HTTPClient(configuration)
  }

  private func request(_ standIn: StandIn, authorization: String? = nil) throws -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", authority: standIn.place, target: "/3/device/\(Self.token)",
      fields: ["apns-topic": Self.topic, "apns-push-type": "alert"],
      body: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
    request.fields["authorization"] =
      try authorization ?? "bearer " + jwt(issued: Int(Date().timeIntervalSince1970))
    return request
  }

  /// By another encoder than the program's.
  private func jwt(issued: Int, key: String = PushTests.key) throws -> String {
    func text(_ data: Data) -> String {
      data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    let signed =
      text(Data(#"{"alg":"ES256","kid":"A1B2C3D4E5"}"#.utf8)) + "."
      + text(Data(#"{"iss":"F6G7H8I9J0","iat":\#(issued)}"#.utf8))
    let signer = try P256PrivateKey(Array(key.utf8))
    return signed + "." + text(Data(try signer.signature(over: Array(signed.utf8))))
  }

  private func reason(_ response: HTTPResponse) -> String? {
    JSONParser.parse(response.body).root?["reason"]?.string
  }

  @Test func aPushIsAcceptedAndRecorded() throws {
    let standIn = try standIn()
    let outcome = try send(
      standIn, "--token", Self.token, "--silent", "--collapse-id", "a c", "--expiration", "0")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let result = try outcome.json()
    #expect(result["apns_unique_id"] as? String != nil)
    let line = try #require(record().first)
    #expect(line["token"] as? String == Self.token && line["topic"] as? String == Self.topic)
    #expect(line["apns_id"] as? String == result["apns_id"] as? String)
    #expect(line["push_type"] as? String == "background" && line["priority"] as? Int == 5)
    #expect(line["expiration"] as? Int == 0 && line["collapse_id"] as? String == "a c")
    #expect(line["status"] as? Int == 200 && line["reason"] is NSNull)
    let aps = (line["payload"] as? [String: Any])?["aps"] as? [String: Int]
    #expect(aps == ["content-available": 1])
    #expect(standIn.end() == 0)
  }

  /// Vectors 21 and 45: a blank at the end of a value gets its reason, where HTTP/2 would reset the stream.
  @Test func aBlankAtTheEndOfAValueHasAReason() throws {
    let standIn = try standIn()
    let client = try client()
    let good = try request(standIn)
    var topic = good
    topic.fields["apns-topic"] = Self.topic + " "
    #expect(reason(try client.send(topic, deadline: .seconds(30))) == "BadTopic")
    let bearer = try request(standIn, authorization: "bearer ")
    #expect(reason(try client.send(bearer, deadline: .seconds(30))) == "MissingProviderToken")
    #expect(try client.send(good, deadline: .seconds(30)).status == 200)
  }

  /// Every reason over a socket, the sender's exit status and its advice.
  @Test func rulesGiveEveryKindOfAnswer() throws {
    try tool.write(
      """
      {rules: [
        {token: '\(String(repeating: "01", count: 32))', answer: {status: 410, reason: 'Unregistered', timestamp: 1454402113000}},
        {token: '\(String(repeating: "02", count: 32))', answer: {status: 400, reason: 'DeviceTokenNotForTopic'}},
        {token: '\(String(repeating: "03", count: 32))', count: 3, answer: {status: 500}},
        {token: '\(String(repeating: "04", count: 32))', count: 1, reset: 'REFUSED_STREAM'},
        {token: '\(String(repeating: "05", count: 32))', count: 1, loss: 'answer'},
        {token: '\(String(repeating: "06", count: 32))', count: 1, goaway: 'Shutdown'},
        {latency_ms: [0, 20]},
      ]}
      """, to: "rules.json5")
    let standIn = try standIn("--rules", "rules.json5")
    try tool.write(
      (0..<8).map { String(repeating: "0\($0)", count: 32) }.joined(separator: "\n"), to: "tokens")
    let outcome = try send(standIn, "--tokens", "tokens", "--alert", "Hi", "--patience", "20")
    #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
    let results = try (0..<8).map { try outcome.json(line: $0) }
    func result(_ digit: Int) throws -> [String: Any] {
      try #require(results.first { ($0["token"] as? String)?.hasPrefix("0\(digit)") == true })
    }
    #expect(try result(1)["reason"] as? String == "Unregistered")
    #expect(try result(1)["unregistered_at"] as? String == "2016-02-02T08:35:13.000Z")
    #expect(try result(2)["reason"] as? String == "DeviceTokenNotForTopic")
    for digit in [0, 4, 5, 6, 7] { #expect(try result(digit)["outcome"] as? String == "accepted") }
    #expect(try result(5)["possible_duplicate"] as? Bool == true)
    let twice = try record().filter { ($0["token"] as? String)?.hasPrefix("05") == true }
    #expect(twice.map { $0["status"] as? Int } == [200, 200])
    #expect(Set(twice.compactMap { $0["apns_id"] as? String }).count == 1)
  }

  /// Rows 46, 48, 52 and 53, on a clock that is moved.
  @Test func tokensAreVerifiedAgainstTheClock() throws {
    let standIn = try standIn()
    let client = try client()
    defer { client.shutdown() }
    let now = Int(Date().timeIntervalSince1970)
    func verdict(_ token: String) throws -> String {
      let response = try client.send(request(standIn, authorization: "bearer \(token)"))
      return [String(response.status), reason(response)].compactMap { $0 }.joined(separator: " ")
    }
    let first = try jwt(issued: now - 60)
    #expect(try verdict(first) == "200")
    #expect(try verdict(jwt(issued: now)) == "429 TooManyProviderTokenUpdates")
    #expect(try verdict(jwt(issued: now - 3_700)) == "403 ExpiredProviderToken")
    #expect(try verdict(first.dropLast(4) + "AAAA") == "403 InvalidProviderToken")
    let moved = try standIn.json("/clock", post: #"{"advance_s": 1260}"#)
    #expect(moved["elapsed_s"] as? Int ?? 0 >= 1_260)
    #expect(try verdict(jwt(issued: now + 1_260)) == "200")
    _ = try standIn.json("/clock", post: #"{"advance_s": 3700}"#)
    #expect(try verdict(jwt(issued: now + 1_260)) == "403 ExpiredProviderToken")
  }

  @Test func tokensRulesAndDrainingCanBeSetWhileItRuns() throws {
    let standIn = try standIn()
    let client = try client()
    defer { client.shutdown() }
    let token = try request(standIn).fields["authorization"]
    func status() throws -> Int { try client.send(request(standIn, authorization: token)).status }
    #expect(try status() == 200)
    _ = try standIn.json("/tokens", post: #"{"token": "\#(Self.token)", "state": "unregistered"}"#)
    #expect(try status() == 410)
    _ = try standIn.json("/tokens", post: #"{"token": "\#(Self.token)"}"#)
    _ = try standIn.json("/rules", post: #"{"rules": [{"count": 1, "answer": 503}]}"#)
    #expect(try status() == 503)
    #expect(try status() == 200)
    // As the file of --rules has it.
    _ = try standIn.json("/rules", post: "{rules: [{count: 1, answer: 503}], /* once */}")
    #expect(try status() == 503)
    #expect(try status() == 200)
    let refused = try standIn.call("/rules", post: #"{"rules": [{"anser": 503}]}"#)
    #expect(
      refused.status == 400 && String(decoding: refused.body, as: UTF8.self).contains("'anser' is not a key"))
    for (path, body, words) in [
      ("/drain", #"{"drain": "no"}"#, "'drain': expected true or false"),
      ("/drain", "{}", "'drain' is missing; expected true or false"),
      ("/rules", #"{"rule": []}"#, "'rule' is not a key of this call; expected 'rules'"),
    ] {
      let refused = try standIn.call(path, post: body)
      #expect(refused.status == 400)
      #expect(String(decoding: refused.body, as: UTF8.self).contains(words))
    }
    #expect(try status() == 200)
    _ = try standIn.json("/drain", post: #"{"drain": true}"#)
    let answer = try client.send(request(standIn, authorization: token))
    #expect(answer.status == 503 && reason(answer) == "Shutdown")
  }

  @Test func aTopicThatNoPushCanHaveIsRefused() throws {
    let outcome = try tool.run("stand-in", "apns", "--topic", "a b")
    #expect(outcome.status == 2 && outcome.errors.contains("'a b' is not a topic"))
  }

  /// Row 68, and row 67: the engine's client offers ALPN; openssl without it is tried by hand.
  @Test func HTTP1IsRefusedUnlessAllowed() throws {
    for (flags, status) in [([], 505), (["--allow-http1"], 405)] {
      let standIn = try StandIn(
        tool, ["apns", "--write-certificate", "ca.pem", "--topic", Self.topic] + PushTests.keyFlags + flags)
      let authority = try Data(contentsOf: tool.folder.appending(path: "ca.pem"))
      var configuration = HTTPClientConfiguration(trust: .authoritiesPEM(Array(authority)))
      configuration.protocols = .http1
      let client = HTTPClient(configuration)
      defer { client.shutdown() }
      let response = try client.send(HTTPRequest(authority: standIn.place, target: "/"))
      #expect(response.status == status)
    }
  }

  @Test func tokensOutsideTheListAreUnregistered() throws {
    try tool.write("\(Self.token)\n", to: "tokens")
    let standIn = try standIn("--known-tokens", "tokens")
    #expect(try send(standIn, "--token", Self.token, "--alert", "Hi").status == 0)
    let other = try send(standIn, "--token", String(repeating: "cd", count: 32), "--alert", "Hi")
    #expect(other.status == 1)
    #expect(try other.json()["reason"] as? String == "Unregistered")
  }

  @Test func aRulesFileThatIsWrongIsRefusedWithItsPlace() throws {
    try tool.write("{rules: [\n  {tokn: 'ab', answer: 410}\n]}\n", to: "rules.json5")
    let outcome = try tool.run(
      ["stand-in", "apns", "--listen", "127.0.0.1:0", "--rules", "rules.json5"] + PushTests.keyFlags)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains(
        "rules.json5:2:4: error[apns-rules.unknown-key]: 'tokn' is not a key of a rule."))
    #expect(outcome.errors.contains("Did you mean 'token'?"))
    #expect(outcome.output.isEmpty)
  }

  @Test(arguments: [
    (["--auth-key", "none.p8", "--auth-key-id", "A", "--team-id", "B"], "none.p8"),
    (["--auth-key", "key.p8"], "'--auth-key-id'"), (["--profile", "loose"], "expected strict or field"),
    (["--environment", "staging"], "expected production, sandbox or development"),
    (["--record", "no/such/folder/record"], "cannot be written"),
  ])
  func whatIsMissingIsNamed(_ flags: [String], _ text: String) throws {
    let outcome = try tool.run(["stand-in", "apns", "--listen", "127.0.0.1:0"] + flags)
    #expect(outcome.status == 2 && outcome.errors.contains(text), "\(outcome.errors)")
  }

  /// The public half is enough, and is all that a machine of a test needs.
  @Test func aPublicKeyIsEnough() throws {
    let key = try P256PrivateKey(Array(PushTests.key.utf8)).publicKey
    let der = Data(try #require(key.der)).base64EncodedString(options: .lineLength64Characters)
    try tool.write("-----BEGIN PUBLIC KEY-----\n\(der)\n-----END PUBLIC KEY-----\n", to: "public.pem")
    let standIn = try StandIn(
      tool,
      [
        "apns", "--write-certificate", "ca.pem", "--auth-key", "public.pem", "--auth-key-id", "A1B2C3D4E5",
        "--team-id", "F6G7H8I9J0",
      ])
    #expect(try send(standIn, "--token", Self.token, "--alert", "Hi").status == 0)
  }
}
