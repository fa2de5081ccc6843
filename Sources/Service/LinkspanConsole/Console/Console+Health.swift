internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryServer

/// Health: the numbers that somebody should look at, and who did what.
extension Console {
  static func addHealthRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/health") { console, visit in
      .page(
        Page(
          "Health", .health,
          """
          <h1>Health</h1>\(console.live("health", console.healthPart()))\
          \(console.live("traffic", console.trafficPart()))<h2 id="audit">Audit log</h2>
          \(console.audit(visit))
          """))
    }
  }

  private static let refused = "linkspan_publication_refused"
  /// Values of one row. Ours: an update of the page stays below 2 KB; the page of sites has every host that is refused.
  private static let (shownHosts, shownSamples) = (4, 12)

  /// Families of the page of metrics, and what they are called here.
  private static let shown: [(family: String, title: String)] = [
    ("linkspan_hosts", "Hosts that are served"),
    (refused, "Hosts whose newest files are refused"),
    ("linkspan_sites_unreadable", "Sites that cannot be read"),
    ("linkspan_reloads_total", "Reloads"),
    ("linkspan_certificate_expiry_timestamp_seconds", "Certificates end"),
    ("linkspan_signed_file_expiry_timestamp_seconds", "Signatures end"),
    ("linkspan_access_log_lines_dropped_total", "Lines the access log lost"),
    ("linkspan_registry_devices_total", "Devices registered and removed"),
    ("linkspan_registry_refusals_total", "Requests refused by the registry"),
    ("linkspan_registry_failures_total", "Failures of the registry's store"),
    ("linkspan_registry_waiting", "Changes that wait for the store"),
    ("linkspan_push_attempts_total", "Attempts to push"),
    ("linkspan_push_backlog", "Pushes that wait"),
    ("linkspan_push_outage", "Outages of APNs"),
    ("process_resident_memory_bytes", "Memory"),
    ("process_open_fds", "Open files"),
  ]
  /// Those that change with each request: a part of their own, so that updates stay small.
  private static let traffic: [(family: String, title: String)] = [
    ("linkspan_requests_total", "Requests"),
    ("linkspan_responses_total", "Answers"),
    ("linkspan_connections", "Open connections"),
    ("linkspan_connections_limit", "Most open connections"),
    ("linkspan_connections_refused_total", "Refused connections"),
    ("linkspan_pending_requests", "Requests that wait for their answer"),
  ]

  func healthPart() -> Markup {
    measurements(
      Self.shown, "Since the start; /metrics of the listener for operators has all of it")
  }

  func trafficPart() -> Markup { measurements(Self.traffic, "Traffic since the start") }

  private func measurements(_ families: [(family: String, title: String)], _ caption: String) -> Markup {
    var samples: [String: [(labels: String, value: String)]] = [:]
    for line in String(decoding: system.metrics(), as: UTF8.self).split(separator: "\n")
    where !line.hasPrefix("#") {
      guard let blank = line.lastIndex(of: " ") else { continue }
      let head = line[..<blank]
      let name = String(head.prefix { $0 != "{" })
      let labels = head.dropFirst(name.count).filter { !"{}".contains($0) }
      samples[name, default: []].append((String(labels), String(line[line.index(after: blank)...])))
    }
    let rows = families.compactMap { family, title -> Markup? in
      guard let found = samples[family], !found.isEmpty else { return nil }
      let counted = found.filter { found.count == 1 || $0.value != "0" }
      let limit = family == Self.refused ? Self.shownHosts : Self.shownSamples
      var values = counted.prefix(limit).map { sample -> Markup in
        let value = Self.value(sample.value, family)
        return sample.labels.isEmpty
          ? "<div class=\"number\">\(value)</div>"
          : "<div><span class=\"soft\">\(Self.words(sample.labels))</span> <span class=\"number\">\(value)</span></div>"
      }
      if counted.count > limit {
        values.append("<div class=\"soft\">and \(counted.count - limit) more</div>")
      }
      return
        "<tr data-key=\"\(family)\"><th scope=\"row\">\(title)</th><td>\(values.isEmpty ? ["<div class=\"number\">0</div>"] : values)</td></tr>"
    }
    return Piece.table(
      caption, columns: ["What", "Now"],
      rows: rows)
  }

  private static func value(_ text: String, _ family: String) -> String {
    guard let number = Double(text), number.isFinite, abs(number) < 1e15 else { return text }
    if family.hasSuffix("timestamp_seconds") {
      return String(WallTime(milliseconds: Int64(number) * 1_000).description.prefix(10))
    }
    return family.hasSuffix("_bytes") ? "\(Int64(number) >> 20) MB" : text
  }

  private static func words(_ labels: String) -> String {
    labels.split(separator: ",").map { $0.filter { $0 != "\"" } }.joined(separator: ", ")
  }

  /// Lines of the audit log on a page. Ours.
  private static let auditLines = 50
  private static let rejections = [("", "Without dead tokens"), ("all", "All lines")]

  private func audit(_ visit: Visit) -> Markup {
    """
    <form class="fields" method="get" action="/health">
    \(Piece.field("Who, what or about what", name: "q", value: visit.value("q"), hint: "Such as ada, device.delete or example.com"))
    \(Piece.choice("Lines", name: "rejections", Self.rejections, chosen: visit.value("rejections")))
    <div><button>Search</button></div></form>\(auditTable(visit))
    """
  }

  private func auditTable(_ visit: Visit) -> Markup {
    guard let registry = system.registry() else {
      return "<p>Without --registry, what is done here is in the server's log only.</p>"
    }
    do {
      let search = ASCII.lowercased(visit.value("q"))
      let entries = try registry.auditLog(
        limit: Self.auditLines, search: search.isEmpty ? nil : search,
        hasRejections: visit.value("rejections") == "all" || search == "device.reject")
      if entries.isEmpty { return "<p>There are no such lines.</p>" }
      let rows = entries.map { entry -> Markup in
        """
        <tr><td>\(Piece.time(entry.time))</td><td>\(who(entry.actor))</td><td>\(entry.action)</td><td>\(entry.subject)</td>\
        <td class="count">\(entry.affected)</td></tr>
        """
      }
      return Piece.table(
        entries.count < Self.auditLines
          ? "\(entries.count.counted("change")), newest first" : "The last \(entries.count) changes",
        columns: ["When", "Who", "What", "About", .count("Rows")], rows: rows)
    } catch {
      return Piece.notice("The registry's store does not answer now.", "bad")
    }
  }
}
