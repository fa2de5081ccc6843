internal import DeviceRegistry
internal import LinkspanCore
internal import PushCampaigns
internal import PushProvider
internal import PushTerms
internal import RegistryRequests

/// `/v1/campaigns`: pushes to the devices that fit a query.
extension RegistryAPI {
  static func addCampaignRoutes(to routes: inout Router<Route>) {
    let path = "/v1/campaigns"
    func post(_ path: String, _ answer: @escaping @Sendable (RegistryAPI, Call, @escaping Respond) -> Void) {
      routes.add("POST", path, Route(access: .scope(.writeCampaigns), answer: answer))
    }
    // Payloads in many languages are as long as many device tokens.
    let length = messageBodyLimitBytes
    routes.add(
      "POST", path,
      Route(access: .scope(.writeCampaigns), bodyLimitBytes: length) { $0.postCampaign($1, $2) })
    routes.add("GET", path, Route(access: .scope(.readCampaigns)) { $0.listMessages(.campaign, $1, $2) })
    routes.add(
      "GET", path + "/{id}", Route(access: .scope(.readCampaigns)) { $0.getMessage(.campaign, $1, $2) })
    post(path + "/{id}/pause") { $0.changeCampaign(to: .paused, "campaign.pause", $1, $2) }
    post(path + "/{id}/resume") { $0.changeCampaign(to: .running, "campaign.resume", $1, $2) }
    post(path + "/{id}/cancel") { $0.changeCampaign(to: .cancelled, "campaign.cancel", $1, $2) }
    routes.add(
      "POST", "/v1/estimates",
      Route(access: .scope(.readCampaigns), bodyLimitBytes: length) { $0.estimate($1, $2) })
  }

  private func campaign(
    _ call: Call, _ respond: Respond
  ) -> (request: CampaignRequest, warnings: [InputProblem])? {
    guard let body = Self.body(call, respond) else { return nil }
    var reader = MessageReader()
    guard let request = reader.campaign(body, call.request.body) else {
      respond(Self.refused(reader, "The campaign has errors."))
      return nil
    }
    guard call.allows(topic: request.content.topic.text) else {
      respond(refused(topic: request.content.topic.text))
      return nil
    }
    var scheduled = request
    if let problem = scheduled.options.schedule(at: call.time) {
      respond(Problem(400, "The campaign has errors.", errors: [problem]).response)
      return nil
    }
    let late = [scheduled.options.lateness(at: call.time)].compactMap { $0 }
    return (scheduled, reader.warnings + Self.warnings(scheduled) + late)
  }

  private static func warnings(_ request: CampaignRequest) -> [InputProblem] {
    guard let quiet = request.options.quietHours, let minutes = request.localTime else { return [] }
    let time = WallTime(milliseconds: Int64(minutes) * 60_000)
    guard quiet.sendingTime(at: time, in: .utc) != time else { return [] }
    let place = quiet.contain(time, in: .utc) ? "in" : "in the last minute before"
    return [InputProblem("/local_time", "It is \(place) the quiet hours, so every push waits for their end.")]
  }

  /// The answer for a campaign whose expiration does not go with its times.
  private static func refusal(_ plan: CampaignPlan) -> HTTPResponse? {
    plan.expirationProblem.map {
      Problem(
        409, "The expiration does not go with the campaign's times. Nothing was sent.",
        errors: [InputProblem("/expiration", $0)]
      ).response
    }
  }

