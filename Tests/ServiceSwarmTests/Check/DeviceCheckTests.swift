import LinkspanCore
import RegistryRequests
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What the checker says of devices that are read, of lists, of limits and of secrets.
@Suite struct DeviceCheckTests {
  private static func read(
    _ alias: (ServiceWorld) -> String?, _ change: (ServiceWorld) -> Void = { _ in }
  ) -> ServiceInvariant? {
    QuietWorld.violation { world in
      world.model.take(.register(person: 1), of: 0, at: 0)
      change(world)
      world.checkRead(0, alias(world).flatMap { QuietWorld.json("{\"alias\":\"\($0)\"}") })
    }
  }

  @Test func aDeviceIsReadAsItWasLeft() {
    #expect(Self.read { $0.aliases[1] } == nil)
    #expect(Self.read { $0.aliases[2] } == .readsCurrent)
    #expect(Self.read { _ in "nobody" } == .readsCurrent)
    #expect(Self.read { _ in nil } == .registrationDurable)
  }

  @Test func aChangeThatIsNotAnsweredMayBeThereAlready() {
    let deletion = Flight.Subject.change(.delete, device: 0, credential: 0)
    #expect(
      Self.read { _ in
        nil
      } _: {
        $0.flights[1] = QuietWorld.flight(deletion)
      } == nil)
    let other = Flight.Subject.change(.delete, device: 1, credential: 0)
    #expect(
      Self.read { _ in
        nil
      } _: {
        $0.flights[1] = QuietWorld.flight(other)
      } == .registrationDurable)
    let erasure = Flight.Subject.change(.erase(person: 1), device: nil, credential: 0)
    #expect(
      Self.read { _ in
        nil
      } _: {
        $0.flights[1] = QuietWorld.flight(erasure)
      } == nil)
  }

  @Test func whatIsReadIsKnownWhileNothingChanges() {
    let cases: [(Int, Set<Int?>)] = [(0, [nil, 1]), (1, [1])]
    for (device, owners) in cases {
      let world = QuietWorld.make()
      world.model.mayTake(.register(person: 1), of: 0, at: 0)
      world.flights[1] = QuietWorld.flight(.change(.delete, device: device, credential: 0))
      world.checkRead(0, QuietWorld.json("{\"alias\":\"\(world.aliases[1])\"}"))
      #expect(world.violation == nil && world.model.devices[0].owners == owners)
    }
  }

  @Test func aDeletionOfADeviceThatIsThereFindsIt() {
    #expect(QuietWorld.violation { $0.acknowledgeAbsence(of: 0) } == nil)
    func absence(_ change: (ServiceWorld) -> Void) -> ServiceInvariant? {
      QuietWorld.violation { world in
        world.model.take(.register(person: 1), of: 0, at: 0)
        change(world)
        world.acknowledgeAbsence(of: 0)
        #expect(world.model.devices[0].owners == [nil])
      }
    }
    #expect(absence { _ in } == .registrationDurable)
    let erasure = Flight.Subject.change(.erase(person: 1), device: nil, credential: 0)
    #expect(absence { $0.flights[1] = QuietWorld.flight(erasure) } == nil)
  }

  // MARK: - Lists

  @Test func aListOfAllDevicesHasEach() {
    func list(_ body: (ServiceWorld) -> String) -> ServiceInvariant? {
      QuietWorld.violation { world in
        world.model.take(.register(person: 1), of: 0, at: 0)
        world.checkSurvey(.allDevices, QuietWorld.json(body(world)))
      }
    }
    func device(_ world: ServiceWorld, _ index: Int) -> String {
      "{\"token\":\"\(world.tokens[index])\",\"alias\":\"\(world.aliases[1])\"}"
    }
    #expect(list { "{\"devices\":[\(device($0, 0))]}" } == nil)
    #expect(list { _ in #"{"devices":[]}"# } == .registrationDurable)
    #expect(list { "{\"devices\":[\(device($0, 0)),\(device($0, 1))]}" } == .readsCurrent)
    // The first page says nothing of those that are not on it.
    #expect(list { _ in #"{"devices":[],"next":"x"}"# } == nil)
    #expect(QuietWorld.violation { $0.checkSurvey(.other, QuietWorld.json("{}")) } == nil)
  }

  @Test func aRejectionOfLongAgoTakesNothingAway() {
    func answer(_ text: String) -> ServiceInvariant? {
      QuietWorld.violation { $0.checkSurvey(.oldRejection, QuietWorld.json(text)) }
    }
    #expect(answer(#"{"unregistered":false}"#) == nil)
    #expect(answer(#"{"unregistered":true}"#) == .registrationDurable)
    #expect(answer("{}") == .registrationDurable)
  }

  @Test func aListThatIsKeptIsKept() {
    let world = QuietWorld.make()
    world.checkSurvey(.other, QuietWorld.json("[1]"))
    #expect(world.model.listed == nil)
    world.checkSurvey(.kept, QuietWorld.json("[2]"))
    #expect(world.model.listed?.array?.first?.int == 2)
  }

  @Test(arguments: [400, 401, 403, 404, 409, 422, 429, 500, 502, 503])
  func aListIsRefusedOnlyWhereItIsGoneOrTheServerCannot(status: Int) {
    let isAllowed = [404, 429, 500, 503].contains(status)
    #expect(QuietWorld.violation { $0.refuseSurvey(status, "") } == (isAllowed ? nil : .readsCurrent))
  }

  /// Whoever lists every device also tells, of one of them, what APNs answered in 2001.
  @Test func onlyAListOfAllDevicesComesWithARejectionOfLongAgo() {
    let world = QuietWorld.make()
    world.startServers()
    defer { world.forgetServer(0) }
    var before: Flight.Subject?
    var kinds: Set<ServiceWorld.List> = []
    for _ in 0..<100 { world.survey(credential: 0) }
    for (_, flight) in world.flights.sorted(by: { $0.key < $1.key }) {
      guard case .survey(let list) = flight.subject else { continue }
      kinds.insert(list)
      #expect((list == .oldRejection) == (before == .survey(.allDevices)))
      if list == .oldRejection {
        #expect(
          QuietWorld.json(String(decoding: flight.request.body, as: UTF8.self))?["timestamp"]?.int
            == 1_000_000_000_000)
      }
      before = flight.subject
    }
    #expect(kinds == [.allDevices, .oldRejection, .other])
  }

  // MARK: - Limits

  /// An answer to the first credential after others.
  private static func quota(
    answered: [Int64], underWay: Int = 0, at now: Int64 = 60_000, sentAt: Int64 = 60_000, status: Int = 429,
    text: String = "", fields: HTTPFields = [:]
  ) -> (violation: ServiceInvariant?, counted: Int) {
    let world = QuietWorld.make()
    let counted = ServiceModel.Counted(process: 1, credential: 0)
    world.time.advance(now)
    world.model.answered[counted] = answered
    for number in 0..<underWay { world.flights[number] = QuietWorld.flight(.look(device: 0)) }
    world.flights[underWay] = QuietWorld.flight(.intrude)
    world.checkQuota(
      QuietWorld.flight(.look(device: 0), sentAt: sentAt), HTTPResponse(status: status, fields: fields), text)
    return (world.violation?.invariant, world.model.answered[counted]?.count ?? 0)
  }

  @Test func aRequestIsRefusedAfterThirtyOfAMinute() {
    func times(_ count: Int, _ time: Int64) -> [Int64] { Array(repeating: time, count: count) }
    #expect(Self.quota(answered: times(30, 0)).violation == nil)
    #expect(Self.quota(answered: times(29, 0)).violation == .quotaKept)
    // Of more than a minute before it was sent.
    #expect(Self.quota(answered: times(30, 0), at: 60_001, sentAt: 60_001).violation == .quotaKept)
    #expect(Self.quota(answered: times(29, 0), underWay: 1).violation == nil)
    #expect(Self.quota(answered: times(28, 0), underWay: 1).violation == .quotaKept)
  }

  @Test func answersOfThreeMinutesAreRemembered() {
    #expect(Self.quota(answered: [0, 1], at: 180_000, status: 200).counted == 3)
    #expect(Self.quota(answered: [0, 1], at: 180_001, status: 200).counted == 2)
    // A refusal by the limiter is not counted, one that comes from APNs is.
    #expect(Self.quota(answered: Array(repeating: 0, count: 30)).counted == 30)
    #expect(Self.quota(answered: [0], text: "APNs refuses it").counted == 2)
  }

  @Test(
    arguments: [("r=29;t=5", nil), ("a;r=30;t=5", ServiceInvariant.quotaKept), ("t=5", nil)]
      as [(String, ServiceInvariant?)])
  func fewerThanAllRequestsAreLeftAfterOne(field: String, violation: ServiceInvariant?) {
    #expect(Self.quota(answered: [], status: 200, fields: ["RateLimit": field]).violation == violation)
  }

  // MARK: - Secrets

  @Test func noAnswerHasACredential() {
    #expect(QuietWorld.violation { $0.checkSecrets(Array("nothing".utf8), "a page") } == nil)
    for index in 0..<ServiceStory.credentialCount {
      #expect(
        QuietWorld.violation { $0.checkSecrets(Array($0.credentials[index].text.utf8), "a page") }
          == .secretsHidden)
    }
    #expect(QuietWorld.violation { $0.checkSecrets(Array($0.forged.utf8), "a page") } == .secretsHidden)
  }

  @Test func noReportNamesADeviceAPersonOrAPassword() {
    #expect(QuietWorld.violation { $0.checkReport("nothing") } == nil)
    #expect(QuietWorld.violation { $0.checkReport("of \($0.tokens[7])") } == .secretsHidden)
    #expect(QuietWorld.violation { $0.checkReport("of \($0.aliases[3])") } == .secretsHidden)
    #expect(QuietWorld.violation { $0.checkReport(SwarmConfiguration.password) } == .secretsHidden)
    #expect(QuietWorld.violation { $0.checkReport($0.credentials[1].text) } == .secretsHidden)
  }

  // MARK: - Erasures

  /// What is on the disk of a world after an erasure of person 1.
  private static func erase(
    leaving text: (ServiceWorld) -> String, remains: String = "", _ change: (ServiceWorld) -> Void = { _ in }
  ) -> ServiceInvariant? {
    QuietWorld.violation { world in
      var note = ServiceModel.Note(
        word: "a-word-of-it", person: 1, alias: world.aliases[1], credential: 0, earliest: ServiceWorld.start)
      note.identifier = "7"
      world.model.notes[note.word] = note
      world.model.take(.register(person: 1), of: 0, at: 5)
      world.model.take(.erase(person: 1), of: nil, at: 5)
      change(world)
      let file = world.disk.file("left", makes: true)
      Array(text(world).utf8).withUnsafeBytes { file?.put($0, at: 0) }
      world.checkErasure(
        of: 1, QuietWorld.json("{\"remains\":[\(remains)]}"), sentAt: 1)
    }
  }

  @Test func nothingOfAPersonIsLeftAfterAnErasure() {
    #expect(Self.erase { _ in "nothing" } == nil)
    #expect(Self.erase { $0.aliases[1] } == .erasureComplete)
    #expect(Self.erase { _ in "a-word-of-it" } == .erasureComplete)
    #expect(Self.erase { $0.tokens[0] } == .erasureComplete)
    // Never this person's, and deleted after the erasure was asked for.
    let other = Self.erase {
      $0.tokens[1]
    } _: { world in
      world.model.take(.register(person: 2), of: 1, at: 0)
      world.model.take(.delete, of: 1, at: 1)
    }
    #expect(other == nil)
    let before = Self.erase {
      $0.tokens[1]
    } _: { world in
      world.model.take(.register(person: 2), of: 1, at: 0)
      world.model.take(.delete, of: 1, at: 0)
    }
    #expect(before == .erasureComplete)
  }

  /// What is being sent stays until it is answered, and a later request may name somebody again.
  @Test func whatIsStillNeededMayBeLeft() {
    let sending = #"{"where":"messages that are sending"}"#
    #expect(Self.erase(leaving: { _ in "a-word-of-it" }, remains: sending) == nil)
    #expect(Self.erase(leaving: { $0.tokens[0] }, remains: sending) == nil)
    #expect(Self.erase(leaving: { $0.aliases[1] }, remains: sending) == .erasureComplete)
    #expect(
      Self.erase {
        $0.tokens[0]
      } _: {
        $0.model.namedDevices = [0]
      } == nil)
    for subject in [
      Flight.Subject.change(.register(person: 1), device: 3, credential: 0), .notify(word: "a-word-of-it"),
    ] {
      #expect(
        Self.erase {
          $0.aliases[1]
        } _: {
          $0.flights[1] = QuietWorld.flight(subject)
        } == nil)
    }
    let other = Flight.Subject.change(.register(person: 2), device: 3, credential: 0)
    #expect(
      Self.erase {
        $0.aliases[1]
      } _: {
        $0.flights[1] = QuietWorld.flight(other)
      } == .erasureComplete)
  }
}
