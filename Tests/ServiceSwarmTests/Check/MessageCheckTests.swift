import LinkspanCore
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What the checker says of pushes that APNs accepted, and of answers about messages.
@Suite struct MessageCheckTests {
  /// A push of the message "w", which is for person 0 unless something else is said, to device 0, which is person 1's since the start.
  private static func push(
    to device: Int = 0, at sentAt: Int64 = 60_000, extra: String = "",
    _ change: (ServiceWorld) -> Void = { _ in }
  ) -> ServiceInvariant? {
    QuietWorld.violation { world in
      world.model.notes["w"] = note(person: 0)
      world.model.take(.register(person: 1), of: device, at: 0)
      let setCount = world.time.setCount
      change(world)
      world.take(
        VirtualAPNs.Accepted(
          token: world.tokens[device], payload: "{\"aps\":{\"alert\":\"w\"}\(extra)}", messageIdentifier: "1",
          sentAt: sentAt, setCount: setCount))
    }
  }

  private static func note(person: Int?) -> ServiceModel.Note {
    .init(
      word: "w", person: person, alias: person.map { "person-\($0)" }, credential: 0,
      earliest: ServiceWorld.start)
  }

  @Test func aPushToTheDeviceOfAnotherPersonIsFoundAfterASecondAndAHalf() {
    #expect(Self.push(at: 1_501) == .deliveryToItsPerson)
    #expect(Self.push(at: 1_500) == nil)
    #expect(Self.push { $0.model.notes["w"] = Self.note(person: 1) } == nil)
  }

  @Test func aCampaignReachesDevicesOfAnybodyThatAreRegistered() {
    #expect(Self.push { $0.model.notes["w"] = Self.note(person: nil) } == nil)
    let deleted = Self.push { world in
      world.model.notes["w"] = Self.note(person: nil)
      world.model.take(.delete, of: 0, at: 0)
    }
    #expect(deleted == .deliveryToItsPerson)
  }

