internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer
internal import RegistryServer
internal import SimulatedStores

/// People at the console of the first server: logins, sessions and forms, each answered before anything else happens.
extension ServiceWorld {
  private static let window: Int64 = 15 * 60_000
  /// Wrong passwords of a browser that are let in within a window.
  private static let guessLimit = 10
  /// Of a name, from all browsers.
  private static let guessLimitOfName = 50

  func newConsole(
    _ api: RegistryAPI, _ pages: SteppedPages, _ publication: SteppedPublication
  ) -> Console {
    let (time, reports, people, desk) = (time, reports, people, desk)
    desk.perform = { [weak self] in self?.carryOut($0) ?? .failure(ConsoleFailure("The server has ended.")) }
    let shown = ShownPublication(publication)
    let system = ConsoleSystem(
      sites: { ConsoleSites(hosts: shown.publication.reports) },
      history: { shown.publication.history(of: $0) },
      order: { [desk] order, _ in desk.carryOut(order) },
      notices: { [notices = ShownPages(pages)] in notices.pages.notices },
      copy: { _ in .failure(ConsoleFailure("There is no CDN.")) }, metrics: { [] },
      users: { .success(people.stored) }, registry: { api }, now: { time.now }, uptime: { time.uptime },
      random: { count in (0..<count).map { _ in UInt8(truncatingIfNeeded: time.random()) } },
      log: { reports.add($0) }, version: "0")
    return Console(
      system, pages: [], secret: (0..<32).map { _ in UInt8(truncatingIfNeeded: time.random()) },
      proves: SwarmUser.proves)
  }

  func visit(_ step: ServiceStep) {
    guard running(0)?.console != nil else { return }
    switch step {
    case .login(let browser, let user): logIn(browser, user, people.users[user].password)
    case .guess(let browser, let user, let count):
      for _ in 0..<count { logIn(browser, user, SwarmUser.password(user, people.users[user].version + 1)) }
    case .page(let browser): openPage(browser)
    case .form(let browser, let device): sendForm(browser, device)
    case .logout(let browser): logOut(browser)
    case .password(let user):
      people.setPassword(of: user, at: time.now)
      record("operator", "password", [("user", .string(people.users[user].name))])
    default: break
    }
  }

  /// Asks the console, and has its threads for passwords do what there is to do.
  ///
  /// - Returns: nil where the server does not run.
  func ask(_ browser: Int, _ request: HTTPRequest, _ what: String) -> HTTPResponse? {
    guard let server = running(0), let console = server.console else { return nil }
    let answers = AnswerBox()
    answer(console.reply(to: request, from: browsers[browser].origin), request) { answers.add(0, $0) }
    while answers.isEmpty, console.checkNextPassword() {}
    // What was asked of the registry before was answered before.
    hear()
    guard let response = answers.takeAll().first?.response else {
      require(false, .drains, "the console does not answer \(what)")
      return nil
    }
    record("browser-\(browser + 1)", what, [("status", .int(response.status))])
    reached.insert("console \(what) \(response.status)")
    checkSecrets(response.body, "a page of the console")
    checkPage(browser, response)
    browsers[browser].take(response)
    return response
  }

  /// No page has a password or the cookie of another browser.
  func checkPage(_ browser: Int, _ response: HTTPResponse) {
    let secrets = people.users.flatMap { user in (0...1).map { SwarmUser.password(user.index, $0) } }
    let cookies = browsers.flatMap { $0.cookies.values.map { String($0.suffix(32)) } }
    for secret in secrets + cookies {
      require(
        !response.body.withUnsafeBytes { Array(secret.utf8).isFound(in: $0) }, .secretsHidden,
        "a page of the console for browser \(browser + 1) holds a password or a cookie")
    }
  }

  // MARK: - Logins

