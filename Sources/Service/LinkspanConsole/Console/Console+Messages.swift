internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryServer

/// Notifications and campaigns: what was sent, how far it is, and what can be done about it.
extension Console {
  static func addMessageRoutes(to routes: inout Router<Route>) {
    for kind in [Message.Kind.notification, .campaign] {
      routes.add("GET", "/push/\(kind.rawValue)s/{id}") { console, visit in
        .page(console.message(kind, visit))
      }
    }
    for change in SentMessage.Change.allCases {
      routes.add("POST", "/push/campaigns/{id}/\(change.rawValue)") { console, visit in
        console.change(visit, change)
      }
    }
  }

  /// Where the API has a message.
  private static func target(_ kind: Message.Kind, _ identifier: String) -> String {
    "/v1/\(kind.rawValue)s/\(URLText.encoded(identifier))"
  }

  /// A notification or a campaign with its deliveries.
  private func message(_ kind: Message.Kind, _ visit: Visit) -> Page {
    let identifier = visit.parameters["id"]
    let answer = api("GET", Self.target(kind, identifier), as: visit.actor)
    guard let answer, answer.isGood, let root = answer.body else {
      return Self.failed("Push", .push, answer)
    }
    let message = SentMessage(root)
    let title = "\(kind == .campaign ? "Campaign" : "Notification") \(identifier)"
    let forms = kind == .campaign ? Self.forms(message.changes, identifier, visit) : .none
    return Page(
      title, .push,
      """
      <h1>\(title)</h1><dl><dt>Name</dt><dd>\(message.name ?? "none")</dd><dt>App</dt><dd>\(message.topic)</dd>\
      <dt>Environment</dt><dd>\(message.environment)</dd><dt>Push type</dt><dd>\(message.pushType)</dd>\
      \(facts(of: message, identifier))</dl>\(forms)\(live("\(kind.rawValue)-\(identifier)", messagePart(kind, message, identifier)))\
      \(kind == .campaign ? live("series-\(identifier)", series(of: root)) : .none)\
      \(message.all > Self.liveDeliveries ? lastDeliveries(kind, identifier, "As of loading this page.") : .none)
      """)
  }

