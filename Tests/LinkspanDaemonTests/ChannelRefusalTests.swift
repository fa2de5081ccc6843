import LinkspanCore
import PushProvider
import Testing

@testable import RegistryServer

/// What a client is told of APNs' refusal about a channel.
@Suite struct ChannelRefusalTests {
  private func refusal(_ status: Int, _ reason: String?, after: String? = nil) -> HTTPResponse {
    var response = HTTPResponse(
      status: status, body: Array((reason.map { "{\"reason\":\"\($0)\"}" } ?? "").utf8))
    if let after { response.fields["Retry-After"] = after }
    return RegistryAPI.refusal(ChannelAnswer(response, to: .create(.none)))
  }

  /// 409 where the request has to change, 502 where APNs fails or refuses the key; when to come again where that helps.
  @Test(
    arguments: [
      (400, "BadChannelId", 409, nil), (403, "InvalidProviderToken", 502, nil),
      (429, "TooManyRequests", 429, "60"),
      (499, nil, 409, nil), (500, "InternalServerError", 502, "60"), (503, "Shutdown", 502, "60"),
    ] as [(Int, String?, Int, String?)])
  func saysWhoseFaultItIsAndWhenToComeAgain(_ status: Int, _ reason: String?, _ answer: Int, _ after: String?)
  {
    let response = refusal(status, reason)
    #expect(response.status == answer)
    #expect(response.fields["Retry-After"] == after)
  }

  @Test(arguments: [429, 503]) func theTimeIsTheOneThatAPNsAsksFor(_ status: Int) {
    #expect(refusal(status, nil, after: "7").fields["Retry-After"] == "7")
  }

  @Test func anAnswerOfAnotherKindIsNoRefusal() {
    #expect(RegistryAPI.refusal(.deleted).status == 502)
  }
}
