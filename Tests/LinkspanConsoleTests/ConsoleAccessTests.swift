import LinkspanConsole
import LinkspanCore
import LinkspanCrypto
import Testing

/// Who gets in, and what is refused.
@Suite struct ConsoleAccessTests {
  @Test func logsInAndOut() {
    let browser = Browser(ConsoleFixture())
    browser.get("/sites")
    #expect(browser.status == 303)
    #expect(browser.fields["Location"] == "/login?next=%2Fsites")
    browser.logIn()
    #expect(browser.status == 303)
    #expect(browser.fields["Location"] == "/home")
    let cookie = browser.fields["Set-Cookie"] ?? ""
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200"))
    browser.get("/sites")
    #expect(browser.status == 200)
    #expect(browser.page.contains("example.com"))
    let old = browser.cookie
    browser.post("/logout", [])
    #expect(browser.fields["Location"] == "/login")
    browser.cookie = old
    browser.get("/sites")
    #expect(browser.status == 303)
  }

  @Test func aCookieOverTLSIsForTLSAndThisHostOnly() {
    let browser = Browser(ConsoleFixture())
    browser.isEncrypted = true
    browser.get("/login")
    #expect(browser.fields["Strict-Transport-Security"] != nil)
    let fields = [("name", "ada"), ("password", ConsoleFixture.password)]
    browser.post("/login", fields, origin: "http://127.0.0.1:9465")
    #expect(browser.status == 403)
    browser.get("/login")
    browser.post("/login", fields, origin: "https://127.0.0.1:9465")
    let cookie = browser.fields["Set-Cookie"] ?? ""
    #expect(cookie.hasPrefix("__Host-linkspan_console="))
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure"))
    browser.get("/sites")
    #expect(browser.status == 200)
    var request = HTTPRequest(authority: "127.0.0.1:9465", target: "/sites")
    request.fields["Cookie"] = "linkspan_console=\(browser.cookie ?? "")"
    #expect(browser.fixture.response(to: request, isEncrypted: true).status == 303)
  }

