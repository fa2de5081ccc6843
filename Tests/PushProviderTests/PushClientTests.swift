import LinkspanCore
import LinkspanCrypto
import PushProvider
import Testing

/// The client's state machine (push notes 1.7 to 1.18, 3.1 and 4; test rows 63 to 65).
@Suite struct PushClientTests {
  /// A client with a transport that does nothing by itself.
  struct Bench {
    var client: PushClient
    var now = ProviderTokenTests.now
    /// What is under way: ticket, connection, request.
    var sent: [(ticket: Int, connection: Int, request: HTTPRequest)] = []
    var open: [Int] = []
    var closed: [Int] = []
    var pings: [Int] = []
    var results: [Int: PushResult] = [:]
    var changes: [PushHealth.Change] = []
    private let push: PushNotification

    init(
      _ seed: UInt64 = 1, patience: Duration = .seconds(24 * 3_600), certificate: Bool = false,
      change: (inout PushClient.Configuration) -> Void = { _ in }
    ) throws {
      var configuration = PushClient.Configuration(
        authority: "api.push.apple.com", deadline: now.advanced(by: patience))
      change(&configuration)
      let signer = ProviderTokenSigner(
        try ProviderKeyIdentity(team: "F6G7H8I9J0", key: "A1B2C3D4E5"),
        key: try P256PrivateKey(Array(ProviderTokenTests.pkcs8.utf8)))
      client = PushClient(
        configuration, certificate ? .certificate : .token(signer), generator: SeededGenerator(seed: seed))
      push = PushNotification(
        token: try DeviceToken(String(repeating: "0a", count: 32)),
        topic: PushTopic("com.example.app"), type: .background, priority: .powerAware,
        payload: PushPayload.silent.json.bytes)
    }

    @discardableResult
    mutating func submit(_ count: Int = 1, in lane: PushLane = .transactional) -> [Int] {
      let tickets = (0..<count).map { _ in client.submit(push, in: lane) }
      take(client.advance(to: now))
      return tickets
    }

    /// One push with a deadline of its own.
    @discardableResult
    mutating func submit(by patience: Duration, identifier: String? = nil) -> Int {
      var push = push
      push.messageIdentifier = identifier
      let ticket = client.submit(push, by: now.advanced(by: patience))
      take(client.advance(to: now))
      return ticket
    }

    mutating func take(_ actions: [PushClient.Action]) {
      for action in actions {
        switch action {
        case .open(let number): open.append(number)
        case .close(let number): closed.append(number)
        case .ping(let number): pings.append(number)
        case .send(let ticket, let number, let request): sent.append((ticket, number, request))
        case .finished(let ticket, let result):
          #expect(results[ticket] == nil, "a second end")
          results[ticket] = result
        case .health(let change): changes.append(change)
        }
      }
    }

    mutating func tell(_ event: PushClient.Event) { take(client.handle(event, at: now)) }

    /// Answers the oldest request under way.
    mutating func answer(_ status: Int, _ reason: String? = nil, fields: HTTPFields = [:]) {
      let body = reason.map { #"{"reason":"\#($0)"}"# } ?? ""
      let (ticket, _, request) = sent.removeFirst()
      var fields = fields
      fields["apns-id"] = request.fields["apns-id"]
      tell(.answered(ticket, HTTPResponse(status: status, fields: fields, body: Array(body.utf8))))
    }

    mutating func fail(_ kind: PushClient.Failure.Kind) {
      tell(.failed(sent.removeFirst().ticket, .init(kind, "lost")))
    }

    mutating func wait(_ time: Duration) {
      now = now.advanced(by: time)
      take(client.advance(to: now))
    }
  }

  @Test func aSilentPushIsACompleteRequest() throws {
    var bench = try Bench()
    bench.submit()
    let request = bench.sent[0].request
    #expect(request.method == "POST" && request.authority == "api.push.apple.com")
    #expect(request.target == "/3/device/" + String(repeating: "0a", count: 32))
    #expect(request.fields["apns-push-type"] == "background" && request.fields["apns-priority"] == "5")
    #expect(request.fields["apns-topic"] == "com.example.app")
    #expect(request.fields["authorization"]?.hasPrefix("bearer ey") == true)
    #expect(request.body == Array(#"{"aps":{"content-available":1}}"#.utf8))
    let identifier = try #require(request.fields["apns-id"])
    #expect(
      identifier.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
  }

