package import LinkspanConsole
package import LinkspanCore
package import LinkspanFiles
package import LinkspanServer
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

  /// - Parameters:
  ///   - place: Where publications are kept.
  ///   - candidates: Reads what lies in the folders of hosts.
  ///   - report: Takes what an operator should know.
  /// - Throws: That what was kept cannot be read.
  package init(
    in place: any StatePlace, now: @escaping @Sendable () -> WallTime,
    candidates: @escaping () throws(LinkspanError) -> [PublicationCandidate],
    report: @escaping @Sendable (String) -> Void
  ) throws(LinkspanError) {
    var options = ServeOptions()
    options.sites = [place.path]
    options.isPlain = true
    manager = try PublicationManager(
      try ServeSettings(options), ServerLog(.error, stampsLines: false, sink: report),
      PublicationSurroundings(place: place, candidates: candidates, now: now))
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
    try manager.publish(at: now)
  }

  /// Makes one check that waits.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package func check() -> Bool { manager.checks.step() }

  /// What became of hosts whose checks have ended.
  package func takeOutcomes(at now: WallTime) -> [PublicationOutcome] {
    let outcomes = manager.takeOutcomes(at: now)
    for answer in manager.takeAnswers(to: outcomes) { answer() }
    return outcomes
  }

  /// Carries out what somebody wants.
  package func perform(
    _ order: PublicationOrder, actor: String, at now: WallTime
  ) throws(LinkspanError) -> Answer {
    let item = PublicationOrders.Item(work: .order(order), actor: actor) { _ in }
    let (outcomes, answer) = manager.perform(item, at: now)
    for answer in manager.takeAnswers(to: outcomes) { answer() }
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
    _ completion: @escaping @Sendable (Result<[PublicationOutcome], LinkspanError>) -> Void
  ) -> [PublicationOutcome] {
    let take: PublicationOrders.Completion = { completion($0.map(\.outcomes)) }
    let item = PublicationOrders.Item(
      work: .publish(candidate), actor: candidate.author ?? "", completion: take)
    let (outcomes, answer) = manager.perform(item, at: now)
    for answer in manager.takeAnswers(to: outcomes) { answer() }
    if let answer { take(answer) }
    return outcomes
  }
}
