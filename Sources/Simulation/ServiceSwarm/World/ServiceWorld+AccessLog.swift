internal import AccessLogs
internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer
internal import SimulatedStores

/// The access log: a line for each request that was answered, in each of its forms in turn, read again by another program.
extension ServiceWorld {
  /// What clients write into fields, which no log repeats.
  static let refererSecret = "referer-secret-61c0"

  /// Fields of clients that are none of Apple's.
  func addFields(to request: inout HTTPRequest) {
    var draws = SeededGenerator(seed: time.uptimeMilliseconds < 0 ? 0 : UInt64(time.uptimeMilliseconds)).fork(
      "fields")
    if draws.chance(1, in: 3) {
      request.fields["Referer"] =
        "https://ada:\(Self.refererSecret)@www.example/devices/\(tokens[0])?code=\(Self.refererSecret)"
    }
    if draws.chance(1, in: 4) {
      request.fields["User-Agent"] =
        "a\" \\ 500 1 \"-\" \u{E9} [01/Jan/2001:00:00:00 +0000] \"GET /x HTTP/1.1\""
    }
    if draws.chance(1, in: 3) { request.target += "?code=\(Self.refererSecret)" }
    if draws.chance(1, in: 3) {
      request.fields["X-Forwarded-For"] = nil
      request.fields["Forwarded"] =
        Self.forwarded[Int(draws.draw(0...Int64(Self.forwarded.count - 1)))].field
    }
  }

  /// What proxies say of a client, and which address that is; nil where that is not known.
  private static let forwarded: [(field: String, peer: String?)] = [
    ("for=203.0.113.9;proto=https", "203.0.113.9"), ("For=\"[2001:db8::7]:4711\"", "2001:db8::7"),
    ("for=198.51.100.1, for=\"203.0.113.9:_port\";by=10.0.0.1", "203.0.113.9"), ("for=\"203.0.113.9", nil),
  ]

  /// Has a server count and log what it answered.
  func log(_ request: HTTPRequest, _ response: HTTPResponse, of server: Server) {
    let hash = server.registry.hash
    let line = server.pages.note(request, response, from: Self.proxy, hash, at: time.now)
    logCount += 1
    let format = AccessLogLine.Format.allCases[logCount % AccessLogLine.Format.allCases.count]
    var bytes: [UInt8] = []
    line.write(to: &bytes, format)
    let text = String(decoding: bytes, as: UTF8.self)
    reached.insert("access-log \(format.rawValue)")
    require(
      bytes.last == 0x0A && bytes.count { $0 < 0x20 || $0 == 0x7F } == 1, .accessLogTrue,
      "a request makes more than one line of the access log, or none: \(text)")
    checkReport(text)
    require(
      !bytes.withUnsafeBytes { Array(Self.refererSecret.utf8).isFound(in: $0) }, .secretsHidden,
      "the access log has what a client keeps secret: \(text)")
    check(bytes, request, response, hash)
  }

  /// Another program reads what was answered.
  private func check(
    _ bytes: [UInt8], _ request: HTTPRequest, _ response: HTTPResponse, _ hash: KeyedHash
  ) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let entry = LogEntry(bytes.dropLast()) else {
      return require(false, .accessLogTrue, "a line of the access log cannot be read: \(text)")
    }
    require(
      entry.time == time.now.milliseconds / 1_000 && entry.offset == 0, .accessLogTrue,
      "a line of the access log has another time than \(time.now): \(text)")
    let isJSON = bytes.first == UInt8(ascii: "{")
    var path = String(request.path)
    let requested = Array(request.path.utf8)
    for token in tokens + [ClientMistake.noToken]
    where requested.withUnsafeBytes({ Array(token.utf8).isFound(in: $0) }) {
      path = path.replacing(token, with: hash.token(token))
    }
    if request.target.contains("?") { path += "?..." }
    if isJSON { path = "https://\(request.host)" + path }
    require(
      entry.target == path, .accessLogTrue,
      "a line of the access log is about '\(entry.target)', not '\(path)'")
    let status =
      isJSON
      ? JSONParser.parse(bytes).root?["status"]?.int == response.status
      : text.contains(" HTTP/2\" \(response.status) \(response.body.count) \"")
    if let said = request.fields["Forwarded"],
      let peer = Self.forwarded.first(where: { $0.field == said })?.peer
    {
      require(text.contains(peer), .accessLogTrue, "a line of the access log is not of \(peer): \(text)")
    }
    require(status, .accessLogTrue, "a line of the access log has no status \(response.status): \(text)")
  }
}
