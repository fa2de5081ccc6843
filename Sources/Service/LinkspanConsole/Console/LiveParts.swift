internal import LinkspanCore
internal import LinkspanServer
internal import RegistryServer

/// The pages that are open and want news.
final class LiveParts: Sendable {
  /// Ours: a team has fewer windows open.
  static let limit = 128
  /// Of one person. Ours: so that nobody takes the room of all others.
  static let limitByUser = 16
  /// Parts of one page. Ours: the strip and its own.
  static let partLimit = 4
  /// Versions of a part that a page may still show. Ours.
  private static let versionLimit = 4
  /// Of an event, which has as many steps as fit. Ours: what a phone on a bad line has at once.
  static let eventLimitBytes = 2_048
  /// Tells a page that its session has ended.
  static let over = "event: over\ndata:\n\n"
  /// Parts whose versions are kept. Ours.
  private static let keptLimit = 256

  /// A part of a page, and the version that it shows.
  struct Shown: Sendable {
    let name: String
    var version: String
  }

  struct Listener: Sendable {
    let secret: String
    let user: String
    let stream: HTTPBodyStream
    var parts: [Shown]
  }

  private let listeners = LockedState<[Int: Listener]>([:])
  private let count = LockedState(0)
  /// The last versions of each part, the newest last.
  private let versions = LockedState<[String: [(version: String, text: String)]]>([:])

  /// - Returns: Whether there was room.
  func add(_ listener: Listener) -> Bool {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return listeners.withLock { listeners in
      if !Self.hasRoom(listeners, for: listener.user) {
        // Whoever follows links quickly leaves pages behind, which the next tick would notice.
        listeners = listeners.filter { $0.value.stream.write([]) != .closed }
      }
      guard Self.hasRoom(listeners, for: listener.user) else { return false }
      listeners[number] = listener
      return true
    }
  }

  private static func hasRoom(_ listeners: [Int: Listener], for user: String) -> Bool {
    listeners.count < limit && listeners.values.count(where: { $0.user == user }) < limitByUser
  }

  var all: [Int: Listener] { listeners.withLock { $0 } }

  func note(_ number: Int, shown parts: [Shown]) { listeners.withLock { $0[number]?.parts = parts } }

  /// Before its stream is ended: to those that are here more can be written.
  func remove(_ number: Int) { listeners.withLock { $0[number] = nil } }

  /// Remembers what a part is now.
  ///
  /// - Returns: The name of this version.
  func keep(_ name: String, _ text: String) -> String {
    versions.withLock { versions in
      if let known = versions[name]?.last, known.text == text { return known.version }
      let version = String(SHA256.hexDigest(of: Array(text.utf8)).prefix(16))
      if versions.count >= Self.keptLimit, versions[name] == nil { versions = [:] }
      versions[name] = (versions[name] ?? []).suffix(Self.versionLimit - 1) + [(version, text)]
      return version
    }
  }

  /// A version of a part; nil for one that is too old.
  func text(_ name: String, _ version: String) -> String? {
    versions.withLock { $0[name]?.last { $0.version == version }?.text }
  }
}

extension Console {
  /// A part of a page that is kept up to date while the page is open.
  func live(_ name: String, _ content: Markup) -> Markup {
    let version = liveParts.keep(name, content.text)
    return "<div data-part=\"\(name)\" data-version=\"\(version)\">\(content)</div>"
  }

