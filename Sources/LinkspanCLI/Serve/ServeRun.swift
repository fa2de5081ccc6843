internal import Glibc
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanServer

/// One run of `serve`, from reading the files to the last answer.
struct ServeRun {
  let settings: ServeSettings
  let isJSON: Bool
  let console: Console
  let log: ServerLog
  /// The access log is the answer then, and what is said beside it goes to standard error.
  private let logHasOutput: Bool
  let manager = ServiceManager()

  init(_ settings: ServeSettings, _ arguments: Arguments, _ console: Console) {
    self.settings = settings
    isJSON = arguments.has("--json")
    self.console = console
    let isDryRun = arguments.has("--dry-run")
    log = ServerLog(console, settings.logLevel, stampsLines: !isDryRun && !ServerLog.goesToTheJournal)
    logHasOutput = settings.accessLog == "-" && !isDryRun
  }

  /// Says something in words, where no reader of an access log stumbles over it.
  ///
  /// - Parameter isStamped: Whether it is news, with its time where nobody else adds one.
  func say(_ text: String, isStamped: Bool = false) {
    if logHasOutput { log.error(text) } else { console.print((isStamped ? log.stamp : "") + text) }
  }

  /// What the control thread works with once the server is there.
  final class Service {
    let server: HTTPServer
    let desk: PublishingDesk
    let pages: OperatorPages
    /// The reload whose checks are under way; nil without one.
    var round: Round?

    init(_ server: HTTPServer, _ desk: PublishingDesk, _ pages: OperatorPages) {
      self.server = server
      self.desk = desk
      self.pages = pages
    }
  }

  /// One reload, from reading files to the word that it is done.
  struct Round {
    /// Whether SIGHUP asked for it, so that somebody waits for the word.
    var isAsked: Bool
    /// Processor time of all checks before it.
    var beganMilliseconds: Int64
    var hasBadCertificates = false
  }

  /// The order is one of rights and of promises: keys are read and ports are bound as whoever starts this, files are
  /// read and written as whoever it becomes, and nobody is told that it is ready before something is published.
  func serve() throws(CommandError) -> ExitStatus {
    // Before anything is read, so that no change falls between.
    let watch = settings.watches ? try FolderWatch(settings.watched) : nil
    let sockets = ServiceManager.sockets()
    let keys = settings.certificates.isEmpty ? nil : try loaded(settings.certificates)
    let clients = ForwardedClient(trusted: settings.trustedProxies)
    let accessLog = try settings.accessLog.map { path throws(CommandError) in
      try AccessLog(path, settings.accessLogFormat, clients)
    }
    let pages = OperatorPages(
      accessLog, clients, connectionLimit: settings.connections.total, isPublic: settings.hasLocalPages)
    let admin = try bindAdmin(sockets, pages)
    raiseOpenFileLimit()
    var bound: HTTPServer?
    if let user = settings.user {
      bound = try bind(sockets, keys, pages)
      try Privileges.drop(to: user)
      log.info("running as \(user)")
    }
    try accessLog?.start()
    try start(admin)
    let desk = try PublishingDesk(settings, log)
    try publishFirst(desk, pages)
    let server: HTTPServer
    if let bound {
      server = bound
    } else {
      server = try bind(sockets, credentials(keys, for: desk, pages), pages)
    }
    let service = Service(server, desk, pages)
    server.replaceResponder(responder(for: desk, on: server.addresses[0], pages))
    pages.show(server)
    if keys != nil { tellCertificates(desk, to: pages) }
    pages.state.change { $0.readiness.phase = .serving }
    warnOfEnds(desk, pages)
    announce(server, admin, desk.served)
    manager.ready(status(service))
    try ServeControl.run(
      server, stopSignals: Self.stopSignals, watch: watch, checks: desk.checks,
      timers: timers(server, desk, pages)
    ) { news in
      if news == .hangUp || news == .reopenLog { accessLog?.reopen() }
      switch news {
      case .hangUp, .filesChanged: reload(service, watch, news)
      case .checked: publishChecked(service)
      case .reopenLog: return
      }
    }
    admin?.stop()
    accessLog?.end()
    log.debug("every answer is out")
    return .yes
  }

  // MARK: - Listening

  static let stopSignals = [SIGINT, SIGTERM]

  /// The name of the socket for operators in a .socket unit (`FileDescriptorName=`).
  private static let adminName = "admin"

  private func bind(
    _ sockets: [ServiceManager.HandedOver], _ credentials: TLSCredentials?, _ pages: OperatorPages
  ) throws(CommandError) -> HTTPServer {
    let handedOver = sockets.filter { $0.name != Self.adminName }
    if !handedOver.isEmpty { log.info("listening on what the service manager handed over") }
    var configuration = HTTPServerConfiguration(
      listeners: handedOver.isEmpty
        ? [.init(settings.listen, credentials: credentials)]
        : handedOver.map { .init(credentials: credentials, descriptor: $0.descriptor) })
    configuration.stopSignals = Self.stopSignals
    configuration.connections = settings.connections
    configuration.deadlines.stop = .seconds(settings.drainSeconds)
    configuration.loopObserver = { _ in pages.observer() }
    let manager = manager
    configuration.whenStopping = {
      manager.stopping()
      pages.state.change { $0.readiness.phase = .draining }
    }
    do throws(HTTPServerError) {
      let handler = AssociationHandler([])
      return try HTTPServer(configuration) { request, _ in .now(handler.response(to: request)) }
    } catch {
      throw CommandError("\(error)")
    }
  }

  /// A server of its own with one loop, so that operators get their answers when the others are busy.
  private func bindAdmin(
    _ sockets: [ServiceManager.HandedOver], _ pages: OperatorPages
  ) throws(CommandError) -> HTTPServer? {
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
      throw CommandError("\(error)")
    }
  }

  /// Ours: collectors and people, and not the public.
  private static let adminConnections = 64

  private func start(_ admin: HTTPServer?) throws(CommandError) {
    guard let admin else { return }
    let code = DetachedThread.start {
      do throws(HTTPServerError) {
        try admin.run()
      } catch {
        Console.fail(CommandError("the listener for operators has ended: \(error)"), command: "serve")
      }
    }
    guard code == 0 else {
      throw CommandError("a thread cannot be started: \(String(cString: strerror(code))).")
    }
  }

  private func raiseOpenFileLimit() {
    let limits = settings.connections
    // A connection is a descriptor, and files, listeners and the loop need some as well.
    let descriptors = OpenFileLimit.raise()
    if descriptors < limits.total + Self.spareDescriptors {
      log.info(
        "the system allows \(descriptors) open files, too few for \(limits.total) connections; those above wait"
          + " (raise it with 'ulimit -n' or LimitNOFILE=, or lower --max-connections)")
    }
  }

  /// A guess on the generous side.
  private static let spareDescriptors = 64

  // MARK: - Again and again

  private func timers(
    _ server: HTTPServer, _ desk: PublishingDesk, _ pages: OperatorPages
  ) -> [ServeControl.Timer] {
    let daily = ServeControl.Timer(periodMilliseconds: 86_400_000) { warnOfEnds(desk, pages) }
    guard let period = manager.watchdogMilliseconds else { return [daily] }
    let watchdog = LoopWatchdog(server)
    return [
      daily,
      ServeControl.Timer(periodMilliseconds: period) {
        if watchdog.look() { manager.alive() } else { log.error("an event loop does not answer") }
      },
    ]
  }
}
