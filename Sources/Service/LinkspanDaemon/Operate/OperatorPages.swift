internal import Glibc
internal import HTTPEngine
internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import PushSending
internal import RegistryServer

/// `/readyz`, `/metrics` and, on the listener for operators, `/healthz`.
final class OperatorPages: Sendable {
  let state = OperatorState()
  let labels = HostLabels()
  let accessLog: AccessLog?
  let clients: ForwardedClient
  /// The routes of the device registry, once it is open.
  let registry = LockedState<RegistryAPI?>(nil)
  /// The console, while it is kept up to date.
  let console = LockedState<Console?>(nil)
  /// What asks Apple's CDN, where the operator wants that.
  let cdn = LockedState<CDNWatch?>(nil)
  /// What pauses campaigns, once there are senders.
  let campaigns = LockedState<CampaignWatch?>(nil)
  /// What the senders of pushes have done, once there are any.
  let senders = LockedState<SenderCounters?>(nil)
  /// What counts the pushes that wait, where this server sends none.
  let backlog = LockedState<PushBacklog?>(nil)
  /// The registry and whether it answers, once it is open.
  let registryWatch = LockedState<RegistryWatch?>(nil)
  /// Asks APNs about broadcast channels, once there are keys.
  let channels = ChannelDesk()
  /// What writes days of the journal to files, where the operator wants that.
  let exporter = LockedState<JournalExporter?>(nil)
  private let connectionLimit: Int
  private let isPublic: Bool
  private let version: String
  private let started = Int64(time(nil))
  private let loops = LockedState<[RequestCounters]>([])
  private let server = LockedState<HTTPServer?>(nil)

  /// - Parameters:
  ///   - isPublic: Whether this machine itself gets the pages on the public listeners too.
  ///   - version: The program's.
  init(
    _ accessLog: AccessLog?, _ clients: ForwardedClient, connectionLimit: Int, isPublic: Bool = false,
    version: String
  ) {
    self.version = version
    self.isPublic = isPublic
    self.accessLog = accessLog
    self.clients = clients
    self.connectionLimit = connectionLimit
  }

  /// The server whose numbers are told, once there is one.
  func show(_ server: HTTPServer) { self.server.withLock { $0 = server } }

  /// Tells everything that these pages say about publications.
  func tell(_ publications: PublicationManager, _ outcomes: [PublicationOutcome]) {
    let hosts = publications.served.compactMap(\.host)
    let refused = publications.refused
    let told = [publications.problem, publications.certificateProblem]
    let neighbours = publications.neighbours
    let standing = [publications.repetition, neighbours[.files]]
    let problem = Self.all(told + [publications.heldRemovals] + standing)
    // Without a SITE there may be files all the same: of before, and of the API.
    let hasFiles = publications.hasFiles
    let keyProblem = publications.keyProblem
    let undecided = publications.publisher.undecidedCount
    let ends = publications.signatureEnds.map { (host: $0.host, ends: $0.ends.milliseconds / 1000) }
    let kinds = outcomes.map(\.kind.rawValue)
    // Removals that are held are hosts with a state there.
    let found = ConsoleSites(
      hosts: publications.reports, problem: Self.all(told + [keyProblem] + standing + [neighbours[.registry]])
    )
    labels.add(hosts)
    state.change { state in
      state.hosts = hosts
      state.sites = found
      state.readiness.refused = refused
      state.readiness.problem = problem
      state.readiness.hasFiles = hasFiles
      state.readiness.warnings[.push] = keyProblem
      state.readiness.warnings[.registry] = neighbours[.registry]
      state.readiness.warnings[.files] =
        undecided == 0 || !hasFiles
        ? nil
        : "\(undecided.counted("host")) whose first files are being checked: each answers 503 until then."
      state.signedFiles = ends
      for kind in kinds { state.publications[kind, default: 0] += 1 }
    }
  }

