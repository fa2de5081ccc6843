import AssociationDelivery
import LinkspanCore
import SiteInput
import Testing

/// A machine without a working resolver learns nothing about a host.
@Suite struct LookupFailureTests {
  @Test func onlyTheResolversWordIsAboutTheHost() {
    func failure(_ isAnswered: Bool, _ reason: String) -> FetchFailure {
      FetchFailure(
        HTTPClientError(.cannotResolve(isAnswered: isAnswered), "example.com:443", reason), limit: 1)
    }
    #expect(failure(true, "the name has no address: x") == .unresolvable)
    let silent = failure(false, "the name could not be looked up: Temporary failure in name resolution")
    #expect(silent == .lookupFailed("Temporary failure in name resolution"))
    #expect(silent.isOfThisMachine && !FetchFailure.unresolvable.isOfThisMachine)
  }

  /// What is too large is named: not the file, where it is what stands before it.
  @Test func onlyABodyIsALargeFile() {
    func failure(isHeader: Bool) -> FetchFailure {
      FetchFailure(
        HTTPClientError(.tooLarge(isHeader: isHeader), "example.com:443", "there is too much"), limit: 9)
    }
    #expect(failure(isHeader: false) == .tooLarge(limitBytes: 9))
    #expect(failure(isHeader: true) == .malformed("there is too much"))
  }

  @Test(arguments: [
    (FetchResult.failed(.lookupFailed("x")), true), (.failed(.unresolvable), true),
    (.failed(.timedOut), true),
    (.answered(HTTPResponse(status: 503)), true), (.answered(HTTPResponse(status: 404)), false),
    (.answered(HTTPResponse(status: 200, fields: ["Content-Encoding": "gzip"], body: [0x1F])), true),
    (.answered(HTTPResponse(status: 200, body: Array("{}".utf8))), false),
  ])
  func aHostIsSilentWithoutAFileOrAWordThatThereIsNone(result: FetchResult, isSilent: Bool) {
    let origin = OriginCheck(host: "example.com", wellKnown: result, isForModesOnly: false)
    #expect(HostSurvey.Answered(host: "example.com", origin: origin).isSilent == isSilent)
  }
}
