import DeviceRegistry
import Foundation
import LinkspanCore
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import LinkspanServer
@testable import RegistryServer

private let token = String(repeating: "a1", count: 32)

/// The routes of 2013 (push notes, 10.1 to 10.3 and 10.5).
@Suite("Legacy routes", .timeLimit(.minutes(15)))
struct LegacyRoutesTests {
  static func api(isOpen: Bool = true) throws -> APIUnderTest {
    var options = RegistryAPI.Options()
    options.legacy = .init(topic: "com.example.app", environment: .production, isOpen: isOpen)
    return try APIUnderTest(options)
  }

  /// What Orbiter 2.1.0 sends: an upper-case token, `lat` and `lng` as strings.
  static let orbiter =
    #"{"locale":"en_US","language":"en","timezone":"America/New_York","lat":"37.7","lng":"-122.4","#
    + #""tags":["v1.0","iPhone","iOS 7.0"],"alias":"ann"}"#

  @Test("G2, G3 and G4: both base addresses are the same row", arguments: ["", "/push_notification"])
  func orbiterRegisters(_ base: String) async throws {
    let api = try Self.api()
    let first = await api.answer("PUT", "\(base)/devices/\(token.uppercased())", body: Self.orbiter)
    #expect(first.status == 201)
    #expect(first.fields["Content-Type"] == "application/json")
    #expect(
      first.text
        == #"{"device":{"token":"\#(token)","alias":"ann","badge":0,"locale":"en_US","language":"en","#
        + #""timezone":"America/New_York","ip_address":"192.0.2.7","lat":37.7,"lng":-122.4,"#
        + #""tags":["v1.0","iPhone","iOS 7.0"]}}"#)
    for other in ["", "/push_notification"] {
      #expect(await api.answer("PUT", "\(other)/devices/\(token)", body: "{}").status == 200)
      #expect(await api.answer("PUT", "\(other)/devices/\(token)/").status == 200)
    }
    let access = try api.token()
    let modern = await api.answer("GET", "/v1/devices/\(token)", token: access).object
    #expect(modern["topic"] as? String == "com.example.app")
    #expect(modern["latitude"] as? Double == 37.7)
    #expect(await api.answer("DELETE", "\(base)/devices/\(token.uppercased())").status == 200)
    #expect(await api.answer("DELETE", "\(base)/devices/\(token)").status == 404)
  }

  /// A value that cannot be used is passed over; one that could be taken for another one would clear what the device had.
  @Test(arguments: [
    #"{"alias":"a\u202eb"}"#, #"{"alias":"a\ud800"}"#, #"{"tags":["x","a\u2066"]}"#, #"{"tags":"a\u200f"}"#,
    #"{"locale":"\udfff"}"#, #"{"alias":"a","alias":"b"}"#, #"{"alias":{"name":"ann"}}"#,
    "{\"alias\":\"\(String(repeating: "a", count: 256))\"}",
  ])
  func refusesTextsThatNobodySees(_ body: String) async throws {
    let api = try Self.api()
    #expect(await api.answer("PUT", "/devices/\(token)", body: #"{"alias":"ann"}"#).status == 201)
    let answer = await api.answer("PUT", "/devices/\(token)", body: body)
    #expect(answer.status == 400, "\(answer.text)")
    let kept = await api.answer("GET", "/v1/devices/\(token)", token: try api.token())
    #expect(kept.object["alias"] as? String == "ann")
  }

  @Test func aValueThatCannotBeUsedClearsNothing() async throws {
    let api = try Self.api()
    let all = #"{"locale":"de_AT","language":"de","timezone":"Europe/Vienna","tags":["a"],"badge":4}"#
    #expect(await api.answer("PUT", "/devices/\(token)", body: all).status == 201)
    let long = "\"" + String(repeating: "a", count: 256) + "\""
    for value in [long, #"{"a":1}"#] {
      let body =
        "{\"locale\":\(value),\"language\":\(value),\"timezone\":\(value),\"tags\":{\"a\":1},\"badge\":-1}"
      #expect(await api.answer("PUT", "/devices/\(token)", body: body).status == 200)
    }
    let access = try api.token()
    let kept = await api.answer("GET", "/v1/devices/\(token)", token: access).object
    #expect(kept["locale"] as? String == "de_AT" && kept["language"] as? String == "de")
    #expect(kept["time_zone"] as? String == "Europe/Vienna" && kept["tags"] as? [String] == ["a"])
    #expect(kept["badge"] as? Int == 4)
    let none = #"{"locale":null,"language":""}"#
    #expect(await api.answer("PUT", "/devices/\(token)", body: none).status == 200)
    let cleared = await api.answer("GET", "/v1/devices/\(token)", token: access).object
    #expect(cleared["locale"] is NSNull && cleared["language"] is NSNull)
  }

