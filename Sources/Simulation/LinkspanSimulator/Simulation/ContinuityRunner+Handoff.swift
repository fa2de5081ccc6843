internal import AppLifecycle
import AppSiteAssociation
internal import Handoff
import LinkspanCore
import LinkspanSpecification
import LinkspanStories
import SimulatedDevices

/// An activity on its way from one device to others.
extension ContinuityRunner {
  /// Ours: from the advertisement to the icon, from the icon to the answer of the sending app, and from there on. Long
  /// enough to be told in the order it happens.
  private static let timeToIcon: Duration = .milliseconds(200)
  private static let timeToAnswer: Duration = .milliseconds(500)
  private static let timeToCallback: Duration = .milliseconds(100)

  func perform(_ move: HandoffMove) async -> [SimulationResult.Check] {
    let subject =
      move.app == nil ? move.activity.webpageURL?.withoutUserInformation ?? "" : move.activity.type
    var checks: [SimulationResult.Check] = []
    for warning in move.activity.warnings {
      await note(
        .warning(warning), move.from, move.app.map(StoryProgram.app),
        Provenance(citing: ["HO2", "HO3"]))
    }
    for device in move.devices {
      let facts = await hand(move, to: device)
      checks += self.checks(move.expectations, subject, device, facts)
    }
    return checks
  }

  private func hand(_ move: HandoffMove, to device: Int) async -> ContinuityFacts {
    let sender = party(move.from)
    let receiver = party(device)
    let apps = await apps(on: device)
    var associations: [String: DomainAssociation] = [:]
    if let page = move.activity.webpageURL {
      for app in apps {
        let identifier = story.apps[app].build.identifier
        associations[identifier] = await world.devices[device].association(
          of: identifier, with: LinkURL(written: page))
      }
    }
    let known = associations
    let senderApps = await self.apps(on: move.from)
    let isSenderReady = move.app.map(senderApps.contains) ?? true
    var offer = HandoffOffer(
      move.activity, of: move.app.map(party(ofApp:)), from: sender, to: receiver,
      apps: apps.filter { !story.apps[$0].build.isBrowser }.map(party(ofApp:)),
      at: story.start.advanced(by: world.clock.now)
    ) { known[$0.identifier] ?? .unclaimed }
    if !isSenderReady { offer = .withoutSender(sender.name) }
    if isSenderReady, sender.obstacles.isEmpty, move.activity.isEligibleForHandoff {
      await advertise(move, to: receiver.obstacles.isEmpty ? device : nil)
    }
    await tell(offer, on: device)
    return await take(offer, move, apps, on: device)
  }

  private func tell(_ offer: HandoffOffer, on device: Int) async {
    await note(
      .offered(offer.outcome, obstacles: offer.obstacles.map(\.name)), device, nil, offer.provenance)
  }

  private func take(
    _ offer: HandoffOffer, _ move: HandoffMove, _ apps: [Int], on device: Int
  ) async -> ContinuityFacts {
    var facts = ContinuityFacts()
    facts.reasons = offer.obstacles.map(\.detail)
    facts.change = offer.obstacles.first?.condition.help
    let names = Set(offer.obstacles.flatMap { [$0.name, $0.condition.rawValue] }).sorted()
    facts.set(.because, names.isEmpty ? "none" : names.joined(separator: " "))
    switch offer.outcome {
    case .nothing: facts.set(.opens, "nothing")
    case .browser: facts.set(.opens, "browser")
    case .app(let identifier, _):
      guard let app = apps.first(where: { story.apps[$0].build.identifier == identifier }) else { break }
      facts.set(.opens, story.apps[app].name)
      await transfer(move, to: app, on: device, &facts)
    }
    return facts
  }

