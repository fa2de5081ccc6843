internal import AssociationDelivery
internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import LinkspanSystem
internal import PushSending
internal import SiteInput

/// The console beside the association files, on a listener of its own.
extension ServeRun {
  /// Binds the console's port; until the console is there, it says so.
  ///
  /// - Parameter keys: The certificates; nil for plain HTTP, which is for loopback or for a proxy that ends TLS.
  func bindConsole(_ keys: TLSCredentials?, _ pages: OperatorPages) throws(LinkspanError) -> HTTPServer? {
    guard let address = settings.console else { return nil }
    var configuration = HTTPServerConfiguration(listeners: [.init(address, credentials: keys)])
    configuration.loops = 1
    configuration.connections.total = Self.consoleConnections
    configuration.connections.perAddress = Self.consoleConnectionsOfOneAddress
    configuration.deadlines.stop = .seconds(1)
    configuration.deadlines.handler = Self.consolePatience
    configuration.refusalForm = { refused in pages.console.withLock { $0 }?.answer(toRefused: refused) }
    do throws(HTTPServerError) {
      return try HTTPServer(configuration) { _, _ in .now(.text(503, "starting")) }
    } catch {
      throw LinkspanError(error)
    }
  }

  /// Ours: far more than people need, so that a thousand strangers leave room for them.
  static let consoleConnections = 2_048
  /// Ours: a proxy's, behind which a team has its windows open.
  private static let consoleConnectionsOfOneAddress = 512
  /// How long a page may take. Ours: forecasts and explanations are made one at a time, and a person would rather wait for
  /// theirs than hear after half a minute to try again.
  private static let consolePatience = Duration.seconds(120)
  /// How long Apple's CDN may take to answer.
  private static let copyTimeout = Duration.seconds(5)

  /// Has the console answer, and keeps its open pages up to date.
  func startConsole(
    _ server: HTTPServer?, _ pages: OperatorPages, _ orders: PublicationOrders
  ) throws(LinkspanError) {
    guard let server, let state = settings.state else { return }
    if settings.watchesCDN {
      let (endpoint, fetcher) = Self.copies(settings)
      pages.cdn.withLock { $0 = CDNWatch(endpoint, fetcher) }
    }
    let console = LinkspanConsole.Console(
      system(state, pages, orders), pages: consolePages, secret: try SystemRandom.bytes(32))
    let clients = ForwardedClient(trusted: settings.trustedProxies)
    server.replaceResponder { request, origin in
      // Behind a proxy that is trusted, wrong passwords count for their own address and not for the proxy's.
      var person = origin
      person.peer = clients.client(of: request, peer: origin.peer)
      return console.reply(to: request, from: person)
    }
    pages.console.withLock { $0 = console }
    if try ConsoleUserFile(state: state).users().isEmpty {
      let command = "linkspan console user add NAME --state \(ShellWord.quoted(state))"
      log.info("the console has no user yet: '\(command)' makes one")
    }
    try start(server)
    try DetachedThread.start {
      while pages.console.withLock({ $0 }) === console {
        console.tick()
        sleep(1)
      }
    }
    if let cdn = pages.cdn.withLock({ $0 }) {
      try DetachedThread.start {
        while pages.console.withLock({ $0 }) === console {
          cdn.askNext(of: pages.state.now.sites.live)
          sleep(1)
        }
      }
    }
    try DetachedThread.start { console.checkKnownPasswords() }
    try DetachedThread.start {
      // Of this thread alone on Linux. Where it fails, hashing takes more from those who wait for a page.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.strangersNiceness)
      console.checkStrangersPasswords()
    }
  }

  /// Ours: about a tenth of what another thread gets that wants the same processor.
  private static let strangersNiceness: CInt = 10

  /// Ends the console's threads.
  func endConsole(_ pages: OperatorPages) {
    let console = pages.console.withLock { console in
      defer { console = nil }
      return console
    }
    console?.stopCheckingPasswords()
  }

  private func system(_ state: String, _ pages: OperatorPages, _ orders: PublicationOrders) -> ConsoleSystem {
    let (log, settings, version) = (log, settings, version)
    let users = ConsoleUserFile(state: state)
    let (endpoint, fetcher) = Self.copies(settings)
    return ConsoleSystem(
      sites: { pages.state.now.sites },
      history: { host in
        Self.answered { () throws(LinkspanError) in
          try PublicationHistory(state: state).shown(of: host, isShared: settings.registry != nil)
        }
      },
      order: { order, actor in
        Self.answered { () throws(LinkspanError) in try orders.perform(order, actor: actor).words }
      },
      notices: {
        (pages.campaigns.withLock { $0 }?.notices ?? []) + (pages.cdn.withLock { $0 }?.notices ?? [])
          + Self.notices(
            pages.state.now, state, pages.registryWatch.withLock { $0 }?.problem, at: CurrentTime.now)
      },
      copy: { host in
        Self.answered {
          () throws(LinkspanError) in
          let result = try fetcher.send(endpoint.request(for: host))
          let check = CDNCheck(host: host, endpoint: endpoint, result: result)
          let findings = check.findings.map { " \($0.message)" }.joined()
          return ConsoleCopy(
            name: check.name, url: check.url, words: "It answers: \(check.words).\(findings)",
            file: check.copy?.body,
            isUnknown: check.isUnknown)
        }
      },
      metrics: { pages.metricsBytes },
      users: { Self.answered { () throws(LinkspanError) in try users.users() } },
      registry: { pages.registry.withLock { $0 } }, now: { CurrentTime.now },
      uptime: { CurrentTime.uptime },
      random: { count in try? SystemRandom.bytes(count) }, log: { log.info($0) }, version: version)
  }

  private static func copies(_ settings: ServeSettings) -> (CDNEndpoint, SiteFetcher) {
    let endpoint = settings.consoleCDN ?? .apple
    let fetcher = SiteFetcher(
      fixed: FixedAddresses(), allowsPrivate: endpoint != .apple, trust: .system, timeout: copyTimeout)
    return (endpoint, fetcher)
  }

  private static func answered<Answer>(
    _ body: () throws(LinkspanError) -> Answer
  ) -> Result<Answer, ConsoleFailure> {
    do throws(LinkspanError) {
      return .success(try body())
    } catch {
      return .failure(ConsoleFailure(error.text))
    }
  }
}
