internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import PushProvider
internal import PushSending
internal import PushTerms
internal import RegistryServer

/// The registry beside the association files.
extension ServeRun {
  /// Opens the registry, if there is one, and has the pages know its routes.
  func openRegistry(_ pages: OperatorPages, _ orders: PublicationOrders) throws(LinkspanError)
    -> RegistryWatch?
  {
    guard let settings = settings.registry else { return nil }
    // What would fail later fails before a registry is made, or brought to this program's version.
    _ = try self.settings.sender?.accounts()
    try settings.journalExport?.refuseUnfit()
    var options = try settings.options()
    options.zone = { ZoneFiles.system.rules($0) }
    if let problem = ZoneFiles.system.problem { log.error(problem) }
    options.canSend = self.settings.sender != nil
    if options.canSend {
      options.channels = pages.channels.route
      options.sends = { [desk = pages.channels] topic, environment in desk.hasKey(for: topic, environment) }
    }
    options.sites = Self.siteRoutes(orders)
    options.log = { [log] in log.error($0) }
    let registry = try Registry.open(settings.address, keeping: settings.retention)
    pages.accessLog?.hash.withLock { $0 = registry.hash }
    let fail = output.fail
    let watch = RegistryWatch(registry, fail: { fail(LinkspanError($0)) }) { [log] in log.error($0) }
    let api = RegistryAPI(
      registry, options, now: { CurrentTime.now }, uptime: { CurrentTime.uptime },
      limiterSecret: try SystemRandom.bytes(16),
      client: { [clients = pages.clients] request, origin in
        clients.client(of: request, peer: origin.peer)
      },
      report: { error in
        watch.note(error)
        if watch.isNews(error) { fail(LinkspanError(error)) }
      })
    pages.registry.withLock { $0 = api }
    pages.registryWatch.withLock { $0 = watch }
    log.info("the device registry is \(registry.address.words)")
    if let former = registry.formerVersion, former > 0 {
      log.info(
        "the registry was brought from version \(former) to \(RegistryStore.currentVersion), which an earlier program does not read"
      )
    }
    if let unfitness = registry.unfitness { log.error("warning: \(unfitness)") }
    if let legacy = options.legacy, legacy.isOpen {
      log.info(
        "any client that reaches this server can register and remove devices of \(legacy.topic) without a credential"
      )
    }
    return watch
  }

  /// What the API's routes of sites do: the thread that publishes does it, and answers when it is served.
  private static func siteRoutes(_ orders: PublicationOrders) -> RegistryAPI.SiteRoutes {
    RegistryAPI.SiteRoutes(
      publish: { candidate, actor, completion in
        orders.add(.publish(candidate), actor: actor) {
          completion($0.map(\.outcomes).mapError(\.siteFailure))
        }
      },
      remove: { host, actor, completion in
        orders.add(.order(.remove(hosts: [host])), actor: actor) {
          completion($0.map(\.outcomes).mapError(\.siteFailure))
        }
      })
  }
}

extension ServeRun {
  /// Has closed days of the journal written to files, if there is a place for them.
  func startExporter(_ registry: Registry, _ pages: OperatorPages) throws(LinkspanError) {
    guard let place = settings.registry?.journalExport else { return }
    let exporter = try JournalExporter(registry, to: place)
    pages.exporter.withLock { $0 = exporter }
    try exporter.start { [log] day in
      log.info(
        "exported the journal of \(day.day): \(day.lines.counted("line")) in \(place.path)/\(day.file)")
    } fail: { [log] error in
      log.error("a day of the journal is not exported, and stays: \(error)")
    }
  }
}

