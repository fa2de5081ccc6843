internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import PushSending
internal import RegistryServer

/// Publishing, the first time and again, and what operators are told of it.
extension ServeRun {
  /// A start needs something to serve: what the folder holds, or what was served before. It waits for checks as long as
  /// ``patienceMilliseconds`` says; what is undecided then is published when its check ends.
  func publishFirst(_ publications: PublicationManager, _ pages: OperatorPages) throws(LinkspanError) {
    do throws(LinkspanError) {
      var outcomes = try publications.publish()
      while publications.isChecking, publications.checks.spentMilliseconds < Self.patienceMilliseconds {
        publications.checks.wait()
        outcomes += publications.takeOutcomes()
      }
      outcomes.sort { ($0.host ?? "") < ($1.host ?? "") }
      for outcome in outcomes where outcome.kind != .published { report(outcome, always: false) }
      pages.tell(publications, outcomes)
    } catch {
      pages.tell(publications, [])
      guard !publications.publisher.sites.isEmpty else { throw error }
      log.error("serving the previous publication: \(error)")
    }
    guard publications.publisher.sites.isEmpty, !publications.isChecking, settings.registry == nil else {
      return
    }
    // A state that takes nothing stands before what is wrong with single files.
    let hindered = publications.publisher.hinderedOutcomes
    throw Self.nothingToServe(hindered.isEmpty ? publications.publisher.refused : hindered)
  }

  /// Has this server obey what others of the registry were told, before it answers anybody.
  func follow(
    _ registry: RegistryWatch, _ publications: PublicationManager, _ pages: OperatorPages
  ) throws(LinkspanError) {
    let outcomes = try publications.follow(registry.registry, at: CurrentTime.now)
    for outcome in outcomes where outcome.kind != .unchanged { report(outcome, always: false) }
    pages.tell(publications, outcomes)
  }

  /// Ours: processor time for which a start, and the word that a reload is done, wait for checks. A host takes well below
  /// a millisecond, and a start should listen within a second whatever lies in the folder.
  static let patienceMilliseconds: Int64 = 300

  static func nothingToServe(_ refused: [PublicationOutcome]) -> LinkspanError {
    let errors = refused.reduce(0) { $0 + $1.errorCount }
    if errors == 0, let problem = refused.compactMap(\.problem).first {
      return LinkspanError("there is nothing to serve: \(problem)")
    }
    return LinkspanError(
      "the files have \(errors.counted("error")).",
      help: "Fix them, or serve them as they are with --accept-errors.")
  }

  /// All certificates anew or none, and each host's files anew or not at all; neither waits for the other.
  func reload(_ service: Service, _ watch: FolderWatch?, _ news: ServeControl.News) {
    let (publications, pages) = (service.publications, service.pages)
    // Of two rounds at the same time the second one ends both.
    let isAsked = news == .hangUp || service.round?.isAsked == true
    if news == .hangUp { manager.reloading() }
    log.debug(news == .hangUp ? "SIGHUP: reading everything again" : "files changed")
    var round = Round(isAsked: isAsked, beganMilliseconds: publications.checks.spentMilliseconds)
    let (problem, keyProblem) = (publications.problem, publications.keyProblem)
    do throws(LinkspanError) {
      let before = publications.settings.certificates.map { [$0.certificate, $0.key] }
      _ = try publications.readSettings(since: settings)
      publications.keyProblem = service.senders?.reload(publications.settings.sender)
      let hasBadKeys =
        publications.keyProblem != nil && (news == .hangUp || publications.keyProblem != keyProblem)
      let files = publications.settings.certificates.map { [$0.certificate, $0.key] }
      let readsCertificates = news == .hangUp || files != before
      let credentials = readsCertificates ? renewed(publications) : nil
      try watch?.watch(publications.settings)
      let outcomes = try publications.publish()
      if let credentials {
        for index in service.server.addresses.indices {
          service.server.replaceCredentials(credentials, ofListener: index)
        }
        tellCertificates(publications, to: pages)
      }
      round.hasBadCredentials = readsCertificates && publications.certificateProblem != nil || hasBadKeys
      round.hasNewRefusal = Self.refusesAnew(outcomes)
      round.endsProblem =
        service.round?.endsProblem == true || problem != nil
        || keyProblem != nil && publications.keyProblem == nil
      take(outcomes.filter { !$0.isRepeated || news == .hangUp }, service)
      service.round = round
      finishRound(service)
    } catch {
      service.round = nil
      pages.tell(publications, [])
      log.error("still serving the previous files: \(error)")
      output.report(.notReloaded)
      pages.state.change { $0.reloadsFailed += 1 }
      manager.ready(status(service))
    }
  }

