internal import LinkspanCore
internal import LinkspanServer

/// Deliveries: what became of each push, by reason and over time.
extension Console {
  static func addDeliveryRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/deliveries") { console, visit in .page(console.deliveries(visit)) }
  }

  private static let states = ["queued", "held", "sending", "accepted", "rejected", "expired", "cancelled"]
  /// Ours: a screen of them.
  private static let listedLimit = 30

  private func deliveries(_ visit: Visit) -> Page {
    guard system.registry() != nil else { return Self.failed("Deliveries", .deliveries, nil) }
    let names = ["state", "reason", "token", "topic"]
    let fields = names.map { ($0, visit.value($0)) }
    let isFiltered = fields.contains { !$0.1.isEmpty } || !visit.value("after").isEmpty
    let content =
      isFiltered
      ? deliveryTable(
        fields + [("after", visit.value("after")), ("limit", "100")], visit.actor, pages: fields)
      : live("deliveries", outcomesOfLastHour()) + live("hour", lastHourOverTime()) + recentDeliveries()
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

  /// The last of them when the page is loaded: a campaign has thousands a second, which nobody reads.
  private func recentDeliveries() -> Markup {
    guard let answer = api("GET", "/v1/deliveries?limit=\(Self.listedLimit)", as: "console"), answer.isGood
    else {
      return Piece.notice("The registry does not answer now.", "bad")
    }
    let list = answer.body?["deliveries"]?.array ?? []
    if list.isEmpty { return "<p>Nothing was sent yet.</p>" }
    return
      "<h2>The last \(list.count)</h2><p class=\"soft\">As of loading this page.</p>\(Self.table(list))"
  }

  private static func outcome(of delivery: JSONNode) -> String {
    let state = delivery["state"]?.string ?? ""
    return delivery["reason"]?.string.map { "\(state): \($0)" } ?? state
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

  /// What it is a delivery of, as a link.
  private static func message(of delivery: JSONNode) -> Markup {
    for kind in ["campaign", "notification"] {
      guard let identifier = delivery[kind]?.string else { continue }
      return "<a href=\"/push/\(kind)s/\(URLText.encoded(identifier))\">\(kind) \(identifier)</a>"
    }
    return .none
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
        \(String(token.prefix(12)))…</code></a></td><td>\(message(of: delivery))</td><td>\(delivery["topic"]?.string ?? "")</td>\
        <td class="\(kind)">\(outcome(of: delivery))\(twice)</td><td class="count">\(delivery["attempts"]?.int ?? 0)</td></tr>
        """
    }
    return Piece.table(
      "Deliveries, newest first",
      columns: ["When", "Device", "Message", "App", "Outcome", .count("Attempts")],
      rows: rows
    )
  }
}
