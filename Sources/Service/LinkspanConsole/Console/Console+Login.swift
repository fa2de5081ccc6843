internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanServer
internal import RegistryRequests
internal import RegistryServer

/// The login.
///
/// What can be refused without the password's hash is refused on the loop, before anything is read or waited for. The
/// rest goes through ``PasswordQueue``.
extension Console {
  /// Of a login's form: name and password take 3,300 bytes at most, percent-encoded. Ours, with room to spare.
  private static let loginLimitBytes = 8_192
  /// What is tried where there is no such user.
  private static let nobody = PasswordHash([], salt: [UInt8](repeating: 0, count: PasswordHash.saltBytes))

  /// A login whose password is to be checked.
  private struct Attempt: Sendable {
    let name: String
    let password: [UInt8]
    let origin: RequestOrigin
    let login: LoginGate.Try
    /// Where the person wanted to go.
    let next: String
    /// The cookies for which the browser counts as known; they are checked again with the users of that time.
    let request: HTTPRequest
  }

  func loginReply(to request: HTTPRequest, _ origin: RequestOrigin) -> HTTPReply {
    guard request.method == "POST" else {
      let next = Self.place(FormFields(request.query)?.values("next").last ?? "")
      let response =
        session(of: request, origin) == nil ? loginPage(next: next) : Self.redirect(next)
      return .now(finished(request.method == "HEAD" ? response.withoutBody : response, origin))
    }
    if let refusal = foreignForm(request, origin) { return .now(finished(refusal, origin)) }
    return .afterBody(limitBytes: Self.loginLimitBytes) { request in self.logIn(request, origin) }
  }

  /// Works on logins of browsers that are known until ``stopCheckingPasswords()``; for a thread of its own.
  package func checkKnownPasswords() { passwords.run(.known) }

  /// Works on logins of strangers until ``stopCheckingPasswords()``; for a thread of its own that yields to all others.
  package func checkStrangersPasswords() { passwords.run(.strangers) }

  package func stopCheckingPasswords() { passwords.end() }

  /// Checks one password without a thread, of a browser that is known if there is one.
  ///
  /// - Returns: false when none waits.
  package func checkNextPassword() -> Bool { passwords.runNext(.known) || passwords.runNext(.strangers) }

  // MARK: - On the loop

  private func logIn(_ request: HTTPRequest, _ origin: RequestOrigin) -> HTTPReply {
    let (address, uptime) = (Self.address(origin), system.uptime())
    // Without a cookie of ours it is a stranger: a flood is refused before its forms are read.
    let hasCookie = request.fields.values(of: "Cookie").contains { $0.contains(Self.cookiePrefix) }
    if !hasCookie, let seconds = loginGate.wait(of: origin.peer, at: uptime) {
      return .now(limited(seconds, origin))
    }
    guard let form = FormFields(String(decoding: request.body, as: UTF8.self)) else {
      return .now(finished(badForm(), origin))
    }
    let name = form.values("name").last ?? ""
    let next = Self.place(form.values("next").last ?? "")
    guard loginForms.isGood(form.values("form").last ?? "", at: uptime) else {
      refusals.note(.withoutToken, at: uptime, "a login without a valid token was refused (from \(address))")
      let page = loginPage(
        "The form is too old. Try again.", name: String(name.prefix(64)), next: next, status: 403)
      return .now(finished(page, origin))
    }
    let browser = knownBrowser(of: request, origin, name, lastUsers.withLock { $0 })
    switch loginGate.begin(
      browser.map { .known(browser: $0) } ?? .stranger(origin.peer, name: name), at: uptime)
    {
    case .wait(let seconds): return .now(limited(seconds, origin))
    case .allowed(let login):
      let attempt = Attempt(
        name: name, password: Array((form.values("password").last ?? "").utf8), origin: origin, login: login,
        next: next, request: request)
      return .later { completion in
        let isTaken = self.passwords.add(isStranger: browser == nil) {
          completion(self.finished(self.outcome(of: attempt), origin))
        }
        if !isTaken { completion(self.crowded(attempt)) }
      }
    }
  }

