internal import CLinkspanResources
package import LinkspanCore
package import LinkspanCrypto
package import LinkspanServer
internal import RegistryRequests
internal import RegistryServer

/// The console: pages for people who run this server, behind a login.
///
/// It knows no socket and starts no thread. A request without a session is answered at once; pages are made on threads of
/// the server's pool, which only people who are logged in can fill. Its owner calls ``tick()`` once a second, which keeps
/// open pages up to date, and ``checkKnownPasswords()`` and ``checkStrangersPasswords()`` on a thread each.
package final class Console: Sendable {
  let system: ConsoleSystem
  let sessions = ConsoleSessions()
  let loginForms: LoginForms
  let loginGate: LoginGate
  let passwords = PasswordQueue()
  let refusals: RefusalLog
  /// Answers to logins that are refused unseen, by protocol and message: some dozens at most.
  let refusedLogins = LockedState<[String: HTTPResponse]>([:])
  /// The users as they were read last, for what is decided without waiting for a file; a second old at most.
  let lastUsers = LockedState<[ConsoleUser]>([])
  let liveParts = LiveParts()
  /// What the registry's store said last, and when.
  let storeState = LockedState<(at: Duration, notices: [ConsoleNotice])?>(nil)
  /// The names of credentials by identifier as they were last, and when.
  let names = LockedState<(at: Duration, names: [String: String])?>(nil)
  /// Sentences about what was done, each for one page.
  let sentences = LockedState<[String: String]>([:])
  /// Whether a password is the one of a hash; takes a tenth of a second of a processor or more.
  let proves: @Sendable (_ hash: PasswordHash, _ password: [UInt8]) -> Bool
  private let routes: Router<Route>
  private let heavyWork = LockedState(0)
  /// What publications changed, as the pages show it.
  let comparisons = LockedState<[String: Markup]>([:])
  /// Files as pages show them, by their digests.
  let shownFiles = LockedState<[String: Markup]>([:])
  /// The histories of hosts whose pages are open.
  let histories = LockedState<[String: KnownHistory]>([:])

  /// Of a form. Ours: a fleet or a payload has far less.
  private static let bodyLimitBytes = 262_144
  /// The pages whose forms somebody writes, which is worth more than a button.
  static let writtenPages: Set = ["/push", "/forecast"]

  /// - Parameters:
  ///   - pages: Those that need more than a service has, such as the simulator.
  ///   - secret: 32 random bytes of this process.
  ///   - proves: A simulation remembers what it has hashed.
  package init(
    _ system: ConsoleSystem, pages: [ConsolePage], secret: [UInt8],
    proves: @escaping @Sendable (_ hash: PasswordHash, _ password: [UInt8]) -> Bool = { $0.matches($1) }
  ) {
    self.system = system
    self.proves = proves
    // A key of its own for each purpose.
    loginForms = LoginForms(key: HMAC.digest(of: Array("login forms".utf8), key: secret))
    loginGate = LoginGate(secret: HMAC.digest(of: Array("login gate".utf8), key: secret))
    refusals = RefusalLog(system.log)
    var routes = Router<Route>()
    Self.addRoutes(to: &routes)
    for page in pages {
      routes.add(page.method, page.path) { console, visit in .page(page.answer(console, visit)) }
    }
    self.routes = routes
  }

  // MARK: - Requests

  /// A request of somebody who is logged in.
  package struct Visit: Sendable {
    let request: HTTPRequest
    let parameters: RouteParameters
    /// What the query says, and for POST what the form says.
    let query: FormFields
    let form: FormFields?
    let user: String
    /// The hidden field that the page's forms need; one of them can be sent, once.
    package let formField: Markup

    /// The last value of a field, of the form before the query.
    package func value(_ name: String) -> String {
      form?.values(name).last ?? query.values(name).last ?? ""
    }

    /// For audit logs.
    var actor: String { "console:\(user)" }
  }

  enum Answer: Sendable {
    case page(Page)
    /// After a form: where the person goes on.
    case redirect(String)
    case response(HTTPResponse)
  }

  typealias Route = @Sendable (Console, Visit) -> Answer

  /// The files that are live now.
  package var liveSites: [AssociationSite] { system.sites().live }

  /// What a host published.
  package func history(of host: String) -> Result<ConsoleHistory, ConsoleFailure> { system.history(host) }

  /// Does what takes a processor for a while, such as an explanation or a forecast: one at a time.
  package func alone<Answer>(_ work: () -> Answer) -> Answer { heavyWork.withLock { _ in work() } }

  private static func addRoutes(to routes: inout Router<Route>) {
    addHomeRoutes(to: &routes)
    addSiteRoutes(to: &routes)
    addDeviceRoutes(to: &routes)
    addPushRoutes(to: &routes)
    addHealthRoutes(to: &routes)
  }

  /// Answers a request; pages are made off the loop.
  package func reply(to request: HTTPRequest, from origin: RequestOrigin) -> HTTPReply {
    guard ["GET", "HEAD", "POST"].contains(request.method) else {
      return .now(finished(.text(405, "only GET, HEAD and POST are allowed here"), origin))
    }
    switch request.path {
    case "/console.css": return .now(finished(Self.asset(linkspan_console_css(), "text/css"), origin))
    case "/console.js":
      let script = Self.asset(linkspan_console_js(), "text/javascript", after: ReaderTimes.script)
      return .now(finished(script, origin))
    case "/healthz": return .now(finished(.text(200, "ok"), origin))
    case "/live": return liveReply(to: request, origin)
    case "/login": return loginReply(to: request, origin)
    default: break
    }
    guard let (secret, _) = session(of: request, origin) else {
      // What a browser of a user has written on a page that is open since before its session ended is read, and given back.
      guard request.method == "POST", Self.writtenPages.contains(String(request.path)),
        isKnown(request, origin)
      else {
        return .now(finished(withoutSession(request, origin), origin))
      }
      if let refusal = foreignForm(request, origin) { return .now(finished(refusal, origin)) }
      return .afterBody(limitBytes: Self.bodyLimitBytes) { request in
        .now(self.finished(self.withoutSession(request, origin), origin))
      }
    }
    return .afterBody(limitBytes: Self.bodyLimitBytes) { request in
      .offload {
        let response = self.finished(self.response(to: request, from: origin, secret), origin)
        return request.method == "HEAD" ? response.withoutBody : response
      }
    }
  }

  private static func asset(_ resource: linkspan_resource, _ type: String, after beginning: String = "")
    -> HTTPResponse
  {
    let bytes = Array(beginning.utf8) + UnsafeBufferPointer(start: resource.bytes, count: resource.count)
    return HTTPResponse(status: 200, fields: ["Content-Type": "\(type); charset=utf-8"], body: bytes)
  }

  /// The fields that every answer has.
  func finished(_ response: HTTPResponse, _ origin: RequestOrigin) -> HTTPResponse {
    var response = response
    response.fields["Content-Security-Policy"] =
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
      + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    response.fields["X-Content-Type-Options"] = "nosniff"
    response.fields["X-Frame-Options"] = "DENY"
    response.fields["Referrer-Policy"] = "same-origin"
    response.fields["Cross-Origin-Opener-Policy"] = "same-origin"
    response.fields["Cross-Origin-Resource-Policy"] = "same-origin"
    if response.fields["Cache-Control"] == nil { response.fields["Cache-Control"] = "no-store" }
    if origin.isEncrypted { response.fields["Strict-Transport-Security"] = "max-age=31536000" }
    return response
  }

  /// The page without what follows its name, which may be a device token.
  private static func place(_ request: HTTPRequest, _ origin: RequestOrigin) -> String {
    let page = request.path.split(separator: "/").first ?? ""
    return "/\(page.prefix(60)) from \(address(origin))"
  }

  /// The refusal of a form that another site has sent; nil for any other request.
  func foreignForm(_ request: HTTPRequest, _ origin: RequestOrigin) -> HTTPResponse? {
    guard request.method == "POST", !Self.isSameOrigin(request, origin) else { return nil }
    refusals.note(
      .foreignForms, at: system.uptime(),
      "a form from another origin was refused (\(Self.place(request, origin)))")
    return refused(403, "This form was sent from another site, and nothing was done.")
  }

  /// Answers somebody who is not logged in.
  private func withoutSession(_ request: HTTPRequest, _ origin: RequestOrigin) -> HTTPResponse {
    if let refusal = foreignForm(request, origin) { return refusal }
    if request.path != "/" {
      refusals.note(
        .withoutSession, at: system.uptime(),
        "a request without a session was refused (\(Self.place(request, origin)))")
    }
    if request.method == "POST" {
      if let page = formWithoutSession(request, origin) { return html(page, nil, .none) }
      return refused(403, "You are not logged in, and nothing was done. Log in, and send the form again.")
    }
    return Self.redirect(request.path == "/" ? "/login" : "/login?next=\(URLText.encoded(request.target))")
  }

  /// - Parameter secret: The cookie of the session that the request had when it arrived.
  private func response(to request: HTTPRequest, from origin: RequestOrigin, _ secret: String) -> HTTPResponse
  {
    let isPost = request.method == "POST"
    if let refusal = foreignForm(request, origin) { return refusal }
    guard let query = FormFields(request.query),
      let form = isPost ? FormFields(String(decoding: request.body, as: UTF8.self)) : FormFields("")
    else { return badForm() }
    guard let session = sessions.session(secret, at: system.uptime()) else {
      return withoutSession(request, origin)
    }
    switch readUsers() {
    case .success(let users):
      guard goesOn(session, secret, users) else { return withoutSession(request, origin) }
    case .failure(let failure):
      system.log("console: \(failure.message)")
      return refused(500, "The users cannot be read, and nothing was done; the server's log says why.")
    }
    let use = isPost ? takeForm(form.values("form").last ?? "", of: secret) : .first
    if use != .first {
      system.log(
        "console: a form without a valid token was refused (\(session.user), \(Self.place(request, origin)))")
    }
    if use == .again { return refused(403, Self.sentAgain) }
    // A forecast changes nothing, whatever its form.
    let isWrittenAnew = use == .unknown && Self.writtenPages.contains(String(request.path))
    if use == .unknown, !isWrittenAnew { return refused(403, Self.tooOld) }
    if isPost, request.path == "/logout" {
      sessions.end(secret)
      system.log("console: \(session.user) logged out")
      return Self.redirect("/login", cookies: [Self.sessionCookie("", origin, age: .zero)])
    }
    let field = hiddenField(secret)
    let outcome = routes.outcome(for: request)
    guard case .found(let route, let parameters) = outcome else {
      guard case .notFound = outcome else { return outcome.refusal ?? .text(404, "not found") }
      if let target = withoutSlash(request) { return Self.redirect(target) }
      return html(
        Page("Not found", nil, status: 404, "<h1>Not found</h1><p>There is no such page.</p>"), session.user,
        field)
    }
    let visit = Visit(
      request: request, parameters: parameters, query: query, form: isPost ? form : nil, user: session.user,
      formField: field)
    if isWrittenAnew, request.path == "/push" { return html(pushFormAgain(visit), session.user, field) }
    switch route(self, visit) {
    case .page(let page): return html(page, session.user, field)
    case .redirect(let path): return Self.redirect(path)
    case .response(let response): return response
    }
  }

  /// The page that somebody means who has written a slash behind its path.
  ///
  /// - Returns: Its target; nil where there is no such page.
  private func withoutSlash(_ request: HTTPRequest) -> String? {
    guard request.method != "POST", request.path.last == "/" else { return nil }
    var page = request
    page.target = String(request.path)
    while page.target.last == "/" { page.target.removeLast() }
    guard page.target != "/login" else { return page.target }
    guard case .found = routes.outcome(for: page) else { return nil }
    return page.target + request.target.dropFirst(request.path.count)
  }

  /// The session of a request, with the cookie's value.
  ///
  /// - Parameter isActive: Whether this counts as a request of the person.
  func session(of request: HTTPRequest, _ origin: RequestOrigin, isActive: Bool = true) -> (
    secret: String, ConsoleSessions.Session
  )? {
    for secret in Self.cookies(Self.sessionName, of: request, origin) {
      if let session = sessions.session(secret, at: system.uptime(), isActive: isActive) {
        return (secret, session)
      }
    }
    return nil
  }

  /// A second click arrives after the first one, whose answer the browser does not show any more.
  private static let sentAgain =
    "This form was sent before. What it asks for was answered then, and was not done again: look whether it was done before you send another one."

  private static let tooOld =
    "This form is too old, or of another session; nothing was done. Load the page again."

  /// Whether a form comes back for the first time.
  private func takeForm(_ form: String, of secret: String) -> ConsoleSessions.FormUse {
    let use = sessions.take(form: form, of: secret)
    #if PLANTED_BUGS
      if ServiceBug.formCountsTwice.isPlanted { return .first }
    #endif
    return use
  }

  /// Whether a session goes on; one whose user is gone or has another password ends here, so that the login shows its form.
  private func goesOn(_ session: ConsoleSessions.Session, _ secret: String, _ users: [ConsoleUser]) -> Bool {
    #if PLANTED_BUGS
      if ServiceBug.sessionOutlivesPassword.isPlanted { return true }
    #endif
    if session.isOf(users) { return true }
    sessions.end(secret)
    return false
  }

  /// The users as they are stored now; waits for a file.
  func readUsers() -> Result<[ConsoleUser], ConsoleFailure> {
    let result = system.users()
    if case .success(let users) = result { lastUsers.withLock { $0 = users } }
    return result
  }

  /// A form comes from a page of this console. Browsers say so on every POST; a client that says nothing has no cookies
  /// of somebody else's.
  private static func isSameOrigin(_ request: HTTPRequest, _ arrival: RequestOrigin) -> Bool {
    request.fields.values(of: "Sec-Fetch-Site").allSatisfy { $0 == "same-origin" || $0 == "none" }
      && request.fields.values(of: "Origin").allSatisfy { origin in
        guard let scheme = origin.firstRange(of: "://") else { return false }
        return ASCII.lowercased(origin[scheme.upperBound...]) == ASCII.lowercased(request.authority)
          && (!arrival.isEncrypted || ASCII.lowercased(origin[..<scheme.lowerBound]) == "https")
      }
  }

  static func address(_ origin: RequestOrigin) -> String {
    origin.peer?.unmapped.host ?? "an unknown address"
  }

  // MARK: - Answers

  func html(_ page: Page, _ user: String?, _ field: Markup) -> HTTPResponse {
    let strip = user == nil ? .none : live("attention", attention())
    return HTTPResponse(
      status: page.status, fields: ["Content-Type": "text/html; charset=utf-8"],
      body: Array(page.html(user: user, form: field, attention: strip).text.utf8))
  }

  func badForm() -> HTTPResponse {
    refused(400, "The form is not percent-encoded UTF-8, or has too many fields.")
  }

  /// The answer to a request that the server refuses by itself, such as a form that is too large: a page as all others are.
  package func answer(toRefused refused: RefusedRequest) -> HTTPResponse {
    let reason = refused.reason.prefix(1).uppercased() + refused.reason.dropFirst()
    let advice =
      refused.mayBeDone
      ? "Look whether it was done before you send it again."
      : "Nothing was done; go back to change what you sent."
    // Who sent it is not known here, nor whether over TLS.
    return finished(self.refused(refused.status, "\(reason). \(advice)"), RequestOrigin())
  }

  private func refused(_ status: Int, _ message: String) -> HTTPResponse {
    let content: Markup = """
      <h1>Refused</h1>\(Piece.notice(message, "bad"))<p><a href="/home">Go to the console</a></p>
      """
    return html(Page("Refused", nil, status: status, content), nil, .none)
  }

  static func redirect(_ path: String, cookies: [String] = []) -> HTTPResponse {
    var response = HTTPResponse(status: 303, fields: ["Location": path])
    for cookie in cookies { response.fields.append("Set-Cookie", cookie) }
    return response
  }

  /// The hidden field that the forms of a page need; another one for each page.
  private func hiddenField(_ secret: String) -> Markup {
    guard let token = randomText(16) else { return .none }
    sessions.add(form: token, to: secret)
    return "<input type=\"hidden\" name=\"form\" value=\"\(token)\">"
  }

  /// Sentences that wait for their page. Ours.
  private static let sentenceLimit = 256

  /// Keeps a sentence for the next page.
  ///
  /// - Returns: What names it in that page's query. So no link can have a page say what never happened, nor say it twice.
  func keep(_ words: String) -> String {
    guard let name = randomText(8) else { return "" }
    sentences.withLock { sentences in
      if sentences.count >= Self.sentenceLimit { sentences = [:] }
      sentences[name] = words
    }
    return name
  }

  /// What was done a moment ago, once.
  func done(_ visit: Visit) -> Markup {
    sentences.withLock { $0.removeValue(forKey: visit.value("done")) }.map { Piece.notice($0, "good") }
      ?? .none
  }

  func randomText(_ count: Int) -> String? { system.random(count).map { ASCII.hexText($0) } }
}
