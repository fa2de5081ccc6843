internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer
internal import SimulatedStores

/// Devices and CDNs that ask for a host's file, and monitors that read the pages for operators.
extension ServiceWorld {
  static let proxies = [AddressBlock("10.0.0.0/8")].compactMap { $0 }

  /// The origin of a request that a proxy hands on.
  static let proxy = RequestOrigin(peer: SocketAddress("10.0.0.1", port: 40_000))

  /// Has the first server answer as it publishes.
  func show(_ outcomes: [PublicationOutcome]) {
    guard !tree.isDead, let server = servers[0], let publication = server.publication else { return }
    server.pages.tell(publication, outcomes)
  }

  // MARK: - Files

  private static let agents = [
    "AASA-Bot/1.0.0", "swcd (unknown version) CFNetwork/1568.100.1 Darwin/24.0.0", "Mozilla/5.0",
    "curl/8.5.0",
  ]

  /// Somebody asks for a host's file; if it was asked for before, whether it is another one now.
  func fetch(_ host: Int) {
    guard let server = running(0), violation == nil else { return }
    let name = Self.name(ofHost: host)
    let method = chance.chance(1, in: 4) ? "HEAD" : "GET"
    var request = HTTPRequest(
      method: method, authority: name, target: "/.well-known/apple-app-site-association")
    request.fields["User-Agent"] = Self.agents[Int(chance.draw(0...Int64(Self.agents.count - 1)))]
    request.fields["X-Forwarded-For"] = "203.0.113.\(host + 1)"
    addFields(to: &request)
    let known = chance.chance(1, in: 2) ? sites.hosts[host].tag : nil
    if let known { request.fields["If-None-Match"] = known.text }
    let response = server.pages.response(to: request, from: Self.proxy)
    log(request, response, of: server)
    record("device", "fetch", [("host", .int(host)), ("status", .int(response.status))])
    reached.insert("fetch \(response.status)")
    check(response, of: host, method, known?.version)
  }

  private func check(_ response: HTTPResponse, of host: Int, _ method: String, _ known: Int?) {
    let name = Self.name(ofHost: host)
    let live = story.sharesSites ? [servedShared(host, 0)] : sites.hosts[host].live
    switch response.status {
    case 200 where method == "HEAD":
      // What is served is one of those that may be live.
      let lengths = (servers[0]?.publication?.served ?? []).filter { $0.host == name }
        .map { "\($0.associationFile?.count ?? 0)" }
      require(
        response.body.isEmpty && lengths.contains(response.fields["Content-Length"] ?? ""),
        .oneLivePublication, "\(name) answers HEAD with a body, or with the length of a file that is not live"
      )
    case 200:
      let version = Self.version(response.body, of: host)
      require(
        version != nil && live.contains(version), .oneLivePublication,
        "\(name) answers with \(version.map { "version \($0)" } ?? "other bytes"), which is not live")
      if let version, let text = response.fields["ETag"] {
        sites.hosts[host].tag = .init(text: text, version: version)
      }
    case 304:
      require(
        live.contains(known), .oneLivePublication,
        "\(name) says that version \(known ?? -1) is still its file, and it is not live")
    case 404:
      require(live.contains(nil), .oneLivePublication, "\(name) has a live file, and answers 404")
    case 503: break
    default: require(false, .oneLivePublication, "the file of \(name) is answered with \(response.status)")
    }
  }

  // MARK: - Pages for operators

  private static let targets = [
    "/healthz", "/readyz", "/readyz?part=files", "/readyz?part=registry", "/readyz?part=push",
  ]

  /// A monitor asks how a server is, and reads its numbers.
  func scrape() {
    guard let index = anyServer(), let server = running(index) else { return }
    for target in Self.targets {
      let response = server.pages.operatorResponse(to: HTTPRequest(authority: "operator", target: target))
      require(
        [200, 404, 503].contains(response.status), .metricsTrue, "\(target) answers \(response.status)")
    }
    let response = server.pages.operatorResponse(to: HTTPRequest(authority: "operator", target: "/metrics"))
    record("monitor", "scrape", [("server", .string(party(index))), ("status", .int(response.status))])
    checkReport(String(decoding: response.body, as: UTF8.self))
    check(response.body, of: server, index)
  }

  /// Each series stands there once, and counters of a process only grow.
  private func check(_ page: [UInt8], of server: Server, _ index: Int) {
    var (kinds, seen) = ([Substring: Substring](), Set<Substring>())
    let text = String(decoding: page, as: UTF8.self)
    var before = model.counted[server.process] ?? [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("# TYPE"), words.count == 4 { kinds[words[2]] = words[3] }
      guard !line.hasPrefix("#"), let end = line.lastIndex(of: " ") else { continue }
      let series = line[..<end]
      require(seen.insert(series).inserted, .metricsTrue, "the page of metrics has \(series) twice")
      guard let value = Double(line[line.index(after: end)...]) else {
        require(false, .metricsTrue, "\(series) has no number in the page of metrics")
        continue
      }
      guard kinds[series.prefix { $0 != "{" }] == "counter" else { continue }
      require(
        value >= before[String(series)] ?? 0, .metricsTrue,
        "the counter \(series) has gone from \(before[String(series)] ?? 0) to \(value)")
      before[String(series)] = value
    }
    model.counted[server.process] = before
    guard index == 0, let publication = server.publication, !tree.isDead else { return }
    require(
      seen.contains("linkspan_hosts") && text.contains("\nlinkspan_hosts \(publication.served.count)\n"),
      .metricsTrue, "'linkspan_hosts' is not \(publication.served.count), the number of hosts that are served"
    )
  }
}
