import DeviceRegistry
import Foundation
import LinkspanCore
import PushTerms
import RegistryRequests
import Testing

@testable import LinkspanServer
@testable import RegistryServer

/// What the server refuses by itself has the form of the API's errors.
@Suite("Refused requests", .timeLimit(.minutes(15)))
struct RefusedRequestTests {
  @Test(arguments: [
    ("PUT", "/v1/devices/a1"), ("POST", "/v1/notifications"), ("PUT", "/push_notification/devices/a1"),
    ("PUT", "/devices/a1"), ("POST", "/v1/nothing"), ("", "/v1/openapi.json?x"),
    // Not read: it may have been one of them.
    ("", ""),
  ])
  func areProblems(_ method: String, _ target: String) throws {
    var options = RegistryAPI.Options()
    options.legacy = .init(topic: "com.example.app", environment: .sandbox, isOpen: true)
    let refused = RefusedRequest(
      method: method, target: target, status: 413, reason: "the body is larger than 65536 bytes")
    let answer = try #require(try APIUnderTest(options).api.answer(toRefused: refused))
    #expect(answer.status == 413)
    #expect(answer.fields["Content-Type"] == "application/problem+json")
    #expect(
      String(decoding: answer.body, as: UTF8.self)
        == #"{"type":"about:blank","title":"Content Too Large","status":413,"#
        + #""detail":"The body is larger than 65536 bytes."}"#)
  }

  /// openapi.json lists 400 for each of them, and no 404 for what is put.
  @Test(arguments: [
    ("PUT", "/v1/sites/%FF"), ("PUT", "/v1/sites/a%FF.example/files"), ("DELETE", "/v1/sites/%C3"),
    ("PUT", "/v1/devices/%zz"), ("GET", "/v1/campaigns/%E0%80"), ("POST", "/v1/activities/%/end"),
  ])
  func aPathThatIsNotUTF8SaysSo(_ method: String, _ target: String) async throws {
    let api = try APIUnderTest()
    let answer = await api.answer(method, target, token: try api.token(), body: "{}")
    #expect(answer.status == 400)
    #expect(
      JSONParser.parse(answer.body).root?["detail"]?.string == "The path is not percent-encoded UTF-8.")
    #expect(await api.answer(method, "/v1/nothing/%FF", token: try api.token()).status == 404)
  }

  /// A query that was ignored could have said what the body does not.
  @Test(arguments: [
    ("PUT", "/v1/devices/a1a1a1a1a1a1a1a1?topic=com.example.app"), ("POST", "/v1/notifications?confirm=1"),
    ("POST", "/v1/campaigns?paused=true"), ("POST", "/v1/estimates?x"), ("POST", "/v1/erasures?alias=ann"),
    ("POST", "/v1/devices/a1a1a1a1a1a1a1a1/rejections?reason=Unregistered"), ("POST", "/v1/channels?x=1"),
    ("POST", "/v1/activities?x=1"), ("GET", "/v1/campaigns/1?x=1"), ("POST", "/v1/campaigns/1/cancel?x=1"),
    ("PUT", "/v1/sites/example.com?x=1"), ("PUT", "/v1/sites/example.com/files?x=1"),
    ("DELETE", "/v1/sites/example.com?x=1"),
  ])
  func aQueryWhereThereIsNoneIsRefused(_ method: String, _ target: String) async throws {
    let api = try APIUnderTest()
    let answer = await api.answer(
      method, target, token: try api.token(Set(AccessScope.allCases), hosts: ["example.com"]),
      body: #"{"topic":"com.example.app","environment":"production"}"#)
    #expect(answer.status == 400)
    #expect(
      JSONParser.parse(answer.body).root?["detail"]?.string
        == "This path takes no query; send the request without '?' and what follows it.")
  }

  @Test(arguments: [("gzip", 415), ("br, gzip", 415), ("identity", 201), ("Identity", 201)])
  func aCompressedBodyIsCalledSo(_ coding: String, _ status: Int) async throws {
    let api = try APIUnderTest()
    let answer = await api.answer(
      "PUT", "/v1/devices/a1a1a1a1a1a1a1a1", token: try api.token(),
      body: #"{"topic":"com.example.app","environment":"production"}"#, fields: ["Content-Encoding": coding])
    #expect(answer.status == status)
    guard status == 415 else { return }
    #expect(answer.fields["Accept-Encoding"] == "identity")
    #expect(
      JSONParser.parse(answer.body).root?["detail"]?.string
        == "The body has the Content-Encoding '\(coding)'; send it as it is, without compression.")
  }

  /// A condition that was ignored would undo what somebody else did meanwhile (RFC 9110, 13.1).
  @Test(arguments: ["If-Match", "If-None-Match", "If-Unmodified-Since"])
  func aConditionIsRefusedBeforeAnythingChanges(_ field: String) async throws {
    let api = try APIUnderTest()
    let token = try api.token()
    let path = "/v1/devices/\(String(repeating: "a1", count: 32))"
    let device = #"{"topic":"com.example.app","environment":"production"}"#
    let refused = await api.answer("PUT", path, token: token, body: device, fields: [field: "*"])
    #expect(refused.status == 412)
    #expect(
      JSONParser.parse(refused.body).root?["detail"]?.string
        == "This API has no entity tags, so it cannot keep the condition '\(field)'. Nothing was changed; send the"
        + " request without it.")
    let target = path + "?topic=com.example.app"
    #expect(await api.answer("GET", target, token: token, fields: [field: "*"]).status == 404)
    #expect(await api.answer("PUT", path, token: token, body: device).status == 201)
  }

  /// A new credential does not help where the field is written wrongly (RFC 6750, 3).
  @Test(arguments: [["TOKEN"], ["Basic TOKEN"], ["Bearer TOKEN", "Bearer TOKEN"], ["Bearer"], [""]])
  func aCredentialWrittenWronglySaysHowItIsWritten(_ values: [String]) async throws {
    let api = try APIUnderTest()
    let token = try api.token()
    let fields = values.map { ("Authorization", $0.replacingOccurrences(of: "TOKEN", with: token)) }
    let answer = await api.answer("GET", "/v1/devices", repeated: fields)
    #expect(answer.status == 401)
    #expect(answer.fields["WWW-Authenticate"] == "Bearer realm=\"linkspan\"")
    #expect(
      JSONParser.parse(answer.body).root?["detail"]?.string
        == "'Authorization' has no bearer token, or is there twice: send 'Authorization: Bearer TOKEN' with a"
        + " token of 'linkspan token create'.")
  }

  @Test(arguments: ["x", "lsp_0001020304050607_00"])
  func aMalformedTokenIsInvalid(_ token: String) async throws {
    let answer = try await APIUnderTest().answer("GET", "/v1/devices", token: token)
    #expect(answer.status == 401)
    #expect(answer.fields["WWW-Authenticate"] == "Bearer realm=\"linkspan\", error=\"invalid_token\"")
    #expect(answer.text.contains("The credential is not valid."))
  }

  @Test(arguments: ["/", "/.well-known/apple-app-site-association", "/devices"])
  func ofOtherPathsAreNot(_ target: String) throws {
    let refused = RefusedRequest(method: "GET", target: target, status: 431, reason: "too large")
    #expect(try APIUnderTest().api.answer(toRefused: refused) == nil)
  }
}