  @Test func aFormWithTextsThatNobodySeesIsRefused() async throws {
    let api = try Self.api()
    let answer = await api.answer(
      "PUT", "/devices/\(token)", body: "alias=a%E2%80%AEb", type: "application/x-www-form-urlencoded")
    #expect(answer.status == 400)
  }

  @Test func aFormRegistersToo() async throws {
    let api = try Self.api()
    let answer = await api.answer(
      "PUT", "/devices/\(token)", body: "alias=ann+b&tags[]=x&tags[]=y&badge=3&unknown=1",
      type: "application/x-www-form-urlencoded")
    let device = answer.object["device"] as? [String: Any]
    #expect(device?["alias"] as? String == "ann b")
    #expect(device?["tags"] as? [String] == ["x", "y"])
    #expect(device?["badge"] as? Int == 3)
  }

  @Test func openMeansRegistrationOnly() async throws {
    let api = try Self.api()
    for target in ["/devices", "/devices/\(token)", "/push_notification/devices?q=a", "/feedback"] {
      #expect(await api.answer("GET", target).status == 401, "\(target)")
    }
    #expect(await api.answer("PUT", "/devices/\(token)", token: "wrong").status == 401)
  }

  @Test func closedWantsACredentialForTheTopic() async throws {
    let api = try Self.api(isOpen: false)
    #expect(await api.answer("PUT", "/devices/\(token)", body: "{}").status == 401)
    let other = try api.token(topics: ["com.example.other"])
    #expect(await api.answer("PUT", "/devices/\(token)", token: other, body: "{}").status == 403)
    let access = try api.token()
    #expect(await api.answer("PUT", "/devices/\(token)", token: access, body: "{}").status == 201)
  }

  @Test("G5 and G6: Helios' queries")
  func heliosQueries() async throws {
    let api = try Self.api()
    let access = try api.token()
    for index in 10..<15 {
      let path = "/devices/" + String(repeating: "\(index)", count: 32)
      #expect(await api.answer("PUT", path, body: #"{"alias":"User \#(index)"}"#).status == 201)
    }
    func tokens(_ query: String) async -> [String] {
      let list = await api.answer("GET", "/push_notification/devices?\(query)", token: access).object[
        "devices"]
      return (list as? [[String: Any]] ?? []).compactMap {
        ($0["token"] as? String).map { String($0.prefix(2)) }
      }
    }
    #expect(await tokens("") == ["10", "11", "12", "13", "14"])
    // A blank parts words, and each has to begin something: 12 the token, user the alias.
    #expect(await tokens("q=user%2012") == ["12"])
    #expect(await tokens("q=user%2099") == [])
    #expect(await tokens("q=ser%2012") == [])
    #expect(await tokens("q=USER") == ["10", "11", "12", "13", "14"])
    #expect(await tokens("q=12%20user") == ["12"])
    #expect(await tokens("limit=2&offset=3") == ["13", "14"])
    #expect(await tokens("page=2&per_page=2") == ["12", "13"])
    let page = await api.answer("GET", "/devices/?page=1&per_page=2", token: access).object
    #expect(page["total"] as? Int == 5)
    #expect(page["page"] as? Int == 1)
    for query in ["per_page=101", "per_page=0", "page=0", "limit=x", "offset=-1"] {
      #expect(await api.answer("GET", "/devices?\(query)", token: access).status == 400, "\(query)")
    }
    let one = await api.answer("GET", "/devices/" + String(repeating: "12", count: 32), token: access)
    #expect((one.object["device"] as? [String: Any])?["alias"] as? String == "User 12")
    #expect(await api.answer("GET", "/devices/" + token, token: access).status == 404)
  }

  @Test func listsDeadTokensAsTheFeedbackServiceDid() async throws {
    let api = try Self.api()
    #expect(await api.answer("PUT", "/devices/\(token)", body: "{}").status == 201)
    let access = try api.token()
    #expect(await api.answer("GET", "/feedback", token: access).text == "[]")
    let devices = try api.registry.askAndWait { store throws(RegistryError) in
      try store.devices(DeviceFilter(), limit: 1)
    }
    var dead = try #require(devices.first)
    dead.unregisteredAt = APIUnderTest.now
    dead.lastSeenAt = APIUnderTest.now.advanced(by: .seconds(1))
    let replaced = try api.registry.changeAndWait { [dead] store throws(RegistryError) in
      try store.importDevices([dead], at: dead.lastSeenAt)
    }
    #expect(replaced == 1)
    #expect(
      await api.answer("GET", "/feedback?since=1789372800", token: access).text
        == #"[{"token":"\#(token)","timestamp":1789372800}]"#)
    #expect(await api.answer("GET", "/feedback?since=1789372801", token: access).text == "[]")
    #expect(await api.answer("GET", "/feedback?since=9223372036854775807", token: access).status == 400)
  }

