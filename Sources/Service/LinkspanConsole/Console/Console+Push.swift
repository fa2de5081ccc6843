internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import PushProvider
internal import RegistryServer

/// Push: a payload with its findings, to one device or to the devices of a query.
extension Console {
  static func addPushRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/push") { console, visit in
      .page(console.compose(visit, PushForm(visit), .none))
    }
    routes.add("POST", "/push") { console, visit in console.push(visit, PushForm(visit)) }
    addMessageRoutes(to: &routes)
    addDeliveryRoutes(to: &routes)
  }

  /// The page Push with what somebody wrote before the session ended, to be sent again.
  func pushFormAgain(_ visit: Visit) -> Page {
    let words =
      "This form is too old, or of another session; nothing was done. Here is what you wrote: look at it, and send it again."
    return compose(visit, PushForm(visit), Piece.notice(words, "bad"), status: 403)
  }

  /// What somebody wrote who is not logged in any more: the page keeps it until there is a session.
  ///
  /// - Returns: nil for another form, for an empty one, and for that of a stranger.
  func formWithoutSession(_ request: HTTPRequest, _ origin: RequestOrigin) -> Page? {
    guard Self.writtenPages.contains(String(request.path)), isKnown(request, origin),
      let form = FormFields(String(decoding: request.body, as: UTF8.self))
    else { return nil }
    // Not the old form's token, nor what its button would do.
    let written = form.list.filter { !["form", "do"].contains($0.name) && !$0.value.isEmpty }
    if written.isEmpty { return nil }
    let words =
      "Your session has ended, and nothing was done. Log in in another window; then this one brings back what you wrote."
    return Page(
      "Log in again", nil, status: 403,
      """
      <h1>Log in again</h1>\(Piece.notice(words, "bad"))
      <p><a href="/login" target="_blank" rel="noopener">Log in</a></p>
      <form method="post" action="\(String(request.path))">\(Self.hidden(written))<button name="do" value="check">Back to the form</button></form>
      """)
  }

  private static func hidden(_ fields: [(name: String, value: String)]) -> Markup {
    Markup(
      fields.map { name, value -> Markup in
        "<input type=\"hidden\" name=\"\(name)\" value=\"\(field: value)\">"
      })
  }

  private static let example = #"{"aps":{"alert":{"title":"Hello","body":"Something is new"}}}"#

  /// - Parameter refusals: What is wrong with single fields.
  private func compose(
    _ visit: Visit, _ form: PushForm, _ answer: Markup, refusals: [PushForm.Field: String] = [:],
    status: Int = 200
  ) -> Page {
    guard system.registry() != nil else { return Self.failed("Push", .push, nil) }
    let types = [("", "As the payload says")] + PushType.allCases.map { ($0.rawValue, $0.rawValue) }
    let priorities = [
      ("", "As the type says"), ("10", "10, at once"), ("5", "5, when it suits"), ("1", "1, saving power"),
    ]
    func field(_ field: PushForm.Field, _ hint: String, _ attributes: Markup = .none) -> Markup {
      Piece.field(
        field.label, name: field.rawValue, value: form[field], hint: hint, attributes: attributes,
        error: refusals[field])
    }
    func choice(_ field: PushForm.Field, _ options: [(String, String)]) -> Markup {
      Piece.choice(field.label, name: field.rawValue, options, chosen: form[field])
    }
    return Page(
      "Push", .push, status: status,
      """
      <h1>Push</h1>\(answer)
      <form method="post" action="/push">\(visit.formField)
      <div class="fields">
      \(field(.topic, "Bundle identifier", " required"))
      \(choice(.environment, [("production", "production"), ("sandbox", "sandbox")]))
      \(choice(.pushType, types))
      \(choice(.priority, priorities))
      \(field(.collapseIdentifier, "Pushes with the same one replace each other"))
      </div>
      <div><label for="f-payload">\(PushForm.Field.payload.label)</label>
      <textarea id="f-payload" name="payload" rows="8" spellcheck="false" required placeholder="\(Self.example)">\(field: form[.payload])</textarea></div>
      <p><button class="quiet" name="do" value="check">Check, and send nothing</button></p>
      \(LockScreen(payload: form[.payload], topic: form[.topic])?.markup ?? .none)
      <h2>To one device</h2><div class="fields">
      \(field(.token, "In hexadecimal digits"))\(field(.alias, "Or every live device of a person"))
      <div><button name="do" value="send">Send to one</button></div>
      <div><button class="quiet" name="do" value="me">Send to me</button>
      <span class="hint">To the live devices with the alias “\(visit.user)”, your name here</span></div></div>
      <h2>Campaign</h2>
      <p class="hint">A payload for each language, variants, templates, an expiration and a paused start are not on this page:
      <code>linkspan push campaign create --help</code>, or <code>POST /v1/campaigns</code>.</p>
      <div class="fields">\(field(.name, ""))</div>
      <h3>To whom</h3><div class="fields">
      \(field(.tag, "Devices that have all of them, between commas; “\u{22}a,b\u{22}” is one"))
      \(field(.anyTags, "Devices that have at least one"))\(field(.withoutTags, "Devices that have none"))
      \(field(.locale, "de means de-AT too; between commas"))\(field(.timeZones, "Such as Europe/Vienna; between commas"))
      \(field(.fromVersion, "Of the app"))\(field(.belowVersion, "Of the app"))
      \(field(.seenWithin, "A day has 86400"))\(field(.notSeenFor, "A day has 86400"))
      \(field(.holdout, "Share of devices that get nothing, such as 0.1"))
      <label class="check"><input type="checkbox" name="everybody" value="yes"> \(PushForm.Field.everybody.label)</label>
      </div><h3>When, and how often</h3><div class="fields">
      \(field(.localTime, "Such as 09:00; empty for now"))
      \(field(.startsAt, "Such as 2026-12-24T08:00:00Z; empty for now"))
      \(field(.repeat, "As RFC 5545 has it, such as FREQ=DAILY;COUNT=7"))
      \(field(.quietFrom, "Such as 22:00, by the clock of each device"))
      \(field(.quietTo, "Such as 08:00"))
      \(field(.capCount, "This app's campaigns together"))
      \(field(.capSeconds, "A day has 86400"))
      \(field(.throttle, "Empty for as many as possible"))
      </div><div class="row"><button class="quiet" name="do" value="estimate">Estimate</button>
      <button name="do" value="start">Start the campaign</button></div></form>
      <h2>Campaigns</h2>\(live("campaigns", campaignTable(limit: 20)))
      """)
  }

  private func push(_ visit: Visit, _ form: PushForm) -> Answer {
    let body: JSON
    do throws(ConsoleFailure) {
      body = try form.body()
    } catch {
      return .page(compose(visit, form, Piece.notice(error.message, "bad")))
    }
    guard let target = form.action.target else {
      return .page(compose(visit, form, Self.findings(of: form)))
    }
    // No campaign starts before a person has seen how many devices it is for.
    if form.action == .start, form.confirmed == nil,
      let answer = api("POST", "/v1/estimates", body, as: visit.actor), answer.isGood
    {
      let (devices, times) = (answer.body?["devices"]?.int ?? 0, answer.timesInDay)
      return .page(Self.question(visit, form, devices * times, times, Self.warnings(in: answer.body)))
    }
    guard let answer = api("POST", target, body, as: visit.actor) else {
      return .page(Self.failed("Push", .push, nil))
    }
    if let count = answer.unconfirmedCount {
      return .page(Self.question(visit, form, count, answer.timesInDay))
    }
    guard answer.isGood, let root = answer.body else {
      return .page(
        compose(
          visit, form, Piece.notice(answer.problem, "bad") + Self.findings(of: form),
          refusals: PushForm.refusals(answer.problems)))
    }
    if form.action == .me, SentMessage(root).all == 0 {
      let words =
        "No live device of this app has the alias “\(visit.user)”, so nothing was sent. Have your device register with your name here as its alias."
      return .page(compose(visit, form, Piece.notice(words, "warn")))
    }
    if form.action == .estimate {
      return .page(
        compose(visit, form, Self.estimate(root) + Self.warnings(in: root) + Self.findings(of: form)))
    }
    if form.action == .send, SentMessage(root).all == 0 {
      return .page(compose(visit, form, Self.warnings(in: root)))
    }
    let identifier = root["id"]?.string ?? ""
    let kind = form.action.kind
    system.log("audit: \(visit.actor) \(kind.rawValue).create \(identifier)")
    return .redirect("/push/\(kind.rawValue)s/\(URLText.encoded(identifier))")
  }

  /// A page of its own between the form and a push to many: it says to how many, and its button sends it. Like every
  /// form of the console it can be sent once.
  ///
  /// - Parameters:
  ///   - count: Devices, or pushes where each device gets several.
  ///   - times: How often each device gets it in the first 24 hours.
  private static func question(
    _ visit: Visit, _ form: PushForm, _ count: Int, _ times: Int, _ warnings: Markup = .none
  ) -> Page {
    let devices = Self.devices(count / max(1, times))
    let often = times > 1 ? ", up to \(times) times to each in the first 24 hours: \(count) pushes" : ""
    let fields = hidden(form.filled + [(PushForm.confirmedName, "\(count)")])
    let conditions = PushForm.conditions.filter { !form[$0].isEmpty }.map { field -> Markup in
      "<dt>\(field.label)</dt><dd>\(form[field])</dd>"
    }
    return Page(
      "Push", .push,
      """
      <h1>Push to \(devices)?</h1>
      \(Piece.notice("The \(form.action.kind.rawValue) would go to \(devices) of \(form[.topic]) (\(form[.environment]))\(often). Nothing was sent yet.", "warn"))
      <dl><dt>Payload</dt><dd><code>\(form[.payload])</code></dd>\(conditions)</dl>
      \(LockScreen(payload: form[.payload], topic: form[.topic])?.markup ?? .none)
      \(warnings)\(findings(of: form))
      <form method="post" action="/push">\(visit.formField)\(fields)
      <div class="row"><button class="danger" name="do" value="\(form.action.rawValue)">Push to \(devices)</button>
      <button class="quiet" name="do" value="check">Back to the form</button></div></form>
      """)
  }

  private static func devices(_ count: Int) -> String { count.counted("device") }

  private static func estimate(_ root: JSONNode) -> Markup {
    let devices = root["devices"]?.int ?? 0
    let seconds = root["seconds"]?.int.map { ", and take about \($0) s" } ?? ""
    let waves = (root["waves"]?.array ?? []).prefix(30).map { wave -> Markup in
      "<li>\(Piece.time(text: wave["due_at"]?.string)): \(Self.devices(wave["devices"]?.int ?? 0))</li>"
    }
    let times = root["times_in_day"]?.int ?? 1
    let often = times > 1 ? ", up to \(times) times in the first 24 hours" : ""
    let rule = root["repeat"]?.string.map { ", repeated by \($0)\(often)" } ?? ""
    return Piece.notice("It would go to \(Self.devices(devices))\(seconds)\(rule).")
      + (waves.isEmpty ? .none : "<ul class=\"plain\">\(waves)</ul>")
  }

  /// What the API warns of; what the payload's rules found has a table of its own.
  private static func warnings(in root: JSONNode?) -> Markup {
    let details = (root?["warnings"]?.array ?? []).compactMap { $0["detail"]?.string }
    return Markup(details.filter { !$0.contains(" [push.") }.map { Piece.notice($0, "warn") })
  }

  private static func findings(of form: PushForm) -> Markup {
    let source = PayloadSource(
      SourceText(name: "payload", form[.payload]), headers: form.headers, isBody: true)
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
}