  /// Row 65, notes 1.7 and 1.8.
  @Test func oneRequestUntilTheFirstAnswerThenAsManyAsSettingsAllow() throws {
    var bench = try Bench()
    bench.submit(10)
    #expect(bench.sent.count == 1)
    bench.tell(.streamLimit(4, on: 0))
    #expect(bench.sent.count == 1)
    bench.answer(200)
    #expect(bench.sent.count == 4)
    // 1.11: fewer streams after a rejection.
    bench.tell(.streamLimit(1, on: 0))
    bench.answer(400, "BadDeviceToken")
    #expect(bench.sent.count == 3)
    bench.answer(200)
    bench.answer(200)
    #expect(bench.sent.count == 1)
    bench.tell(.streamLimit(1_000, on: 0))
    #expect(bench.sent.count == 6 && bench.open == [0])
  }

  @Test func aRefusedTokenOpensNoMoreStreams() throws {
    var bench = try Bench()
    bench.submit(3)
    bench.answer(403, "InvalidProviderToken")
    #expect(bench.sent.isEmpty && bench.client.unfinishedCount == 0)
  }

  @Test func aCertificateNeedsNoToken() throws {
    var bench = try Bench(certificate: true)
    bench.submit(3)
    #expect(bench.sent.count == 3 && bench.sent.allSatisfy { $0.request.fields["authorization"] == nil })
  }

  /// Row 63: 500 three times, then 200; the waits are Apple's 15 minutes and longer, and the message keeps its name.
  @Test(arguments: 0..<20 as Range<UInt64>) func retriesAServerErrorByTheTable(seed: UInt64) throws {
    var bench = try Bench(seed)
    bench.submit()
    let identifier = bench.sent[0].request.fields["apns-id"]
    for minutes in [15, 30, 60] {
      bench.answer(500, "InternalServerError")
      bench.wait(.seconds(minutes * 60 - 1))
      #expect(bench.sent.isEmpty)
      bench.wait(.seconds(minutes * 30 + 1))
      #expect(bench.sent.map { $0.request.fields["apns-id"] } == [identifier])
    }
    bench.answer(200)
    let result = try #require(bench.results[0])
    #expect(result.outcome == .accepted(uniqueIdentifier: nil))
    #expect(result.attemptCount == 4 && !result.isPossibleDuplicate)
    #expect(result.messageIdentifier == identifier)
  }

  @Test func whatIsTooLateIsNotNow() throws {
    var bench = try Bench(patience: .seconds(60))
    bench.submit()
    bench.answer(503, "ServiceUnavailable")
    guard case .notNow(let delay) = bench.results[0]?.outcome else {
      Issue.record("\(bench.results)")
      return
    }
    #expect(delay.status == 503 && delay.reason == "ServiceUnavailable" && delay.wait == .alone)
    #expect(delay.retryAt >= bench.now.advanced(by: .seconds(900)))
    // What is under way at the deadline may have been accepted.
    let late = bench.submit(by: .seconds(60))
    bench.wait(.seconds(60))
    #expect(bench.results[late]?.isPossibleDuplicate == true && bench.client.unfinishedCount == 0)
    guard case .notNow(let end) = bench.results[late]?.outcome else {
      Issue.record("\(bench.results)")
      return
    }
    #expect(end.reason == "it was sent, and the answer did not come in time" && end.status == nil)
    // An answer that comes later changes nothing.
    bench.answer(200)
    #expect(bench.results.count == 2 && bench.client.wakeUp == nil)
  }

