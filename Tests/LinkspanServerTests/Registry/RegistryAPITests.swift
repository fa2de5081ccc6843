import DeviceRegistry
import Foundation
import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import LinkspanServer
@testable import RegistryServer

/// A registry in a temporary folder, and its API without a socket.
final class APIUnderTest: Sendable {
  let folder: ScratchFolder
  let registry: Registry
  let api: RegistryAPI
  static let now = WallTime("2026-09-14T08:00:00Z")!

  init(_ options: RegistryAPI.Options = .init()) throws {
    folder = try ScratchFolder()
    registry = try Registry(.sqlite(path: folder.path("registry.db")))
    api = RegistryAPI(registry, options, now: { Self.now })
  }

  deinit { registry.stop() }

  /// Makes a credential.
  func token(
    _ scopes: Set<AccessScope> = [.readDevices, .writeDevices], topics: [String] = [],
    hosts: [String]? = nil, expires: WallTime? = nil
  ) throws -> String {
    let text = AccessTokenText(random: (0..<40).map { _ in UInt8.random(in: 0...255) })
    let token = AccessToken(
      identifier: text.identifier, secretHash: text.secretHash, scopes: scopes, topics: topics, hosts: hosts,
      createdAt: WallTime(milliseconds: 0), expiresAt: expires)
    try registry.changeAndWait { store throws(RegistryError) in try store.add(token) }
    return text.text
  }

  func answer(
    _ method: String, _ target: String, token: String? = nil, body: String = "", type: String? = nil,
    fields: [String: String] = [:], repeated: [(String, String)] = []
  ) async -> HTTPResponse {
    var request = HTTPRequest(method: method, authority: "registry.example", target: target)
    if let token { request.fields["Authorization"] = "Bearer \(token)" }
    if !body.isEmpty { request.fields["Content-Type"] = type ?? "application/json" }
    for (name, value) in fields { request.fields[name] = value }
    for (name, value) in repeated { request.fields.append(name, value) }
    request.body = Array(body.utf8)
    let origin = RequestOrigin(peer: SocketAddress("192.0.2.7", port: 1), isEncrypted: true)
    guard let reply = api.reply(to: request, from: origin) else { return HTTPResponse(status: 599) }
    return await Self.response(reply, request)
  }

  private static func response(_ reply: HTTPReply, _ request: HTTPRequest) async -> HTTPResponse {
    switch reply {
    case .now(let response), .cacheable(let response): return response
    case .afterBody(let limitBytes, let body):
      guard request.body.count <= limitBytes else { return HTTPResponse(status: 413) }
      return await response(body(request), request)
    case .later(let start):
      return await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
    case .offload, .stream, .readingBody, .disturbed: return HTTPResponse(status: 598)
    }
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  var object: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
  }
}

private let token = String(repeating: "a1", count: 32)
private let device = "/v1/devices/" + token
private let body = #"{"topic":"com.example.app","environment":"production"}"#