  /// What stands for a browser that may be known for a user: a session, or the number of a cookie that it got with a login.
  private func knownBrowser(
    of request: HTTPRequest, _ origin: RequestOrigin, _ name: String, _ users: [ConsoleUser]
  ) -> String? {
    guard let user = users.first(where: { $0.name == name }) else { return nil }
    if let (secret, session) = session(of: request, origin, isActive: false), session.user == name,
      session.isOf(users)
    {
      return ConsoleSessions.key(secret)
    }
    return deviceNumber(of: user, request, origin)
  }

  /// The number of the cookie that a browser got with a login of a user; nil without one that is signed.
  private func deviceNumber(of user: ConsoleUser, _ request: HTTPRequest, _ origin: RequestOrigin) -> String?
  {
    Self.cookies(Self.deviceName(user.name), of: request, origin)
      .lazy.compactMap { DeviceCookie($0, of: user, at: self.system.now())?.number }.first
  }

  /// Whether somebody has logged in with this browser before.
  func isKnown(_ request: HTTPRequest, _ origin: RequestOrigin) -> Bool {
    lastUsers.withLock { $0 }.contains { deviceNumber(of: $0, request, origin) != nil }
  }

  private func limited(_ seconds: Int, _ origin: RequestOrigin) -> HTTPResponse {
    refusals.note(
      .limited, at: system.uptime(),
      "a login from \(Self.address(origin)) was refused: too many wrong passwords")
    let minutes = (seconds + 59) / 60
    return refusedLogin(
      429, "Too many wrong passwords. Try again in \(minutes > 1 ? "\(minutes) minutes" : "1 minute").",
      retryAfterSeconds: minutes * 60, origin)
  }

  /// There is no room for another password. A stranger's try stays counted, so that a flood soon uses up its own tries and
  /// leaves the room to others.
  private func crowded(_ attempt: Attempt) -> HTTPResponse {
    if case .known = attempt.login.visitor { loginGate.takeBack(attempt.login) }
    refusals.note(
      .crowded, at: system.uptime(),
      "a login from \(Self.address(attempt.origin)) was refused: too many wait for their password to be checked"
    )
    return refusedLogin(
      503, "Too many people log in at the same time. Try again.",
      retryAfterSeconds: PasswordQueue.retryAfterSeconds, attempt.origin)
  }

  /// The answer to a login whose password is not checked. It is made once for each message, as a flood asks for thousands a
  /// second.
  private func refusedLogin(
    _ status: Int, _ message: String, retryAfterSeconds: Int, _ origin: RequestOrigin
  ) -> HTTPResponse {
    let key = (origin.isEncrypted ? "https " : "http ") + message
    if let known = refusedLogins.withLock({ $0[key] }) { return known }
    let content: Markup = """
      <div class="card"><h1>Log in to Linkspan</h1>\(Piece.notice(message, "bad"))
      <p><a href="/login">Back to the login</a></p></div>
      """
    var response = html(Page("Log in", nil, status: status, content), nil, .none)
    response.fields["Retry-After"] = String(retryAfterSeconds)
    response = finished(response, origin)
    refusedLogins.withLock { [response] in $0[key] = response }
    return response
  }

  // MARK: - On a thread that checks passwords

  private func outcome(of attempt: Attempt) -> HTTPResponse {
    var login = attempt.login
    let users: [ConsoleUser]
    switch readUsers() {
    case .success(let list): users = list
    case .failure(let failure):
      loginGate.takeBack(login)
      system.log("console: \(failure.message)")
      return loginPage("The users cannot be read; the server's log says why.", status: 500)
    }
    // Removed or with another password since: whoever it is, it counts as a stranger.
    if case .known = login.visitor,
      knownBrowser(of: attempt.request, attempt.origin, attempt.name, users) == nil
    {
      switch loginGate.begin(.stranger(attempt.origin.peer, name: attempt.name), at: system.uptime()) {
      case .wait(let seconds): return limited(seconds, attempt.origin)
      case .allowed(let other): login = other
      }
    }
    let user = users.first { $0.name == attempt.name }
    // The same work without such a user, so that the time says nothing.
    let isRight =
      proves(user?.password ?? Self.nobody, Array(attempt.password.prefix(ConsoleUser.passwordLimitBytes)))
      && attempt.password.count <= ConsoleUser.passwordLimitBytes
    #if PLANTED_BUGS
      if ServiceBug.guessesNotCounted.isPlanted { loginGate.takeBack(login) }
    #endif
    guard let user, isRight, let secret = randomText(32), let number = randomText(DeviceCookie.numberBytes)
    else {
      // What was typed as a name may be a password.
      let who = user.map { "'\($0.name)'" } ?? "an unknown name"
      system.log(
        "console: wrong password for \(who) from \(Self.address(attempt.origin)) (\(login.count) of \(login.limit))"
      )
      return loginPage("Name or password is wrong.", name: user?.name ?? "", next: attempt.next, status: 403)
    }
    loginGate.takeBack(login)
    sessions.begin(user, secret: secret, at: system.uptime())
    system.log("console: \(user.name) logged in from \(Self.address(attempt.origin))")
    let device = DeviceCookie(user, number: number, at: system.now())
    return Self.redirect(
      attempt.next,
      cookies: [
        Self.sessionCookie(secret, attempt.origin, age: ConsoleSessions.whole),
        Self.cookie(
          Self.deviceName(user.name), device.text(for: user), attempt.origin, age: DeviceCookie.lifetime),
      ])
  }

