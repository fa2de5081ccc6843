import AppSiteAssociation
import AssociatedDomains
import AssociationDelivery
import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

@Suite struct ContentDeliveryNetworkTests {
  /// An origin whose answer can be changed, and which counts how often it is asked.
  final class Origin: Sendable {
    let state = LockedState((result: FetchResult.failed(.timedOut), asked: 0))

    func answers(_ result: FetchResult) { state.withLock { $0.result = result } }

    var asked: Int { state.withLock { $0.asked } }

    var transport: Transport {
      { _, _, _ in
        self.state.withLock { state in
          state.asked += 1
          return state.result
        }
      }
    }
  }

  /// The status at each moment of a sequence of waits, and the number of crawls.
  func statuses(first: FetchResult, then: FetchResult, after waits_s: [Int]) throws -> ([String], Int) {
    let executor = SeededExecutor(seed: 1)
    let clock = VirtualClock(executor)
    let origin = Origin()
    origin.answers(first)
    let cdn = ContentDeliveryNetwork(clock: clock, transport: origin.transport)
    let seen = try #require(
      executor.run {
        var seen: [String] = []
        for wait_s in [0] + waits_s {
          try? await clock.sleep(for: .seconds(wait_s))
          let response = await cdn.answer(CDN.request("example.com"))
          seen.append("\(response.status) \(response.fields["Age"] ?? "-")")
          origin.answers(then)
        }
        return seen
      })
    return (seen, origin.asked)
  }

  @Test func aFailureLivesExactlyAnHour() throws {
    let (seen, asked) = try statuses(
      first: OriginTableTests.answer(403), then: OriginTableTests.answer(200, OriginTableTests.json),
      after: [1800, 1799, 1])
    #expect(seen == ["404 0", "404 1800", "404 3599", "200 0"])
    #expect(asked == 2)
  }

  @Test func aFileLivesExactlySixHours() throws {
    let (seen, asked) = try statuses(
      first: OriginTableTests.answer(200, OriginTableTests.json), then: .failed(.timedOut),
      after: [21_599, 1])
    #expect(seen == ["200 0", "200 21599", "404 0"])
    #expect(asked == 2)
  }

  @Test func clientsShareACrawl() throws {
    let executor = SeededExecutor(seed: 3)
    let clock = VirtualClock(executor)
    let origin = Origin()
    origin.answers(OriginTableTests.answer(200, OriginTableTests.json))
    let answer = origin.transport
    let cdn = ContentDeliveryNetwork(clock: clock) {
      try? await clock.sleep(for: .seconds(1))
      return await answer($0, $1, $2)
    }
    let statuses = try #require(
      executor.run {
        await withTaskGroup { group in
          for _ in 0..<50 { group.addTask { await cdn.answer(CDN.request("example.com")).status } }
          var statuses: [Int] = []
          for await status in group { statuses.append(status) }
          return statuses
        }
      })
    #expect(statuses == Array(repeating: 200, count: 50))
    #expect(origin.asked == 1)
  }

  @Test(arguments: [
    ("GET", "/a/v1/Example.com", 400), ("GET", "/a/v1/", 400), ("GET", "/a/v1/example.com/x", 400),
    ("GET", "/a/v1/example.com:8443", 400), ("GET", "/a/v2/example.com", 405),
    ("POST", "/a/v1/example.com", 405), ("GET", "/a/v1/example.com?x=1", 200),
  ])
  func answersOnlyForHosts(method: String, target: String, status: Int) throws {
    let executor = SeededExecutor(seed: 1)
    let cdn = ContentDeliveryNetwork(clock: VirtualClock(executor)) { _, _, _ in
      OriginTableTests.answer(200, OriginTableTests.json)
    }
    let response = executor.run {
      await cdn.answer(
        HTTPRequest(method: method, authority: ContentDeliveryNetwork.host, target: target))
    }
    #expect(response?.status == status)
  }

  @Test func redirectsAreBounded() throws {
    var switches = CDNSwitches()
    switches.followsRedirectInsideDomain = true
    let response = try CDN.ask("a.example.com", switches: switches) { _, _, _ in
      OriginTableTests.answer(302, location: "https://b.example.com/again")
    }
    #expect(response.status == 404)
    #expect(response.fields["Apple-From"]?.split(separator: ",").count == 4)
  }

  @Test(
    arguments: [
      ("SWCERR00101 Bad HTTP Response: 503 Service Unavailable", "00101", 503, true),
      ("SWCERR00101 Bad HTTP Response: 403 Forbidden", "00101", 403, false),
      ("SWCERR00301 Timeout", "00301", nil, true), ("SWCERR12345 Something new", "12345", nil, false),
      ("SWCERR00 short", nil, nil, false), ("", nil, nil, false),
    ] as [(String, String?, Int?, Bool)])
  func readsAnyReason(reason: String, code: String?, origin: Int?, isTemporary: Bool) throws {
    let failure = try #require(
      CDNFailure(HTTPResponse(status: 404, fields: ["Apple-Failure-Reason": reason])))
    #expect(failure.code == code)
    #expect(failure.originStatus == origin)
    #expect(failure.isTemporary == isTemporary)
  }
}