  /// Publishes what checks came to.
  func publishChecked(_ service: Service) {
    let outcomes = service.publications.takeOutcomes()
    if Self.refusesAnew(outcomes) { service.round?.hasNewRefusal = true }
    // Without an outcome a check has come to nothing, and its host is not waited for any more.
    let isAsked = service.round?.isAsked == true
    take(outcomes.filter { !$0.isRepeated || isAsked }, service)
    if service.round != nil {
      finishRound(service)
    } else {
      manager.ready(status(service))
    }
  }

  /// Tries again what could not be kept, and looks for other servers.
  func tryAgain(_ service: Service) {
    lookForOthers(service)
    let outcomes = service.publications.tryAgain(at: CurrentTime.now)
    if !outcomes.isEmpty { take(outcomes, service) }
  }

  /// Whether a host's files are refused that were not refused as they are before.
  private static func refusesAnew(_ outcomes: [PublicationOutcome]) -> Bool {
    outcomes.contains { $0.kind == .refused && !$0.isRepeated }
  }

  /// Does what people and clients of the API want, and answers when it is served.
  func carryOut(_ service: Service) {
    let orders = service.orders.take()
    guard !orders.isEmpty else { return }
    for item in orders where !service.orders.refusesLate(item) {
      let (outcomes, answer) = service.publications.perform(item, at: CurrentTime.now)
      if !outcomes.isEmpty { take(outcomes, service) }
      if let answer { service.unanswered.append((item, answer)) }
    }
    answerDecided(service)
    manager.ready(status(service))
  }

  /// Answers the orders of which it is known what is served.
  private func answerDecided(_ service: Service) {
    let waiting = service.unanswered
    service.unanswered = []
    for (item, answer) in waiting {
      switch answer.map(service.publications.completed) {
      case .success(let done?): tell(.success(done), to: item, service)
      case .success(nil): service.unanswered.append((item, answer))
      case .failure(let error): tell(.failure(error), to: item, service)
      }
    }
  }

  /// Answers what was ordered. The registry's audit log has a line of what the API and the console did by themselves; of an order
  /// of the command line it gets one here, before the person hears that it is done.
  private func tell(
    _ answer: Result<PublicationOrders.Answer, LinkspanError>, to item: PublicationOrders.Item,
    _ service: Service
  ) {
    guard case .order(let order) = item.work, item.actor == PublicationOrders.commandLine,
      case .success(let done) = answer, let registry = service.pages.registry.withLock({ $0 })
    else { return item.completion(answer) }
    registry.audit(order.auditEntries(of: item.actor, number: done.number, at: CurrentTime.now)) { isStored in
      guard !isStored else { return item.completion(answer) }
      var late = done
      late.words += " \(RegistryAPI.lateLineWords)"
      item.completion(.success(late))
    }
  }

  /// Has the server answer as what is published says now, and tells what became of hosts.
  private func take(_ outcomes: [PublicationOutcome], _ service: Service) {
    let (publications, pages) = (service.publications, service.pages)
    pages.tell(publications, outcomes)
    service.server.replaceResponder(responder(for: publications, on: service.server.addresses[0], pages))
    for outcome in outcomes.sorted(by: { ($0.host ?? "") < ($1.host ?? "") }) {
      if outcome.kind != .unchanged || outcome.endsRefusal { report(outcome, always: true) }
      log.debug("\(outcome.host ?? "every other host"): \(outcome.kind.rawValue)")
    }
    for answer in publications.takeAnswers(to: outcomes) { answer() }
    answerDecided(service)
  }