  @Test(arguments: ["[]", "{", "7"])
  func refusesABodyThatIsNoObject(_ body: String) async throws {
    #expect(try await Self.api().answer("PUT", "/devices/\(token)", body: body).status == 400)
  }
}

/// Helios' way to send (push notes, 10.2 and 10.5).
@Suite("Legacy messages", .timeLimit(.minutes(15)))
struct LegacyMessageTests {
  static let form = "application/x-www-form-urlencoded"

  static func api(canSend: Bool = true) throws -> (api: APIUnderTest, access: String) {
    var options = RegistryAPI.Options()
    options.legacy = .init(topic: "com.example.app", environment: .production, isOpen: true)
    options.canSend = canSend
    let api = try APIUnderTest(options)
    return (api, try api.token([.writeNotifications, .readNotifications, .readCampaigns]))
  }

  static func body(_ payload: String, _ rest: String) -> String {
    "payload=" + payload.addingPercentEncoding(withAllowedCharacters: .alphanumerics)! + rest
  }

  /// Helios 0.4.1 sent this payload as `{"foo":"bar","content-available":1,"aps":{}}`.
  @Test(arguments: ["", "/push_notification"])
  func thePayloadIsSentByteForByte(_ base: String) async throws {
    let (api, access) = try Self.api()
    let payload = #"{"aps":{"content-available":1,"category":"C"},"foo":"bar"}"#
    let tokens = "&tokens=\(token.uppercased()),\(String(repeating: "b2", count: 32))"
    let answer = await api.answer(
      "POST", base + "/message", token: access, body: Self.body(payload, tokens), type: Self.form)
    #expect(answer.status == 204, "\(answer.text)")
    #expect(answer.body.isEmpty)
    let found = try api.registry.askAndWait { store throws(RegistryError) in
      (
        try store.messages(.notification, topics: nil, limit: 1).first,
        try store.deliveries(.init(), limit: 9)
      )
    }
    #expect(found.0?.content.payload == payload)
    #expect(found.1.count == 2)
  }

  @Test func everyDeviceHasToBeMeant() async throws {
    let (api, access) = try Self.api()
    let payload = #"{"aps":{"alert":"Hi"}}"#
    let nobody = await api.answer(
      "POST", "/message", token: access, body: Self.body(payload, ""), type: Self.form)
    #expect(nobody.status == 400)
    #expect(nobody.text.contains("audience=all"))
    let all = await api.answer(
      "POST", "/message", token: access, body: Self.body(payload, "&audience=all"), type: Self.form)
    #expect(all.status == 204)
    let campaigns = await api.answer("GET", "/v1/campaigns", token: access).object
    #expect((campaigns["campaigns"] as? [Any])?.count == 1)
  }

  @Test func saysWhetherItCanSend() async throws {
    let (ready, access) = try Self.api()
    #expect(await ready.answer("HEAD", "/push_notification/message", token: access).status == 204)
    #expect(await ready.answer("HEAD", "/message").status == 204)
    #expect(await ready.answer("POST", "/message").status == 401)
    let (idle, other) = try Self.api(canSend: false)
    #expect(await idle.answer("HEAD", "/message", token: other).status == 503)
    #expect(await idle.answer("HEAD", "/message").status == 503)
    let body = Self.body(#"{"aps":{"alert":"Hi"}}"#, "&tokens=\(token)")
    #expect(await idle.answer("POST", "/message", token: other, body: body, type: Self.form).status == 503)
  }

  @Test func refusesAPayloadThatNobodyWouldSee() async throws {
    let (api, access) = try Self.api()
    for payload in [#"{"content-available":1,"aps":{}}"#, "{", "[]", #"{"aps":1}"#] {
      let answer = await api.answer(
        "POST", "/message", token: access, body: Self.body(payload, "&tokens=\(token)"), type: Self.form)
      #expect(answer.status == 400, "\(payload)")
    }
  }

  @Test func theRootNamesTheService() async throws {
    let (api, _) = try Self.api()
    let answer = await api.answer("OPTIONS", "/")
    #expect(answer.status == 206)
    #expect(answer.fields["Link"] == "</push_notification>; rel=\"Helios::Backend::PushNotification\"")
  }
}