  private func logIn(_ browser: Int, _ user: Int, _ password: String) {
    guard violation == nil, let process = servers[0]?.process,
      let page = ask(browser, browsers[browser].request("GET", "/login"), "login-page")
    else { return }
    // Whoever is logged in is led on, and needs no other login; a session that is over ends there.
    guard page.status == 200 else { return openPage(browser) }
    checkOpen(browser, isOpen: false)
    let form = [
      ("form", SwarmBrowser.form(of: page) ?? ""), ("name", people.users[user].name), ("password", password),
    ]
    guard let response = ask(browser, browsers[browser].request("POST", "/login", form: form), "login") else {
      return
    }
    let (now, isRight) = (time.uptimeMilliseconds, password == people.users[user].password)
    let wrong = (browsers[browser].wrong[process] ?? []).filter { now - $0 < Self.window }
    switch response.status {
    case 303:
      require(isRight, .sessionsKept, "browser \(browser + 1) is logged in with a wrong password")
      browsers[browser].session = .init(
        user: user, version: people.users[user].version, process: process, startedAt: now, seenAt: now)
    case 403:
      require(!isRight, .sessionsKept, "the right password of browser \(browser + 1) is called wrong")
      browsers[browser].wrong[process] = wrong + [now]
      // At most twice the limit in any window (RequestLimiter), as a stranger, and once more as a browser that is known.
      let limit = 2 * Self.guessLimit * (browsers[browser].cookies.isEmpty ? 1 : 2)
      require(
        wrong.count < limit, .quotaKept,
        "\(wrong.count + 1) wrong passwords of browser \(browser + 1) are let in within 15 minutes")
    case 429:
      let ofName = browsers.flatMap { $0.wrong[process] ?? [] }.count { now - $0 < Self.window }
      require(
        wrong.count >= Self.guessLimit || ofName >= Self.guessLimitOfName, .quotaKept,
        "a login of browser \(browser + 1) is refused after \(wrong.count) wrong passwords")
    default:
      require(false, .sessionsKept, "a login of browser \(browser + 1) is answered with \(response.status)")
    }
  }

  /// What the console makes of a browser's session is what its person expects.
  func checkOpen(_ browser: Int, isOpen: Bool) {
    let expected =
      browsers[browser].session?.isOpen(people.users, servers[0]?.process, at: time.uptimeMilliseconds)
      ?? false
    require(
      isOpen == expected, .sessionsKept,
      isOpen
        ? "browser \(browser + 1) is let in, and its session is over"
        : "browser \(browser + 1) is not let in, and its session goes on")
    if isOpen {
      browsers[browser].session?.seenAt = time.uptimeMilliseconds
    } else {
      browsers[browser].session = nil
    }
  }

  /// Opens a page of the menu, or one that a page links to, drawn.
  private func openPage(_ browser: Int) {
    let host = Self.name(ofHost: Int(chance.draw(0...Int64(ServiceStory.hostCount - 1))))
    let token = tokens[Int(chance.draw(0...Int64(tokens.count - 1)))]
    let identifier = anyMessage() ?? "1"
    let targets = [
      "/home", "/home", "/sites", "/sites?q=live", "/sites/\(host)", "/sites/\(host)/draft", "/devices",
      "/devices?q=person", "/devices/\(token)", "/erase", "/deliveries", "/push", "/health",
      "/health?q=device",
      "/push/notifications/\(identifier)", "/push/campaigns/\(identifier)",
    ]
    let target = targets[Int(chance.draw(0...Int64(targets.count - 1)))]
    guard let response = ask(browser, browsers[browser].request("GET", target), "page") else { return }
    checkOpen(browser, isOpen: response.status != 303)
    require(
      [200, 303, 404, 503].contains(response.status), .sessionsKept,
      "the page \(target) is answered with \(response.status)")
    if target == "/sites/\(host)", response.status == 200, chance.chance(1, in: 2) {
      giveOrder(browser, host, response)
    }
    if target == "/push", response.status == 200 { tryPush(browser, response) }
    if response.status == 200, chance.chance(1, in: 3) { listen(browser, to: response) }
  }

