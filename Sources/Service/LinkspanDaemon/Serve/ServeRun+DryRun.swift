internal import CLinkspanLibrary
internal import DeviceRegistry
internal import Glibc
internal import HTTPEngine
package import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import LinkspanSystem
internal import PushSending

/// What a start would do, without serving anything or leaving anything behind.
extension ServeRun {
  /// Says what `serve` would publish, in the order and with the rights of a start.
  ///
  /// - Returns: Whether everything would be published.
  /// - Throws: Whatever a start would fail on.
  package func tryOut() throws(LinkspanError) -> Bool {
    linkspan_library_demand_all()
    if settings.watches { _ = try FolderWatch(settings) }
    let (hasValidCertificates, terms) = try tryCertificates()
    try tryPort(settings.listen)
    if let admin = settings.admin { try tryPort(admin) }
    if let console = settings.console { try tryPort(console) }
    if let user = settings.user { try Privileges.drop(to: user) }
    for path in [settings.accessLog, settings.writeCertificate?.path] {
      if let path, path != "-" { try Self.refuseUnwritable(path) }
    }
    if let path = settings.accessLog, path != "-" { try tryAccessLog(path) }
    let publications = try PublicationManager(settings, log, writesHistory: false)
    var outcomes: [PublicationOutcome]
    do throws(LinkspanError) {
      outcomes = try publications.publish() + publications.allOutcomes()
    } catch {
      guard !publications.publisher.sites.isEmpty else { throw error }
      log.error("a start would serve the previous publication: \(error)")
      return false
    }
    outcomes.sort { ($0.host ?? "") < ($1.host ?? "") }
    let history = settings.state.map { PublicationHistory(state: $0) }
    var hindered: [PublicationOutcome] = []
    for index in outcomes.indices where [.published, .changed].contains(outcomes[index].kind) {
      do throws(LinkspanError) {
        try history?.refuseUnwritable(outcomes[index].host)
      } catch {
        let wasServed = outcomes[index].kind == .changed
        outcomes[index].kind = .refused
        outcomes[index].problem = error.text
        outcomes[index].isServed = wasServed
        hindered.append(outcomes[index])
        // What is told is the history; errors that were accepted do not count.
        hindered[hindered.count - 1].errorCount = 0
      }
    }
    for outcome in outcomes { report(outcome, always: true) }
    for warning in publications.signingWarnings() { log.error("warning: \(warning)") }
    let hosts = outcomes.filter(\.isServed).compactMap(\.host)
    if let warning = CertificateTerm.warning(terms, ofHosts: hosts) { log.error(warning) }
    if let registry = settings.registry {
      _ = try registry.options()
      tellVersion(try Registry.foundVersion(registry.address))
      try registry.journalExport?.refuseUnfit()
      _ = try settings.sender?.accounts()
    }
    if settings.console != nil, let state = settings.state { _ = try ConsoleUserFile(state: state).users() }
    if settings.registry != nil, outcomes.isEmpty { return hasValidCertificates }
    guard hindered.isEmpty || outcomes.contains(where: \.isServed) else {
      throw Self.nothingToServe(hindered)
    }
    // What waits for somebody's word is no deployment that went well, and is told also when it waited before.
    if let held = publications.heldRemovals { log.error(held) }
    return hasValidCertificates && publications.heldRemovals == nil && publications.repetition == nil
      && !outcomes.contains { $0.kind == .refused }
  }

  /// - Returns: Whether each certificate is valid now, or another one is shown for its names; and the certificates.
  private func tryCertificates() throws(LinkspanError) -> (Bool, [CertificateTerm]) {
    guard !settings.certificates.isEmpty else { return (true, []) }
    _ = try loaded(settings.certificates)
    let terms = terms(of: settings.certificates.map(\.certificate))
    let notes = CertificateTerm.notes(on: terms, at: CurrentTime.now)
    for note in notes { log.error(note.text) }
    return (!notes.contains(where: \.isProblem), terms)
  }

  /// Says what a start would change in the registry before it serves.
  ///
  /// - Parameter version: Of the tables that are there.
  private func tellVersion(_ version: Int?) {
    output.report(.registry(found: version, wanted: RegistryStore.currentVersion))
    guard let version else {
      log.info("note: a start would make the registry")
      return
    }
    guard version < RegistryStore.currentVersion else { return }
    log.info(
      "note: a start would bring the registry from version \(version) to \(RegistryStore.currentVersion), which"
        + " an earlier program does not read: copy it first with 'linkspan registry backup'")
  }

  /// Binds a port for a moment. One in use, or one that only the service may bind, is noted: the server that runs has
  /// it, and a start would have other rights.
  private func tryPort(_ address: SocketAddress) throws(LinkspanError) {
    var configuration = HTTPServerConfiguration(listeners: [.init(address)])
    configuration.loops = 1
    do throws(HTTPServerError) {
      _ = try HTTPServer(configuration) { _ in .text(503, "not serving") }
    } catch {
      guard error.isPortTaken || error.isForbidden else { throw LinkspanError(error) }
      log.info(
        "note: \(error); a start would fail on that, unless it is the server that runs now or has its rights")
    }
  }

  /// A FIFO is not opened: whoever reads it would take the end of that for the end of the log.
  private func tryAccessLog(_ path: String) throws(LinkspanError) {
    try GrowingFile.refuseForeign(path)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
    log.info("note: the access log '\(path)' is a named pipe; a start would fail while no program reads it")
  }

  private static func refuseUnwritable(_ path: String) throws(LinkspanError) {
    let isThere: Bool
    switch try FileReader.kind(of: path) {
    case .folder: throw LinkspanError("is a directory; expected a file", at: path)
    case .file, .special: isThere = true
    case .missing: isThere = false
    }
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard access(isThere ? path : folder, isThere ? W_OK : W_OK | X_OK) == 0 else {
      throw LinkspanError("cannot be written", at: path, errno: errno)
    }
  }
}
