package import DeviceRegistry
package import LinkspanCore
internal import LinkspanServer
package import PushCampaigns
package import PushProvider
package import PushTerms
package import RegistryRequests

/// The registry over HTTP: `/v1`, and the routes of 2013.
///
/// It knows no socket and starts no thread. Every answer that needs the store comes by completion, from one of the
/// registry's threads.
package final class RegistryAPI: Sendable {
  package struct Options: Sendable {
    /// What the routes of 2013 need; nil turns them off.
    package var legacy: Legacy?
    /// Requests a minute with one credential. Ours: an app's server that registers a million devices in some minutes.
    package var requestsPerMinute = 6_000_000
    /// The same of one network (``ClientNetwork``) without a credential.
    package var openRequestsPerMinute = 600
    /// The rules of a time zone; nil for one that does not exist.
    package var zone: @Sendable (String) -> TimeZoneRules? = { _ in nil }
    /// Devices of one push above which their number has to be confirmed, see ``AudienceLimit``.
    package var askAbove = AudienceLimit.usual
    /// Publishes files that a client sent, and takes hosts away; nil turns these routes off.
    package var sites: SiteRoutes?
    /// Asks APNs about broadcast channels; nil where this process has no key.
    package var channels: ChannelRoute?
    /// Whether this process has what proves the sender to APNs.
    package var canSend = false
    /// Whether it has a key for a topic, where it has any.
    package var sends: @Sendable (PushTopic, PushEnvironment) -> Bool = { _, _ in true }
    /// Takes a line for the operator's log.
    package var log: @Sendable (String) -> Void = { _ in }

    package init() {}
  }

  /// What a client of 2013 does not say.
  package struct Legacy: Sendable {
    package var topic: String
    package var environment: PushEnvironment
    /// Whether it may register without a credential.
    package var isOpen: Bool

    package init(topic: String, environment: PushEnvironment, isOpen: Bool) {
      self.topic = topic
      self.environment = environment
      self.isOpen = isOpen
    }
  }

  /// Gets an answer when there is one.
  typealias Respond = @Sendable (HTTPResponse) -> Void

  /// Of a body. Ours: a device with every attribute has about 20 KB.
  static let bodyLimitBytes = 65_536

  let registry: Registry
  let options: Options
  private let now: @Sendable () -> WallTime
  private let uptime: @Sendable () -> Duration
  private let client: @Sendable (HTTPRequest, RequestOrigin) -> SocketAddress?
  private let report: @Sendable (RegistryError) -> Void
  package let counters = RegistryCounters()
  let lateLines = LockedState(LateLines())
  private let cache = AccessCache()
  private let limits: RegistryLimits
  private let routes: Router<Route>

  /// - Parameters:
  ///   - now: The wall clock.
  ///   - uptime: The clock of the rate limits, which nobody sets. Without one they go by the wall clock, and stand still
  ///     where that is set back.
  ///   - limiterSecret: Random bytes where clients are hostile (``RequestLimiter``).
  ///   - client: The address that a request came from, behind proxies that the operator trusts.
  ///   - report: Takes what an operator should know, and clients should not.
  package init(
    _ registry: Registry, _ options: Options = Options(), now: @escaping @Sendable () -> WallTime,
    uptime: (@Sendable () -> Duration)? = nil, limiterSecret: [UInt8] = [],
    client: @escaping @Sendable (HTTPRequest, RequestOrigin) -> SocketAddress? = { $1.peer },
    report: @escaping @Sendable (RegistryError) -> Void = { _ in }
  ) {
    self.report = report
    self.registry = registry
    self.options = options
    self.now = now
    #if PLANTED_BUGS
      let uptime = ServiceBug.clockSetBack.isPlanted ? nil : uptime
    #endif
    self.uptime = uptime ?? { .milliseconds(now().milliseconds) }
    self.client = client
    limits = RegistryLimits(options, secret: limiterSecret)
    var routes = Router<Route>()
    Self.addDeviceRoutes(to: &routes)
    Self.addRejectionRoutes(to: &routes)
    Self.addNotificationRoutes(to: &routes)
    Self.addCampaignRoutes(to: &routes)
    Self.addDeliveryRoutes(to: &routes)
    Self.addSiteRoutes(to: &routes)
    Self.addChannelRoutes(to: &routes)
    Self.addActivityRoutes(to: &routes)
    if options.legacy != nil {
      Self.addLegacyRoutes(to: &routes)
      Self.addLegacyMessageRoutes(to: &routes)
    }
    self.routes = routes
  }

  /// What a route does, and who may.
  struct Route: Sendable {
    enum Access: Sendable {
      case everybody
      case scope(AccessScope)
      /// With the scope, or without a credential if the operator lets clients of 2013 in.
      case legacy(AccessScope)
    }

    var access: Access
    var isLegacy = false
    var bodyLimitBytes = RegistryAPI.bodyLimitBytes
    var answer: @Sendable (RegistryAPI, Call, @escaping Respond) -> Void
  }

  /// A request that may do what it asks for.
  struct Call: Sendable {
    var request: HTTPRequest
    var parameters: RouteParameters
    /// Of whoever asks, on a route of 2013.
    var address: String?
    /// nil for a client of 2013 without one.
    var token: AccessToken?
    var time: WallTime

    /// For the audit log.
    var actor: String { token?.identifier ?? "legacy" }

    /// The topics that may be seen; nil for every topic.
    var topics: [String]? { token?.allTopics }

    func allows(topic: String) -> Bool { token?.allows(topic: topic) ?? true }

    func allows(_ scope: AccessScope) -> Bool { token?.allows(scope) ?? true }
  }

  var currentTime: WallTime { now() }

  func missing(_ scope: AccessScope) -> HTTPResponse {
    counters.count(.forbidden)
    let challenge = "Bearer realm=\"linkspan\", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
    return Problem(
      403, "The credential lacks the scope '\(scope.rawValue)'.", fields: ["WWW-Authenticate": challenge]
    ).response
  }

  func outcome(for request: HTTPRequest) -> Router<Route>.Outcome { routes.outcome(for: request) }

  // MARK: - Answers

  /// - Returns: nil where the path is none of the registry's.
  package func reply(to request: HTTPRequest, from origin: RequestOrigin) -> HTTPReply? {
    guard Self.mayBeOurs(request) else { return nil }
    switch routes.outcome(for: request) {
    case .found(let route, let parameters):
      if let refusal = Self.refusal(ofConditionsOf: request) { return .now(refusal) }
      return .afterBody(limitBytes: route.bodyLimitBytes) { request in
        .later { completion in
          let finish: Respond = { response in
            completion(request.method == "HEAD" ? response.withoutBody : response)
          }
          self.admit(request, origin, route, parameters, finish)
        }
      }
    case .notFound: return notFound(request).map(HTTPReply.now)
    case .notAllowed(let allow):
      return .now(Problem(405, "Only \(allow) are allowed here.", fields: ["Allow": allow]).response)
    case .notImplemented: return .now(Problem(501, "There is no such method.").response)
    case .options(let allow): return .now(HTTPResponse(status: 204, fields: ["Allow": allow]))
    }
  }

  /// Answers the operator, who needs no credential: for the command line on the store itself.
  package func answerOperator(
    _ request: HTTPRequest, _ completion: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    guard case .found(let route, let parameters) = routes.outcome(for: request) else {
      return completion(notFound(request) ?? Problem(404, "There is no such path.").response)
    }
    let everything = AccessToken(
      identifier: "operator", secretHash: "", scopes: Set(AccessScope.allCases), topics: [], createdAt: now())
    let call = Call(request: request, parameters: parameters, address: nil, token: everything, time: now())
    route.answer(self, call, completion)
  }

  /// Cheap for what is asked a million times: association files begin with `/.` and `/a`.
  private static func mayBeOurs(_ request: HTTPRequest) -> Bool {
    let path = request.target.utf8.dropFirst()
    return switch path.first {
    case UInt8(ascii: "."): false
    case UInt8(ascii: "a"): !path.starts(with: "apple-app-site-association".utf8)
    default: true
    }
  }

  /// A hint for who tried the wrong base address, and nil for paths that look like nothing of ours.
  private func notFound(_ request: HTTPRequest) -> HTTPResponse? {
    if hasBrokenEscapes(request) {
      return Problem(400, "The path is not percent-encoded UTF-8.").response
    }
    let parts = request.path.split(separator: "/")
    if let index = parts.firstIndex(of: "devices"), index + 1 < parts.count {
      let base =
        options.legacy == nil ? "/v1/devices/TOKEN" : "/devices/TOKEN or /push_notification/devices/TOKEN"
      return Problem(
        404, "There are no devices here. The path is \(base); is the base address right?"
      ).response
    }
    guard parts.first == "v1" || parts.first == "push_notification" else { return nil }
    return Problem(404, "There is no such path; /v1/openapi.json lists all of them.").response
  }

  /// Whether the path would be one of the registry's if its escapes could be read.
  private func hasBrokenEscapes(_ request: HTTPRequest) -> Bool {
    guard request.path.utf8.contains(UInt8(ascii: "%")) else { return false }
    var plain = request
    plain.target = String(request.path.map { $0 == "%" ? "_" : $0 })
    if case .notFound = routes.outcome(for: plain) { return false }
    return true
  }

  /// Answers that the registry did not do it.
  func fail(_ error: RegistryError, _ respond: Respond) {
    if error.kind != .refused {
      counters.count(.init(error))
      report(error)
    }
    respond(Problem(error).response)
  }

  /// Whether the path is one of the registry's, or looks like one.
  func answers(_ request: HTTPRequest) -> Bool {
    guard Self.mayBeOurs(request) else { return false }
    if case .notFound = routes.outcome(for: request) { return notFound(request) != nil }
    return true
  }

  // MARK: - Access

  private func admit(
    _ request: HTTPRequest, _ origin: RequestOrigin, _ route: Route, _ parameters: RouteParameters,
    _ respond: @escaping Respond
  ) {
    var call = Call(request: request, parameters: parameters, address: nil, token: nil, time: now())
    switch route.access {
    case .everybody: route.answer(self, call, respond)
    case .scope(let scope): authenticate(call, scope, route, respond)
    case .legacy(let scope):
      let address = client(request, origin)
      call.address = address?.unmapped.host
      guard request.fields["Authorization"] == nil, let standing = limits.count(address, at: uptime()) else {
        return authenticate(call, scope, route, respond)
      }
      limited(call, standing, options.openRequestsPerMinute, route, respond)
    }
  }

  private func authenticate(
    _ call: Call, _ scope: AccessScope, _ route: Route, _ respond: @escaping Respond
  ) {
    let values = call.request.fields.values(of: "Authorization")
    guard let word = Self.bearer(values), let text = AccessTokenText(bytes: word) else {
      counters.count(.unauthorized)
      let isBearer = Self.bearer(values) != nil
      return respond(Self.unauthorized(values.isEmpty ? .missing : isBearer ? .invalid : .unreadable))
    }
    if let token = cache.token(text.identifier, at: call.time) {
      return check(call, text, token, scope, route, respond)
    }
    let identifier = text.identifier
    registry.ask({ store throws(RegistryError) in try store.accessToken(identifier) }) { [self] result in
      switch result {
      case .success(let token):
        if let token { cache.keep(token, at: call.time) }
        check(call, text, token, scope, route, respond)
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  /// What follows the word `Bearer`, if that is all.
  private static func bearer(_ values: [String]) -> ArraySlice<UInt8>? {
    guard values.count == 1 else { return nil }
    let words = Array(values[0].utf8).split(separator: UInt8(ascii: " "))
    guard words.count == 2, words[0].elementsEqual("bearer".utf8, by: { ASCII.lowercased($0) == $1 }) else {
      return nil
    }
    return words[1]
  }

  private enum BadCredential { case missing, unreadable, invalid }

  /// Only a token has an error code (RFC 6750, 3): a new one does not help where the field is written wrongly.
  private static func unauthorized(_ credential: BadCredential) -> HTTPResponse {
    let isInvalid = credential == .invalid
    let challenge = "Bearer realm=\"linkspan\"" + (isInvalid ? ", error=\"invalid_token\"" : "")
    let remedy = "send 'Authorization: Bearer TOKEN' with a token of 'linkspan token create'."
    let what =
      switch credential {
      case .missing: "A credential is missing: \(remedy)"
      case .unreadable: "'Authorization' has no bearer token, or is there twice: \(remedy)"
      case .invalid: "The credential is not valid."
      }
    return Problem(401, what, fields: ["WWW-Authenticate": challenge]).response
  }

  private func check(
    _ call: Call, _ text: AccessTokenText, _ token: AccessToken?, _ scope: AccessScope, _ route: Route,
    _ respond: @escaping Respond
  ) {
    guard text.proves(token), let token, token.isValid(at: call.time) else {
      counters.count(.unauthorized)
      #if PLANTED_BUGS
        if ServiceBug.credentialInAnswer.isPlanted {
          let given = call.request.fields["Authorization"] ?? ""
          return respond(Problem(401, "The credential is not valid: \(given)").response)
        }
      #endif
      return respond(Self.unauthorized(.invalid))
    }
    guard token.allows(scope) else {
      return respond(missing(scope))
    }
    if route.isLegacy, let legacy = options.legacy, !token.allows(topic: legacy.topic) {
      return respond(refused(topic: legacy.topic))
    }
    var call = call
    call.token = token
    limited(call, limits.count(token, at: uptime()), options.requestsPerMinute, route, respond)
  }

  /// The same words whatever there is, so that nobody learns about other topics.
  func refused(topic: String) -> HTTPResponse {
    counters.count(.forbidden)
    return Problem(
      403,
      "The credential is not for the topic '\(topic)'. One for a bundle identifier has its topics with each suffix."
    ).response
  }

  /// Changes that wait for the store.
  package var waitingChanges: Int { registry.waitingChanges }
  package var changeTimes: TimeHistogram { registry.changeTimes }

  /// How old the oldest message in the journal is, and how long it is kept; nil where another process removes it.
  package var journal: (age: Duration, kept: Duration)? {
    guard let kept = registry.retention?.longest else { return nil }
    let oldest = registry.oldestJournal.map { now().milliseconds - $0.milliseconds } ?? 0
    return (.milliseconds(max(0, oldest)), kept)
  }

  /// Answers a request that was counted, and says on its answer what is left (draft-ietf-httpapi-ratelimit-headers).
  private func limited(
    _ call: Call, _ standing: RequestLimiter.Standing, _ limit: Int, _ route: Route,
    _ respond: @escaping Respond
  ) {
    let finish: Respond = { response in
      var response = response
      response.fields.append("RateLimit-Policy", "\"default\";q=" + String(limit) + ";w=60")
      response.fields.append(
        "RateLimit", "\"default\";r=" + String(standing.remaining) + ";t=" + String(standing.seconds))
      respond(response)
    }
    guard standing.isAllowed else {
      counters.count(.rateLimited)
      return finish(
        Problem(
          429, "More than \(limit.counted("request")) in a minute. Wait until the window ends.",
          fields: ["Retry-After": "\(standing.seconds)"]
        ).response)
    }
    route.answer(self, call, finish)
  }
}

extension HTTPResponse {
  /// An answer in JSON that nobody may keep.
  static func json(_ status: Int, _ value: JSON) -> HTTPResponse { json(status, value.bytes) }

  static func json(_ status: Int, text: String) -> HTTPResponse { json(status, Array(text.utf8)) }

  private static func json(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(
      status: status, fields: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body)
  }
}