@Suite("Registry API", .timeLimit(.minutes(15)))
struct RegistryAPITests {
  @Test func registersReadsAndRemoves() async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    let full =
      #"{"topic":"com.example.app","environment":"sandbox","alias":"ann","tags":["a","b"],"locale":"de","#
      + #""time_zone":"Europe/Vienna","badge":2,"app_version":"1.2","latitude":48.2,"longitude":16}"#
    let first = await api.answer("PUT", device, token: access, body: full)
    #expect(first.status == 201)
    #expect(
      first.text
        == #"{"token":"\#(token)","topic":"com.example.app","environment":"sandbox","alias":"ann","tags":["a","b"],"#
        + #""badge":2,"locale":"de","language":null,"time_zone":"Europe/Vienna","app_version":"1.2","#
        + #""ip_address":null,"latitude":48.2,"longitude":16.0,"push_kind":"alert","#
        + #""created_at":"2026-09-14T08:00:00.000Z","last_seen_at":"2026-09-14T08:00:00.000Z","#
        + #""unregistered_at":null,"unregistered_reason":null}"#)
    let again = await api.answer("PUT", "/v1/devices/" + token.uppercased(), token: access, body: full)
    #expect(again.status == 200)
    let bracketed = await api.answer(
      "PUT", "/v1/devices/%3Ca1a1%20" + token.dropFirst(4) + "%3E", token: access, body: full)
    #expect(bracketed.status == 200)
    let read = await api.answer("GET", device, token: access)
    #expect(read.status == 200)
    #expect(read.object["alias"] as? String == "ann")
    #expect((read.object["other_registrations"] as? [Any])?.count == 0)
    let removed = await api.answer("DELETE", device, token: access)
    #expect(removed.status == 200)
    #expect(removed.text == #"{"deleted":1}"#)
    #expect(await api.answer("DELETE", device, token: access).status == 404)
    #expect(await api.answer("GET", device, token: access).status == 404)
  }

  @Test func theQueryNarrows() async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    for environment in ["production", "sandbox"] {
      let body = #"{"topic":"com.example.app","environment":"\#(environment)"}"#
      #expect(await api.answer("PUT", device, token: access, body: body).status == 201)
    }
    let both = await api.answer("GET", device, token: access)
    #expect((both.object["other_registrations"] as? [Any])?.count == 1)
    let one = await api.answer("GET", device + "?environment=production&topic=com.example.app", token: access)
    #expect(one.object["environment"] as? String == "production")
    #expect(
      await api.answer("DELETE", device + "?environment=production", token: access).text == #"{"deleted":1}"#)
    #expect(await api.answer("GET", device, token: access).object["environment"] as? String == "sandbox")
  }

  static let refused: [(method: String, target: String, body: String, detail: String)] = [
    (
      "PUT", "/v1/devices/xyz", body,
      "The path has no device token: it has characters that are not hexadecimal digits."
    ),
    (
      "PUT", "/v1/devices/a1a", body,
      "The path has no device token: it has 3 digits; two make a byte, so the count must be even."
    ),
    ("PUT", device, "{", "The body is not JSON: "),
    (
      "PUT", device, "{\n \"tags\": [\"a\",]}",
      "The body is not JSON: there is a ',' after the last value, at line 2, column 14."
    ),
    ("PUT", device, "[]", "The device has errors."),
    ("PUT", device, #"{"topic":"com.example.app"}"#, "The device has errors."),
    ("GET", "/v1/devices?limit=0", "", "'limit' in the query is not an integer from 1 to 1000."),
    ("GET", "/v1/devices?limit=1001", "", "'limit' in the query is not an integer from 1 to 1000."),
    ("GET", "/v1/devices?limit=+5", "", "'limit' in the query is not an integer from 1 to 1000."),
    ("GET", "/v1/devices?colour=red", "", "'colour' is not a field of this query: "),
    ("GET", "/v1/devices?topic=a&topic=b", "", "'topic' occurs twice."),
    (
      "GET", "/v1/devices?environment=test", "",
      "'environment' in the query: expected 'production' or 'sandbox'."
    ),
    (
      "GET", "/v1/devices?alias=%00", "",
      "'alias' in the query: expected 1 to 255 characters, no control characters."
    ),
    ("GET", "/v1/devices?alias=%zz", "", "The query is not percent-encoded UTF-8, or has too many fields."),
    ("POST", "/v1/erasures", #"{"alias":1}"#, "The erasure has errors."),
    ("POST", "/v1/erasures", #"{}"#, "The erasure has errors."),
  ]

  @Test(arguments: refused.indices)
  func refusesWithAReason(_ index: Int) async throws {
    let row = Self.refused[index]
    let api = try APIUnderTest()
    let answer = await api.answer(row.method, row.target, token: try api.token(), body: row.body)
    #expect(answer.status == 400)
    #expect(answer.fields["Content-Type"] == "application/problem+json")
    let detail = answer.object["detail"] as? String ?? ""
    #expect(detail.hasPrefix(row.detail), "\(detail)")
  }

  @Test func namesEveryError() async throws {
    let api = try APIUnderTest()
    let body =
      #"{"topic":"a b","environment":"test","alais":"x","badge":-1,"tags":[1],"time_zone":"x y","latitude":91}"#
    let answer = await api.answer("PUT", device, token: try api.token(), body: body)
    let errors = answer.object["errors"] as? [[String: String]] ?? []
    #expect(
      errors.map { $0["pointer"] } == [
        "/topic", "/environment", "/alais", "/badge", "/tags/0", "/time_zone", "/latitude",
      ])
    #expect(errors[2]["detail"] == "'alais' is not a key of a device. Did you mean 'alias'?")
  }

  /// What nobody sees must not tell two aliases apart, and what could not be read must not make two into one.
  @Test(arguments: [
    #"a\u202eb"#, #"a\u2066b"#, #"a\u200fb"#, #"a\u061cb"#, #"a\u2028b"#, #"a\u009bb"#, #"a\ud800"#,
    #"\udc00b"#,
    #"a\ufffd"#, "a\u{202E}b",
  ])
  func newTextsAreVisible(_ text: String) async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    let start = #"{"topic":"com.example.app","environment":"production","#
    let places = [
      (#""alias":"\#(text)""#, "/alias"), (#""tags":["x","\#(text)"]"#, "/tags/1"),
      (#""locale":"\#(text)""#, "/locale"), (#""language":"\#(text)""#, "/language"),
      (#""app_version":"\#(text)""#, "/app_version"),
    ]
    for (member, pointer) in places {
      let answer = await api.answer("PUT", device, token: access, body: start + member + "}")
      #expect(answer.status == 400, "\(member)")
      let errors = answer.object["errors"] as? [[String: String]] ?? []
      #expect(errors.first?["pointer"] == pointer)
      #expect(errors.first?["detail"]?.hasSuffix("U+FFFD and halves of surrogate pairs.") == true)
    }
    #expect(await api.answer("GET", device, token: access).status == 404)
  }

  @Test(arguments: ["日本", "مرحبا", "👨‍👩‍👧", "O'Brien", "ä"])
  func languagesAreTaken(_ alias: String) async throws {
    let api = try APIUnderTest()
    let body = #"{"topic":"com.example.app","environment":"production","alias":"\#(alias)"}"#
    #expect(await api.answer("PUT", device, token: try api.token(), body: body).status == 201)
  }

  /// A registry of before may hold them: they are read, found, pushed to and erased.
  @Test(arguments: ["a\u{202E}b", "a\u{FFFD}"])
  func aliasesStoredBeforeCanBeErased(_ alias: String) async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    let line =
      #"{"token":"\#(token)","topic":"com.example.app","environment":"production","alias":"\#(alias)"}"#
    let stored = try RegistryTransfer.device(Array(line.utf8))
    try api.registry.changeAndWait { store throws(RegistryError) in
      _ = try store.importDevices([stored], at: APIUnderTest.now)
    }
    #expect(await api.answer("GET", device, token: access).object["alias"] as? String == alias)
    let escaped = alias.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let found = await api.answer("GET", "/v1/devices?alias=\(escaped)", token: access).object
    #expect((found["devices"] as? [Any])?.count == 1)
    let erased = await api.answer("POST", "/v1/erasures", token: access, body: #"{"alias":"\#(alias)"}"#)
    #expect(erased.object["erased"] as? Int == 1)
  }

  @Test(arguments: [
    ("PUT", device, #"{"topic":"com.example.app","environment":"production","alias":"a","alias":"b"}"#),
    ("PUT", device, #"{"topic":"com.example.app","topic":"com.example.app","environment":"production"}"#),
    ("POST", "/v1/erasures", #"{"alias":"a","alias":"b"}"#),
    (
      "POST", device + "/rejections",
      #"{"topic":"com.example.app","environment":"production","reason":"Unregistered","reason":"BadDeviceToken"}"#
    ),
  ])
  func keysThatOccurTwiceAreRefused(method: String, target: String, body: String) async throws {
    let api = try APIUnderTest()
    let answer = await api.answer(method, target, token: try api.token(), body: body)
    #expect(answer.status == 400)
    let errors = answer.object["errors"] as? [[String: String]] ?? []
    #expect(errors.contains { $0["detail"]?.hasSuffix("occurs twice.") == true }, "\(answer.text)")
  }

  @Test(arguments: [("true", 200), ("false", 200), ("True", 400), ("1", 400)])
  func activeIsTrueOrFalse(_ value: String, _ status: Int) async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    #expect(await api.answer("GET", "/v1/devices?active=\(value)", token: access).status == status)
  }

  @Test func theAuditLogHasDevicesThatWereThere() async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    func actions() throws -> [String] {
      try api.registry.askAndWait { store throws(RegistryError) in try store.auditLog(limit: 4) }.map(
        \.action)
    }
    #expect(await api.answer("DELETE", device, token: access).status == 404)
    #expect(try actions().isEmpty)
    let body = #"{"topic":"com.example.app","environment":"production"}"#
    #expect(await api.answer("PUT", device, token: access, body: body).status == 201)
    #expect(await api.answer("DELETE", device, token: access).status == 200)
    let left = try actions()
    #expect(left == ["device.delete", "device.register"])
  }

  @Test func pagesByKey() async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    for index in 10..<15 {
      let path = "/v1/devices/" + String(repeating: "\(index)", count: 32)
      let body = #"{"topic":"com.example.app","environment":"production","tags":["t\#(index % 2)"]}"#
      #expect(await api.answer("PUT", path, token: access, body: body).status == 201)
    }
    var seen: [String] = []
    var next: String? = "0"
    while let after = next {
      let page = await api.answer("GET", "/v1/devices?limit=2&after=\(after)", token: access).object
      seen += (page["devices"] as? [[String: Any]] ?? []).compactMap {
        ($0["token"] as? String).map { String($0.prefix(2)) }
      }
      next = page["next"] as? String
    }
    #expect(seen == ["10", "11", "12", "13", "14"])
    let odd = await api.answer("GET", "/v1/devices?tag=t1&active=true", token: access).object
    #expect((odd["devices"] as? [Any])?.count == 2)
  }

  static let remains =
    #""remains":[{"where":"backups made before 2026-09-14T08:00:00.000Z","until":null}]}"#

  @Test func erasesByAlias() async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    let body = #"{"topic":"com.example.app","environment":"production","alias":"ann"}"#
    _ = await api.answer("PUT", device, token: access, body: body)
    #expect(
      await api.answer("POST", "/v1/erasures", token: access, body: #"{"alias":"ann"}"#).text
        == #"{"erased":1,"cancelled":0,"redacted":0,"# + Self.remains)
    #expect(
      await api.answer("POST", "/v1/erasures", token: access, body: #"{"alias":"ann"}"#).text
        == #"{"erased":0,"cancelled":0,"redacted":0,"# + Self.remains)
    #expect(await api.answer("GET", device, token: access).status == 404)
  }

  /// Push notes, 4: a token is dead only if it was not registered after APNs's timestamp.
  @Test func takesWhatAPNsAnswered() async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    _ = await api.answer("PUT", device, token: access, body: body)
    let now = APIUnderTest.now.milliseconds
    func reject(_ reason: String, _ rest: String = "") async -> String {
      let body = #"{"topic":"com.example.app","environment":"production","reason":"\#(reason)"\#(rest)}"#
      return await api.answer("POST", device + "/rejections", token: access, body: body).text
    }
    #expect(await reject("Unregistered", ",\"timestamp\":\(now - 1)") == #"{"unregistered":false}"#)
    #expect(await reject("Unregistered", ",\"timestamp\":\(now)") == #"{"unregistered":true}"#)
    let dead = await api.answer("GET", device, token: access).object
    #expect(dead["unregistered_reason"] as? String == "Unregistered")
    #expect(dead["unregistered_at"] as? String == "2026-09-14T08:00:00.000Z")
    #expect(await api.answer("PUT", device, token: access, body: body).status == 200)
    #expect(await reject("BadDeviceToken") == #"{"unregistered":false}"#)
    #expect(await reject("BadDeviceToken") == #"{"unregistered":true}"#)
    #expect(await reject("TooManyRequests").contains(#""pointer":"/reason""#))
    #expect(await reject("Unregistered", ",\"timestamp\":-1").contains(#""pointer":"/timestamp""#))
    #expect(await reject("Unregistered", ",\"alias\":\"x\"").contains(#""pointer":"/alias""#))
  }

  // MARK: - Who may

  @Test func withoutAGoodCredentialNothingHappens() async throws {
    let api = try APIUnderTest()
    let good = try api.token()
    let expired = try api.token(expires: APIUnderTest.now)
    let wrong = good.dropLast() + (good.hasSuffix("0") ? "1" : "0")
    for credential in [nil, "", "x", "lsp_0001020304050607_00", String(wrong), expired] {
      for method in ["PUT", "GET", "DELETE"] {
        let answer = await api.answer(method, device, token: credential, body: method == "PUT" ? body : "")
        #expect(answer.status == 401, "\(method) \(credential ?? "none")")
        #expect(answer.fields["WWW-Authenticate"]?.hasPrefix("Bearer realm=\"linkspan\"") == true)
        #expect(!answer.text.contains(token))
      }
    }
    #expect(await api.answer("GET", "/v1/devices", token: good).text == #"{"devices":[],"next":null}"#)
  }

  @Test func aRevokedCredentialIsRefusedWithinItsLifetimeInTheCache() async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    let identifier = AccessTokenText(access)!.identifier
    _ = try api.registry.changeAndWait { store throws(RegistryError) in
      try store.revoke(identifier, at: APIUnderTest.now)
    }
    #expect(await api.answer("GET", device, token: access).status == 401)
  }

  @Test func scopesCount() async throws {
    let api = try APIUnderTest()
    let reader = try api.token([.readDevices])
    let writer = try api.token([.writeDevices, .readCampaigns])
    let refusal = await api.answer("PUT", device, token: reader, body: body)
    #expect(refusal.status == 403)
    #expect(refusal.object["detail"] as? String == "The credential lacks the scope 'devices:write'.")
    #expect(await api.answer("DELETE", device, token: reader).status == 403)
    #expect(await api.answer("POST", "/v1/erasures", token: reader, body: #"{"alias":"a"}"#).status == 403)
    #expect(await api.answer("GET", device, token: reader).status == 404)
    #expect(await api.answer("GET", device, token: writer).status == 403)
    #expect(await api.answer("PUT", device, token: writer, body: body).status == 201)
  }

  @Test func otherTopicsAreOutOfSight() async throws {
    let api = try APIUnderTest()
    let ours = try api.token(topics: ["com.example.app"])
    let theirs = try api.token(topics: ["com.example.other"])
    let named = #"{"topic":"com.example.app","environment":"production","alias":"ann"}"#
    #expect(await api.answer("PUT", device, token: theirs, body: named).status == 403)
    #expect(await api.answer("PUT", device, token: ours, body: named).status == 201)
    #expect(await api.answer("GET", device, token: theirs).status == 404)
    #expect(await api.answer("GET", device + "?topic=com.example.app", token: theirs).status == 403)
    #expect(await api.answer("GET", device + "?topic=com.example.none", token: theirs).status == 403)
    #expect(await api.answer("DELETE", device, token: theirs).status == 404)
    #expect(
      await api.answer("POST", "/v1/erasures", token: theirs, body: #"{"alias":"ann"}"#).text
        == #"{"erased":0,"cancelled":0,"redacted":0,"remains":[{"where":"topics other than com.example.other, if they "#
        + #"have devices with the alias","until":null},"# + Self.remains.dropFirst(#""remains":["#.count))
    #expect(await api.answer("GET", "/v1/devices", token: theirs).text == #"{"devices":[],"next":null}"#)
    #expect(await api.answer("GET", device, token: ours).status == 200)
  }

  /// Push notes, 2: an app's topics are its bundle identifier with a suffix for most types of push.
  @Test func aCredentialForAnAppIsForItsTopicsWithASuffix() async throws {
    let api = try APIUnderTest()
    let app = try api.token(topics: ["com.example.app"])
    let calls = try api.token(topics: ["com.example.app.voip"])
    func registered(_ topic: String, _ access: String) async -> HTTPResponse {
      let body = #"{"topic":"\#(topic)","environment":"production","alias":"ann"}"#
      return await api.answer("PUT", device, token: access, body: body)
    }
    for topic in ["com.example.app", "com.example.app.voip", "com.example.app.push-type.liveactivity"] {
      #expect(await registered(topic, app).status == 201, "\(topic)")
    }
    for topic in ["com.example.app2", "com.example.app.other", "com.example"] {
      let answer = await registered(topic, app)
      #expect(
        answer.status == 403 && answer.text.contains("is not for the topic '\(topic)'"), "\(answer.text)")
    }
    #expect(await registered("com.example.app", calls).status == 403)
    #expect(await registered("com.example.app.voip", calls).status == 200)
    #expect((await api.answer("GET", "/v1/devices", token: app).object["devices"] as? [Any])?.count == 3)
    #expect((await api.answer("GET", "/v1/devices", token: calls).object["devices"] as? [Any])?.count == 1)
    let erased = await api.answer("POST", "/v1/erasures", token: app, body: #"{"alias":"ann"}"#)
    #expect(erased.object["erased"] as? Int == 3, "\(erased.text)")
  }

  /// What a body says would be deleted too little or too much of.
  @Test func aDeletionHasNoBody() async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    #expect(await api.answer("PUT", device, token: access, body: body).status == 201)
    let refused = await api.answer("DELETE", device, token: access, body: body)
    #expect(refused.status == 400 && refused.text.contains("name 'topic' and 'environment' in the query"))
    #expect(await api.answer("GET", device, token: access).status == 200)
    #expect(await api.answer("DELETE", device, token: access).text == #"{"deleted":1}"#)
  }

  /// Push notes, 10.5: a wrong base address gets the right one.
  @Test(arguments: ["/api/devices/" + token, "/foo/devices/" + token, "/app/devices/" + token])
  func aWrongBaseAddressGetsTheRightOne(path: String) async throws {
    let answer = await (try APIUnderTest()).answer("PUT", path, body: body)
    #expect(answer.status == 404 && answer.text.contains("The path is /v1/devices/TOKEN"), "\(answer.text)")
    #expect(await (try APIUnderTest()).answer("GET", "/apple-app-site-association").status == 599)
  }

  @Test func theLimitOfRequestsIsSaid() async throws {
    var options = RegistryAPI.Options()
    options.requestsPerMinute = 2
    let api = try APIUnderTest(options)
    let access = try api.token()
    let first = await api.answer("GET", device, token: access)
    #expect(first.fields["RateLimit-Policy"] == "\"default\";q=2;w=60")
    #expect(first.fields["RateLimit"] == "\"default\";r=1;t=60")
    _ = await api.answer("GET", device, token: access)
    let third = await api.answer("GET", device, token: access)
    #expect(third.status == 429)
    #expect(third.fields["Retry-After"] == "60")
    let other = try api.token()
    #expect(await api.answer("GET", device, token: other).status == 404)
  }

  @Test func countsWhatItDid() async throws {
    let api = try APIUnderTest()
    let access = try api.token()
    for _ in 0..<3 { _ = await api.answer("PUT", device, token: access, body: body) }
    _ = await api.answer("DELETE", device, token: access)
    _ = await api.answer("GET", device)
    _ = await api.answer("GET", device, token: try api.token([.writeDevices]))
    var page = MetricsPage()
    api.api.counters.write(waiting: api.api.waitingChanges, times: api.api.changeTimes, to: &page)
    let lines = String(decoding: page.bytes, as: UTF8.self).split(separator: "\n").filter {
      !$0.hasPrefix("#") && !$0.hasSuffix(" 0")
    }
    let times = lines.first { $0.hasPrefix("linkspan_registry_change_seconds_count ") }
    #expect(try #require(times?.split(separator: " ").last.flatMap { Int($0) }) >= 4, "\(lines)")
    #expect(
      lines.filter { !$0.hasPrefix("linkspan_registry_change_seconds") } == [
        #"linkspan_registry_devices_total{change="new"} 1"#,
        #"linkspan_registry_devices_total{change="known"} 2"#,
        #"linkspan_registry_devices_total{change="removed"} 1"#,
        #"linkspan_registry_refusals_total{reason="unauthorized"} 1"#,
        #"linkspan_registry_refusals_total{reason="forbidden"} 1"#,
      ])
  }

  // MARK: - Routes

  @Test func answersTheDescription() async throws {
    let api = try APIUnderTest()
    let document = await api.answer("GET", "/v1/openapi.json").object
    #expect(document["openapi"] as? String == "3.1.0")
    let head = await api.answer("HEAD", "/v1/openapi.json")
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
  }

  @Test func otherMethodsAndPathsAreNamed() async throws {
    let api = try APIUnderTest()
    let post = await api.answer("POST", device)
    #expect(post.status == 405)
    #expect(post.fields["Allow"] == "DELETE, GET, HEAD, OPTIONS, PUT")
    #expect(await api.answer("GET", "/v1/nothing").status == 404)
    #expect(await api.answer("GET", "/.well-known/apple-app-site-association").status == 599)
    #expect(await api.answer("GET", "/other").status == 599)
    let lost = await api.answer("PUT", "/push/devices/" + token)
    #expect(lost.status == 404)
    #expect(
      lost.object["detail"] as? String
        == "There are no devices here. The path is /v1/devices/TOKEN; is the base address right?")
    #expect(await api.answer("PUT", "/push_notification/devices/" + token, body: "{}").status == 404)
  }
}
