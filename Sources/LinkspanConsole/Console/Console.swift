internal import CLinkspanResources
package import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanServer

/// The console: pages for people who run this server, behind a login.
///
/// It knows no socket and starts no thread. Pages are made on threads of the server's pool; ``tick()`` is called once a
/// second by whoever owns it, and keeps open pages up to date.
package final class Console: Sendable {
  let system: ConsoleSystem
  let sessions = ConsoleSessions()
  let throttle = LoginThrottle()
  let live = LiveParts()
  private let routes: Router<Route>
  /// Explanations and forecasts take a processor for a while: one at a time.
  let heavyWork = LockedState(0)
  /// What publications changed, as the pages show it.
  let comparisons = LockedState<[String: Markup]>([:])
  /// What is tried where there is no such user.
  private static let nobody = PasswordHash([], salt: [UInt8](repeating: 0, count: PasswordHash.saltBytes))
  /// One password is hashed at a time, for each takes 64 MB.
  private let hashing = LockedState(0)

  /// Of a form. Ours: a fleet or a payload has far less.
  static let bodyLimitBytes = 262_144
  /// The prefix keeps other hosts of the domain and plain HTTP from setting it (RFC 6265bis, 4.1.3.2).
  private static func cookieName(_ origin: RequestOrigin) -> String {
    origin.isEncrypted ? "__Host-linkspan_console" : "linkspan_console"
  }

  package init(_ system: ConsoleSystem) {
    self.system = system
    var routes = Router<Route>()
    Self.addRoutes(to: &routes)
    self.routes = routes
  }

  // MARK: - Requests

  /// A request of somebody who is logged in.
  struct Visit: Sendable {
    let request: HTTPRequest
    let parameters: RouteParameters
    /// What the query says, and for POST what the form says.
    let query: FormFields
    let form: FormFields?
    let user: String
    /// The hidden field that the page's forms need; one of them can be sent, once.
    let formField: Markup

    /// The last value of a field, of the form before the query.
    func value(_ name: String) -> String {
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

  private static func addRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/") { _, _ in .redirect("/sites") }
    addSiteRoutes(to: &routes)
    addLinkRoutes(to: &routes)
    addDeviceRoutes(to: &routes)
    addPushRoutes(to: &routes)
    addForecastRoutes(to: &routes)
    addHealthRoutes(to: &routes)
  }

  /// Answers a request; pages are made off the loop.
  package func reply(to request: HTTPRequest, from origin: RequestOrigin) -> HTTPReply {
    guard ["GET", "HEAD", "POST"].contains(request.method) else {
      return .now(finished(.text(405, "only GET, HEAD and POST are allowed here"), origin))
    }
    switch request.path {
    case "/console.css": return .now(finished(Self.asset(linkspan_console_css(), "text/css"), origin))
    case "/console.js": return .now(finished(Self.asset(linkspan_console_js(), "text/javascript"), origin))
    case "/healthz": return .now(finished(.text(200, "ok"), origin))
    case "/live": return liveReply(to: request, origin)
    default: break
    }
    return .afterBody(limitBytes: Self.bodyLimitBytes) { request in
      .offload {
        let response = self.finished(self.response(to: request, from: origin), origin)
        return request.method == "HEAD" ? response.withoutBody : response
      }
    }
  }

  private static func asset(_ resource: linkspan_resource, _ type: String) -> HTTPResponse {
    let bytes = Array(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
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

  private func response(to request: HTTPRequest, from origin: RequestOrigin) -> HTTPResponse {
    let isPost = request.method == "POST"
    // As it was sent, percent-encoded, so that it cannot begin a line.
    let place = "\(request.path.prefix(60)) from \(Self.address(origin))"
    if isPost, !Self.isSameOrigin(request, origin) {
      system.log("console: a form from another origin was refused (\(place))")
      return refused(403, "This form was sent from another site, and nothing was done.")
    }
    guard let query = FormFields(request.query),
      let form = isPost ? FormFields(String(decoding: request.body, as: UTF8.self)) : FormFields("")
    else { return refused(400, "The form is not percent-encoded UTF-8, or has too many fields.") }
    let known = session(of: request, origin)
    if request.path == "/login" {
      return isPost ? logIn(form, origin) : known == nil ? login() : Self.redirect("/sites")
    }
    guard let (secret, session) = known, isStillKnown(session) else {
      if request.path != "/" { system.log("console: a request without a session was refused (\(place))") }
      if isPost {
        return refused(403, "You are not logged in, and nothing was done. Log in, and send the form again.")
      }
      return Self.redirect("/login")
    }
    if isPost, !sessions.take(form: form.values("form").last ?? "", of: secret) {
      system.log("console: a form without a valid token was refused (\(session.user), \(place))")
      return refused(403, "This form was sent before, or is too old; nothing was done. Load the page again.")
    }
    if isPost, request.path == "/logout" {
      sessions.end(secret)
      system.log("console: \(session.user) logged out")
      return Self.redirect("/login", cookie: Self.cookie("", origin, age: 0))
    }
    let field = hiddenField(secret)
    let outcome = routes.outcome(for: request)
    guard case .found(let route, let parameters) = outcome else {
      guard case .notFound = outcome else { return outcome.refusal ?? .text(404, "not found") }
      return html(
        Page("Not found", nil, status: 404, "<h1>Not found</h1><p>There is no such page.</p>"), session.user,
        field)
    }
    let visit = Visit(
      request: request, parameters: parameters, query: query, form: isPost ? form : nil, user: session.user,
      formField: field)
    switch route(self, visit) {
    case .page(let page): return html(page, session.user, field)
    case .redirect(let path): return Self.redirect(path)
    case .response(let response): return response
    }
  }

  /// The session of a request, with the cookie's value. Of several cookies, as another program of the same host may have
  /// set one, the one that is known counts.
  ///
  /// - Parameter isActive: Whether this counts as a request of the person.
  func session(of request: HTTPRequest, _ origin: RequestOrigin, isActive: Bool = true) -> (
    secret: String, ConsoleSessions.Session
  )? {
    for secret in Self.cookies(of: request, origin).prefix(Self.cookieLimit) {
      if let session = sessions.session(secret, at: system.now(), isActive: isActive) {
        return (secret, session)
      }
    }
    return nil
  }

  private func isStillKnown(_ session: ConsoleSessions.Session) -> Bool {
    guard case .success(let users) = system.users() else { return false }
    return session.isOf(users)
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

  private func html(_ page: Page, _ user: String?, _ field: Markup) -> HTTPResponse {
    HTTPResponse(
      status: page.status, fields: ["Content-Type": "text/html; charset=utf-8"],
      body: Array(page.html(user: user, form: field).text.utf8))
  }

  private func refused(_ status: Int, _ message: String) -> HTTPResponse {
    let content: Markup = """
      <h1>Refused</h1>\(Piece.notice(message, "bad"))<p><a href="/sites">Go to the console</a></p>
      """
    return html(Page("Refused", nil, status: status, content), nil, .none)
  }

  private static func redirect(_ path: String, cookie: String? = nil) -> HTTPResponse {
    var response = HTTPResponse(status: 303, fields: ["Location": path])
    if let cookie { response.fields["Set-Cookie"] = cookie }
    return response
  }

  /// The hidden field that the forms of a page need; another one for each page.
  private func hiddenField(_ secret: String) -> Markup {
    guard let token = randomText(16) else { return .none }
    sessions.add(form: token, to: secret)
    return "<input type=\"hidden\" name=\"form\" value=\"\(token)\">"
  }

  private func randomText(_ count: Int) -> String? { system.random(count).map { ASCII.hexText($0) } }

  // MARK: - The login

  private static func cookie(_ value: String, _ origin: RequestOrigin, age: Int64) -> String {
    "\(cookieName(origin))=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(age)"
      + (origin.isEncrypted ? "; Secure" : "")
  }

  /// Ours: of a console's cookies in one request, more are not looked at.
  private static let cookieLimit = 8

  private static func cookies(of request: HTTPRequest, _ origin: RequestOrigin) -> [String] {
    let start = cookieName(origin) + "="
    return request.fields.values(of: "Cookie").flatMap { field in
      field.split(separator: ";").map { $0.trimmingPrefix { $0 == " " } }
        .filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
  }

  private func login(_ problem: String? = nil, name: String = "", status: Int = 200) -> HTTPResponse {
    guard let token = randomText(16) else {
      return refused(500, "The system has no random numbers now. Try again.")
    }
    sessions.add(loginForm: token)
    let content: Markup = """
      <div class="card"><h1>Log in to Linkspan</h1>\(problem.map { Piece.notice($0, "bad") } ?? .none)
      <form class="fields column" method="post" action="/login"><input type="hidden" name="form" value="\(token)">
      \(Piece.field("Name", name: "name", value: name, attributes: " autocomplete=\"username\" required autofocus"))
      \(Piece.field("Password", name: "password", attributes: " type=\"password\" autocomplete=\"current-password\" required"))
      <button>Log in</button></form>
      <p class="soft">“linkspan console user add NAME” makes a user.</p></div>
      """
    return html(Page("Log in", nil, status: status, content), nil, .none)
  }

  private func logIn(_ form: FormFields, _ origin: RequestOrigin) -> HTTPResponse {
    let (name, password) = (form.values("name").last ?? "", Array((form.values("password").last ?? "").utf8))
    let (address, now) = (Self.address(origin), system.now())
    guard sessions.take(loginForm: form.values("form").last ?? "") else {
      system.log("console: a login without a valid token was refused (from \(address))")
      return login(
        "The form was sent before, or is too old. Try again.", name: String(name.prefix(64)), status: 403)
    }
    let users: [ConsoleUser]
    switch system.users() {
    case .success(let list): users = list
    case .failure(let failure):
      system.log("console: \(failure.message)")
      return login("The users cannot be read; the server's log says why.", status: 500)
    }
    let count: Int
    switch throttle.begin(origin.peer, name: name, at: now) {
    case .try(let found): count = found
    case .wait(let seconds):
      system.log("console: a login from \(address) was refused: too many wrong passwords")
      var response = login(
        "Too many wrong passwords. Try again in \((seconds + 59) / 60) minutes.", status: 429)
      response.fields["Retry-After"] = String(seconds)
      return response
    }
    let user = users.first { $0.name == name }
    // The same work without such a user, so that the time says nothing.
    let isRight =
      hashing.withLock { _ in
        (user?.password ?? Self.nobody).matches(Array(password.prefix(ConsoleUser.passwordLimitBytes)))
      }
      && password.count <= ConsoleUser.passwordLimitBytes
    guard let user, isRight, let secret = randomText(32) else {
      // What was typed as a name may be a password.
      let who = user.map { "'\($0.name)'" } ?? "an unknown name"
      system.log(
        "console: wrong password for \(who) from \(address) (\(count) of \(LoginThrottle.limitByAddress))")
      return login("Name or password is wrong.", name: user?.name ?? "", status: 403)
    }
    throttle.succeed(origin.peer, name: name)
    sessions.begin(user, secret: secret, at: now)
    system.log("console: \(user.name) logged in from \(address)")
    return Self.redirect(
      "/sites", cookie: Self.cookie(secret, origin, age: ConsoleSessions.wholeMilliseconds / 1_000))
  }
}