  /// Whoever names a token gets a push to that token, whose ever it is.
  @Test func aPushByTokenHasNoPerson() { #expect(Self.push { $0.model.notes["w"]?.isByToken = true } == nil) }

  /// While nobody can be asked whose a device is, a sender sends as it knows.
  @Test func aDisturbedStoreExcusesAPush() {
    #expect(Self.push { $0.disk.faults.isFull = true } == nil)
    #expect(Self.push { $0.model.disturbedAt = 1 } == nil)
    let before = Self.push { world in
      world.model.take(.register(person: 2), of: 0, at: 5)
      world.model.disturbedAt = 5
    }
    #expect(before == .deliveryToItsPerson)
    #expect(Self.push { $0.time.set(by: 0) } == nil)
  }

  /// Nobody knows yet whose it is.
  @Test func aChangeThatIsNotAnsweredExcusesAPush() {
    for device in [0, nil] {
      let change = Flight.Subject.change(.delete, device: device, credential: 0)
      #expect(Self.push { $0.flights[1] = QuietWorld.flight(change) } == nil)
    }
    let other = Flight.Subject.change(.delete, device: 1, credential: 0)
    #expect(Self.push { $0.flights[1] = QuietWorld.flight(other) } == .deliveryToItsPerson)
    #expect(Self.push { $0.flights[1] = QuietWorld.flight(.look(device: 0)) } == .deliveryToItsPerson)
    #expect(Self.push { $0.model.mayTake(.delete, of: 0, at: 0) } == nil)
  }

  @Test func aPushThatNoClientSentIsFound() {
    #expect(Self.push { $0.model.notes = [:] } == .deliveryAtMostOnce)
    let stranger = QuietWorld.violation { world in
      world.model.notes["w"] = Self.note(person: nil)
      world.take(
        VirtualAPNs.Accepted(
          token: "00", payload: #"{"aps":{"alert":"w"}}"#, messageIdentifier: "1", sentAt: 0, setCount: 0))
    }
    #expect(stranger == .deliveryAtMostOnce)
  }

  @Test func aPushAfterAnErasureIsFoundUnlessTheClockWasSet() {
    #expect(Self.push { $0.model.notes["w"]?.isErased = true } == .erasureComplete)
    let excused = Self.push { world in
      world.model.notes["w"]?.isErased = true
      world.time.set(by: -1)
    }
    #expect(excused == nil)
  }

  @Test func aPushIsCountedForItsDevice() {
    let world = QuietWorld.make()
    world.model.notes["w"] = Self.note(person: nil)
    for device in [0, 1, 0] {
      world.model.take(.register(person: 0), of: device, at: 0)
      world.take(
        VirtualAPNs.Accepted(
          token: world.tokens[device], payload: #"{"aps":{"alert":"w"}}"#, messageIdentifier: "1", sentAt: 0,
          setCount: 0))
    }
    #expect(world.violation == nil && world.model.notes["w"]?.accepted == [0: 2, 1: 1])
  }

  @Test func aCampaignReachesOnlyDevicesThatFitItsQuery() {
    func push(_ audience: Set<Int>) -> ServiceInvariant? {
      Self.push { world in
        world.model.notes["w"] = Self.note(person: nil)
        world.model.notes["w"]?.audience = audience
      }
    }
    #expect(push([0, 2]) == nil)
    #expect(push([1, 2]) == .deliveryToItsPerson)
  }

  /// Device 0 has said that it speaks German; the last one has an app of 2013, which says it otherwise.
  @Test(
    arguments: [
      (0, "de", nil), (0, "none", nil), (0, "en_GB", ServiceInvariant.deliveryToItsPerson),
      (ServiceStory.deviceCount - 1, "fr", nil),
    ] as [(Int, String, ServiceInvariant?)]) func aTemplateSaysTheLanguageOfTheDevice(
      device: Int, locale: String, violation: ServiceInvariant?
    )
  {
    let found = Self.push(to: device, extra: ",\"locale\":\"\(locale)\"") {
      $0.model.notes["w"] = Self.note(person: nil)
    }
    #expect(found == violation)
  }

  // MARK: - Answers

  private static func acknowledge(
    _ body: String, fields: HTTPFields = [:], _ change: (ServiceWorld) -> Void = { _ in }
  ) -> ServiceInvariant? {
    QuietWorld.violation { world in
      world.model.notes["w"] = note(person: 0)
      for device in 0...1 { world.model.take(.register(person: 0), of: device, at: 0) }
      change(world)
      world.acknowledgeNote("w", QuietWorld.json(body), HTTPResponse(status: 202, fields: fields))
    }
  }

  @Test func aMessageHasANumberAndADeliveryForEachDevice() {
    #expect(Self.acknowledge(#"{"id":"7","deliveries":{"queued":1,"held":1,"maybe_twice":9}}"#) == nil)
    #expect(Self.acknowledge(#"{"deliveries":{"queued":2}}"#) == .deliveryStored)
    for count in [1, 3] {
      #expect(Self.acknowledge("{\"id\":\"7\",\"deliveries\":{\"queued\":\(count)}}") == .deliveryStored)
    }
  }

  /// A device that APNs has called dead may be left out, and one of which nothing is known may be there.
  @Test func aDeviceThatMayBeDeadMayBeLeftOut() {
    func found(_ count: Int) -> ServiceInvariant? {
      Self.acknowledge("{\"id\":\"7\",\"deliveries\":{\"queued\":\(count)}}") { world in
        world.model.mayBeDead = [1]
        world.model.mayTake(.register(person: 0), of: 2, at: 0)
      }
    }
    #expect([0, 1, 2, 3, 4].map(found) == [.deliveryStored, nil, nil, nil, .deliveryStored])
  }

  @Test func noDeliveriesAreCountedWhileADeviceChanges() {
    let change = Flight.Subject.change(.delete, device: 3, credential: 0)
    let body = #"{"id":"7","deliveries":{"queued":5}}"#
    #expect(Self.acknowledge(body) { $0.flights[1] = QuietWorld.flight(change) } == nil)
    #expect(Self.acknowledge(body) { $0.flights[1] = QuietWorld.flight(.look(device: 3)) } == .deliveryStored)
    #expect(Self.acknowledge(body, fields: ["Idempotency-Replayed": "true"]) == nil)
  }

  @Test func oneKeyMakesOneMessage() {
    #expect(Self.acknowledge(#"{"id":"7"}"#) { $0.model.notes["w"]?.identifier = "7" } == nil)
    #expect(Self.acknowledge(#"{"id":"7"}"#) { $0.model.notes["w"]?.identifier = "6" } == .keyAnswersOnce)
  }

  @Test func aConflictIsThatOfAnotherRequestWithTheKey() {
    func conflict(_ text: String, _ change: (ServiceWorld) -> Void = { _ in }) -> ServiceInvariant? {
      QuietWorld.violation { world in
        world.model.notes["w"] = Self.note(person: 0)
        world.model.notes["w"]?.key = 1
        change(world)
        world.checkConflict("w", text)
      }
    }
    func other(_ key: Int, _ credential: Int) -> ServiceModel.Note {
      var other = Self.note(person: 0)
      (other.word, other.key, other.credential) = ("x", key, credential)
      return other
    }
    #expect(conflict("used") == .keyAnswersOnce)
    #expect(conflict("a request is under way") == nil)
    #expect(conflict("used") { $0.model.notes["x"] = other(1, 0) } == nil)
    #expect(conflict("used") { $0.model.notes["x"] = other(2, 0) } == .keyAnswersOnce)
    #expect(conflict("used") { $0.model.notes["x"] = other(1, 1) } == .keyAnswersOnce)
    #expect(conflict("used") { $0.model.notes["w"]?.isErased = true } == nil)
  }

  // MARK: - Campaigns that are paused

  /// Paused above 20 % of rejections, where two devices have answered.
  @Test(
    arguments: [
      (1, 5, ServiceInvariant.campaignsGuarded), (2, 9, nil), (1, 2, nil), (1, 1, .campaignsGuarded),
      (3, 4, .campaignsGuarded),
    ] as [(Int, Int, ServiceInvariant?)]) func aCampaignIsPausedForRejections(
      rejected: Int, answers: Int, violation: ServiceInvariant?
    )
  {
    func paused(person: Int?) -> ServiceInvariant? {
      QuietWorld.violation { world in
        world.model.notes["w"] = Self.note(person: person)
        world.model.notes["w"]?.identifier = "7"
        // What APNs has rejected of it.
        world.model.notes["w"]?.refused = 2
        world.guarded.add("campaign 7: \(rejected) of \(answers) were rejected, more than 20 %")
        world.noteGuard()
        #expect(world.reached.contains("campaign guarded"))
      }
    }
    #expect(paused(person: nil) == violation)
    #expect(paused(person: 0) == .campaignsGuarded)
  }
}
