internal import CLinkspanLibrary
internal import DeviceRegistry
internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
package import LinkspanConsole
package import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import LinkspanSystem
internal import PushSending
internal import RegistryServer

/// One run of `serve`, from reading the files to the last answer.
package struct ServeRun {
  let settings: ServeSettings
  let output: ServeOutput
  let version: String
  /// Pages of the console that the program makes.
  let consolePages: [ConsolePage]
  let manager = ServiceManager()

  var log: ServerLog { output.log }

  /// - Parameters:
  ///   - version: The program's, for the page of metrics.
  ///   - consolePages: What the console has beside its own pages.
  package init(
    _ settings: ServeSettings, output: ServeOutput, version: String, consolePages: [ConsolePage]
  ) {
    self.consolePages = consolePages
    self.settings = settings
    self.output = output
    self.version = version
  }

  /// What the control thread works with once the server is there.
  final class Service {
    let server: HTTPServer
    let publications: PublicationManager
    let orders: PublicationOrders
    let pages: OperatorPages
    /// What sends the registry's pushes; nil without a key.
    let senders: Senders?
    /// Tell whether other servers work on what is this one's: the state with its files, and the registry.
    var presences: [(part: Readiness.Part, presence: ServerPresence)] = []
    /// Orders that were carried out, and whose answers wait until the files that they are about are checked.
    var unanswered: [(PublicationOrders.Item, Result<PublicationOrders.Answer, LinkspanError>)] = []
    /// The reload whose checks are under way; nil without one.
    var round: Round?

    init(
      _ server: HTTPServer, _ publications: PublicationManager, _ orders: PublicationOrders,
      _ pages: OperatorPages, _ senders: Senders?
    ) {
      self.orders = orders
      self.senders = senders
      self.server = server
      self.publications = publications
      self.pages = pages
    }
  }

  /// One reload, from reading files to the word that it is done.
  struct Round {
    /// Whether SIGHUP asked for it, so that somebody waits for the word.
    var isAsked: Bool
    /// Processor time of all checks before it.
    var beganMilliseconds: Int64
    /// Whether certificates, or keys for pushes, cannot be used.
    var hasBadCredentials = false
    /// Whether files are refused that were not before.
    var hasNewRefusal = false
    /// Whether it reads what could not be read before, so that the log's last word would be that it cannot be.
    var endsProblem = false
  }

  /// The order is one of rights and of promises: keys are read and ports are bound as whoever starts this, files are
  /// read and written as whoever it becomes, and nobody is told that it is ready before something is published.
  ///
  /// - Throws: Why it cannot start, or what ended a loop.
  package func serve() throws(LinkspanError) {
    ServeControl.holdSignals()
    // With the rights of whoever starts it, and not in the middle of an answer.
    linkspan_library_demand_all()
    // Before anything is read, so that no change falls between.
    let watch = settings.watches ? try FolderWatch(settings) : nil
    let sockets = ServiceManager.sockets()
    try Self.refuseUnfit(sockets)
    let keys = settings.certificates.isEmpty ? nil : try loaded(settings.certificates)
    let clients = ForwardedClient(trusted: settings.trustedProxies)
    let accessLog = try settings.accessLog.map { path throws(LinkspanError) in
      try AccessLog(
        path, settings.accessLogFormat, clients, tell: { [log] in log.info($0) }, fail: output.fail)
    }
    let pages = OperatorPages(
      accessLog, clients, connectionLimit: settings.connections.total, isPublic: settings.hasLocalPages,
      version: version)
    let admin = try bindAdmin(sockets, pages)
    let console = try bindConsole(keys, pages)
    raiseOpenFileLimit()
    var bound: HTTPServer?
    if let user = settings.user {
      bound = try bind(sockets, keys, pages)
      try Privileges.drop(to: user)
      log.info("running as \(user)")
    }
    try accessLog?.start()
    try start(admin)
    let publications = try PublicationManager(settings, log)
    publications.followsLater = settings.registry != nil
    try publishFirst(publications, pages)
    let orders = try PublicationOrders(state: settings.state)
    let registry = try openRegistry(pages, orders)
    if let registry { try startExporter(registry.registry, pages) }
    if let registry { try follow(registry, publications, pages) }
    let senders = try registry.flatMap { watch throws(LinkspanError) in try startSenders(watch, pages) }
    let server: HTTPServer
    if let bound {
      server = bound
    } else {
      server = try bind(sockets, credentials(keys, for: publications, pages), pages)
    }
    let service = Service(server, publications, orders, pages, senders)
    service.presences = presences(orders, registry)
    lookForOthers(service)
    server.replaceResponder(responder(for: publications, on: server.addresses[0], pages))
    pages.show(server)
    if keys != nil { tellCertificates(publications, to: pages) }
    pages.state.change { $0.readiness.phase = .serving }
    warnOfEnds(publications, pages)
    try startConsole(console, pages, orders)
    // What was ordered while nothing ran is done before anybody hears that this serves.
    carryOut(service)
    announce(server, admin, console, publications.served)
    manager.ready(status(service))
    try ServeControl.run(
      server, stopSignals: Self.stopSignals, watch: watch, checks: publications.checks, orders: orders,
      timers: timers(service, registry)
    ) { act(on: $0, service, watch, accessLog) }
    admin?.stop()
    endConsole(pages)
    console?.stop()
    senders?.stop()
    pages.exporter.withLock { $0 }?.stop()
    pages.registry.withLock { $0 }?.writeLateLines()
    registry?.registry.stop()
    accessLog?.end()
    log.debug("every answer is out")
  }

  private func act(
    on news: ServeControl.News, _ service: Service, _ watch: FolderWatch?, _ accessLog: AccessLog?
  ) {
    if news == .hangUp || news == .reopenLog { accessLog?.reopen() }
    switch news {
    case .hangUp, .filesChanged: reload(service, watch, news)
    case .checked: publishChecked(service)
    case .ordered: carryOut(service)
    case .reopenLog: return
    }
  }

  // MARK: - Listening

  static let stopSignals = [SIGINT, SIGTERM]

  /// Refuses a socket of the service manager that takes no TCP connections: of a path, or of datagrams.
  private static func refuseUnfit(_ sockets: [ServiceManager.HandedOver]) throws(LinkspanError) {
    for socket in sockets {
      func option(_ name: CInt) -> CInt? {
        var (value, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
        return getsockopt(socket.descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
      }
      let domain = option(SO_DOMAIN)
      guard option(SO_TYPE) == CInt(SOCK_STREAM.rawValue), domain == AF_INET || domain == AF_INET6 else {
        throw LinkspanError(
          "the service manager passed descriptor \(socket.descriptor), which is no TCP socket.",
          help: "Give the .socket unit a port, such as ListenStream=443; a path is not served on.")
      }
    }
  }

  /// The name of the socket for operators in a .socket unit (`FileDescriptorName=`).
  private static let adminName = "admin"

  private func bind(
    _ sockets: [ServiceManager.HandedOver], _ credentials: TLSCredentials?, _ pages: OperatorPages
  ) throws(LinkspanError) -> HTTPServer {
    let handedOver = sockets.filter { $0.name != Self.adminName }
    if !handedOver.isEmpty { log.info("listening on the sockets of the service manager") }
    var configuration = HTTPServerConfiguration(
      listeners: handedOver.isEmpty
        ? [.init(settings.listen, credentials: credentials)]
        : handedOver.map { .init(credentials: credentials, descriptor: $0.descriptor) })
    configuration.stopSignals = Self.stopSignals
    configuration.connections = settings.connections
    configuration.deadlines.stop = .seconds(settings.drainSeconds)
    configuration.loopObserver = { _ in pages.observer() }
    configuration.refusalForm = { refused in pages.registry.withLock { $0 }?.answer(toRefused: refused) }
    let manager = manager
    configuration.whenStopping = {
      manager.stopping()
      pages.state.change { $0.readiness.phase = .draining }
    }
    do throws(HTTPServerError) {
      let handler = AssociationHandler([])
      return try HTTPServer(configuration) { request, _ in .now(handler.response(to: request)) }
    } catch {
      throw LinkspanError(error)
    }
  }

  /// A server of its own with one loop, so that operators get their answers when the others are busy.
  private func bindAdmin(
    _ sockets: [ServiceManager.HandedOver], _ pages: OperatorPages
  ) throws(LinkspanError) -> HTTPServer? {
    let handedOver = sockets.filter { $0.name == Self.adminName }
    var configuration = HTTPServerConfiguration(
      listeners: handedOver.map { .init(descriptor: $0.descriptor) })
    if handedOver.isEmpty {
      guard let address = settings.admin else { return nil }
      configuration.listeners = [.init(address)]
    }
    configuration.loops = 1
    configuration.connections.total = Self.adminConnections
    configuration.deadlines.stop = .seconds(1)
    do throws(HTTPServerError) {
      return try HTTPServer(configuration) { request, _ in .now(pages.response(to: request)) }
    } catch {
      throw LinkspanError(error)
    }
  }

  /// Ours: collectors and people, and not the public.
  private static let adminConnections = 64

  /// Runs a server beside the others.
  func start(_ admin: HTTPServer?) throws(LinkspanError) {
    guard let admin else { return }
    let fail = output.fail
    try DetachedThread.start {
      do throws(HTTPServerError) {
        try admin.run()
      } catch {
        fail(LinkspanError("a listener for operators has ended: \(error)"))
      }
    }
  }

  private func raiseOpenFileLimit() {
    let connections = settings.connections.total + (settings.console == nil ? 0 : Self.consoleConnections)
    // A connection is a descriptor, and files, listeners and the loop need some as well.
    let descriptors = OpenFileLimit.raise()
    if descriptors < connections + Self.spareDescriptors {
      log.info(
        "the system allows \(descriptors) open files, too few for \(connections) connections; those above wait"
          + " (raise it with 'ulimit -n' or LimitNOFILE=, or lower --max-connections)")
    }
  }

  /// A guess on the generous side.
  private static let spareDescriptors = 64

  // MARK: - Again and again

  private func timers(_ service: Service, _ registry: RegistryWatch?) -> [ServeControl.Timer] {
    let (server, publications, pages) = (service.server, service.publications, service.pages)
    let orders = service.orders
    var timers = [
      ServeControl.Timer(periodMilliseconds: 86_400_000) { warnOfEnds(publications, pages) }
    ]
    if settings.state != nil || registry != nil {
      timers.append(
        ServeControl.Timer(periodMilliseconds: PublicationManager.retryMilliseconds) { tryAgain(service) })
    }
    if let registry {
      timers.append(
        ServeControl.Timer(periodMilliseconds: RegistryWatch.periodMilliseconds) {
          registry.look()
          if registry.problem == nil { pages.registry.withLock { $0 }?.writeLateLines() }
        })
      timers.append(
        ServeControl.Timer(periodMilliseconds: SharedOrders.periodMilliseconds) {
          publications.shared?.look { orders.add(.obey($0), actor: "") { _ in } }
        })
    }
    if settings.sender == nil, let registry {
      let backlog = PushBacklog(registry.registry)
      pages.backlog.withLock { $0 = backlog }
      timers.append(
        ServeControl.Timer(periodMilliseconds: PushBacklog.periodMilliseconds) {
          backlog.look(at: CurrentTime.now)
        })
    }
    if let api = pages.registry.withLock({ $0 }) {
      let campaigns = CampaignWatch(api, percent: settings.pauseAbove) { [log] in log.error($0) }
      pages.campaigns.withLock { $0 = campaigns }
      timers.append(
        ServeControl.Timer(periodMilliseconds: CampaignWatch.periodMilliseconds) { campaigns.look() })
    }
    guard let period = manager.watchdogMilliseconds else { return timers }
    let watchdog = LoopWatchdog(server)
    timers.append(
      ServeControl.Timer(periodMilliseconds: period) {
        if watchdog.look() { manager.alive() } else { log.error("an event loop does not answer") }
      })
    return timers
  }
}
