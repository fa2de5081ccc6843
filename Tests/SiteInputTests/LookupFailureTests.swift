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
    func failure(_ reason: String) -> FetchFailure {
      FetchFailure(HTTPClientError(.tooLarge, "example.com:443", reason), limit: 9)
    }
    #expect(failure("the body is larger than 9 bytes") == .tooLarge(limitBytes: 9))
    for reason in [
      "the header section is larger than 9 bytes", "there are more than 9 header fields",
      "the trailer section is too large",
    ] {
      #expect(failure(reason) == .malformed(reason))
    }
  }

  @Test(arguments: [
    (FetchFailure.lookupFailed("x"), true), (.unresolvable, false), (.timedOut, false),
    (.unreachable("x"), false),
  ])
  func nobodyWasAskedWithoutALookup(failure: FetchFailure, isUnasked: Bool) {
    let origin = OriginCheck(host: "example.com", wellKnown: .failed(failure), isForModesOnly: false)
    var answered = HostSurvey.Answered(host: "example.com", origin: origin)
    #expect(answered.isUnasked == isUnasked && answered.isSilent)
    answered.origin = OriginCheck(
      host: "example.com", wellKnown: .answered(HTTPResponse(status: 404)), isForModesOnly: false)
    #expect(!answered.isUnasked)
  }
}
