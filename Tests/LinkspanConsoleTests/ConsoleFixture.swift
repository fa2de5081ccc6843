import ConsolePages
import LinkspanCore
import LinkspanCrypto
import LinkspanServer

@testable import LinkspanConsole
@testable import RegistryServer

/// A console over made-up hosts, and a browser that keeps its cookie.
final class ConsoleFixture: Sendable {
  struct State: Sendable {
    var now = WallTime("2026-09-14T08:00:00Z")!
    var uptime = Duration.zero
    var log: [String] = []
    var random: UInt64 = 1
    var rolledBack: [String] = []
    /// The other orders.
    var orders: [PublicationOrder] = []
    var notices: [ConsoleNotice] = []
    var users: [ConsoleUser] = []
    var usersProblem: String?
    var sites = ConsoleSites()
    var metrics = "# HELP x\nlinkspan_hosts 1\nlinkspan_requests_total{host=\"example.com\"} 7\n"
    var publicationCount = 2
    /// Why nothing can be changed.
    var obstacle: String?
    var drafts: [ConsoleDraft] = []
    /// By the number of their publication.
    var assetLinks: [Int: [UInt8]] = [:]
    /// The publication that the newest one goes back to.
    var rolledBackTo: Int?
    /// The publications that have the live file; nil for the newest one only.
    var liveNumbers: Set<Int>?
    var copy = ConsoleCopy(
      name: "Apple's CDN", url: "https://cdn/example.com", words: "It answers: 404.", file: nil)
  }

