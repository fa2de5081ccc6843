import LinkspanCore
import LinkspanCrypto
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What the checker says of answers about channels, and what clients believe about fleets, browsers and Apple's servers.
@Suite struct ChannelCheckTests {
  private static func answer(
    _ act: ChannelAsk.Act, _ body: String, number: String? = nil, key: String? = nil,
    fields: HTTPFields = [:],
    _ change: (ServiceWorld) -> Void = { _ in }
  ) -> (violation: ServiceInvariant?, model: ServiceModel) {
    let world = QuietWorld.make()
    change(world)
    world.acknowledge(
      ChannelAsk(act: act, number: number, key: key), QuietWorld.json(body),
      HTTPResponse(status: 200, fields: fields))
    return (world.violation?.invariant, world.model)
  }

  @Test(arguments: [ChannelAsk.Act.create, .start]) func somethingNewHasANumber(act: ChannelAsk.Act) {
    #expect(Self.answer(act, "{}").violation == .channelsAgree)
    let (violation, model) = Self.answer(act, #"{"id":"5"}"#)
    #expect(violation == nil)
    #expect(model.channels.channels.keys.sorted() == (act == .create ? ["5"] : []))
    #expect(model.channels.activities.keys.sorted() == (act == .start ? ["5"] : []))
    #expect(model.audited.keys.sorted() == [act == .create ? "channel.create" : "activity.start"])
    #expect(model.audited.values.allSatisfy { $0.certain == 1 && $0.possible == 1 })
  }

  @Test func oneKeyMakesOneChannel() {
    func again(_ number: String, key: String?) -> ServiceInvariant? {
      Self.answer(.create, "{\"id\":\"\(number)\"}", key: key) { _ = $0.model.channels.take("5", for: "k") }
        .violation
    }
    #expect(again("5", key: "k") == nil)
    #expect(again("6", key: "k") == .keyAnswersOnce)
    #expect(again("6", key: "l") == nil && again("6", key: nil) == nil)
    let repeated = Self.answer(.create, #"{"id":"5"}"#, fields: ["Idempotency-Replayed": "true"])
    #expect(repeated.model.audited["channel.create"]?.certain == 0)
  }

  @Test func anEndIsAnsweredAsOne() {
    for (act, state) in [(ChannelAsk.Act.delete, "deleted"), (.end, "ended")] {
      let (violation, model) = Self.answer(act, "{\"state\":\"\(state)\"}", number: "5") {
        ($0.model.channels.channels["5"], $0.model.channels.activities["5"]) = (
          .init(endsAsked: 1), .init(endsAsked: 1)
        )
      }
      #expect(violation == nil)
      #expect(model.channels.channels["5"]?.isEnded == (act == .delete))
      #expect(model.channels.activities["5"]?.isEnded == (act == .end))
      #expect(Self.answer(act, #"{"state":"active"}"#, number: "5").violation == .channelsAgree)
    }
  }

  /// A channel that is deleted already has no second line.
  @Test func onlyTheOneDeletionOfAChannelIsAudited() {
    for asked in 1...2 {
      let model = Self.answer(.delete, #"{"state":"deleted"}"#, number: "5") {
        $0.model.channels.channels["5"] = .init(endsAsked: asked)
      }.model
      #expect(model.audited["channel.delete"]?.certain == (asked == 1 ? 1 : 0))
      #expect(model.audited["channel.delete"]?.possible == 1)
    }
  }

  @Test func aBroadcastIsAcceptedByAPNs() {
    #expect(Self.answer(.broadcast, #"{"request_id":"b"}"#, number: "5").violation == .acceptedIsTrue)
    #expect(Self.answer(.sync, "{}").model.channels.isInStep)
    #expect(!Self.answer(.update, "{}", number: "5").model.channels.isInStep)
  }

  @Test(arguments: [400, 401, 403, 404, 409, 422, 429, 499, 500, 502, 503, 504])
  func anAskThatFailsMayBeDoneAllTheSame(status: Int) {
    let world = QuietWorld.make()
    world.refuse(ChannelAsk(act: .create), status)
    let isAllowed = [400, 404, 409, 422, 429, 500, 502, 503].contains(status)
    #expect((world.violation == nil) == isAllowed)
    #expect((world.model.audited["channel.create"]?.possible ?? 0) == (status >= 500 ? 1 : 0))
  }

  // MARK: - Fleets

  @Test func aDeploymentEndsARollbackAndNoPin() {
    for order in [ServiceStep.Order.rollback, .pin] {
      for happening in 0...3 {
        var fleet = FleetModel(hostCount: 1, serverCount: 2)
        fleet.deploy(0, 1)
        for server in 0...1 { fleet.reach(server) }
        fleet.take(order, 0, 4)
        #expect(fleet.hosts[0].order == .init(kind: order == .pin ? .pin : .rollback, version: 4))
        #expect(fleet.hosts[0].mayBePinned == (order == .pin))
        switch happening {
        case 0: fleet.deploy(0, 2)
        case 1: fleet.upload(0, 2)
        case 2: fleet.publishUpload(0)
        default: fleet.reach(0)
        }
        // Nothing new reaches a server that has it.
        let stands = order == .pin || happening == 3
        #expect((fleet.hosts[0].order != nil) == stands, "\(order) \(happening)")
        #expect(fleet.hosts[0].known == (happening < 2 ? [1, 2] : [1]))
      }
    }
  }

  @Test func aDeploymentThatReachesAServerLaterEndsARollback() {
    var fleet = FleetModel(hostCount: 1, serverCount: 2)
    fleet.deploy(0, 1)
    fleet.reach(0)
    #expect(fleet.hosts[0].folders == [1, nil])
    // Where folders differ nobody knows how long it stands.
    fleet.take(.rollback, 0, 4)
    #expect(fleet.hosts[0].order == nil)
    fleet.reach(1)
    fleet.deploy(0, nil)
    fleet.take(.rollback, 0, 4)
    #expect(fleet.hosts[0].order != nil && fleet.hosts[0].known == [1] && fleet.hosts[0].folders == [1, 1])
    fleet.reach(1)
    #expect(fleet.hosts[0].order == nil && fleet.hosts[0].folders == [1, nil])
  }

  @Test func anOrderThatIsLostMayHavePinned() {
    for order in ServiceStep.Order.allCases {
      var fleet = FleetModel(hostCount: 1, serverCount: 1)
      fleet.lose(order, 0)
      #expect(fleet.hosts[0].mayBePinned == (order == .pin) && fleet.hosts[0].order == nil)
      fleet.take(.pin, 0, 1)
      fleet.take(.release, 0, nil)
      #expect(!fleet.hosts[0].mayBePinned && fleet.hosts[0].order == nil)
    }
  }

  // MARK: - Browsers

  @Test func aNewUserHasTheFirstPassword() {
    let people = SwarmPeople(at: ServiceWorld.start)
    #expect(people.users.map(\.password) == ["ada has a password 0", "bob has a password 0"])
    #expect(people.users.map(\.version) == [0, 0])
    people.setPassword(of: 1, at: ServiceWorld.start.advanced(by: .seconds(1)))
    #expect(people.users.map(\.password) == ["ada has a password 0", "bob has a password 1"])
  }

  /// For half an hour without a request, for twelve hours in all, with the same password, in the same process.
  @Test func aSessionEnds() {
    let users = SwarmPeople(at: ServiceWorld.start).users
    func isOpen(seen: Int64 = 0, at now: Int64, version: Int = 0, process: Int? = 3) -> Bool {
      SwarmBrowser.Session(user: 0, version: version, process: 3, startedAt: 0, seenAt: seen)
        .isOpen(users, process, at: now)
    }
    #expect(isOpen(at: 1_799_999) && !isOpen(at: 1_800_000))
    #expect(isOpen(seen: 43_000_000, at: 43_199_999) && !isOpen(seen: 43_000_000, at: 43_200_000))
    #expect(!isOpen(at: 1, version: 1) && !isOpen(at: 1, process: 4) && !isOpen(at: 1, process: nil))
  }

  @Test func aBrowserKeepsCookiesUntilTheyAreEmptied() {
    var browser = SwarmBrowser(index: 1)
    var response = HTTPResponse(status: 200)
    response.fields["Set-Cookie"] = "a=1=2; Path=/"
    browser.take(response)
    response.fields["Set-Cookie"] = "b=3"
    browser.take(response)
    response.fields["Set-Cookie"] = "none"
    browser.take(response)
    #expect(browser.cookies == ["a": "1=2", "b": "3"])
    #expect(browser.request("GET", "/").fields["Cookie"] == "a=1=2; b=3")
    #expect(browser.request("GET", "/").fields["Origin"] == nil)
    #expect(browser.request("POST", "/", form: [("x", "y z")]).fields["Origin"] == "http://console")
    response.fields["Set-Cookie"] = "a=; Max-Age=0"
    browser.take(response)
    #expect(browser.cookies == ["b": "3"])
  }

  // MARK: - Apple's servers

  private static func apns(_ mood: ServiceStep.Mood, seed: UInt64 = 1) -> (VirtualAPNs, SimulatedTime) {
    let time = SimulatedTime(ServiceWorld.start, SeededGenerator(seed: 1))
    let apns = VirtualAPNs(ServicePlayTests.key.publicKey, time, SeededGenerator(seed: seed))
    apns.mood = mood
    return (apns, time)
  }

  private static func push(_ identifier: String = "1") -> HTTPRequest {
    HTTPRequest(
      method: "POST", authority: "apns", target: "/3/device/0a", fields: ["apns-id": identifier], body: [0x7B]
    )
  }

  /// It answers 410 for an app that was gone in 2001, before any device registered.
  @Test func aRejectionOfLongAgoHasItsTime() throws {
    let (apns, _) = Self.apns(.rejecting)
    var found: Set<Int> = []
    for _ in 0..<100 {
      guard case .refused(let response, _) = apns.drawnFate(of: Self.push()) else { continue }
      found.insert(response.status)
      let body = try #require(QuietWorld.json(String(decoding: response.body, as: UTF8.self)))
      #expect(body["timestamp"]?.int == (response.status == 410 ? 1_000_000_000_000 : nil))
      #expect(body["reason"]?.string == (response.status == 410 ? "Unregistered" : "PayloadEmpty"))
    }
    #expect(found == [400, 410] && apns.hasRefused && apns.statuses == found)
    let refused = apns.takeRefused()
    #expect(!refused.isEmpty && refused.allSatisfy { $0 == [0x7B] } && apns.takeRefused().isEmpty)
  }

  /// A push that comes again a millisecond before it may is told of.
  @Test(arguments: [(Int64(-1), 1), (0, 0)]) func aPushThatComesTooEarlyIsTold(milliseconds: Int64, told: Int)
    throws
  {
    let (apns, time) = Self.apns(.tooMany)
    var seconds: Int64?
    while seconds == nil {
      guard case .refused(let response, _) = apns.drawnFate(of: Self.push()) else { continue }
      #expect(response.status == 429)
      seconds = response.fields["Retry-After"].flatMap { Int64($0) }
    }
    #expect((5...600).contains(try #require(seconds)))
    apns.mood = .healthy
    time.advance(try #require(seconds) * 1_000 + milliseconds)
    _ = apns.fate(of: Self.push("2"))
    #expect(apns.early.isEmpty)
    _ = apns.fate(of: Self.push())
    _ = apns.fate(of: Self.push())
    #expect(apns.early.count == told)
    #expect(apns.takeRequests().map(\.identifier) == ["2", "1", "1"])
  }

  /// What was asked of a sender that may not know it counts no more.
  @Test func whatWasAskedLongAgoIsForgotten() {
    for (age, told) in [(Int64(0), 0), (1_000, 0), (1_001, 1)] {
      let (apns, time) = Self.apns(.tooMany)
      while true {
        if case .refused(let response, _) = apns.drawnFate(of: Self.push()),
          response.fields["Retry-After"] != nil
        {
          break
        }
      }
      time.advance(1_000)
      apns.forgetRetries(age: age)
      apns.mood = .healthy
      _ = apns.fate(of: Self.push())
      #expect(apns.early.count == told, "\(age)")
    }
  }

  @Test func requestsArriveInTheOrderTheyAreDue() {
    let (apns, time) = Self.apns(.healthy)
    var arrived: [String] = []
    for (name, after) in [("a", Int64(20)), ("b", 10), ("c", 20), ("d", 21)] {
      apns.expect(Self.push(name), after: after) { arrived.append($0.fields["apns-id"] ?? "") }
    }
    #expect(apns.nextArrival == 10)
    time.advance(9)
    apns.advance()
    #expect(arrived.isEmpty)
    time.advance(11)
    apns.advance()
    #expect(arrived == ["b", "a", "c"] && apns.nextArrival == 21)
  }
}
