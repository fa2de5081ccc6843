import DeviceRegistry
import LinkspanCore
import PushTerms
import Testing

@testable import LinkspanServer
@testable import RegistryServer

/// What the server refuses by itself has the form of the API's errors.
@Suite("Refused requests", .timeLimit(.minutes(15)))
struct RefusedRequestTests {
  @Test(arguments: [
    ("PUT", "/v1/devices/a1"), ("POST", "/v1/notifications"), ("PUT", "/push_notification/devices/a1"),
    ("PUT", "/devices/a1"), ("POST", "/v1/nothing"), ("", "/v1/openapi.json?x"),
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

  @Test(arguments: ["", "/", "/.well-known/apple-app-site-association", "/devices"])
  func ofOtherPathsAreNot(_ target: String) throws {
    let refused = RefusedRequest(method: "GET", target: target, status: 431, reason: "too large")
    #expect(try APIUnderTest().api.answer(toRefused: refused) == nil)
  }
}
