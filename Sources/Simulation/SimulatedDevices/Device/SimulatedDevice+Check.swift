import AppSiteAssociation
import AssociatedDomains
internal import AssociationDelivery
import LinkspanCore
internal import LinkspanSpecification

extension SimulatedDevice {
  /// Ours: not documented for the daemon.
  private static let directTimeout: Duration = .seconds(60)

  /// Between device and CDN, one way, in milliseconds. Ours.
  private static let cdnLatency_ms: ClosedRange<Int64> = 10...60

  /// V2: documented as roughly weekly; 4.9 to 5.0 days were observed.
  private static let weekly_ms: ClosedRange<Int64> = 423_360_000...432_000_000

  /// R1 says about every 3 hours after what passes; V2 has 3 h 4 min after a file that was not JSON.
  private static let retry_ms: ClosedRange<Int64> = 10_800_000...11_100_000

  /// Entries of one app that read the file of one host in one way, as `applinks:h` and `applinks:*.h` do: they ask for it
  /// once.
  ///
  /// A device keeps a state for each entry (section 5); that one answer counts for all of them is inferred.
  struct Question: Sendable {
    /// The first one asks.
    let keys: [AssociationRecord.Key]
  }

  /// Entries by what they ask, in the order in which the first of each stands.
  func questions(of keys: [AssociationRecord.Key]) -> [Question] {
    struct Subject: Hashable {
      var app: String
      var host: String
      var mode: AssociatedDomain.Mode?
    }
    var places: [Subject: Int] = [:]
    var questions: [[AssociationRecord.Key]] = []
    for key in keys {
      guard let domain = records[key]?.domain else { continue }
      let subject = Subject(app: key.app, host: domain.host, mode: domain.mode)
      if let place = places[subject] {
        questions[place].append(key)
      } else {
        places[subject] = questions.count
        questions.append([key])
      }
    }
    return questions.map(Question.init)
  }

  /// Fetches a file and keeps what follows from it in each entry that reads it.
  ///
  /// - Parameter turn: Its turn among those that begin with it; nil when it begins alone.
  /// - Parameter crashes: How often the daemon has died over it.
  func check(
    _ question: Question, because reason: CheckReason, _ turn: CheckTurn? = nil, crashes count: Int = 0
  ) async {
    await waitForDaemon()
    guard let key = question.keys.first(where: { records[$0] != nil }), let before = records[key] else {
      return
    }
    let start = daemon.starts
    let turn = turn ?? CheckTurn(chanceOfNextCheck(key))
    var chance = turn.chance
    let isSpared = count >= FaultOptions.crashLimit
    await world.clock.pause(turn.start)
    let route = FetchRoute(before.domain, on: traits.os)
    let (outcome, url) = await fetch(before, route, because: reason, &chance)
    let risk = isSpared ? .never : world.faults.crashBeforeStore
    if await crashes(risk, key, .beforeStore, since: start, chance) {
      return await check(question, because: reason, crashes: count + 1)
    }
    var file: StoredFile?
    if case .file(let body) = outcome { file = await world.cache.file(body, for: traits.os) }
    for reader in question.keys {
      // While it was away the app may have gone, or come again.
      guard var record = records[reader], record.installation == before.installation else {
        await note(.droppedAnswer(reader), about: reader)
        continue
      }
      keep(outcome, file, in: &record, chance)
      records[reader] = record
      await note(record, because: reason, route, url, turn, isShared: reader != key)
    }
    if !isSpared {
      _ = await crashes(world.faults.crashAfterStore, key, .afterStore, since: start, chance)
    }
  }

  private func keep(
    _ outcome: FetchOutcome, _ file: StoredFile?, in record: inout AssociationRecord,
    _ chance: SeededGenerator
  ) {
    // Entries with one answer are due together again.
    var chance = chance
    switch outcome {
    case .problem(let problem): fail(&record, problem, &chance)
    case .file:
      if let file {
        keep(file, in: &record, &chance)
      } else {
        fail(&record, Self.unreadable(record.domain), &chance)
      }
    }
  }

  /// - Parameter isShared: Whether another entry asked.
  private func note(
    _ record: AssociationRecord, because reason: CheckReason, _ route: FetchRoute, _ url: String,
    _ turn: CheckTurn, isShared: Bool
  ) async {
    await note(
      .checked(EntryCheck(record: record, reason: reason, route: route, url: url)), about: record.key,
      provenance: reason.provenance.and(route.provenance).and(traits.simulatorProvenance).and(turn.provenance)
        .and(record.problem?.provenance).and(
          isShared ? Provenance(citing: ["section 5"], atMost: .inferred) : nil))
  }

  private func fail(
    _ record: inout AssociationRecord, _ problem: FetchProblem, _ chance: inout SeededGenerator
  ) {
    record.lastChecked = world.clock.now
    record.problem = problem
    record.retries = problem.kind.isRetried ? record.retries + 1 : 0
    let again = record.isRetrying ? Self.retry_ms : Self.weekly_ms
    record.nextCheck = world.clock.now + daemon.lasting(.milliseconds(chance.draw(again)))
    // An approved association outlives what passes (inferred from V7).
    let passes = problem.kind == .temporary && world.plant != .storedFileDropped
    if record.siteApproval == .approved, passes || world.switches.keepsApprovalAfterRefusal { return }
    record.siteApproval = problem.kind == .refused ? .denied : .unspecified
    record.file = nil
  }