  static let password = "correct horse battery"
  static let file = Array(
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy/*"}]}]}}"#
      .utf8)
  /// Of the password, with the least cost that is read, since tests log in some hundred times.
  private static let hash = PasswordHash(
    "scrypt$16384$07070707070707070707070707070707"
      + "$8ea35831927a93cc8ff54ac4c0415d029872416dcd0ea446f236af87028d03ed")!

  let state = LockedState(State())
  let console: Console

  init(registry: RegistryAPI? = nil) {
    let box = Box()
    console = Console(
      ConsoleSystem(
        sites: { box.fixture!.state.withLock { $0.sites } },
        history: { host in
          let state = box.fixture!.state.withLock { $0 }
          let (count, live) = (state.publicationCount, state.liveNumbers)
          return .success(
            ConsoleHistory(
              (1...count).reversed().map { number in
                ConsolePublication(
                  number: number,
                  publishedAt: WallTime("2026-09-11T08:00:00Z")!.advanced(
                    by: .seconds(86_400 * Int64(number))),
                  site: AssociationSite(
                    host: host,
                    associationFile: (live ?? [count]).contains(number)
                      ? ConsoleFixture.file : Array(#"{"applinks":{"details":[]}}"#.utf8),
                    assetLinks: state.assetLinks[number]),
                  rolledBackTo: number == count ? state.rolledBackTo : nil)
              }, drafts: state.drafts, obstacle: state.obstacle))
        },
        order: { order, _ in
          guard case .rollBack(let host, let number?) = order else {
            box.fixture!.state.withLock { $0.orders.append(order) }
            return .success("It is done.")
          }
          box.fixture!.state.withLock { $0.rolledBack.append("\(host) \(number)") }
          return .success("Publication \(number) is back.")
        },
        notices: { box.fixture!.state.withLock { $0.notices } },
        copy: { _ in .success(box.fixture!.state.withLock { $0.copy }) },
        metrics: { Array(box.fixture!.state.withLock { $0.metrics }.utf8) },
        users: {
          box.fixture!.state.withLock { state in
            state.usersProblem.map { .failure(ConsoleFailure($0)) } ?? .success(state.users)
          }
        }, registry: { registry },
        now: { box.fixture!.state.withLock { $0.now } },
        uptime: { box.fixture!.state.withLock { $0.uptime } },
        random: { count in
          box.fixture!.state.withLock { state in
            (0..<count).map { _ in
              state.random = state.random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
              return UInt8(truncatingIfNeeded: state.random >> 33)
            }
          }
        },
        log: { line in box.fixture!.state.withLock { $0.log.append(line) } }, version: "1.2.3"),
      pages: .ofTheProgram, secret: Array(0..<32))
    box.fixture = self
    state.withLock { state in
      state.users = [ConsoleUser(name: "ada", password: Self.hash, createdAt: state.now)]
      state.sites.hosts = [Self.host("example.com")]
    }
  }

  /// `@unchecked Sendable`: set once, before anything reads it.
  private final class Box: @unchecked Sendable { weak var fixture: ConsoleFixture? }

  /// A host that serves the file of this fixture.
  static func host(
    _ name: String, _ state: HostReport.State = .live, _ reason: String = ""
  ) -> HostReport {
    HostReport(
      host: name, state: state, reason: HostReason(reason),
      site: AssociationSite(host: name, associationFile: Self.file))
  }

  var log: [String] { state.withLock { $0.log } }

  /// Has time pass, on both clocks.
  func advance(seconds: Int64) {
    state.withLock { state in
      state.now = state.now.advanced(by: .seconds(seconds))
      state.uptime += .seconds(seconds)
    }
  }

  /// The stream of a live part; nil when it is refused.
  func stream(_ target: String, cookie: String?) -> HTTPBodyStream? {
    var request = HTTPRequest(authority: "127.0.0.1:9465", target: target)
    if let cookie { request.fields["Cookie"] = "linkspan_console=\(cookie)" }
    guard case .stream(_, let stream) = console.reply(to: request, from: RequestOrigin()) else { return nil }
    return stream
  }

  /// The answer to a request, whichever way it comes. Passwords that wait are checked on the way.
  func response(to request: HTTPRequest, address: String = "192.0.2.1", isEncrypted: Bool = false)
    -> HTTPResponse
  {
    let answer = begin(request, address: address, isEncrypted: isEncrypted)
    while answer.withLock({ $0 == nil }), console.checkNextPassword() {}
    return answer.wait { $0 }
  }

  /// Hands a request to the console.
  ///
  /// - Returns: The answer, as soon as there is one.
  func begin(_ request: HTTPRequest, address: String = "192.0.2.1", isEncrypted: Bool = false)
    -> LockedState<HTTPResponse?>
  {
    let answer = LockedState<HTTPResponse?>(nil)
    let put = { @Sendable (response: HTTPResponse) in
      answer.withLock { $0 = response }
      answer.signal(all: true)
    }
    let origin = RequestOrigin(peer: SocketAddress(address, port: 50_000), isEncrypted: isEncrypted)
    var reply = console.reply(to: request, from: origin)
    while true {
      switch reply {
      case .now(let response), .cacheable(let response), .stream(let response, _): put(response)
      case .offload(let work): put(work())
      case .later(let work): work(put)
      case .afterBody(let limit, let next):
        guard request.body.count > limit else {
          reply = next(request)
          continue
        }
        put(.text(413, "too large"))
      default: put(.text(599, "another kind of reply"))
      }
      return answer
    }
  }
}

extension HTTPBodyStream {
  /// What was written until now.
  var text: String {
    var bytes: [UInt8] = []
    while case .bytes(let more) = read(limitBytes: 1 << 20) { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A browser: its cookies, and the forms of the last page.
final class Browser {
  let fixture: ConsoleFixture
  var isEncrypted = false
  /// Of the session.
  var cookie: String?
  /// The others, by name.
  var cookies: [String: String] = [:]
  private(set) var page = ""
  private(set) var status = 0
  private(set) var fields: HTTPFields = [:]

  init(_ fixture: ConsoleFixture) { self.fixture = fixture }

  func get(_ target: String) {
    var request = HTTPRequest(authority: "127.0.0.1:9465", target: target)
    request.fields["Cookie"] = cookieField
    take(fixture.response(to: request, isEncrypted: isEncrypted))
  }

  /// Sends a form as the last page has it.
  func post(
    _ target: String, _ values: [(String, String)], form: String?? = .none,
    origin: String? = "http://127.0.0.1:9465", headers: [(String, String)] = [], address: String = "192.0.2.1"
  ) {
    take(
      fixture.response(
        to: request(target, values, form: form, origin: origin, headers: headers), address: address,
        isEncrypted: isEncrypted))
  }

  /// A form as the last page has it.
  func request(
    _ target: String, _ values: [(String, String)], form: String?? = .none,
    origin: String? = "http://127.0.0.1:9465", headers: [(String, String)] = []
  ) -> HTTPRequest {
    let token: String? = if case .some(let given) = form { given } else { self.form }
    let all = (token.map { [("form", $0)] } ?? []) + values
    let body = all.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
    var request = HTTPRequest(
      method: "POST", authority: "127.0.0.1:9465", target: target, body: Array(body.utf8))
    request.fields["Content-Type"] = "application/x-www-form-urlencoded"
    if let origin { request.fields["Origin"] = origin }
    for (name, value) in headers { request.fields.append(name, value) }
    request.fields["Cookie"] = cookieField
    return request
  }

  func logIn(
    _ name: String = "ada", _ password: String = ConsoleFixture.password, address: String = "192.0.2.1"
  ) {
    get("/login")
    post("/login", [("name", name), ("password", password)], address: address)
  }

  /// The token of the last form of the page.
  var form: String? {
    let mark = "name=\"form\" value=\""
    guard let start = page.ranges(of: mark).last?.upperBound else { return nil }
    return String(page[start...].prefix { $0 != "\"" })
  }

  private var cookieField: String {
    let others = cookies.sorted { $0.key < $1.key }.map { "; \($0.key)=\($0.value)" }.joined()
    return "other=1" + others + (cookie.map { "; \(cookieName)=\($0)" } ?? "")
  }

  private var cookieName: String { isEncrypted ? "__Host-linkspan_console" : "linkspan_console" }

  private func take(_ response: HTTPResponse) {
    page = String(decoding: response.body, as: UTF8.self)
    (status, fields) = (response.status, response.fields)
    for set in response.fields.values(of: "Set-Cookie") {
      let pair = set.prefix { $0 != ";" }
      let (name, value) = (String(pair.prefix { $0 != "=" }), String(pair.drop { $0 != "=" }.dropFirst()))
      if name == cookieName { cookie = value.isEmpty ? nil : value } else { cookies[name] = value }
    }
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let digits = Array("0123456789ABCDEF")
      return "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }.joined()
  }
}
