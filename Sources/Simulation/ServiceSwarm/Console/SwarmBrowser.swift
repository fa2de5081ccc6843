internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer

/// A browser at the console of the first server: what it keeps, and what its person may expect.
struct SwarmBrowser {
  /// A login, as a reader of the console's documents believes it to stand.
  struct Session {
    var user: Int
    var version: Int
    var process: Int
    /// Uptime, in milliseconds.
    var startedAt: Int64
    var seenAt: Int64

    /// After half an hour without a request, twelve hours after the login, with another password and after a restart it is over.
    func isOpen(_ users: [SwarmUser], _ process: Int?, at uptime: Int64) -> Bool {
      users[user].version == version && self.process == process && uptime - seenAt < 30 * 60_000
        && uptime - startedAt < 12 * 3_600_000
    }
  }

  /// A page that is open.
  struct Window {
    var session: Session
    var stream: HTTPBodyStream
  }

  let index: Int
  var open: [Window] = []
  /// By name.
  private(set) var cookies: [String: String] = [:]
  var session: Session?
  /// When passwords of it were found to be wrong, in milliseconds of uptime, by the process that found them.
  var wrong: [Int: [Int64]] = [:]

  init(index: Int) { self.index = index }

  /// Each comes from a network of its own.
  var origin: RequestOrigin { RequestOrigin(peer: SocketAddress("192.0.\(2 + index).7", port: 50_000)) }

  func request(_ method: String, _ target: String, form: [(String, String)] = []) -> HTTPRequest {
    let body = form.map { "\($0.0)=\(URLText.encoded($0.1))" }.joined(separator: "&")
    var request = HTTPRequest(method: method, authority: "console", target: target, body: Array(body.utf8))
    if method == "POST" {
      request.fields["Content-Type"] = "application/x-www-form-urlencoded"
      request.fields["Origin"] = "http://console"
    }
    let all = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    if !all.isEmpty { request.fields["Cookie"] = all.joined(separator: "; ") }
    return request
  }

  /// Keeps the cookies of an answer.
  mutating func take(_ response: HTTPResponse) {
    for set in response.fields.values(of: "Set-Cookie") {
      let parts = set.prefix { $0 != ";" }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      cookies[String(parts[0])] = parts[1].isEmpty ? nil : String(parts[1])
    }
  }

  /// The hidden field of the last form of a page.
  /// The values of fields with a name in a page.
  static func values(_ name: String, of response: HTTPResponse) -> [String] {
    String(decoding: response.body, as: UTF8.self).split(separator: "name=\"\(name)\" value=\"").dropFirst()
      .map {
        String($0.prefix { $0 != "\"" })
      }
  }

  static func form(of response: HTTPResponse) -> String? {
    let page = String(decoding: response.body, as: UTF8.self)
    guard let start = page.ranges(of: "name=\"form\" value=\"").last?.upperBound else { return nil }
    return String(page[start...].prefix { $0 != "\"" })
  }
}