  /// As seconds, and as a date beside the answer's own (RFC 9110, 10.2.3).
  @Test(arguments: [
    ["retry-after": "7"],
    ["retry-after": "Sun, 06 Nov 1994 08:49:37 GMT", "date": "Sun, 06 Nov 1994 08:49:30 GMT"],
  ])
  func retryAfterIsHonoured(_ fields: HTTPFields) throws {
    var bench = try Bench()
    bench.submit()
    bench.answer(429, "TooManyRequests", fields: fields)
    bench.wait(.seconds(6))
    #expect(bench.sent.isEmpty)
    bench.wait(.seconds(1))
    #expect(bench.sent.count == 1)
  }

  /// Row 64: what is under way ends on the connection that is left; the next goes to another.
  @Test func aConnectionThatIsGoingAwayLosesNothing() throws {
    var bench = try Bench()
    bench.submit(4)
    bench.answer(200)
    #expect(bench.sent.map(\.connection) == [0, 0, 0])
    bench.tell(.goingAway(0))
    #expect(bench.closed == [])
    bench.submit()
    #expect(bench.sent.map(\.connection) == [0, 0, 0, 1])
    for _ in 0..<2 { bench.answer(200) }
    bench.answer(503, "Shutdown")
    #expect(bench.closed == [0])
    bench.answer(200)
    bench.wait(.seconds(1))
    #expect(bench.sent.map(\.connection) == [1])
    bench.answer(200)
    #expect(bench.results.count == 5 && bench.client.unfinishedCount == 0)
    #expect(bench.results.values.allSatisfy { $0.outcome == .accepted(uniqueIdentifier: nil) })
  }

  @Test func onlyALostAnswerMakesAPossibleDuplicate() throws {
    var bench = try Bench()
    bench.submit(2)
    bench.answer(200)
    bench.fail(.notProcessed)
    bench.wait(.seconds(1))
    bench.answer(200)
    #expect(bench.results[1]?.isPossibleDuplicate == false && bench.results[1]?.attemptCount == 2)
    let last = bench.submit()[0]
    bench.tell(.closed(0, reason: "connection reset"))
    bench.sent = []
    bench.wait(.seconds(1))
    #expect(bench.sent.map(\.connection) == [1])
    bench.answer(200)
    #expect(bench.results[last]?.isPossibleDuplicate == true)
  }

  @Test func givesUpOnAServerThatIsNotThere() throws {
    var bench = try Bench()
    bench.submit(1_000)
    for _ in 0..<3 {
      bench.fail(.cannotConnect)
      bench.wait(.seconds(2))
    }
    #expect(bench.results.count == 1_000 && bench.sent.isEmpty)
    #expect(bench.results.values.allSatisfy { !$0.isPossibleDuplicate })
  }

  /// 3.1: a young token that is called expired means that the clocks disagree; nothing is signed anew.
  @Test func clockSkewIsReported() throws {
    var bench = try Bench()
    bench.submit()
    bench.answer(403, "ExpiredProviderToken")
    guard case .rejected(let rejection) = bench.results[0]?.outcome else {
      Issue.record("\(bench.results)")
      return
    }
    #expect(rejection.step == .fix && rejection.advice.contains("set this machine's clock"))
  }

  @Test func anOldTokenIsRenewedOnce() throws {
    var bench = try Bench()
    bench.submit()
    bench.answer(200)
    bench.wait(.seconds(30 * 60))
    let second = bench.submit()[0]
    let first = bench.sent[0].request.fields["authorization"]
    bench.answer(403, "ExpiredProviderToken")
    #expect(bench.sent.count == 1 && bench.sent[0].request.fields["authorization"] != first)
    bench.answer(403, "ExpiredProviderToken")
    guard case .rejected = bench.results[second]?.outcome else {
      Issue.record("\(bench.results)")
      return
    }
  }

  @Test func theTokenIsHeldWhenItChangedTooOften() throws {
    var bench = try Bench()
    bench.submit()
    let first = bench.sent[0].request.fields["authorization"]
    bench.answer(429, "TooManyProviderTokenUpdates")
    bench.wait(.seconds(3))
    #expect(bench.sent.map { $0.request.fields["authorization"] } == [first])
  }