  /// `GET /live?part=NAME@VERSION…`: server-sent events, one whenever a part of the page is another one.
  func liveReply(to request: HTTPRequest, _ origin: RequestOrigin) -> HTTPReply {
    let parts = FormFields(request.query)?.values("part") ?? []
    guard !parts.isEmpty, parts.count <= LiveParts.partLimit, request.method == "GET" else {
      return .now(finished(.text(400, "/live takes GET, and 1 to \(LiveParts.partLimit) parts"), origin))
    }
    let fields: HTTPFields = [
      "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
    ]
    guard let (secret, session) = session(of: request, origin, isActive: false) else {
      refusals.note(
        .withoutSession, at: system.uptime(),
        "a request without a session was refused (/live from \(Self.address(origin)))")
      // A page would ask again for ever after a refusal, of which its script sees no status.
      return .now(
        finished(HTTPResponse(status: 200, fields: fields, body: Array(LiveParts.over.utf8)), origin))
    }
    let stream = HTTPBodyStream(capacityBytes: 1 << 18)
    stream.write(Array(": linkspan\nretry: 3000\n\n".utf8))
    let shown = parts.map { part in
      let at = part.lastIndex(of: "@") ?? part.endIndex
      return LiveParts.Shown(name: String(part[..<at].prefix(512)), version: String(part[at...].dropFirst()))
    }
    let listener = LiveParts.Listener(secret: secret, user: session.user, stream: stream, parts: shown)
    guard liveParts.add(listener) else {
      return .now(finished(.text(503, "too many pages are open"), origin))
    }
    return .stream(HTTPResponse(status: 200, fields: fields), stream)
  }

  /// Sends what is new to the pages that are open; reads the users again.
  package func tick() {
    refusals.report(at: system.uptime())
    var users: [ConsoleUser] = []
    if case .success(let found) = readUsers() { users = found }
    var texts: [String: String] = [:]
    var news: [String: String] = [:]
    for (number, listener) in liveParts.all.sorted(by: { $0.key < $1.key }) {
      let session = sessions.session(listener.secret, at: system.uptime(), isActive: false)
      guard let session, session.isOf(users) else {
        liveParts.remove(number)
        listener.stream.write(Array(LiveParts.over.utf8))
        listener.stream.finish()
        continue
      }
      var parts = listener.parts
      var events = ""
      for index in parts.indices {
        let (name, shown) = (parts[index].name, parts[index].version)
        let text = texts[name] ?? part(name).text
        texts[name] = text
        parts[index].version = liveParts.keep(name, text)
        if parts[index].version == shown { continue }
        let event = news[name + "@" + shown] ?? self.events(name, from: shown, to: parts[index].version, text)
        news[name + "@" + shown] = event
        events += event
      }
      // A comment keeps the connection, and shows that the reader has gone.
      switch listener.stream.write(Array((events.isEmpty ? ":\n\n" : events).utf8)) {
      case .more: liveParts.note(number, shown: parts)
      // A page that takes nothing for so long asks again.
      case .full:
        liveParts.remove(number)
        listener.stream.fail()
      case .closed: liveParts.remove(number)
      }
    }
  }

  /// The events that bring a part from the version that a page shows to this text: one, unless too much has changed for it.
  ///
  /// A page has the version of the last of them. In between it has none, and asks for everything when it has to connect again.
  private func events(_ name: String, from shown: String, to version: String, _ text: String) -> String {
    let steps =
      liveParts.text(name, shown).map { LiveDifference.steps(from: $0, to: text) }
      ?? LiveDifference.whole(text)
    func event(_ version: String, _ steps: ArraySlice<JSON>) -> String {
      let news = JSON.object([
        ("part", .string(name)), ("version", .string(version)), ("steps", .array(Array(steps))),
      ])
      return "event: part\ndata: \(news.text)\n\n"
    }
    let room = LiveParts.eventLimitBytes - event(version, []).utf8.count
    var (events, first, size) = ("", 0, 0)
    for (index, step) in steps.enumerated() {
      let length = step.bytes.count + 1
      if size + length > room, index > first {
        events += event("", steps[first..<index])
        (first, size) = (index, 0)
      }
      size += length
    }
    return events + event(version, steps[first...])
  }

  /// The part of a page by its name; waits for the registry.
  private func part(_ name: String) -> Markup {
    let words = name.split(separator: "?", maxSplits: 1)
    if words.count > 1, let part = HostPart(rawValue: String(words[0])) {
      return hostPart(part, of: String(words[1]))
    }
    switch words.first {
    case "attention": return attention()
    case "home": return homePart()
    case "sites": return siteList(SiteQuery(FormFields(words.count > 1 ? String(words[1]) : "")))
    case "health": return healthPart()
    case "traffic": return trafficPart()
    default: return pushPart(name)
    }
  }
}