extension ServeRun {
  /// Starts a sender for each key and environment, if there is a key.
  func startSenders(_ watch: RegistryWatch, _ pages: OperatorPages) throws(LinkspanError) -> Senders? {
    guard let settings = settings.sender else {
      log.info("this server has no key for APNs: pushes wait for a server of the same registry that has one")
      return nil
    }
    let counters = SenderCounters()
    pages.senders.withLock { $0 = counters }
    let senders = Senders(watch.registry, pages.channels, counters, log) {
      [output, log] settings, environment, account throws(LinkspanError) in
      try Self.sender(watch, settings, environment, account, counters, output.fail, log)
    }
    try senders.start(settings)
    return senders
  }

  private static func sender(
    _ watch: RegistryWatch, _ settings: SenderSettings, _ environment: PushEnvironment,
    _ account: SenderAccount, _ counters: SenderCounters, _ fail: @escaping @Sendable (LinkspanError) -> Void,
    _ log: ServerLog
  ) throws(LinkspanError) -> PushSender {
    let (last, name) = (SecondsOfReport(), "APNs (\(environment.rawValue))")
    return try PushSender(
      watch, environment, settings, account, counters, zone: { ZoneFiles.system.rules($0) }
    ) {
      error in
      if last.isNew(CurrentTime.now) { fail(error) }
    } noteReach: { change in
      guard counters.note(change, environment) else { return }
      if let error = Self.error(change, environment, settings) {
        fail(error)
      } else {
        log.error("\(name) can be reached again")
      }
    } noteHealth: { change, key in
      switch change {
      case .began(let outage): fail(Self.error(outage, environment, counters.hasSeveralKeys ? key : nil))
      case .ended(let outage):
        // The clock may have been set back meanwhile.
        let seconds = max(0, CurrentTime.now.milliseconds - outage.since.milliseconds) / 1_000
        let which = counters.hasSeveralKeys ? " of the key \(key.key)" : ""
        log.error("\(name) takes pushes\(which) again, after \(seconds) s")
      }
    }
  }
}

extension ServeRun {
  /// What an operator is told when APNs cannot be reached; nil when it can be again.
  private static func error(
    _ change: SenderReach.Change, _ environment: PushEnvironment, _ settings: SenderSettings
  ) -> LinkspanError? {
    guard case .unreachable(let reason, let needsFix) = change else { return nil }
    let remedy =
      needsFix
      ? "Pushes wait. The server's certificate is not trusted; if the server is yours, name its authority with"
        + " --apns-ca."
      : "Pushes wait and are sent when it answers. Check the network, name resolution, and whether a firewall"
        + " lets this machine out to port 443."
    return LinkspanError(
      "APNs (\(environment.rawValue)) cannot be reached at \(settings.server?.description ?? "Apple"): \(reason).",
      help: remedy)
  }

  /// What an operator is told when APNs is reached and takes nothing.
  private static func error(
    _ outage: PushHealth.Outage, _ environment: PushEnvironment, _ key: ProviderKeyIdentity?
  ) -> LinkspanError {
    let name = "APNs (\(environment.rawValue))"
    let (whose, which) = key.map { (" of this key", " \($0.key) of team \($0.team)") } ?? ("", "")
    switch outage.cause {
    case .service:
      return LinkspanError(
        "\(name) fails\(which.isEmpty ? "" : " for the key" + which): \(outage.reason).",
        help:
          "Pushes\(whose) wait. One of them tries it from time to time, and the others follow as soon as APNs takes it."
      )
    case .credential:
      let advice = outage.advice.isEmpty ? "" : " \(outage.advice)"
      return LinkspanError(
        "\(name) refuses the key\(which) for provider tokens: \(outage.reason).\(advice)",
        help: "Pushes\(whose) wait. Mend the key file or its identifiers, and send SIGHUP.")
    }
  }
}

/// Lets one report a second through, because a full disk would have thousands.
private final class SecondsOfReport: Sendable {
  private let last = LockedState<Int64>(.min)

  func isNew(_ now: WallTime) -> Bool {
    last.withLock { last in
      guard now.milliseconds / 1_000 != last else { return false }
      last = now.milliseconds / 1_000
      return true
    }
  }
}