  /// Row 54: a clock that is set by much makes a new token early, which another connection takes.
  @Test(arguments: [-3_600, 3_600])
  func aTokenThatAClockMadeEarlyGoesToAnotherConnection(seconds: Int) throws {
    var bench = try Bench()
    bench.submit()
    let first = bench.sent[0]
    bench.answer(200)
    bench.now = bench.now.advanced(by: .seconds(seconds))
    let ticket = bench.submit()[0]
    #expect(bench.sent[0].request.fields["authorization"] != first.request.fields["authorization"])
    #expect(bench.sent[0].connection == first.connection)
    bench.answer(429, "TooManyProviderTokenUpdates")
    bench.wait(.seconds(2))
    #expect(bench.closed == [first.connection])
    #expect(bench.sent.count == 1 && bench.sent.first?.connection != first.connection)
    bench.answer(200)
    #expect(bench.results[ticket]?.attemptCount == 2 && bench.changes.isEmpty)
  }

  /// Ends of pushes make room for others: what is held depends on what has not ended, whatever the number sent.
  @Test func placesOfPushesThatHaveEndedAreUsedAgain() throws {
    var bench = try Bench()
    var tickets: Set<Int> = []
    for _ in 0..<300 {
      tickets.formUnion(bench.submit(10))
      while !bench.sent.isEmpty { bench.answer(200) }
    }
    #expect(tickets.count == 3_000 && bench.results.count == 3_000)
    #expect(Set(tickets.map { $0 & 0xFF_FFFF }).count == 10)
    // News of one that has ended, whose place another has, is nobody's.
    let late = try #require(tickets.min())
    let current = bench.submit()[0]
    bench.tell(.answered(late, HTTPResponse(status: 410)))
    bench.tell(.failed(late, .init(.lost, "late")))
    #expect(bench.results[current] == nil && bench.sent.count == 1)
    bench.answer(200)
    #expect(bench.results[current]?.attemptCount == 1)
  }

  /// 1.13: what the peer certainly did not act upon costs no attempt, however often it moves its clients.
  @Test func requestsThatWereNotActedUponCostNoAttempt() throws {
    var bench = try Bench { $0.retry.attempts = 2 }
    let ticket = bench.submit()[0]
    for _ in 0..<20 {
      bench.tell(.goingAway(bench.sent[0].connection))
      bench.fail(.notProcessed)
      bench.wait(.seconds(1))
    }
    bench.answer(200)
    let result = try #require(bench.results[ticket])
    #expect(result.attemptCount == 21 && !result.isPossibleDuplicate)
    #expect(result.outcome == .accepted(uniqueIdentifier: nil))
  }

  /// All that wait for one connection learn that it did not come about, which is one failure.
  @Test func aConnectionFailsOnceForAllThatWait() throws {
    var bench = try Bench(certificate: true)
    bench.submit(50)
    #expect(bench.sent.count == 50)
    for _ in 0..<50 { bench.fail(.cannotConnect) }
    #expect(bench.results.isEmpty)
    bench.wait(.seconds(5))
    #expect(bench.sent.count == 50 && Set(bench.sent.map(\.connection)).count == 1)
  }

  /// 1.14.
  @Test func anIdleConnectionIsPingedAfterAnHour() throws {
    var bench = try Bench()
    bench.submit()
    bench.answer(200)
    bench.wait(.seconds(3_599))
    #expect(bench.pings == [])
    bench.wait(.seconds(1))
    #expect(bench.pings == [0])
  }

  @Test func severalConnectionsShareTheWork() throws {
    var bench = try Bench(certificate: true) {
      $0.connections = 3
      $0.streams = 2
    }
    bench.submit(10)
    #expect(bench.open.sorted() == [0, 1, 2] && bench.sent.count == 6)
  }