  private func estimate(_ call: Call, _ respond: @escaping Respond) {
    guard let (request, warnings) = campaign(call, respond) else { return }
    let (zone, askAbove, keyless) = (options.zone, options.askAbove, keyless(request.content))
    registry.ask({ store throws(RegistryError) in try store.plan(request, at: call.time, zone: zone) }) {
      result in
      switch result {
      case .success(let plan):
        if let refusal = Self.refusal(plan) { return respond(refusal) }
        let members =
          Self.members(plan, request) + [
            ("ask_above", .int(Int(askAbove))),
            ("warnings", Self.json(warnings + keyless + Self.warnings(plan, request, zone))),
          ]
        respond(.json(200, .object(members)))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  private func postCampaign(_ call: Call, _ respond: @escaping Respond) {
    guard let key = Self.requestKey(call, respond), let (request, warnings) = campaign(call, respond) else {
      return
    }
    start(request, warnings, call, key, respond)
  }

  /// Stores a campaign, and answers when that is durable. Its devices are counted in the same transaction, so that no
  /// more can have come since somebody said that so many are meant.
  func start(
    _ request: CampaignRequest, _ warnings: [InputProblem], _ call: Call, _ key: RequestKey?,
    _ respond: @escaping Respond
  ) {
    let (zone, limit, times) = (options.zone, audienceLimit, request.options.timesInDay)
    let keyless = keyless(request.content)
    changeOnce(call, key, respond) { store throws(RegistryError) in
      let plan = try store.plan(request, at: call.time, zone: zone)
      if let refusal = Self.refusal(plan) { return refusal }
      if let refusal = limit.refusal(
        of: plan.devices, times: times, confirmed: request.confirmed, "campaign")
      {
        return refusal
      }
      let identifier = try store.addCampaign(request, plan, actor: call.actor, at: call.time)
      try store.audit([
        AuditEntry(
          time: call.time, actor: call.actor, action: "campaign.create", subject: "\(identifier)",
          affected: Int(plan.devices))
      ])
      guard let message = try store.message(identifier) else { return Self.unknownMessage(.campaign) }
      let progress = try store.progress(of: identifier)
      return .json(
        201,
        .object(
          Self.campaignMembers(message, progress) + [
            ("estimate", .object(Self.members(plan, request))),
            ("warnings", Self.json(warnings + keyless + Self.warnings(plan, request, zone))),
          ]))
    }
  }

  private func changeCampaign(
    to state: Message.State, _ action: String, _ call: Call, _ respond: @escaping Respond
  ) {
    guard Query(call, names: [], respond) != nil else { return }
    guard let identifier = Self.identifier(call) else { return respond(Self.unknownMessage(.campaign)) }
    registry.change(
      isAwaited: true,
      { store throws(RegistryError) -> HTTPResponse in
        switch try store.change(identifier, to: state, topics: call.topics, at: call.time) {
        case .unknown: return Self.unknownMessage(.campaign)
        case .refused(let old, let next):
          // A series goes on under other numbers than the one that somebody was told.
          let hint = next.map { " The next one of its series is \($0)." } ?? ""
          return Problem(409, "The campaign is \(old.rawValue), so it stays as it is.\(hint)").response
        case .done:
          try store.audit([
            AuditEntry(time: call.time, actor: call.actor, action: action, subject: "\(identifier)")
          ])
        }
        guard let message = try store.message(identifier) else { return Self.unknownMessage(.campaign) }
        return .json(200, try Self.json([message], in: store)[0])
      },
      { result in
        switch result {
        case .success(let response):
          respond(response)
          if response.status == 200 { self.registry.settleWaiting(of: identifier, at: call.time) }
        case .failure(let error): self.fail(error, respond)
        }
      })
  }

  // MARK: - Forms

  /// Who changes campaigns by a rule of a server, in the audit log.
  package static let automatic = "automatic"
  /// Pauses that are looked through for a campaign's. Ours.
  private static let searchedPauses = 1_000

  /// Why campaigns are paused that no person has paused, by their identifiers: a server does so for APNs' rejections.
  static func pauseReasons(
    of messages: some Collection<Message>, in store: RegistryStore
  ) throws(RegistryError) -> [Int64: String] {
    guard messages.contains(where: { $0.kind == .campaign && $0.state == .paused }) else { return [:] }
    let entries = try store.auditLog(
      limit: searchedPauses, search: "campaign.pause", hasRejections: false)
    // The newest of a campaign comes first.
    let actors = Dictionary(
      entries.filter { $0.action == "campaign.pause" }.map { ($0.subject, $0.actor) },
      uniquingKeysWith: { first, _ in first })
    var reasons: [Int64: String] = [:]
    for message in messages where message.state == .paused && actors["\(message.identifier)"] == automatic {
      reasons[message.identifier] = "rejections"
    }
    return reasons
  }

  static func campaignMembers(
    _ message: Message, _ progress: MessageProgress, pauseReason: String? = nil
  ) -> [(String, JSON)] {
    var members = members(message, progress)
    let unread = message.unread(progress.details)
    if !unread.isEmpty { members.append(("not_understood", .array(unread.map(JSON.string)))) }
    return members + [
      ("query", message.isRedacted ? .null : message.audience.json),
      ("local_time", JSON(message.localTime.map(ClockTime.text))),
      ("throttle_per_second", JSON(message.throttle.map { Int($0) })),
      ("devices", .int(Int(message.estimate))), ("expanding", .bool(progress.isExpanding)),
      ("not_queued", .int(Int(notQueued(message, progress)))), ("pause_reason", JSON(pauseReason)),
    ] + (progress.details?.members ?? [])
  }

  /// Devices for which there is no delivery: not yet, or never if the campaign was cancelled. Devices that came or went
  /// since the estimate are not counted.
  private static func notQueued(_ message: Message, _ progress: MessageProgress) -> Int64 {
    let ended = DeliveryState.final.reduce(0) { $0 + progress.count($1) }
    let passedOver = progress.details?.passedOver ?? 0
    return message.state == .completed ? 0 : max(0, message.estimate - ended - progress.open - passedOver)
  }

  static let noDevice = "No device fits now, so nothing would be sent."

  private static func warnings(
    _ plan: CampaignPlan, _ request: CampaignRequest, _ zone: (String) -> TimeZoneRules?
  ) -> [InputProblem] {
    guard plan.devices == 0 else {
      let strange = plan.strange.map { strange in
        [
          InputProblem(
            request.localTime == nil ? "/quiet_hours" : "/local_time",
            "Of \(Int(strange.devices).counted("device")) this server does not know the time zone, such as"
              + " '\(strange.zone)', so they go by UTC.")
        ]
      }
      return (strange ?? []) + dayWarnings(plan, request, zone)
    }
    if plan.awaitsDevices {
      return [
        InputProblem(
          "/query", "No device fits now. Devices that do not register until their push is due would get it.")
      ]
    }
    guard !plan.hasDevices else {
      return [InputProblem("/query", noDevice)]
    }
    return [
      InputProblem(
        "/topic",
        "The registry has no device of '\(request.content.topic.text)' in '\(request.content.environment.rawValue)', so nothing would be sent."
      )
    ]
  }

  private static func members(_ plan: CampaignPlan, _ request: CampaignRequest) -> [(String, JSON)] {
    // Devices without a time zone of their own have a wave of theirs, at the same time as another one.
    var waves: [(dueAt: WallTime, devices: Int64)] = []
    // Where nobody fits, one says when it would be.
    let filled = plan.waves.filter { $0.devices > 0 }
    for wave in filled.isEmpty ? Array(plan.waves.prefix(1)) : filled {
      if waves.last?.dueAt == wave.dueAt {
        waves[waves.count - 1].devices += wave.devices
      } else {
        waves.append((wave.dueAt, wave.devices))
      }
    }
    return [
      ("devices", .int(Int(plan.devices))),
      ("times_in_day", .int(Int(request.options.timesInDay))),
      ("repeat", JSON(request.options.recurrence?.text)),
      ("seconds", JSON(request.throttle.map { Int((plan.devices + $0 - 1) / $0) })),
      (
        "waves",
        .array(
          waves.map { .object([("due_at", .string("\($0.dueAt)")), ("devices", .int(Int($0.devices)))]) })
      ),
    ]
  }
}