  /// Has the page check a push and count a campaign's devices, which sends nothing; or sends one.
  private func tryPush(_ browser: Int, _ page: HTTPResponse) {
    guard violation == nil, let form = SwarmBrowser.form(of: page) else { return }
    if chance.chance(1, in: 3) { return sendPush(browser, form) }
    let action = chance.chance(1, in: 2) ? "check" : "estimate"
    let values = [
      ("form", form), ("do", action), ("topic", VirtualAPNs.topic), ("environment", "production"),
      ("push_type", "alert"), ("priority", "10"), ("payload", #"{"aps":{"alert":"a word"}}"#),
      ("alias", aliases[0]), ("name", "a campaign"), ("everybody", "on"),
    ]
    guard let answer = ask(browser, browsers[browser].request("POST", "/push", form: values), action) else {
      return
    }
    require(
      [200, 422, 429, 503].contains(answer.status), .formsCountOnce,
      "a push that is to be checked is answered with \(answer.status)")
  }

  private func logOut(_ browser: Int) {
    guard let page = ask(browser, browsers[browser].request("GET", "/home"), "page") else { return }
    checkOpen(browser, isOpen: page.status == 200)
    guard page.status == 200, let form = SwarmBrowser.form(of: page),
      let response = ask(
        browser, browsers[browser].request("POST", "/logout", form: [("form", form)]), "logout")
    else { return }
    require(response.status == 303, .sessionsKept, "a logout is answered with \(response.status)")
    browsers[browser].session = nil
  }

  // MARK: - Forms

  /// Opens the page that deletes a device, and sends its form twice, as an impatient person does.
  private func sendForm(_ browser: Int, _ device: Int) {
    let target = "/devices/\(tokens[device])/delete"
    guard let page = ask(browser, browsers[browser].request("GET", target), "form-page") else { return }
    checkOpen(browser, isOpen: page.status == 200)
    guard violation == nil, page.status == 200, let form = SwarmBrowser.form(of: page),
      let first = ask(browser, browsers[browser].request("POST", target, form: [("form", form)]), "form")
    else { return }
    noteDeletion(device, first)
    guard violation == nil, running(0) != nil,
      let second = ask(
        browser, browsers[browser].request("POST", target, form: [("form", form)]), "form-again")
    else { return }
    require(
      second.status == 403, .formsCountOnce, "a form that is sent again is answered with \(second.status)")
  }

  private func noteDeletion(_ device: Int, _ response: HTTPResponse) {
    switch response.status {
    case 303:
      model.noteStored()
      model.take(.delete, of: device, at: time.uptimeMilliseconds)
      model.audit("device.delete", isCertain: true)
    case 404: acknowledgeAbsence(of: device)
    default:
      lose(.delete, device)
      if String(decoding: response.body, as: UTF8.self).contains("It is not known whether") {
        model.leaveOpen(.delete, of: device)
      }
    }
  }
}

/// Carries out what people order in the console.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class OrderDesk: @unchecked Sendable {
  var perform: ((PublicationOrder) -> Result<String, ConsoleFailure>)?

  func carryOut(_ order: PublicationOrder) -> Result<String, ConsoleFailure> {
    perform?(order) ?? .failure(ConsoleFailure("There is no server."))
  }
}

/// What the console of a server tells of its publications.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
private final class ShownPublication: @unchecked Sendable {
  let publication: SteppedPublication

  init(_ publication: SteppedPublication) { self.publication = publication }
}

/// What the console of a server says beside its hosts.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
private final class ShownPages: @unchecked Sendable {
  let pages: SteppedPages

  init(_ pages: SteppedPages) { self.pages = pages }
}

/// The users' file of the console, which an operator changes.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class SwarmPeople: @unchecked Sendable {
  private(set) var users: [SwarmUser]

  init(at now: WallTime) {
    users = SwarmUser.names.indices.map { SwarmUser(index: $0, setAt: now) }
  }

  var stored: [ConsoleUser] { users.map(\.stored) }

  func setPassword(of user: Int, at now: WallTime) {
    users[user].version += 1
    users[user].setAt = now
  }
}
