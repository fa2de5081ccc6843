internal import LinkspanCore
internal import LinkspanServer
internal import PushProvider

/// Push: a payload with its findings, to one device or to the devices of a query.
extension Console {
  static func addPushRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/push") { console, visit in .page(console.compose(visit, .none)) }
    routes.add("POST", "/push") { console, visit in console.push(visit) }
    routes.add("GET", "/push/notifications/{id}") { console, visit in
      .page(console.message("notification", visit))
    }
    routes.add("GET", "/push/campaigns/{id}") { console, visit in .page(console.message("campaign", visit)) }
    for action in ["pause", "resume", "cancel"] {
      routes.add("POST", "/push/campaigns/{id}/\(action)") { console, visit in console.change(visit, action) }
    }
    addDeliveryRoutes(to: &routes)
  }

  private static let example = #"{"aps":{"alert":{"title":"Hello","body":"Something is new"}}}"#

  // MARK: - Composing

  private func compose(_ visit: Visit, _ answer: Markup) -> Page {
    guard system.registry() != nil else { return Self.failed("Push", .push, nil) }
    let payload = visit.value("payload")
    let types = [("", "As the payload says")] + PushType.allCases.map { ($0.rawValue, $0.rawValue) }
    let field = { (label: String, name: String, hint: String) in
      Piece.field(label, name: name, value: visit.value(name), hint: hint)
    }
    return Page(
      "Push", .push,
      """
      <h1>Push</h1>\(answer)
      <form method="post" action="/push">\(visit.formField)
      <div class="fields">
      \(Piece.field("App", name: "topic", value: visit.value("topic"), hint: "Bundle identifier", attributes: " required"))
      \(Piece.choice("Environment", name: "environment", [("production", "production"), ("sandbox", "sandbox")], chosen: visit.value("environment")))
      \(Piece.choice("Push type", name: "push_type", types, chosen: visit.value("push_type")))
      \(Piece.choice("Priority", name: "priority", [("", "As the type says"), ("10", "10, at once"), ("5", "5, when it suits"), ("1", "1, saving power")], chosen: visit.value("priority")))
      \(field("Collapse ID", "collapse_id", "Pushes with the same one replace each other"))
      </div>
      <div><label for="f-payload">Payload</label>
      <textarea id="f-payload" name="payload" rows="8" spellcheck="false" required placeholder="\(Self.example)">\(field: payload)</textarea></div>
      <p><button class="quiet" name="do" value="check">Check, and send nothing</button></p>
      \(LockScreen(payload: payload, topic: visit.value("topic"))?.markup ?? .none)
      <h2>To one device</h2><div class="fields">
      \(field("Token", "token", "In hexadecimal digits"))\(field("Or alias", "alias", "Every live device of a person"))
      <div><button name="do" value="send">Send to one</button></div>
      <div><button class="quiet" name="do" value="me">Send to me</button>
      <span class="hint">To the live devices with the alias “\(visit.user)”, your name here</span></div></div>
      <h2>Campaign</h2><div class="fields">
      \(field("Name", "name", ""))\(field("Tag", "tag", "Devices that have it"))
      \(field("Locale", "locale", "de means de-AT too"))\(field("From version", "from_version", "Of the app"))
      \(field("At their local time", "local_time", "Such as 09:00; empty for now"))
      \(field("Pushes a second", "throttle", "Empty for as many as possible"))
      <label class="check"><input type="checkbox" name="everybody" value="yes"> Every device of the app</label>
      </div><div class="row"><button class="quiet" name="do" value="estimate">Estimate</button>
      <button name="do" value="start">Start the campaign</button></div></form>
      <h2>Campaigns</h2>\(live("campaigns", campaignTable(limit: 20)))
      """)
  }

  /// The body of the API's request; the payload is taken as it was written.
  private func body(_ visit: Visit, isCampaign: Bool) -> Result<JSON, ConsoleFailure> {
    let document = JSONParser.parse(Array(visit.value("payload").utf8))
    if let error = document.errors.first {
      return .failure(ConsoleFailure("The payload is not JSON: \(error.message)."))
    }
    guard let payload = document.root else { return .failure(ConsoleFailure("The payload is empty.")) }
    var members: [(String, JSON)] = [("payload", payload.json)]
    for name in ["topic", "environment", "push_type", "collapse_id"] where !visit.value(name).isEmpty {
      members.append((name, .string(visit.value(name))))
    }
    if let priority = Int(visit.value("priority")) { members.append(("priority", .int(priority))) }
    guard isCampaign else {
      if visit.value("do") == "me" {
        return .success(.object(members + [("aliases", .array([.string(visit.user)]))]))
      }
      for (name, key) in [("token", "tokens"), ("alias", "aliases")] where !visit.value(name).isEmpty {
        members.append((key, .array([.string(visit.value(name))])))
      }
      guard members.contains(where: { $0.0 == "tokens" || $0.0 == "aliases" }) else {
        return .failure(ConsoleFailure("Fill in the token of a device, or an alias."))
      }
      return .success(.object(members))
    }
    var query: [(String, JSON)] = []
    if !visit.value("tag").isEmpty { query.append(("tags", .array([.string(visit.value("tag"))]))) }
    if !visit.value("locale").isEmpty { query.append(("locales", .array([.string(visit.value("locale"))]))) }
    if !visit.value("from_version").isEmpty {
      query.append(("from_version", .string(visit.value("from_version"))))
    }
    if !query.isEmpty { members.append(("query", .object(query))) }
    if visit.value("everybody") == "yes" {
      // The API refuses the two together as well, in its own names.
      guard query.isEmpty else {
        return .failure(
          ConsoleFailure(
            "“Every device of the app” and a tag, locale or version exclude each other. Clear one of them."))
      }
      members.append(("audience", .string("all")))
    } else if query.isEmpty {
      return .failure(
        ConsoleFailure("Fill in a tag, a locale or a version, or choose “Every device of the app”."))
    }
    for name in ["name", "local_time"] where !visit.value(name).isEmpty {
      members.append((name, .string(visit.value(name))))
    }
    let throttle = visit.value("throttle")
    if !throttle.isEmpty {
      guard let number = Int(throttle) else {
        return .failure(ConsoleFailure("“Pushes a second” is not a number."))
      }
      members.append(("throttle_per_second", .int(number)))
    }
    return .success(.object(members))
  }

  private func push(_ visit: Visit) -> Answer {
    let action = visit.value("do")
    let isCampaign = action == "estimate" || action == "start"
    var body: JSON
    switch self.body(visit, isCampaign: isCampaign) {
    case .success(let found): body = found
    case .failure(let failure): return .page(compose(visit, Piece.notice(failure.message, "bad")))
    }
    if action == "check" { return .page(compose(visit, findings(of: visit))) }
    // What the page with the question sends, and no other form.
    if let count = Int(visit.form?.values("confirm").last ?? ""), case .object(let members) = body {
      body = .object(members + [("confirm", .int(count))])
    }
    // No campaign starts before a person has seen how many devices it is for.
    if action == "start", (visit.form?.values("confirm").last ?? "").isEmpty,
      let answer = api("POST", "/v1/estimates", body, as: visit.actor), answer.isGood
    {
      return .page(question(visit, action, answer.body?["devices"]?.int ?? 0))
    }
    let target = action == "estimate" ? "/v1/estimates" : isCampaign ? "/v1/campaigns" : "/v1/notifications"
    guard let answer = api("POST", target, body, as: visit.actor) else {
      return .page(Self.failed("Push", .push, nil))
    }
    if let count = answer.unconfirmedCount { return .page(question(visit, action, count)) }
    guard answer.isGood, let root = answer.body else {
      return .page(compose(visit, Piece.notice(answer.problem, "bad") + findings(of: visit)))
    }
    if action == "me", Self.counts(root).all == 0 {
      let words =
        "No live device of this app has the alias “\(visit.user)”, so nothing was sent. Have your device register with your name here as its alias."
      return .page(compose(visit, Piece.notice(words, "warn")))
    }
    if action == "estimate" { return .page(compose(visit, Self.estimate(root) + findings(of: visit))) }
    let identifier = root["id"]?.string ?? ""
    system.log("audit: \(visit.actor) \(isCampaign ? "campaign" : "notification").create \(identifier)")
    return .redirect("/push/\(isCampaign ? "campaigns" : "notifications")/\(URLText.encoded(identifier))")
  }

  /// What the person filled in, for a form that sends it again.
  private static let fieldNames = [
    "topic", "environment", "push_type", "priority", "collapse_id", "payload", "token", "alias", "name",
    "tag",
    "locale", "from_version", "local_time", "throttle", "everybody",
  ]

  /// A page of its own between the form and a push to many: it says to how many, and its button sends it. Like every
  /// form of the console it can be sent once.
  private func question(_ visit: Visit, _ action: String, _ count: Int) -> Page {
    let fields = (Self.fieldNames.map { ($0, visit.value($0)) } + [("confirm", "\(count)")]).filter {
      !$0.1.isEmpty
    }
    .map { name, value -> Markup in "<input type=\"hidden\" name=\"\(name)\" value=\"\(field: value)\">" }
    let what = action == "start" ? "campaign" : "notification"
    return Page(
      "Push", .push,
      """
      <h1>Push to \(count == 1 ? "1 device" : "\(count) devices")?</h1>
      \(Piece.notice("The \(what) would go to \(count) devices of \(visit.value("topic")) (\(visit.value("environment"))). Nothing was sent yet.", "warn"))
      <dl><dt>Payload</dt><dd><code>\(visit.value("payload"))</code></dd></dl>
      \(LockScreen(payload: visit.value("payload"), topic: visit.value("topic"))?.markup ?? .none)
      \(findings(of: visit))
      <form method="post" action="/push">\(visit.formField)\(fields)
      <div class="row"><button class="danger" name="do" value="\(action)">Push to \(count) devices</button>
      <a href="/push">Cancel</a></div></form>
      """)
  }

  private static func estimate(_ root: JSONNode) -> Markup {
    let devices = root["devices"]?.int ?? 0
    let seconds = root["seconds"]?.int.map { ", and take about \($0) s" } ?? ""
    let waves = (root["waves"]?.array ?? []).prefix(30).map { wave -> Markup in
      "<li>\(Piece.time(text: wave["due_at"]?.string)): \(wave["devices"]?.int ?? 0) devices</li>"
    }
    return Piece.notice("It would go to \(devices) \(devices == 1 ? "device" : "devices")\(seconds).")
      + (waves.isEmpty ? .none : "<ul class=\"plain\">\(waves)</ul>")
  }

  private func findings(of visit: Visit) -> Markup {
    var headers = PushHeaders()
    if !visit.value("push_type").isEmpty { headers.type = .init(visit.value("push_type")) }
    if !visit.value("priority").isEmpty { headers.priority = .init(visit.value("priority")) }
    if !visit.value("collapse_id").isEmpty { headers.collapseIdentifier = .init(visit.value("collapse_id")) }
    let source = PayloadSource(
      SourceText(name: "payload", visit.value("payload")), headers: headers, isBody: true)
    let findings = PushDecision(source).findings
    if findings.isEmpty { return Piece.notice("No problems found in the payload.", "good") }
    let rows = findings.prefix(50).map { finding -> Markup in
      let kind = finding.severity == .error ? "bad" : finding.severity == .warning ? "warn" : "soft"
      return """
        <tr><td class="\(kind)">\(finding.severity.rawValue)</td><td><code>\(finding.rule)</code></td>\
        <td>\(finding.message)\(finding.help.map { "<br><span class=\"soft\">\($0)</span>" } ?? .none)</td></tr>
        """
    }
    return Piece.table(
      "What the payload's rules found", columns: ["Severity", "Rule", "What and why"], rows: rows)
  }

  // MARK: - What was sent

  /// A notification or a campaign with its deliveries.
  private func message(_ kind: String, _ visit: Visit) -> Page {
    let identifier = visit.parameters["id"]
    let answer = api("GET", "/v1/\(kind)s/\(URLText.encoded(identifier))", as: visit.actor)
    guard let answer, answer.isGood, let root = answer.body else {
      return Self.failed("Push", .push, answer)
    }
    let title = "\(kind == "campaign" ? "Campaign" : "Notification") \(identifier)"
    let forms = kind == "campaign" ? campaignForms(root, identifier, visit) : .none
    return Page(
      title, .push,
      """
      <h1>\(title)</h1><dl><dt>Name</dt><dd>\(root["name"]?.string ?? "none")</dd><dt>App</dt><dd>\(root["topic"]?.string ?? "")</dd>\
      <dt>Environment</dt><dd>\(root["environment"]?.string ?? "")</dd><dt>Push type</dt><dd>\(root["push_type"]?.string ?? "")</dd>\
      \(facts(of: root, identifier))</dl>\(forms)\(live("\(kind)-\(identifier)", messagePart(kind, identifier)))
      """)
  }

  /// Who it is from and for, when it began, and what it says.
  private func facts(of root: JSONNode, _ identifier: String) -> Markup {
    var facts: [(String, Markup)] = []
    if let query = root["query"] {
      facts.append(("Audience", "<code>\(query.json.text)</code>"))
      facts.append(("Devices when it was made", "\(root["devices"]?.int ?? 0)"))
    }
    for (key, title) in [("local_time", "At their local time"), ("throttle_per_second", "Pushes a second")] {
      guard let value = root[key], value.json.text != "null" else { continue }
      facts.append((title, "\(value.string ?? value.json.text)"))
    }
    for (key, title) in [("created_at", "Started"), ("finished_at", "Ended")] {
      guard let time = root[key]?.string.flatMap({ WallTime($0) }) else { continue }
      facts.append((title, Piece.time(time)))
    }
    if let number = Int64(identifier), let origin = try? system.registry()?.origin(of: number) {
      facts.append(("Made by", "\(origin.author)"))
      facts.append(
        ("Payload", origin.payload.map { "<code>\($0)</code>" } ?? "removed with its only recipient"))
    }
    return Markup(facts.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" as Markup })
  }

  /// How long it will take still, at the pace of until now; nothing where that says nothing.
  private func timeLeft(_ message: JSONNode) -> Markup {
    let (done, all) = Self.counts(message)
    guard message["state"]?.string == "running", done > 0, done < all,
      let began = message["created_at"]?.string.flatMap({ WallTime($0) })
    else { return .none }
    let passed = max(1, (system.now().milliseconds - began.milliseconds) / 1_000)
    let seconds = passed * Int64(all - done) / Int64(done)
    let words = seconds < 120 ? "\(seconds) seconds" : "\(seconds / 60) minutes"
    return "<p>About \(words) left at the pace of until now.</p>"
  }

  private func campaignForms(_ root: JSONNode, _ identifier: String, _ visit: Visit) -> Markup {
    let state = root["state"]?.string ?? ""
    let actions =
      state == "running" ? ["pause", "cancel"] : state == "paused" ? ["resume", "cancel"] : [String]()
    let forms = actions.map { action -> Markup in
      """
      <form method="post" action="/push/campaigns/\(URLText.encoded(identifier))/\(action)">\(visit.formField)\
      <button class="\(action == "cancel" ? "danger" : "quiet")">\(action.prefix(1).uppercased() + action.dropFirst()) the campaign</button></form>
      """
    }
    return forms.isEmpty ? .none : "<div class=\"row\">\(forms)</div>"
  }

  private func change(_ visit: Visit, _ action: String) -> Answer {
    let identifier = URLText.encoded(visit.parameters["id"])
    let answer = api("POST", "/v1/campaigns/\(identifier)/\(action)", as: visit.actor)
    guard let answer, answer.isGood else { return .page(Self.failed("Campaign", .push, answer)) }
    system.log("audit: \(visit.actor) campaign.\(action) \(visit.parameters["id"])")
    return .redirect("/push/campaigns/\(identifier)")
  }

  /// The parts of pages about pushes, by name; empty for what is none.
  func pushPart(_ name: String) -> Markup {
    let parts = name.split(separator: "-", maxSplits: 1).map(String.init)
    switch parts.first {
    case "campaigns": return campaignTable(limit: 20)
    case "deliveries": return recentDeliveries()
    case "notification" where parts.count == 2, "campaign" where parts.count == 2:
      return messagePart(parts[0], parts[1])
    default: return .none
    }
  }

  private static let actor = "console"

  /// The last campaigns.
  func campaignTable(limit: Int) -> Markup {
    guard let answer = api("GET", "/v1/campaigns?limit=\(limit)", as: Self.actor), answer.isGood else {
      return .none
    }
    let list = answer.body?["campaigns"]?.array ?? []
    if list.isEmpty { return "<p>There are no campaigns yet.</p>" }
    let rows = list.map { campaign -> Markup in
      let identifier = campaign["id"]?.string ?? ""
      return """
        <tr data-key="campaign \(identifier)"><td><a href="/push/campaigns/\(URLText.encoded(identifier))">\(identifier)</a></td>\
        <td>\(campaign["name"]?.string ?? "")</td><td>\(campaign["state"]?.string ?? "")</td><td>\(Self.bar(campaign))</td></tr>
        """
    }
    return Piece.table(
      "The last campaigns", columns: ["Campaign", "Name", "State", "Progress"], rows: rows)
  }

  private static func counts(_ message: JSONNode) -> (done: Int, all: Int) {
    let names = ["accepted", "rejected", "expired", "cancelled"]
    let done = names.reduce(0) { $0 + (message["deliveries"]?[$1]?.int ?? 0) }
    let open = message["deliveries"]?["open"]?.int ?? 0
    return (done, max(done + open, message["devices"]?.int ?? 0))
  }

  private static func bar(_ message: JSONNode) -> Markup {
    let (done, all) = counts(message)
    let share = all == 0 ? 100 : done * 100 / all
    return """
      <div class="bar" role="progressbar" aria-label="Progress" aria-valuemin="0" aria-valuemax="100" aria-valuenow="\(share)">\
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="\(share)" height="10"/></svg></div>\
      <span class="soft">\(done) of \(all)</span>
      """
  }

  private func messagePart(_ kind: String, _ identifier: String) -> Markup {
    guard let answer = api("GET", "/v1/\(kind)s/\(URLText.encoded(identifier))", as: Self.actor),
      answer.isGood,
      let root = answer.body
    else { return .none }
    let reasons = (root["reasons"]?.object ?? []).map {
      "<li>\($0.name): \($0.value.int ?? 0)</li>" as Markup
    }
    let counts = (root["deliveries"]?.object ?? []).map { count -> Markup in
      let name = count.name == "maybe_twice" ? "possibly sent twice" : count.name
      return "<dt>\(name)</dt><dd>\(count.value.int ?? 0)</dd>"
    }
    return """
      <section data-key="counts"><p>State: <strong>\(root["state"]?.string ?? "")</strong></p>\(Self.bar(root))\(timeLeft(root))<dl>\(counts)</dl>
      \(reasons.isEmpty ? .none : "<h2>By reason</h2><ul class=\"plain\">\(reasons)</ul>")</section>
      \(kind == "campaign" ? series(of: root) : .none)<h2>Deliveries</h2>\(deliveryTable([(kind, identifier), ("limit", "25")], Self.actor))
      """
  }
}