  /// All that is wrong, a sentence after the other: what has stood for a week must not hide what is new. Nil for nothing.
  static func all(_ problems: [String?]) -> String? {
    let told = problems.compactMap { $0 }
    return told.isEmpty ? nil : told.joined(separator: " ")
  }

  /// What the next loop of the server calls for each exchange.
  func observer() -> ServerObserver {
    let counters = RequestCounters(labels)
    loops.withLock { $0.append(counters) }
    guard let log = accessLog?.observer() else { return { counters.note($0) } }
    return { exchange in
      counters.note(exchange)
      log(exchange)
    }
  }

  /// For the public listeners: what the handler says, and these pages for this machine itself if that was asked for. A
  /// proxy on this machine that adds no field looks like the machine itself, so nobody has them without asking.
  func responder(orElse handler: @escaping HTTPHandler) -> HTTPResponder {
    guard isPublic else { return { request, _ in .cacheable(handler(request)) } }
    return { request, origin in
      // Cheap for what is asked a million times: its second letter is that of `.well-known`.
      let letter = request.target.utf8.dropFirst().first
      guard letter == UInt8(ascii: "r") || letter == UInt8(ascii: "m") else {
        return .cacheable(handler(request))
      }
      let page =
        self.clients.isLocal(request, peer: origin.peer) ? self.page(request, Self.publicRoutes) : nil
      return .now(page ?? handler(request))
    }
  }

  private enum Page {
    case health, readiness, metrics
  }

  /// On the public listeners, and on the one for operators.
  private static let publicRoutes = {
    var router = Router<Page>()
    router.add("GET", "/readyz", .readiness)
    router.add("GET", "/metrics", .metrics)
    return router
  }()
  private static let operatorRoutes = {
    var router = publicRoutes
    router.add("GET", "/healthz", .health)
    return router
  }()

  /// For the listener for operators: everybody who reaches it may ask.
  func response(to request: HTTPRequest) -> HTTPResponse {
    page(request, Self.operatorRoutes) ?? .text(404, "no such page here")
  }

  /// Nil where there is no such page.
  private func page(_ request: HTTPRequest, _ routes: Router<Page>) -> HTTPResponse? {
    switch routes.outcome(for: request) {
    case .notFound: return nil
    case .found(.health, _): return Self.finished(.text(200, "ok"), request)
    case .found(.readiness, _): return Self.finished(readiness.response(to: request.query), request)
    case .found(.metrics, _): return Self.finished(metrics, request)
    case let other: return other.refusal
    }
  }

  /// What the thread that publishes knows, and what the registry and the senders know.
  private var readiness: Readiness {
    var readiness = state.now.readiness
    if let watch = registryWatch.withLock({ $0 }) { readiness.others[.registry] = .some(watch.problem) }
    if let senders = senders.withLock({ $0 }) { readiness.others[.push] = .some(senders.problem) }
    if let accessLog {
      readiness.others[.log] = .some(nil)
      readiness.warnings[.log] = accessLog.problem
    }
    return readiness
  }

  /// The page of metrics as text.
  var metricsBytes: [UInt8] { metrics.body }

  private var metrics: HTTPResponse {
    let server = server.withLock { $0 }
    let report = MetricsReport(
      server: server?.metrics ?? ServerMetrics.none, connectionLimit: connectionLimit,
      loops: loops.withLock { $0 }, labels: labels, state: state.now,
      logLines: (accessLog?.written ?? 0, accessLog?.dropped ?? 0), now: CurrentTime.now, started: started,
      version: version, process: .read(), registry: registry.withLock { $0 },
      senders: senders.withLock { $0 }, backlog: backlog.withLock { $0 }, exporter: exporter.withLock { $0 },
      readiness: readiness)
    return HTTPResponse(
      status: 200, fields: ["Content-Type": MetricsPage.contentType, "Cache-Control": "no-store"],
      body: report.page.bytes)
  }

  private static func finished(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
    var response = response
    response.fields["Content-Length"] = String(response.body.count)
    if request.method == "HEAD" { response.body = [] }
    return response
  }
}