  // MARK: - Page and cookies

  /// Where a login leads when nobody wanted to go anywhere.
  private static let home = "/home"
  /// Of a path with its query. Ours.
  private static let placeLimitBytes = 2_048

  /// A place of this console: a path of its own origin, and nothing that a browser would read as another one (backslashes,
  /// blanks and controls, two slashes).
  static func place(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
    guard isPlain, text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.count <= placeLimitBytes,
      !["/login", "/logout", "/live"].contains(String(text.prefix { $0 != "?" }))
    else { return home }
    return text
  }

  private func loginPage(
    _ problem: String? = nil, name: String = "", next: String = Console.home, status: Int = 200
  ) -> HTTPResponse {
    let content: Markup = """
      <div class="card"><h1>Log in to Linkspan</h1>\(problem.map { Piece.notice($0, "bad") } ?? .none)
      <form class="fields column" method="post" action="/login"><input type="hidden" name="form" value="\(loginForms.token(at: system.uptime()))">\
      <input type="hidden" name="next" value="\(field: next)">
      \(Piece.field("Name", name: "name", value: name, attributes: " autocomplete=\"username\" required autofocus"))
      \(Piece.field("Password", name: "password", attributes: " type=\"password\" autocomplete=\"current-password\" required"))
      <button>Log in</button></form>
      <p class="soft">“linkspan console user add NAME” makes a user.</p></div>
      """
    return html(Page("Log in", nil, status: status, content), nil, .none)
  }

  /// Of each name below.
  private static let cookiePrefix = "linkspan_"
  static let sessionName = cookiePrefix + "console"

  private static func deviceName(_ user: String) -> String {
    cookiePrefix + "browser_" + DeviceCookie.label(user)
  }

  /// The prefix keeps other hosts of the domain and plain HTTP from setting it (RFC 6265bis, 4.1.3.2).
  private static func prefix(_ origin: RequestOrigin) -> String { origin.isEncrypted ? "__Host-" : "" }

  static func sessionCookie(_ value: String, _ origin: RequestOrigin, age: Duration) -> String {
    cookie(sessionName, value, origin, age: age)
  }

  private static func cookie(_ name: String, _ value: String, _ origin: RequestOrigin, age: Duration)
    -> String
  {
    "\(prefix(origin))\(name)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(age.components.seconds)"
      + (origin.isEncrypted ? "; Secure" : "")
  }

  /// Ours: of the cookies of one name in one request, more are not looked at.
  private static let cookieLimit = 8

  /// The values of a cookie. There may be several, as another program of the same host may have set one; the one that is
  /// known counts.
  static func cookies(_ name: String, of request: HTTPRequest, _ origin: RequestOrigin) -> ArraySlice<String>
  {
    let start = prefix(origin) + name + "="
    return request.fields.values(of: "Cookie").flatMap { field in
      field.split(separator: ";").compactMap { pair -> String? in
        let cookie = pair.drop { $0 == " " }
        return cookie.hasPrefix(start) ? String(cookie.dropFirst(start.count)) : nil
      }
    }.prefix(cookieLimit)
  }
}
