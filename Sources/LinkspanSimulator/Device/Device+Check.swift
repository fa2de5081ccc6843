import AppSiteAssociation
import LinkspanCore

extension Device {
  /// Ours: not documented for the daemon.
  private static let directTimeout: Duration = .seconds(60)

  /// Between device and CDN, one way, in milliseconds. Ours.
  private static let cdnLatency_ms: ClosedRange<Int64> = 10...60

  /// How long the daemon lets a due check wait, in milliseconds: it is held back (V4); the figure is ours.
  private static let start_ms: ClosedRange<Int64> = 0...2000

  /// V2: documented as roughly weekly; 4.9 to 5.0 days were observed.
  private static let weekly_ms: ClosedRange<Int64> = 423_360_000...432_000_000

  /// R1 says about every 3 hours; V2 has one of 3 h 4 min.
  private static let retry_ms: ClosedRange<Int64> = 10_800_000...11_100_000

  /// R1.
  static let retryLimit = 8

  /// Fetches the file of an entry and keeps what follows from it.
  func check(_ key: AssociationRecord.Key) async {
    guard let before = records[key] else { return }
    var chance = chanceOfNextCheck(key)
    await world.pace.pause(.milliseconds(chance.draw(Self.start_ms)))
    let route = FetchRoute(before.domain, on: traits.os)
    let (outcome, url) = await fetch(before, route, &chance)
    var file: StoredFile?
    if case .file(let body) = outcome { file = await world.cache.file(body, for: traits.os) }
    // While it was away the app may have gone, or come again.
    guard var record = records[key], record.installation == before.installation else {
      await note("drop-answer", about: key, [("app", .string(key.app)), ("entry", .string(key.entry))])
      return
    }
    switch outcome {
    case .problem(let problem): fail(&record, problem, &chance)
    case .file:
      if let file {
        keep(file, in: &record, &chance)
      } else {
        fail(&record, Self.unreadable(before.domain), &chance)
      }
    }
    records[key] = record
    await note(
      "check", about: key, grounds: Self.grounds(record, route),
      [
        ("app", .string(key.app)), ("entry", .string(key.entry)), ("route", .string(route.name)),
        ("url", .string(url)), ("site", .string(record.siteApproval.rawValue)),
        ("file", .init(record.problem == nil ? record.file?.digest : nil)),
        ("problem", .init(record.problem?.reason)), ("retries", .int(record.retries)),
        ("next_check_ms", .int(Int((record.nextCheck ?? .zero).wholeMilliseconds))),
      ])
  }

  /// What the daemon did when all went well, else what went wrong.
  private static func grounds(_ record: AssociationRecord, _ route: FetchRoute) -> Grounds {
    if let problem = record.problem { return Grounds(problem.rules, problem.certainty) }
    if case .cdn = route { return Grounds(["C1", "V2"], .documented) }
    return Grounds([record.domain.mode == nil ? "F2" : "F4", "V2"], .documented)
  }

  private func fail(
    _ record: inout AssociationRecord, _ problem: FetchProblem, _ chance: inout SeededGenerator
  ) {
    record.lastChecked = world.pace.now
    record.problem = problem
    record.retries += 1
    let again = record.retries <= Self.retryLimit ? Self.retry_ms : Self.weekly_ms
    record.nextCheck = world.pace.now + .milliseconds(chance.draw(again))
    // An approved association outlives what passes (inferred from V7).
    if record.siteApproval == .approved,
      problem.kind == .temporary || world.switches.keepsApprovalAfterRefusal
    {
      return
    }
    record.siteApproval = problem.kind == .refused ? .denied : .unspecified
    record.file = nil
  }

  private func keep(
    _ file: StoredFile, in record: inout AssociationRecord, _ chance: inout SeededGenerator
  ) {
    record.lastChecked = world.pace.now
    record.nextCheck = world.pace.now + .milliseconds(chance.draw(Self.weekly_ms))
    record.problem = nil
    record.retries = 0
    record.file = file
    record.siteApproval = file.matcher.applications.contains(record.app) ? .approved : .denied
  }

  private static func unreadable(_ domain: AssociatedDomain) -> FetchProblem {
    FetchProblem(
      kind: .unreadable, reason: "what '\(domain.host)' serves is no JSON object",
      change: "Serve the JSON file itself at \(AssociationLocation.wellKnown.url(host: domain.host)).",
      rules: ["R5"], certainty: .inferred)
  }

  // MARK: - Fetch

  private func fetch(
    _ record: AssociationRecord, _ route: FetchRoute, _ chance: inout SeededGenerator
  ) async -> (FetchOutcome, url: String) {
    guard case .direct(let locations) = route else { return await fetchFromCDN(record, &chance) }
    return await fetchDirectly(record, locations)
  }

  private func fetchFromCDN(
    _ record: AssociationRecord, _ chance: inout SeededGenerator
  ) async -> (FetchOutcome, url: String) {
    let domain = record.domain
    let request = HTTPRequest(
      authority: ContentDeliveryNetwork.host, target: "/a/v1/\(domain.host)",
      fields: ["User-Agent": Asker.device(name: name, os: traits.os).userAgent])
    await world.pace.pause(.milliseconds(chance.draw(Self.cdnLatency_ms)))
    let response = await world.cdn.answer(request)
    await world.pace.pause(.milliseconds(chance.draw(Self.cdnLatency_ms)))
    if world.switches.asksHostWhenTold, CDNFailure(response)?.triesDirect == true {
      return await fetchDirectly(record, [.wellKnown])
    }
    return (
      FetchOutcome(cdn: response, from: domain), "https://\(request.authority)\(request.target)"
    )
  }

  private func fetchDirectly(
    _ record: AssociationRecord, _ locations: [AssociationLocation]
  ) async -> (FetchOutcome, url: String) {
    let domain = record.domain
    let isDeveloper = domain.mode == .developer || domain.mode == .developerAndManaged
    let options = FetchOptions(acceptsAnyCertificate: isDeveloper, timeout: Self.directTimeout)
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
