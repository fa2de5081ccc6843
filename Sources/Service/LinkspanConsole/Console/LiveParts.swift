internal import LinkspanCore
internal import LinkspanServer

/// The pages that are open and want news.
final class LiveParts: Sendable {
  /// Ours: a team has fewer windows open.
  static let limit = 128
  /// Of one person. Ours: so that nobody takes the room of all others.
  static let limitByUser = 16

  struct Listener: Sendable {
    let place: String
    let secret: String
    let user: String
    let stream: HTTPBodyStream
    /// What was sent last.
    var sent: String
  }

  private let listeners = LockedState<[Int: Listener]>([:])
  private let count = LockedState(0)

  /// - Returns: Whether there was room.
  func add(_ listener: Listener) -> Bool {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return listeners.withLock { listeners in
      guard listeners.count < Self.limit,
        listeners.values.count(where: { $0.user == listener.user }) < Self.limitByUser
      else { return false }
      listeners[number] = listener
      return true
    }
  }

  var all: [Int: Listener] { listeners.withLock { $0 } }

  func note(_ number: Int, sent: String) { listeners.withLock { $0[number]?.sent = sent } }

  func remove(_ number: Int) { listeners.withLock { $0[number] = nil } }
}

extension Console {
  /// `GET /live?part=…`: server-sent events, one whenever the part of the page is another one.
  func liveReply(to request: HTTPRequest, _ origin: RequestOrigin) -> HTTPReply {
    guard let query = FormFields(request.query), let place = query.values("part").last,
      request.method == "GET", let (secret, session) = session(of: request, origin, isActive: false)
    else {
      refusals.note(
        .withoutSession, at: system.uptime(),
        "a request without a session was refused (/live from \(Self.address(origin)))")
      return .now(finished(.text(403, "log in first"), origin))
    }
    let stream = HTTPBodyStream(capacityBytes: 1 << 18)
    stream.write(Array(": linkspan\nretry: 3000\n\n".utf8))
    guard
      live.add(
        LiveParts.Listener(place: place, secret: secret, user: session.user, stream: stream, sent: ""))
    else {
      return .now(finished(.text(503, "too many pages are open"), origin))
    }
    let fields: HTTPFields = [
      "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
    ]
    return .stream(HTTPResponse(status: 200, fields: fields), stream)
  }

  /// Sends what is new to the pages that are open; reads the users again.
  package func tick() {
    refusals.report(at: system.uptime())
    var users: [ConsoleUser] = []
    if case .success(let found) = readUsers() { users = found }
    let listeners = live.all
    var parts: [String: String] = [:]
    for (number, listener) in listeners.sorted(by: { $0.key < $1.key }) {
      let session = sessions.session(listener.secret, at: system.uptime(), isActive: false)
      guard let session, session.isOf(users) else {
        listener.stream.write(Array("event: over\ndata:\n\n".utf8))
        listener.stream.finish()
        live.remove(number)
        continue
      }
      let part = parts[listener.place] ?? part(listener.place).text
      parts[listener.place] = part
      // A comment keeps the connection, and shows that the reader has gone.
      let lines = part.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }
        .joined()
      let text = part == listener.sent ? ":\n\n" : "event: part\n\(lines)\n"
      switch listener.stream.write(Array(text.utf8)) {
      case .more: live.note(number, sent: part)
      // A page that takes nothing for so long asks again.
      case .full:
        listener.stream.fail()
        live.remove(number)
      case .closed: live.remove(number)
      }
    }
  }

  /// The part of a page by its name; waits for the registry.
  private func part(_ name: String) -> Markup {
    switch name {
    case "sites": siteList("")
    case "health": healthPart()
    default: pushPart(name)
    }
  }
}
