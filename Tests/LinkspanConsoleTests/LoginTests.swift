import Foundation
import LinkspanConsole
import LinkspanCore
import LinkspanCrypto
import Testing

/// Logins under attack: who is refused, who waits, and who never does.
@Suite struct LoginTests {
  private static let wrong = "a wrong secret"

  // MARK: - Forms

  /// Found: 5,100 pages made every form void that had been handed out.
  @Test func noNumberOfLoginPagesMakesAFormVoid() {
    let browser = Browser(ConsoleFixture())
    browser.get("/login")
    let form = browser.form
    let other = Browser(browser.fixture)
    for _ in 0..<5_100 { other.get("/login") }
    browser.post("/login", [("name", "ada"), ("password", ConsoleFixture.password)], form: .some(form))
    #expect(browser.status == 303)
  }

  @Test func aFormIsGoodForTwelveHours() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    let fields = [("name", "ada"), ("password", ConsoleFixture.password)]
    browser.get("/login")
    let form = browser.form
    fixture.advance(seconds: 12 * 3_600)
    browser.post("/login", fields, form: .some(form))
    #expect(browser.status == 403)
    #expect(browser.page.contains("The form is too old. Try again."))
    browser.get("/login")
    fixture.advance(seconds: 12 * 3_600 - 1)
    browser.post("/login", fields)
    #expect(browser.status == 303)
  }

  @Test func aFormWithoutAValidSignatureIsRefused() throws {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    let fields = [("name", "ada"), ("password", ConsoleFixture.password)]
    fixture.advance(seconds: 5)
    browser.get("/login")
    let form = try #require(browser.form)
    let other = form.hasSuffix("0") ? "1" : "0"
    let forged = [
      nil, "", ".", form + "0", form.dropLast() + other, "9" + form, "0", "99999999999999999999.0",
    ]
    for token in forged {
      browser.post("/login", fields, form: .some(token.map { String($0) }))
      #expect(browser.status == 403, "\(token ?? "none")")
      #expect(browser.cookie == nil)
    }
  }

  // MARK: - Strangers

  @Test func afterTenWrongPasswordsAnAddressWaits() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    for _ in 0..<10 {
      browser.logIn("ada", Self.wrong)
      #expect(browser.status == 403)
      #expect(browser.page.contains("Name or password is wrong."))
    }
    browser.logIn()
    #expect(browser.status == 429)
    #expect(browser.fields["Retry-After"] == "900")
    #expect(browser.page.contains("Too many wrong passwords. Try again in 15 minutes."))
    Browser(fixture).expectLogIn(address: "192.0.2.2")
    fixture.advance(seconds: 901)
    browser.expectLogIn()
    let log = fixture.log.joined(separator: "\n")
    #expect(log.contains("wrong password for 'ada' from 192.0.2.1 (10 of 10)"))
    #expect(log.contains("a login from 192.0.2.1 was refused: too many wrong passwords"))
    #expect(!log.contains("secret"))
    #expect(!log.contains(ConsoleFixture.password))
  }

  @Test func aClockThatIsSetDoesNotEndTheWait() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    for _ in 0..<10 { browser.logIn("ada", Self.wrong) }
    for hours: Int64 in [-48, 24, 240] {
      fixture.state.withLock { $0.now = $0.now.advanced(by: .seconds(hours * 3_600)) }
      browser.logIn()
      #expect(browser.status == 429)
    }
  }

  @Test func addressesOfOneIPv6NetworkCountTogether() {
    let browser = Browser(ConsoleFixture())
    for index in 0..<10 { browser.logIn("ada", Self.wrong, address: "2001:db8:1:2::\(index)") }
    #expect(browser.status == 403)
    browser.logIn(address: "2001:db8:1:2:ffff::1")
    #expect(browser.status == 429)
    browser.expectLogIn(address: "2001:db8:1:3::1")
  }

  @Test func rightPasswordsDoNotCountAsWrong() {
    let browser = Browser(ConsoleFixture())
    for _ in 0..<11 {
      browser.expectLogIn()
      browser.forget()
    }
  }

  @Test func anUnknownNameIsNotRepeatedAnywhere() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn("my password by mistake", "x")
    #expect(browser.status == 403)
    #expect(!browser.page.contains("by mistake"))
    #expect(!fixture.log.joined().contains("by mistake"))
  }

  @Test func refusalsFillNoLog() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    for _ in 0..<1_000 { browser.get("/sites") }
    #expect(fixture.log.count == 60)
    fixture.console.tick()
    #expect(fixture.log.count == 60)
    fixture.advance(seconds: 60)
    fixture.console.tick()
    #expect(fixture.log.last == "console: 940 more requests without a session were refused")
    browser.get("/sites")
    #expect(fixture.log.count == 62)
  }

  // MARK: - Known browsers

  /// Found: 50 wrong passwords from five addresses had everybody refused who knew the right one.
  @Test func strangersDoNotLockOutABrowserThatHasLoggedIn() {
    let fixture = ConsoleFixture()
    let (known, stranger) = (Browser(fixture), Browser(fixture))
    known.expectLogIn()
    known.cookie = nil
    for index in 0..<50 { stranger.logIn("ada", Self.wrong, address: "198.51.100.\(index / 10)") }
    #expect(stranger.status == 403)
    stranger.logIn(address: "203.0.113.1")
    #expect(stranger.status == 429)
    known.expectLogIn()
    known.cookie = nil
    // Neither where its own address has none left.
    for _ in 0..<11 { stranger.logIn("bob", Self.wrong) }
    #expect(stranger.status == 429)
    known.expectLogIn()
  }

  @Test func aKnownBrowserHasTenTriesOfItsOwn() {
    let fixture = ConsoleFixture()
    let (browser, other) = (Browser(fixture), Browser(fixture))
    browser.expectLogIn()
    other.expectLogIn()
    browser.cookie = nil
    other.cookie = nil
    for _ in 0..<10 {
      browser.logIn("ada", Self.wrong)
      #expect(browser.status == 403)
    }
    browser.logIn()
    #expect(browser.status == 429)
    #expect(browser.fields["Retry-After"] == "900")
    #expect(fixture.log.contains("console: wrong password for 'ada' from 192.0.2.1 (10 of 10)"))
    // They count for nobody else.
    other.expectLogIn()
    Browser(fixture).expectLogIn()
  }

  @Test func aSessionCountsAsAKnownBrowser() {
    let fixture = ConsoleFixture()
    let (known, stranger) = (Browser(fixture), Browser(fixture))
    known.expectLogIn()
    known.cookies = [:]
    for _ in 0..<10 { stranger.logIn("ada", Self.wrong) }
    known.get("/login")
    known.post(
      "/login", [("name", "ada"), ("password", ConsoleFixture.password)], form: .some(stranger.form))
    #expect(known.status == 303)
  }

  @Test func aBrowserIsKnownForThirtyDays() {
    for (seconds, status) in [(30 * 86_400 - 1, 303), (30 * 86_400, 429)] {
      let fixture = ConsoleFixture()
      let (known, stranger) = (Browser(fixture), Browser(fixture))
      known.expectLogIn()
      fixture.advance(seconds: Int64(seconds))
      for _ in 0..<10 { stranger.logIn("ada", Self.wrong) }
      known.logIn()
      #expect(known.status == status)
    }
  }

  @Test func theCookieOfABrowserIsForNobodyElse() throws {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.get("/login")
    browser.post("/login", [("name", "ada"), ("password", ConsoleFixture.password)])
    let set = try #require(browser.fields.values(of: "Set-Cookie").last)
    #expect(set.hasPrefix("linkspan_browser_"))
    #expect(set.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"))
    let (name, value) = try #require(browser.cookies.first)
    let parts = value.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let late = "\(try #require(Int64(parts[0])) + 1)"
    let forged = [
      "", "..", "\(late).\(parts[1]).\(parts[2])", "\(parts[0]).0\(parts[1].dropFirst()).\(parts[2])",
      "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).\(parts[2])0",
    ].filter { $0 != value }
    let stranger = Browser(fixture)
    for _ in 0..<10 { stranger.logIn("ada", Self.wrong) }
    for value in forged {
      stranger.cookies = [name: value]
      stranger.logIn()
      #expect(stranger.status == 429, "\(value)")
    }
    stranger.cookies = [name: value]
    stranger.expectLogIn()
  }

  @Test func theCookieIsForOneName() {
    let fixture = ConsoleFixture()
    fixture.state.withLock { state in
      state.users.append(
        ConsoleUser(name: "bob", password: state.users[0].password, createdAt: state.now))
    }
    let (known, stranger) = (Browser(fixture), Browser(fixture))
    known.expectLogIn()
    for _ in 0..<10 { stranger.logIn("bob", Self.wrong) }
    known.cookie = nil
    let value = known.cookies.values.first ?? ""
    known.logIn("bob")
    #expect(known.status == 429)
    // Under the other user's name of the cookie, too.
    fixture.advance(seconds: 901)
    known.logIn("bob")
    #expect(known.cookies.count == 2)
    for name in known.cookies.keys { known.cookies[name] = value }
    for _ in 0..<10 { stranger.logIn("bob", Self.wrong) }
    known.cookie = nil
    known.logIn("bob")
    #expect(known.status == 429)
  }

  @Test func aBrowserIsKnownForEachOfItsUsers() {
    let fixture = ConsoleFixture()
    fixture.state.withLock { state in
      state.users.append(
        ConsoleUser(name: "bob", password: state.users[0].password, createdAt: state.now))
    }
    let (known, stranger) = (Browser(fixture), Browser(fixture))
    for name in ["ada", "bob"] {
      known.cookie = nil
      known.logIn(name)
    }
    for _ in 0..<10 { stranger.logIn("ada", Self.wrong) }
    for name in ["ada", "bob"] {
      known.cookie = nil
      known.logIn(name)
      #expect(known.status == 303)
    }
  }

  @Test func aNewPasswordVoidsTheCookies() {
    let fixture = ConsoleFixture()
    let (known, stranger) = (Browser(fixture), Browser(fixture))
    known.expectLogIn()
    known.cookie = nil
    fixture.state.withLock { state in
      let hash = PasswordHash(
        Array(ConsoleFixture.password.utf8), salt: [UInt8](repeating: 8, count: PasswordHash.saltBytes))
      state.users = [ConsoleUser(name: "ada", password: hash, createdAt: state.now)]
    }
    for _ in 0..<10 { stranger.logIn("ada", Self.wrong) }
    known.logIn()
    #expect(known.status == 429)
  }

  @Test func aRestartLeavesABrowserKnown() {
    let known = Browser(ConsoleFixture())
    known.expectLogIn()
    let fixture = ConsoleFixture()
    fixture.console.tick()
    let (again, stranger) = (Browser(fixture), Browser(fixture))
    again.cookies = known.cookies
    for _ in 0..<10 { stranger.logIn("ada", Self.wrong) }
    again.expectLogIn()
  }

  // MARK: - Room

  /// Found: 120 logins waited for one lock, and 97 of them and the pages of others got 503 after half a minute.
  @Test func aFloodOfLoginsLeavesRoomForKnownBrowsersAndPages() {
    let fixture = ConsoleFixture()
    let known = Browser(fixture)
    known.expectLogIn()
    let stranger = Browser(fixture)
    stranger.get("/login")
    let fields = [("name", "ada"), ("password", Self.wrong)]
    let answers = (0..<120).map { index in
      fixture.begin(stranger.request("/login", fields), address: "198.51.100.\(index)")
    }
    let statuses = answers.map { $0.withLock { $0?.status ?? 0 } }
    #expect(
      statuses == Array(repeating: 0, count: 8) + Array(repeating: 503, count: 42)
        + Array(repeating: 429, count: 70))
    #expect(answers[8].withLock { $0?.fields["Retry-After"] } == "2")
    known.get("/sites")
    #expect(known.status == 200)
    known.cookie = nil
    known.get("/login")
    let right = [("name", "ada"), ("password", ConsoleFixture.password)]
    let login = fixture.begin(known.request("/login", right))
    #expect(fixture.console.checkNextPassword())
    #expect(login.withLock { $0?.status } == 303)
    #expect(answers.prefix(8).allSatisfy { $0.withLock { $0 == nil } })
    for _ in 0..<8 { #expect(fixture.console.checkNextPassword()) }
    #expect(!fixture.console.checkNextPassword())
    #expect(answers.prefix(8).allSatisfy { $0.withLock { $0?.status == 403 } })
  }

  /// Whatever strangers send, one thread is left to browsers that are known.
  @Test func theThreadForKnownBrowsersPassesOverStrangers() {
    let fixture = ConsoleFixture()
    let (known, stranger) = (Browser(fixture), Browser(fixture))
    known.expectLogIn()
    known.cookie = nil
    known.get("/login")
    stranger.get("/login")
    let waiting = fixture.begin(stranger.request("/login", [("name", "ada"), ("password", Self.wrong)]))
    let console = fixture.console
    Thread.detachNewThread { console.checkKnownPasswords() }
    defer { console.stopCheckingPasswords() }
    let right = [("name", "ada"), ("password", ConsoleFixture.password)]
    #expect(fixture.begin(known.request("/login", right)).wait { $0?.status } == 303)
    #expect(waiting.withLock { $0 == nil })
  }

  /// A flood costs the loop little: an address that has to wait is refused before its form is read, with one page for all.
  @Test func anAddressThatWaitsIsRefusedUnread() {
    let fixture = ConsoleFixture()
    let stranger = Browser(fixture)
    for _ in 0..<10 { stranger.logIn("ada", Self.wrong) }
    var request = HTTPRequest(method: "POST", authority: "127.0.0.1:9465", target: "/login")
    for body in ["", "form=forged&name=ada", "%"] {
      request.body = Array(body.utf8)
      let refusal = fixture.response(to: request)
      #expect(refusal.status == 429)
      #expect(refusal.fields["Retry-After"] == "900")
      #expect(!String(decoding: refusal.body, as: UTF8.self).contains("<form"))
    }
    // A browser with a cookie of ours may be known; its form says for whom.
    request.fields["Cookie"] = "linkspan_browser_x=1"
    #expect(fixture.response(to: request).status == 400)
    request.fields["Cookie"] = nil
    #expect(fixture.response(to: request, address: "192.0.2.2").status == 400)
  }

  @Test func aKnownBrowserThatFindsNoRoomLosesNoTry() {
    let fixture = ConsoleFixture()
    let browsers = (0..<7).map { _ in Browser(fixture) }
    for browser in browsers {
      browser.expectLogIn()
      browser.cookie = nil
    }
    browsers[0].get("/login")
    let form = browsers[0].form
    let requests = browsers.map {
      $0.request("/login", [("name", "ada"), ("password", Self.wrong)], form: .some(form))
    }
    let answers = requests.flatMap { request in (0..<10).map { _ in fixture.begin(request) } }
    let statuses = answers.map { $0.withLock { $0?.status ?? 0 } }
    #expect(statuses == Array(repeating: 0, count: 64) + Array(repeating: 503, count: 6))
    #expect(fixture.begin(requests[6]).withLock { $0?.status } == 503)
    #expect(fixture.begin(requests[5]).withLock { $0?.status } == 429)
  }

  @Test func noMoreThanTenLoginsOfOneAddressAreChecked() {
    let fixture = ConsoleFixture()
    let stranger = Browser(fixture)
    stranger.get("/login")
    let request = stranger.request("/login", [("name", "ada"), ("password", Self.wrong)])
    let answers = (0..<14).map { _ in fixture.begin(request) }
    while fixture.console.checkNextPassword() {}
    let statuses = answers.map { $0.wait { $0?.status } }
    #expect(statuses == Array(repeating: 403, count: 8) + [503, 503, 429, 429, 429, 429])
  }
}

extension Browser {
  fileprivate func expectLogIn(
    address: String = "192.0.2.1", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    logIn(address: address)
    #expect(status == 303, sourceLocation: sourceLocation)
  }

  fileprivate func forget() {
    cookie = nil
    cookies = [:]
  }
}