  /// Who it is from and for, when it began, and what it says.
  private func facts(of message: SentMessage, _ identifier: String) -> Markup {
    var facts: [(String, Markup)] = []
    if let audience = message.audience {
      facts.append(("Audience", "\(audience)"))
      facts.append(("Devices when it was made", "\(message.devices)"))
    }
    if let time = message.localTime { facts.append(("At their local time", "\(time)")) }
    if let throttle = message.throttle { facts.append(("Pushes a second", "\(throttle)")) }
    for option in message.options { facts.append((option.name, "\(option.text)")) }
    if let time = message.createdAt {
      facts.append((message.isScheduled ? "Made" : "Started", Piece.time(time)))
    }
    if let time = message.nextStart { facts.append(("Starts", Piece.time(time))) }
    if let time = message.finishedAt { facts.append(("Ended", Piece.time(time))) }
    if let number = Int64(identifier), let origin = try? system.registry()?.origin(of: number) {
      facts.append(("Made by", who(origin.author)))
      facts.append(
        ("Payload", origin.payload.map { "<code>\($0)</code>" } ?? "removed with its only recipient"))
    }
    return Markup(facts.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" as Markup })
  }

  private static func forms(_ changes: [SentMessage.Change], _ identifier: String, _ visit: Visit)
    -> Markup
  {
    let forms = changes.map { change -> Markup in
      """
      <form method="post" action="/push/campaigns/\(URLText.encoded(identifier))/\(change.rawValue)">\(visit.formField)\
      <button class="\(change == .cancel ? "danger" : "quiet")">\(change.word) the campaign</button></form>
      """
    }
    return forms.isEmpty ? .none : "<div class=\"row\">\(forms)</div>"
  }

  private func change(_ visit: Visit, _ change: SentMessage.Change) -> Answer {
    let identifier = visit.parameters["id"]
    let answer = api("POST", Self.target(.campaign, identifier) + "/\(change.rawValue)", as: visit.actor)
    guard let answer, answer.isGood else { return .page(Self.failed("Campaign", .push, answer)) }
    system.log("audit: \(visit.actor) campaign.\(change.rawValue) \(identifier)")
    return .redirect("/push/campaigns/\(URLText.encoded(identifier))")
  }

  /// The parts of pages about pushes, by name; empty for what is none.
  func pushPart(_ name: String) -> Markup {
    let parts = name.split(separator: "-", maxSplits: 1).map(String.init)
    switch parts.first {
    case "campaigns": return campaignTable(limit: 20)
    case "newest": return campaignTable(limit: Self.campaignsAtHome)
    case "deliveries": return outcomesOfLastHour()
    case "hour": return lastHourOverTime()
    case let word?:
      guard parts.count == 2, let kind = word == "series" ? .campaign : Message.Kind(rawValue: word),
        let answer = api("GET", Self.target(kind, parts[1]), as: Self.actor), answer.isGood,
        let root = answer.body
      else { return .none }
      return word == "series" ? series(of: root) : messagePart(kind, SentMessage(root), parts[1])
    case nil: return .none
    }
  }

  private static let actor = "console"

  /// The last campaigns.
  func campaignTable(limit: Int) -> Markup {
    guard let answer = api("GET", "/v1/campaigns?limit=\(limit)", as: Self.actor), answer.isGood else {
      return .none
    }
    let list = (answer.body?["campaigns"]?.array ?? []).map(SentMessage.init)
    if list.isEmpty { return "<p>There are no campaigns yet.</p>" }
    let rows = list.map { campaign -> Markup in
      let identifier = campaign.identifier
      let reason = campaign.isPausedForRejections ? ": APNs rejected too much of it" : ""
      return """
        <tr data-key="campaign \(identifier)"><td><a href="/push/campaigns/\(URLText.encoded(identifier))">\(identifier)</a></td>\
        <td>\(campaign.name ?? "")</td><td>\(campaign.state?.rawValue ?? "")\(reason)</td><td>\(Self.bar(campaign))</td></tr>
        """
    }
    return Piece.table(
      "The last campaigns", columns: ["Campaign", "Name", "State", "Progress"], rows: rows)
  }

  private static func bar(_ message: SentMessage) -> Markup {
    let (done, all) = (message.done, message.all)
    let share = all == 0 ? 100 : done * 100 / all
    return """
      <div class="bar" role="progressbar" aria-label="Progress" aria-valuemin="0" aria-valuemax="100" aria-valuenow="\(share)">\
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="\(share)" height="10"/></svg></div>\
      <span class="soft">\(done) of \(all)</span>
      """
  }

  /// Messages of so many deliveries show each of them as it ends. Ours: more of them would be no small update.
  private static let liveDeliveries = 3
  /// The newest campaigns on the home page. Ours.
  static let campaignsAtHome = 5

  private func lastDeliveries(_ kind: Message.Kind, _ identifier: String, _ note: Markup) -> Markup {
    """
    <h2>Deliveries</h2><p class="soft">\(note)</p>\
    \(deliveryTable([(kind.rawValue, identifier), ("limit", "25")], Self.actor))
    """
  }

  private func messagePart(_ kind: Message.Kind, _ message: SentMessage, _ identifier: String) -> Markup {
    let reasons = message.reasons.map { "<li>\($0.name): \($0.count)</li>" as Markup }
    let unmade = message.unmade > 0 ? [("still to come", message.unmade)] : []
    let counts = (unmade + message.deliveries).map { name, count -> Markup in
      "<dt>\(name == "maybe_twice" ? "possibly sent twice" : name)</dt><dd>\(count)</dd>"
    }
    let left = message.secondsLeft(at: system.now()).map { seconds -> Markup in
      "<p>About \(seconds < 120 ? Int(seconds).counted("second") : "\(seconds / 60) minutes") left at the pace of until now.</p>"
    }
    let grown = message.grownTo.map { devices in
      Piece.notice(
        "It was confirmed for \(message.devices.counted("device")), and now \(devices) match. Resume sends it to all of them.",
        "warn")
    }
    let rejected =
      message.isPausedForRejections
      ? Piece.notice(
        "It was paused because APNs rejected too much of it. Look at the reasons, and resume or cancel it.",
        "warn")
      : nil
    let names = message.unread.joined(separator: ", ")
    let unread =
      names.isEmpty
      ? nil
      : Piece.notice(
        "This version does not understand \(names), and pauses it. Resume it with the version that made it.",
        "warn")
    return """
      <section data-key="counts"><p>State: <strong>\(message.state?.rawValue ?? "")</strong></p>\(grown ?? .none)\(rejected ?? .none)\(unread ?? .none)\(Self.bar(message))\(left ?? .none)<dl>\(counts)</dl>
      \(reasons.isEmpty ? .none : "<h2>By reason</h2><ul class=\"plain\">\(reasons)</ul>")</section>
      \(message.all > Self.liveDeliveries ? .none : lastDeliveries(kind, identifier, "Each of them."))
      """
  }
}