  @Test func anotherProgramsCookieLocksNobodyOut() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    var request = HTTPRequest(authority: "127.0.0.1:9465", target: "/sites")
    request.fields["Cookie"] = "linkspan_console=stale; linkspan_console=\(browser.cookie ?? "")"
    #expect(fixture.response(to: request).status == 200)
  }

  @Test(arguments: [
    "/sites", "/sites/example.com", "/links", "/devices", "/push", "/deliveries", "/forecast", "/health",
    "/sites/example.com/cdn", "/erase",
  ])
  func withoutASessionNothingIsShown(path: String) {
    let browser = Browser(ConsoleFixture())
    browser.get(path)
    #expect(browser.status == 303)
    #expect(browser.page.isEmpty)
    browser.cookie = String(repeating: "0", count: 64)
    browser.get(path)
    #expect(browser.status == 303)
  }

  @Test func withoutASessionNothingIsDone() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.get("/login")
    browser.post("/sites/example.com/rollback", [("number", "1")])
    #expect(browser.status == 403)
    #expect(fixture.state.withLock { $0.rolledBack }.isEmpty)
    #expect(fixture.stream("/live?part=sites", cookie: nil) == nil)
    #expect(
      fixture.log == [
        "console: a request without a session was refused (/sites from 192.0.2.1)",
        "console: a request without a session was refused (/live from an unknown address)",
      ])
  }

  /// A form without its token is refused and logged; a page that is shown has none and is not.
  @Test func onlyAFormWithoutItsTokenIsLogged() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    browser.get("/sites/example.com")
    browser.post("/sites/example.com/rollback", [("number", "1")])
    #expect(browser.status == 303)
    #expect(!fixture.log.contains { $0.contains("valid token") })
    browser.post("/sites/example.com/rollback", [("number", "1")], form: "x")
    #expect(browser.status == 403)
    #expect(
      fixture.log.filter { $0.contains("valid token") } == [
        "console: a form without a valid token was refused (ada, /sites from 192.0.2.1)"
      ])
    #expect(fixture.state.withLock { $0.rolledBack } == ["example.com 1"])
  }

  @Test func oneOriginAmongSeveralIsRefusedIfItIsForeign() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    browser.get("/sites/example.com")
    browser.post(
      "/sites/example.com/rollback", [("number", "1")], headers: [("Origin", "https://evil.example")])
    #expect(browser.status == 403)
    #expect(fixture.state.withLock { $0.rolledBack }.isEmpty)
  }

  @Test(arguments: [
    ("Origin", "https://evil.example"), ("Origin", "null"), ("Origin", "http://127.0.0.1:9999"),
    ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
  ])
  func aForeignOriginIsRefused(name: String, value: String) {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    browser.get("/sites/example.com")
    browser.post("/sites/example.com/rollback", [("number", "1")], origin: nil, headers: [(name, value)])
    #expect(browser.status == 403)
    #expect(browser.page.contains("This form was sent from another site, and nothing was done."))
    #expect(fixture.state.withLock { $0.rolledBack }.isEmpty)
  }

  @Test func aMissingForeignOrReplayedTokenIsRefused() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    browser.get("/sites/example.com")
    let token = browser.form
    let rollBack = { (form: String?) in
      browser.post("/sites/example.com/rollback", [("number", "1")], form: .some(form))
    }
    rollBack(nil)
    #expect(browser.status == 403)
    rollBack("0123456789abcdef0123456789abcdef")
    #expect(browser.status == 403)
    let other = Browser(fixture)
    other.logIn()
    other.get("/sites/example.com")
    rollBack(other.form)
    #expect(browser.status == 403)
    #expect(fixture.state.withLock { $0.rolledBack }.isEmpty)
    rollBack(token)
    #expect(browser.status == 303)
    rollBack(token)
    #expect(browser.status == 403)
    #expect(browser.page.contains("This form was sent before. What it asks for was answered then"))
    #expect(fixture.state.withLock { $0.rolledBack } == ["example.com 1"])
    browser.get("/sites")
    browser.post("/logout", [], form: .some(token))
    #expect(browser.status == 403)
    browser.post("/logout", [], form: .some("0123456789abcdef0123456789abcdef"))
    #expect(browser.status == 403)
    browser.get("/sites")
    #expect(browser.status == 200)
  }

  @Test func aSessionOutlivesAChangeOfTheWallClock() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    for days: Int64 in [-1, 2] {
      fixture.state.withLock { $0.now = $0.now.advanced(by: .seconds(days * 86_400)) }
      browser.get("/sites")
      #expect(browser.status == 200)
    }
  }

  @Test func aSessionEndsWhenItIsIdleOrOld() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    fixture.advance(seconds: 1_799)
    browser.get("/sites")
    #expect(browser.status == 200)
    fixture.advance(seconds: 1_800)
    browser.get("/sites")
    #expect(browser.status == 303)
    browser.logIn()
    for _ in 0..<28 {
      fixture.advance(seconds: 1_500)
      browser.get("/sites")
      #expect(browser.status == 200)
    }
    fixture.advance(seconds: 1_500)
    browser.get("/sites")
    #expect(browser.status == 303)
  }

  @Test func aRemovedUserIsOut() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    fixture.state.withLock { $0.users = [] }
    browser.get("/sites")
    #expect(browser.status == 303)
  }

  @Test func anotherPasswordEndsTheSessions() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    fixture.advance(seconds: 1)
    fixture.state.withLock { state in
      let hash = PasswordHash(Array("another password".utf8), salt: [UInt8](repeating: 1, count: 16))
      state.users = [ConsoleUser(name: "ada", password: hash, createdAt: state.now)]
    }
    browser.get("/sites")
    #expect(browser.status == 303)
    // Found by the swarm: the login led whoever came with the old cookie back to the page, and the page to the login.
    browser.get("/login")
    #expect(browser.status == 200)
    #expect(browser.form != nil)
  }

  /// The same loop, while the file of users cannot be read.
  @Test func unreadableUsersAreSaid() {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    fixture.state.withLock { $0.usersProblem = "'users.json' cannot be read." }
    browser.get("/sites")
    #expect(browser.status == 500)
    #expect(browser.page.contains("The users cannot be read"))
    #expect(fixture.log.contains("console: 'users.json' cannot be read."))
    fixture.state.withLock { $0.usersProblem = nil }
    browser.get("/sites")
    #expect(browser.status == 200)
  }

  @Test func theOpenPagesOfARemovedUserEnd() throws {
    let fixture = ConsoleFixture()
    let browser = Browser(fixture)
    browser.logIn()
    let stream = try #require(fixture.stream("/live?part=sites", cookie: browser.cookie))
    fixture.console.tick()
    #expect(stream.text.contains("event: part"))
    fixture.state.withLock { $0.users = [] }
    fixture.console.tick()
    #expect(stream.text == "event: over\ndata:\n\n")
    #expect(stream.read(limitBytes: 1) == .end)
  }

  @Test func onePersonsPagesLeaveRoomForOthers() {
    let fixture = ConsoleFixture()
    fixture.state.withLock { state in
      state.users.append(
        ConsoleUser(name: "bob", password: state.users[0].password, createdAt: state.now))
    }
    let (ada, bob) = (Browser(fixture), Browser(fixture))
    ada.logIn()
    bob.logIn("bob")
    let streams = (0..<17).map { _ in fixture.stream("/live?part=sites", cookie: ada.cookie) }
    #expect(streams.count { $0 != nil } == 16)
    #expect(fixture.stream("/live?part=sites", cookie: bob.cookie) != nil)
  }

  @Test func aLongHistoryLeavesEveryFormOfItsPageGood() {
    let fixture = ConsoleFixture()
    fixture.state.withLock { $0.publicationCount = 300 }
    let browser = Browser(fixture)
    browser.logIn()
    browser.get("/sites/example.com")
    let mark = "name=\"form\" value=\""
    let first = browser.page.firstRange(of: mark).map {
      String(browser.page[$0.upperBound...].prefix { $0 != "\"" })
    }
    browser.post("/sites/example.com/rollback", [("number", "299")], form: .some(first))
    #expect(browser.status == 303)
  }

  @Test func everyAnswerForbidsInlineScriptAndFrames() {
    let browser = Browser(ConsoleFixture())
    for path in ["/login", "/console.css", "/console.js", "/none", "/healthz"] {
      browser.get(path)
      let policy = browser.fields["Content-Security-Policy"] ?? ""
      #expect(policy.contains("default-src 'none'"))
      #expect(policy.contains("script-src 'self';"))
      #expect(policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe"))
      #expect(browser.fields["X-Content-Type-Options"] == "nosniff")
    }
  }

  @Test func takesNoBodyBeyondTheLimit() {
    let browser = Browser(ConsoleFixture())
    let form = [("name", "ada"), ("password", String(repeating: "a", count: 2_700))]
    browser.get("/login")
    browser.post("/login", form)
    #expect(browser.status == 413)
    browser.logIn()
    browser.post("/forecast", [("fleet", String(repeating: "a", count: 87_400))])
    #expect(browser.status == 413)
  }

  @Test func aPasswordIsKeptAsAHashThatReadsAgain() throws {
    let hash = PasswordHash(Array("twelve characters".utf8), salt: [UInt8](repeating: 1, count: 16))
    #expect(!hash.text.contains("twelve"))
    let again = try #require(PasswordHash(hash.text))
    #expect(again.matches(Array("twelve characters".utf8)))
    #expect(!again.matches(Array("twelve character".utf8)))
    let user = ConsoleUser(name: "ada", password: hash, createdAt: WallTime(milliseconds: 0))
    #expect(ConsoleUser.all(in: ConsoleUser.file(of: [user]).bytes) == [user])
    #expect(ConsoleUser.all(in: Array("{}".utf8)) == nil)
    for text in ["", "scrypt$1$00$00", "scrypt$65536$zz$zz", "plain$a$b$c"] {
      #expect(PasswordHash(text) == nil)
    }
  }

  @Test(arguments: [(1_000, true), (1_001, false)]) func aFileHasAThousandUsersAtMost(
    _ count: Int, _ isTaken: Bool
  ) {
    let hash = PasswordHash(Array("twelve characters".utf8), salt: [UInt8](repeating: 1, count: 16))
    let users = (0..<count).map {
      ConsoleUser(name: "user-\($0)", password: hash, createdAt: WallTime(milliseconds: 0))
    }
    #expect(ConsoleUser.all(in: ConsoleUser.file(of: users).bytes)?.count == (isTaken ? count : nil))
  }

  /// RFC 7914, section 12, has no vector at this cost; libcrypto's own agrees with those that it has.
  @Test(arguments: [("short", true), ("long enough for all", false)])
  func namesWhatIsWrongWithAPassword(password: String, isWrong: Bool) {
    #expect((ConsoleUser.fault(ofPassword: Array(password.utf8)) != nil) == isWrong)
    #expect(ConsoleUser.fault(ofPassword: Array(password.utf8))?.contains(password) != true)
  }

  @Test(arguments: [(11, false), (12, true), (1_024, true), (1_025, false)])
  func aPasswordHasTwelveCharactersAnd1024BytesAtMost(count: Int, isGood: Bool) {
    let fault = ConsoleUser.fault(ofPassword: [UInt8](repeating: 0x61, count: count))
    #expect((fault == nil) == isGood)
    if count > 1_024 { #expect(fault == "a password has at most 1024 bytes") }
  }

  @Test(arguments: [(0, false), (1, true), (64, true), (65, false)])
  func aNameHas64LettersAtMost(count: Int, isGood: Bool) {
    #expect((ConsoleUser.fault(ofName: String(repeating: "a", count: count)) == nil) == isGood)
  }
}