  /// A stand-in of chance: resets, GOAWAY, 429, 500, 410 and shrinking SETTINGS. Every push ends once, and one that was
  /// accepted twice says so.
  @Test(arguments: [1, 2, 3] as [UInt64]) func nothingIsLostUnderFaults(seed: UInt64) throws {
    let count = 20_000
    var bench = try Bench(seed, patience: .seconds(7 * 24 * 3_600)) { $0.retry.attempts = 50 }
    var generator = SeededGenerator(seed: seed).fork("faults")
    var acceptances: [String: Int] = [:]
    bench.submit(count)
    while bench.client.unfinishedCount > 0 {
      if bench.sent.isEmpty {
        let wakeUp = try #require(bench.client.wakeUp)
        bench.wait(.milliseconds(max(1, wakeUp.milliseconds - bench.now.milliseconds)))
        continue
      }
      let first = bench.sent[0]
      let identifier = first.request.fields["apns-id"]!
      switch generator.draw(0...999) {
      case 0..<10: bench.answer(429, "TooManyRequests")
      case 10..<20: bench.answer(500, "InternalServerError")
      case 20..<30: bench.answer(410, "Unregistered")
      case 30..<40: bench.answer(503, "Shutdown")
      case 40..<45:
        // Taken, and the answer is lost with its stream.
        acceptances[identifier, default: 0] += 1
        bench.fail(.lost)
      case 45..<50: bench.fail(.notProcessed)
      case 50..<52:
        bench.sent.removeAll { $0.connection == first.connection }
        bench.tell(.closed(first.connection, reason: "reset"))
      case 52..<60: bench.tell(.goingAway(first.connection))
      case 60..<70: bench.tell(.streamLimit(Int(generator.draw(1...200)), on: first.connection))
      default:
        acceptances[identifier, default: 0] += 1
        bench.answer(200)
      }
    }
    #expect(bench.results.count == count)
    for result in bench.results.values {
      let times = acceptances[result.messageIdentifier] ?? 0
      if case .accepted = result.outcome { #expect(times >= 1) }
      #expect(times <= 1 || result.isPossibleDuplicate, "seed \(seed): \(result)")
    }
  }

  /// News of a ticket that nobody was given.
  @Test func newsOfAnUnknownTicketIsNobodys() throws {
    var bench = try Bench()
    bench.tell(.answered(0, HTTPResponse(status: 200)))
    bench.tell(.failed(0, .init(.lost, "late")))
    bench.tell(.answered(1, HTTPResponse(status: 200)))
    #expect(bench.results.isEmpty && bench.sent.isEmpty && bench.client.unfinishedCount == 0)
    bench.submit()
    bench.tell(.answered(1, HTTPResponse(status: 200)))
    #expect(bench.results.isEmpty && bench.client.unfinishedCount == 1)
  }

  /// One connection, a hundred requests under way on it until SETTINGS say otherwise, and no deadline.
  @Test func aConfigurationHasUsualValues() throws {
    let usual = PushClient.Configuration(authority: "api.push.apple.com")
    #expect(usual.connections == 1 && usual.streams == 100 && usual.deadline == nil)
    var bench = try Bench(certificate: true)
    bench.submit(101)
    #expect(bench.open == [0] && bench.sent.count == 100)
  }

  /// A request that cannot be written is not tried again, was never sent, and is a person's to mend.
  @Test func whatCannotBeWrittenEndsAtOnce() throws {
    var bench = try Bench()
    let tickets = bench.submit(2)
    bench.fail(.unusable)
    guard case .notNow(let delay)? = bench.results[tickets[0]]?.outcome else {
      Issue.record("\(bench.results)")
      return
    }
    #expect(delay.needsFix && delay.reason == "lost")
    #expect(bench.results[tickets[0]]?.isPossibleDuplicate == false)
    // The next one is sent: what is wrong may be wrong with one push.
    #expect(bench.sent.map(\.ticket) == [tickets[1]])
    bench.answer(200)
    #expect(bench.client.unfinishedCount == 0)
  }

  /// As many attempts as the policy has: the last one's failure ends the push.
  @Test func attemptsAreCounted() throws {
    var bench = try Bench { $0.retry.attempts = 2 }
    let ticket = bench.submit()[0]
    bench.fail(.lost)
    bench.wait(.seconds(10))
    #expect(bench.results.isEmpty && bench.sent.count == 1)
    bench.fail(.lost)
    #expect(bench.results[ticket]?.attemptCount == 2 && bench.sent.isEmpty)
  }
}