  /// Says that a reload is done, when its checks ended or took long enough.
  private func finishRound(_ service: Service) {
    let (publications, pages) = (service.publications, service.pages)
    guard let round = service.round,
      !publications.isChecking
        || publications.checks.spentMilliseconds - round.beganMilliseconds >= Self.patienceMilliseconds
    else { return }
    service.round = nil
    let isWhole = publications.refused.isEmpty && !round.hasBadCredentials
    if round.isAsked { warnOfEnds(publications, pages) }
    if round.isAsked || round.endsProblem {
      let hosts = Self.names(publications.served)
      output.report(isWhole ? .reloaded(hosts: hosts) : .refusedSome(hosts: hosts))
    }
    // A host that was refused before does not make a good deployment of another one a bad one.
    let hasFailed = round.hasNewRefusal || round.hasBadCredentials
    pages.state.change { state in
      if hasFailed { state.reloadsFailed += 1 } else { state.reloadsDone += 1 }
    }
    manager.ready(status(service))
  }

  /// What the certificates' files hold now, or nil without any or when they cannot be used; what is wrong with them
  /// stays told until it is mended.
  private func renewed(_ publications: PublicationManager) -> TLSCredentials? {
    let files = publications.settings.certificates
    do throws(LinkspanError) {
      let credentials = settings.isPlain || files.isEmpty ? nil : try loaded(files)
      publications.certificateProblem = nil
      return credentials
    } catch {
      publications.certificateProblem = error.message
      log.error("still using the previous certificates: \(error)")
      return nil
    }
  }

  /// One line for the service manager.
  func status(_ service: Service) -> String {
    let state = service.pages.state.now
    let checking = service.publications.publisher.checkingCount
    let refused = state.readiness.refused.count
    // A file for every host has no name.
    let count = max(1, state.hosts.count)
    let hosts = count.counted("host")
    let hasRegistry = settings.registry != nil
    let served =
      hasRegistry && service.publications.served.isEmpty
      ? "the device registry" : hosts + (hasRegistry ? " and the device registry" : "")
    return "serving \(served)" + (service.senders == nil ? "" : ", sending pushes")
      + (checking > 0 ? ", \(checking) being checked" : "")
      + (refused > 0 ? ", \(refused) with refused files" : "")
      + (state.readiness.problem == nil ? "" : ", and /readyz names a problem")
  }

  // MARK: - Ends of certificates

  /// Tells when the certificates of each file are valid.
  func tellCertificates(_ publications: PublicationManager, to pages: OperatorPages) {
    let terms = terms(of: publications.settings.certificates.map(\.certificate))
    pages.state.change { $0.certificates = terms }
  }

  func terms(of files: [String]) -> [CertificateTerm] {
    files.compactMap { file in
      // It was read a moment ago as what TLS shows; gone since, its end isn't told.
      if let bytes = try? FileReader.bytes(file), let term = CertificateTerm(file: file, pem: bytes) {
        return term
      }
      log.error("'\(file)' cannot be read again, so its expiry is unknown")
      return nil
    }
  }

  /// Warns of certificates that are not valid or end within thirty days, of hosts that none is for, and of what else may keep
  /// devices from a signed file.
  func warnOfEnds(_ publications: PublicationManager, _ pages: OperatorPages) {
    if !publications.settings.certificates.isEmpty {
      let terms = pages.state.now.certificates
      for note in CertificateTerm.notes(on: terms, at: CurrentTime.now) { log.error(note.text) }
      let hosts = publications.served.compactMap(\.host)
      if let warning = CertificateTerm.warning(terms, ofHosts: hosts) { log.error(warning) }
    }
    for warning in publications.signingWarnings() { log.error("warning: \(warning)") }
  }
}
