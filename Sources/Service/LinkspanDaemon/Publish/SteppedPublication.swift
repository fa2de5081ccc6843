package import DeviceRegistry
package import LinkspanConsole
package import LinkspanCore
package import LinkspanFiles
package import LinkspanServer
package import RegistryServer
internal import ServiceConfiguration

/// The publications of a server in a simulation: a ``PublicationManager`` without threads, turned by a scheduler.
package final class SteppedPublication {
  /// What an order came to.
  package struct Answer: Sendable {
    /// The publication that is served by a rollback or a pin.
    package var number: Int?
    package var outcomes: [PublicationOutcome]
  }

  let manager: PublicationManager
  /// The settings in force since the start.
  private let began: ServeSettings
  /// Orders of other servers that are not obeyed yet; nil when none have come.
  private let others = LockedState<[SiteOrder]?>(nil)

  /// - Parameters:
  ///   - place: Where publications are kept.
  ///   - configuration: Reads the configuration file; nil without one.
  ///   - files: Reads the files of signers.
  ///   - candidates: Reads what lies in the folders of hosts.
  ///   - report: Takes what an operator should know.
  /// - Throws: That what was kept cannot be read.
  package init(
    in place: any StatePlace, configuration: (@Sendable () throws(LinkspanError) -> SourceText)? = nil,
    files: (@Sendable (_ path: String) throws(LinkspanError) -> [UInt8])? = nil,
    now: @escaping @Sendable () -> WallTime,
    candidates: @escaping () throws(LinkspanError) -> [PublicationCandidate],
    report: @escaping @Sendable (String) -> Void
  ) throws(LinkspanError) {
    var options = ServeOptions()
    if configuration == nil {
      options.sites = [place.path]
      options.isPlain = true
    } else {
      options.configuration = ConfigurationFile.defaultName
    }
    began = try ServeSettings(options, text: configuration)
    manager = try PublicationManager(
      began, ServerLog(.error, stampsLines: false, sink: report),
      PublicationSurroundings(place: place, candidates: candidates, files: files, now: now))
  }

  /// What is served.
  package var served: [AssociationSite] { manager.served }

  /// What the console tells about each host.
  package var reports: [HostReport] { manager.reports }

  /// What the console tells of a host's earlier publications and drafts.
  package func history(of host: String) -> Result<ConsoleHistory, ConsoleFailure> {
    guard let history = manager.history else { return .success(ConsoleHistory([])) }
    do throws(LinkspanError) {
      return .success(try history.shown(of: host, isShared: false))
    } catch {
      return .failure(ConsoleFailure(error.text))
    }
  }

  /// Hosts whose files are being checked.
  package var isChecking: Bool { manager.isChecking }

  /// Reads every folder, and begins the checks.
  ///
  /// - Returns: What became of hosts that need no check.
  package func read(at now: WallTime) throws(LinkspanError) -> [PublicationOutcome] {
    answered(try manager.publish(at: now))
  }

  /// Answers clients whose files something became of, also those whose host is withdrawn before their check has ended.
  private func answered(_ outcomes: [PublicationOutcome]) -> [PublicationOutcome] {
    for answer in manager.takeAnswers(to: outcomes) { answer() }
    return outcomes
  }

  /// Reads the configuration file, then every folder, and begins the checks, as a server does that is told to reload.
  ///
  /// - Throws: What is wrong with the configuration, or that nothing could be read.
  package func reload(at now: WallTime) throws(LinkspanError) -> [PublicationOutcome] {
    _ = try manager.readSettings(since: began)
    return answered(try manager.publish(at: now))
  }

  /// Reads every folder, makes the checks, and obeys what servers of a registry were told, as a start does before it answers anybody.
  ///
  /// - Throws: That the registry does not tell.
  package func start(following registry: Registry, at now: WallTime) throws(LinkspanError)
    -> [PublicationOutcome]
  {
    var outcomes: [PublicationOutcome] = []
    manager.followsLater = true
    do throws(LinkspanError) {
      outcomes = try manager.publish(at: now)
    } catch {
      manager.log.error("serving the previous publication: \(error)")
    }
    while manager.checks.step() { outcomes += takeOutcomes(at: now) }
    return outcomes + (try manager.follow(registry, at: now))
  }

  /// Asks the registry for the orders of other servers, without waiting for the answer.
  package func lookForOrders() {
    manager.shared?.look { [others] orders in others.withLock { $0 = ($0 ?? []) + orders } }
  }

  /// Obeys the orders that have come.
  package func obey(at now: WallTime) -> [PublicationOutcome] {
    let come = others.withLock { orders in
      defer { orders = nil }
      return orders
    }
    guard let orders = come else { return [] }
    let (outcomes, _) = manager.perform(
      PublicationOrders.Item(work: .obey(orders), actor: "") { _ in }, at: now)
    return answered(outcomes)
  }

  /// The keys of the configuration that say something else than what is in force.
  package var keysRequiringRestart: [String] { manager.keysRequiringRestart }

  /// Why the files or the configuration could not be read the last time; nil when they could.
  package var problem: String? { manager.problem }

  /// Makes one check that waits.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package func check() -> Bool { manager.checks.step() }

  /// What became of hosts whose checks have ended.
  package func takeOutcomes(at now: WallTime) -> [PublicationOutcome] {
    answered(manager.takeOutcomes(at: now))
  }

  /// Carries out what somebody wants.
  package func perform(
    _ order: PublicationOrder, actor: String, at now: WallTime
  ) throws(LinkspanError) -> Answer {
    let item = PublicationOrders.Item(work: .order(order), actor: actor) { _ in }
    let (outcomes, answer) = manager.perform(item, at: now)
    _ = answered(outcomes)
    switch answer {
    case .success(let answer): return Answer(number: answer.number, outcomes: outcomes)
    case .failure(let error): throw error
    case nil: preconditionFailure("an order is answered at once")
    }
  }

  /// Takes files of a host that a client of the API sent.
  ///
  /// - Parameter completion: Takes what became of them; called when it is served.
  package func upload(
    _ candidate: PublicationCandidate, at now: WallTime,
    _ completion: @escaping RegistryAPI.SiteRoutes.Completion
  ) -> [PublicationOutcome] {
    let take: PublicationOrders.Completion = { completion($0.map(\.outcomes).mapError(\.siteFailure)) }
    let item = PublicationOrders.Item(
      work: .publish(candidate), actor: candidate.author ?? "", completion: take)
    let (outcomes, answer) = manager.perform(item, at: now)
    _ = answered(outcomes)
    if let answer { take(answer) }
    return outcomes
  }
}