  private func keep(
    _ file: StoredFile, in record: inout AssociationRecord, _ chance: inout SeededGenerator
  ) {
    record.lastChecked = world.clock.now
    record.nextCheck = world.clock.now + daemon.lasting(.milliseconds(chance.draw(Self.weekly_ms)))
    record.problem = nil
    record.retries = 0
    record.file = file
    record.siteApproval = file.matcher.applications.contains(exactly: record.app) ? .approved : .denied
  }

  private static func unreadable(_ domain: AssociatedDomain) -> FetchProblem {
    FetchProblem(
      kind: .unreadable, reason: "what '\(domain.host)' serves is not a JSON object",
      change: "Serve the JSON file itself at \(AssociationLocation.wellKnown.url(host: domain.host)).",
      rules: ["R5"], certainty: .inferred, error: .notJSON)
  }

  /// Nothing is asked without a network; the check counts as one that failed (inferred from V5, R1 and V7).
  private static let offline = FetchProblem(
    kind: .temporary, reason: "the device is offline",
    change: "Connect the device to a network; it retries about every 3 hours, up to 8 times.",
    rules: ["V5", "R1", "V7"], certainty: .inferred)

  // MARK: - Fetch

  private func fetch(
    _ record: AssociationRecord, _ route: FetchRoute, because reason: CheckReason,
    _ chance: inout SeededGenerator
  ) async -> (FetchOutcome, url: String) {
    guard isOnline else {
      return (.problem(Self.offline), route.url(for: record.domain))
    }
    guard case .direct(let locations) = route else {
      return await fetchFromCDN(record, because: reason, &chance)
    }
    return await fetchDirectly(record, locations, because: reason)
  }

  private func fetchFromCDN(
    _ record: AssociationRecord, because reason: CheckReason, _ chance: inout SeededGenerator
  ) async -> (FetchOutcome, url: String) {
    let domain = record.domain
    let request = HTTPRequest(
      authority: ContentDeliveryNetwork.host, target: ContentDeliveryNetwork.pathPrefix + domain.host,
      fields: ["User-Agent": FetchClient.device(name: name, os: traits.os).userAgent])
    let begun = await world.traffic.begin(from: name, to: ContentDeliveryNetwork.host)
    let result = await askCDN(request, about: record.key, &chance)
    await world.traffic.end(begun, request, result, because: reason.cause(of: record))
    guard case .answered(let response) = result else {
      return (
        FetchOutcome(lostOnTheWayToCDN: result, named: world.cdn.name, from: domain),
        FetchRoute.cdn.url(for: domain)
      )
    }
    if world.switches.asksHostWhenTold, CDNFailure(response)?.triesDirect == true {
      return await fetchDirectly(record, [.wellKnown], because: reason)
    }
    return (
      FetchOutcome(cdn: response, named: world.cdn.name, from: domain), FetchRoute.cdn.url(for: domain)
    )
  }

  /// One question to Apple's CDN and its answer, with what befalls them on the way.
  private func askCDN(
    _ request: HTTPRequest, about key: AssociationRecord.Key, _ chance: inout SeededGenerator
  ) async -> FetchResult {
    let trouble = await troubleOnTheWay(key, chance)
    let there = trouble.delay(.milliseconds(chance.draw(Self.cdnLatency_ms)))
    let back = trouble.delay(.milliseconds(chance.draw(Self.cdnLatency_ms)))
    if trouble.hasNoAddress {
      await world.clock.pause(there)
      return .failed(.unresolvable)
    }
    if trouble.isLost || there + back > Self.directTimeout {
      await world.clock.pause(Self.directTimeout)
      return .failed(.timedOut)
    }
    await world.clock.pause(there)
    let response = await world.cdn.answer(request)
    await world.clock.pause(back)
    return trouble.spoil(.answered(response))
  }

  private func fetchDirectly(
    _ record: AssociationRecord, _ locations: [AssociationLocation], because reason: CheckReason
  ) async -> (FetchOutcome, url: String) {
    let domain = record.domain
    let isDeveloper = domain.mode == .developer || domain.mode == .developerAndManaged
    let options = FetchOptions(
      acceptsAnyCertificate: isDeveloper, timeout: Self.directTimeout,
      cause: reason.cause(of: record))
    var first: (FetchOutcome, url: String)?
    for location in locations {
      let result = await world.network.ask(
        HTTPRequest(authority: domain.host, target: location.rawValue),
        by: .device(name: name, os: traits.os), options, lane: "\(name) \(record.key.lane)")
      let outcome = (
        FetchOutcome(direct: result, from: domain, at: location), url: location.url(host: domain.host)
      )
      guard case .answered(let response) = result, response.status == 404 else { return outcome }
      first = first ?? outcome
    }
    guard let first else { preconditionFailure("a direct route names at least one place") }
    return first
  }
}
