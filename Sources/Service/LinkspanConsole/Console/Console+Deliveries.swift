internal import LinkspanCore
internal import LinkspanServer

/// Deliveries: what became of each push, by reason and over time.
extension Console {
  static func addDeliveryRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/deliveries") { console, visit in .page(console.deliveries(visit)) }
  }

  private static let states = ["queued", "held", "sending", "accepted", "rejected", "expired", "cancelled"]
  /// How many the counts are made of. Ours.
  private static let countedLimit = 1_000
  /// Columns of the chart. Ours.
  private static let minutes = 60

  private func deliveries(_ visit: Visit) -> Page {
    guard system.registry() != nil else { return Self.failed("Deliveries", .deliveries, nil) }
    let names = ["state", "reason", "token", "topic"]
    let fields = names.map { ($0, visit.value($0)) }
    let isFiltered = fields.contains { !$0.1.isEmpty } || !visit.value("after").isEmpty
    let content =
      isFiltered
      ? deliveryTable(
        fields + [("after", visit.value("after")), ("limit", "100")], visit.actor, pages: fields)
      : live("deliveries", recentDeliveries())
    return Page(
      "Deliveries", .deliveries,
      """
      <h1>Deliveries</h1>
      <form class="fields" method="get" action="/deliveries">
      \(Piece.choice("State", name: "state", [("", "All")] + Self.states.map { ($0, $0) }, chosen: visit.value("state")))
      \(Piece.field("Reason", name: "reason", value: visit.value("reason"), hint: "Such as Unregistered"))
      \(Piece.field("Token", name: "token", value: visit.value("token"), hint: "Or its keyed hash"))
      \(Piece.field("App", name: "topic", value: visit.value("topic")))
      <div><button>Search</button></div></form>\(content)
      """)
  }

  /// The last deliveries with what they came to.
  func recentDeliveries() -> Markup {
    guard let answer = api("GET", "/v1/deliveries?limit=\(Self.countedLimit)", as: "console"), answer.isGood
    else {
      return Piece.notice("The registry does not answer now.", "bad")
    }
    let list = answer.body?["deliveries"]?.array ?? []
    if list.isEmpty { return "<p>Nothing was sent yet.</p>" }
    var counts: [String: Int] = [:]
    for delivery in list { counts[Self.outcome(of: delivery), default: 0] += 1 }
    let rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { name, count -> Markup in
      "<tr data-key=\"\(name)\"><td>\(name)</td><td class=\"count\">\(count)</td></tr>"
    }
    return """
      \(Piece.table("By reason, of the last \(list.count)", columns: ["Outcome", .count("Deliveries")], rows: rows))
      <section data-key="chart">\(chart(list))</section>
      <h2>The last of them</h2>\(Self.table(Array(list.prefix(30))))
      """
  }

  private static func outcome(of delivery: JSONNode) -> String {
    let state = delivery["state"]?.string ?? ""
    return delivery["reason"]?.string.map { "\(state): \($0)" } ?? state
  }

  /// Finished deliveries in each of the last minutes.
  private func chart(_ list: [JSONNode]) -> Markup {
    let now = system.now().milliseconds / 60_000
    var counts = [Int](repeating: 0, count: Self.minutes)
    for delivery in list {
      guard let time = delivery["finished_at"]?.string.flatMap({ WallTime($0) }) else { continue }
      let age = Int(now - time.milliseconds / 60_000)
      if counts.indices.contains(age) { counts[Self.minutes - 1 - age] += 1 }
    }
    let highest = max(1, counts.max() ?? 1)
    let bars = counts.enumerated().map { index, count -> Markup in
      let height = count * 100 / highest
      return "<rect x=\"\(index * 10)\" y=\"\(100 - height)\" width=\"8\" height=\"\(height)\"/>"
    }
    let sum = counts.reduce(0, +)
    // More may have ended in that time than the list holds.
    let what =
      "\(sum) of the last \(list.count) deliveries finished in the last \(Self.minutes) minutes, at most"
      + " \(counts.max() ?? 0) in one"
    let rest: Markup =
      list.count < Self.countedLimit
      ? .none : " Earlier ones are not counted; the metric linkspan_push_deliveries_total counts all."
    return """
      <h2>Over time</h2><svg class="chart" viewBox="0 0 \(Self.minutes * 10) 100" preserveAspectRatio="none" role="img" \
      aria-label="\(what)">\(bars)</svg>
      <p class="axis soft"><span>\(Self.minutes) minutes ago</span><span>the highest bar is \(counts.max() ?? 0) in a minute</span>\
      <span>now</span></p><p class="soft">\(what).\(rest)</p>
      """
  }

  /// The deliveries of a device.
  func deliveryTable(of token: String, _ actor: String) -> Markup {
    deliveryTable([("token", token), ("limit", "20")], actor)
  }

  func deliveryTable(
    _ fields: [(name: String, value: String)], _ actor: String, pages: [(name: String, value: String)]? = nil
  ) -> Markup {
    guard let answer = api("GET", "/v1/deliveries" + Self.query(fields), as: actor) else {
      return "<p>\(Self.noRegistry)</p>"
    }
    guard answer.isGood else { return Piece.notice(answer.problem, "bad") }
    let list = answer.body?["deliveries"]?.array ?? []
    let next: Markup =
      if let pages, let after = answer.body?["next"]?.string {
        "<p><a href=\"/deliveries\(Self.query(pages + [("after", after)]))\">Older deliveries</a></p>"
      } else { .none }
    return (list.isEmpty ? "<p>There are no such deliveries.</p>" : Self.table(list)) + next
  }

  private static func table(_ list: [JSONNode]) -> Markup {
    let rows = list.map { delivery -> Markup in
      let token = delivery["token"]?.string ?? ""
      let state = delivery["state"]?.string ?? ""
      let kind = state == "accepted" ? "good" : ["rejected", "expired"].contains(state) ? "bad" : "soft"
      let time = (delivery["finished_at"]?.string ?? delivery["created_at"]?.string).flatMap { WallTime($0) }
      let twice: Markup =
        delivery["maybe_twice"]?.bool == true ? " <span class=\"warn\">possibly sent twice</span>" : .none
      return """
        <tr data-key="\(delivery["id"]?.string ?? delivery["apns_id"]?.string ?? token)"><td>\(time.map { Piece.time($0) } ?? .none)</td><td><a href="/deliveries?token=\(URLText.encoded(token))"><code>\
        \(String(token.prefix(12)))…</code></a></td><td>\(delivery["topic"]?.string ?? "")</td>\
        <td class="\(kind)">\(outcome(of: delivery))\(twice)</td><td class="count">\(delivery["attempts"]?.int ?? 0)</td></tr>
        """
    }
    return Piece.table(
      "Deliveries, newest first", columns: ["When", "Device", "App", "Outcome", .count("Attempts")],
      rows: rows
    )
  }
}
