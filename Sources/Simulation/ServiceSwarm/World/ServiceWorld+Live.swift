internal import LinkspanConsole
internal import LinkspanCore

/// Pages of the console that are open and are told what is new.
extension ServiceWorld {
  /// Ours: of a browser, as of a person with some windows.
  private static let openLimit = 3

  /// The page stays open, and listens for news of its parts.
  func listen(_ browser: Int, to page: HTTPResponse) {
    let parts = Self.parts(of: String(decoding: page.body, as: UTF8.self))
    guard violation == nil, !parts.isEmpty, let server = running(0), let console = server.console else {
      return
    }
    let query = parts.prefix(4).map { "part=\(URLText.encoded($0))" }.joined(separator: "&")
    let request = browsers[browser].request("GET", "/live?\(query)")
    switch console.reply(to: request, from: browsers[browser].origin) {
    case .stream(let response, let stream):
      record("browser-\(browser + 1)", "listen", [("status", .int(response.status))])
      guard let session = browsers[browser].session else {
        return require(false, .sessionsKept, "browser \(browser + 1) hears news without a session")
      }
      browsers[browser].open.append(.init(session: session, stream: stream))
      if browsers[browser].open.count > Self.openLimit { browsers[browser].open.removeFirst().stream.close() }
    case .now(let response):
      let isOver = response.status == 200 && response.body == Array("event: over\ndata:\n\n".utf8)
      require(isOver || response.status == 503, .sessionsKept, "/live answers \(response.status)")
    default: require(false, .sessionsKept, "/live answers in another way than with news")
    }
  }

  /// `NAME@VERSION` of each part of a page.
  private static func parts(of page: String) -> [String] {
    page.split(separator: "<div data-part=\"").dropFirst().compactMap { text in
      let words = text.split(separator: "\"", maxSplits: 4, omittingEmptySubsequences: false)
      guard words.count > 3, words[1] == " data-version=" else { return nil }
      return "\(words[0].replacing("&amp;", with: "&"))@\(words[2])"
    }
  }

  /// The console tells what is new, and every browser reads it.
  func tick() {
    guard let console = running(0)?.console, browsers.contains(where: { !$0.open.isEmpty }) else { return }
    console.tick()
    hear()
    for browser in browsers.indices {
      browsers[browser].open = browsers[browser].open.filter { isStillOpen($0, browser) }
    }
  }

  private func isStillOpen(_ window: SwarmBrowser.Window, _ browser: Int) -> Bool {
    guard window.session.process == servers[0]?.process else { return false }
    var (text, isOver) = ([UInt8](), false)
    reading: while true {
      switch window.stream.read(limitBytes: 65_536) {
      case .bytes(let bytes): text += bytes
      case .none: break reading
      case .end, .failed:
        isOver = true
        break reading
      }
    }
    checkPage(browser, HTTPResponse(status: 200, body: text))
    checkSecrets(text, "news of the console")
    for event in String(decoding: text, as: UTF8.self).split(separator: "\n\n")
    where event.hasPrefix("event: part") {
      reached.insert("console news")
      require(
        event.utf8.count <= 2_048, .sessionsKept,
        "news of the console have \(event.utf8.count) bytes; 2,048 may be")
    }
    // What a page does keeps its session; it may be another one by now.
    let now = browsers[browser].session.flatMap { $0.startedAt == window.session.startedAt ? $0 : nil }
    if let now {
      let isOpen = now.isOpen(people.users, servers[0]?.process, at: time.uptimeMilliseconds)
      require(
        isOpen != isOver, .sessionsKept,
        isOver
          ? "browser \(browser + 1) hears no more, and its session goes on"
          : "browser \(browser + 1) hears news, and its session is over")
    }
    return !isOver
  }
}