  /// What the two apps are told: the receiving one by its life cycle, the sending one by the activity's delegate.
  private func transfer(_ move: HandoffMove, to app: Int, on device: Int, _ facts: inout ContinuityFacts)
    async
  {
    let continuity = story.apps[app].continuity
    var session = ContinuationSession(
      move.activity, usesScenes: continuity.shape.lifeCycle != .appDelegate)
    let limit = world.devices[move.from].traits.handoff.userInfoLimitBytes
    let error = move.activity.error(trouble: move.trouble, limitBytes: limit)
    facts.set(.error, error.map { "\($0.rawValue)" } ?? "none")
    // The arrival has the receiver's calls where it succeeds.
    let taken = session.handle(.taken) ?? []
    if let error {
      guard continuity.shape.launches else {
        facts.set(.problem, ArrivalProblem.missingScene.rawValue)
        return
      }
      await open(app, on: device)
      await call(taken, move, app, device)
      await call(session.handle(.failed(error)) ?? [], move, app, device)
      await note(.failed(error), device, .app(app), Provenance(citing: ["HO3"]))
      facts.reasons.append("error \(error.rawValue), \(error.name)")
      return
    }
    await call(taken.filter { $0.party == .sender }, move, app, device)
    await world.clock.pause(Self.timeToAnswer)
    await arrive(.handoff, .app(app), on: device, start: move.start, .activity(move.activity), &facts)
    guard facts[.problem] != ArrivalProblem.missingScene.rawValue else { return }
    let received = session.handle(.received) ?? []
    await world.clock.pause(Self.timeToCallback)
    await call(received.filter { $0.party == .sender }, move, app, device)
    if move.restores > 0 { await call(session.handle(.restores(move.restores)) ?? [], move, app, device) }
    if let bytes = move.activity.streamBytes {
      await call(session.handle(.opensStreams) ?? [], move, app, device)
      await note(.streamed(bytes: bytes), device, .app(app), Provenance(citing: ["HO3"]))
    }
    for _ in 0..<move.updates { await call(session.handle(.updated) ?? [], move, app, device) }
  }

  private func call(
    _ calls: [ContinuationSession.Call], _ move: HandoffMove, _ app: Int, _ device: Int
  ) async {
    for call in calls {
      let isSender = call.party == .sender
      await note(
        .callback(.init(name: call.name)), isSender ? move.from : device,
        (isSender ? move.app : app).map(StoryProgram.app), Provenance(citing: ["HO8"]))
    }
  }

  // MARK: - On the air

  /// Sends a frame, and reads it by the same key on the other side.
  private func advertise(_ move: HandoffMove, to device: Int?) async {
    var options: ActivityOptions = []
    if move.activity.webpageURL != nil { options.insert(.webpageURL) }
    let hash =
      move.app.map { ActivityHash(team: team(of: $0), activityType: move.activity.type) }
      ?? ActivityHash(browsingHost: move.activity.webpageHost ?? "")
    let announcement = ActivityAnnouncement(
      hash: hash, options: options,
      time: ActivityTime(story.start.advanced(by: world.clock.now), isCurrent: true))
    let key = SHA256.digest(of: Array("handoff \(story.seed) \(story.devices[move.from].name)".utf8))
    let frame = HandoffFrame(announcement, key: key, counter: nextCounter(of: move.from))
    let data = ManufacturerData([
      ContinuityElement(type: ContinuityElement.handoffType, value: frame.bytes)
    ])
    await note(
      .advertised(type: move.activity.type, hash, data: data.bytes), move.from,
      move.app.map(StoryProgram.app), Provenance(citing: ["B.1", "B.2", "B.3", "B.4"], atMost: .inferred))
    guard let device else { return }
    await world.clock.pause(Self.timeToIcon)
    let heard = (try? ManufacturerData(data.bytes))?.handoff?.announcement(key: key)
    await note(.heard(heard?.hash), device, nil, Provenance(citing: ["B.2", "B.3"], atMost: .inferred))
  }

  // MARK: - Parties

  func party(_ device: Int) -> HandoffDevice {
    let traits = world.devices[device].traits
    let platform: HandoffDevice.Platform? =
      switch traits.os.platform {
      case .iOS: .iOS
      case .macOS: .macOS
      default: nil
      }
    return HandoffDevice(
      name: traits.name, platform: platform, major: traits.os.major, minor: traits.os.minor,
      switches: traits.handoff)
  }

  private func team(of app: Int) -> String {
    String(story.apps[app].build.identifier.prefix { $0 != "." })
  }

  private func party(ofApp app: Int) -> HandoffApp {
    let declared = story.apps[app]
    return HandoffApp(
      identifier: declared.build.identifier, team: team(of: app),
      activityTypes: declared.continuity.activityTypes,
      isFromStore: declared.build.kind == .appStore && declared.continuity.signer == nil,
      signer: declared.continuity.signer)
  }
}
