internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryRequests
internal import RegistryServer

/// Devices: looked up by token, alias or tag; what became of them; erasing what is stored about a person.
extension Console {
  static func addDeviceRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/devices") { console, visit in .page(console.devices(visit)) }
    routes.add("GET", "/devices/{token}") { console, visit in .page(console.device(visit)) }
    routes.add("GET", "/devices/{token}/delete") { console, visit in .page(console.deletion(visit)) }
    routes.add("POST", "/devices/{token}/delete") { console, visit in console.deleteDevice(visit) }
    routes.add("GET", "/erase") { console, visit in .page(console.erasure(visit)) }
    routes.add("POST", "/erase") { console, visit in console.erase(visit) }
  }

  private func devices(_ visit: Visit) -> Page {
    let token = visit.value("token").filter { !"<> ".contains($0) }
    let form: Markup = """
      <h1>Devices</h1>\(done(visit))
      <form class="fields" method="get" action="/devices">
      \(Piece.field("Token", name: "token", value: visit.value("token"), hint: "Whole, in hexadecimal digits; blanks don't matter"))
      \(Piece.field("Alias", name: "alias", value: visit.value("alias"), hint: "Whole"))
      \(Piece.field("Tag", name: "tag", value: visit.value("tag")))
      \(Piece.choice("State", name: "active", [("", "All"), ("true", "Live"), ("false", "Invalidated")], chosen: visit.value("active")))
      <div><button>Search</button></div></form>
      <p><a href="/erase">Erase a person's data</a></p>
      """
    if !token.isEmpty {
      guard let answer = api("GET", "/v1/devices/\(URLText.encoded(token))", as: visit.actor) else {
        return Self.failed("Devices", .devices, nil)
      }
      guard answer.isGood, let device = answer.body else {
        return Page("Devices", .devices, form + Piece.notice(Self.unfound(answer), "bad"))
      }
      return Page("Devices", .devices, form + Self.table([device] + others(of: device, visit), next: .none))
    }
    let fields = [
      ("alias", visit.value("alias")), ("tag", visit.value("tag")), ("active", visit.value("active")),
    ]
    let query = Self.query(fields + [("limit", "50"), ("after", visit.value("after"))])
    guard let answer = api("GET", "/v1/devices" + query, as: visit.actor) else {
      return Self.failed("Devices", .devices, nil)
    }
    guard answer.isGood else { return Page("Devices", .devices, form + Piece.notice(answer.problem, "bad")) }
    let list = answer.body?["devices"]?.array ?? []
    let next: Markup =
      answer.body?["next"]?.string.map {
        """
        <p><a href="/devices\(Self.query(fields + [("after", $0)]))">\(list.isEmpty ? "Search further" : "More devices")</a></p>
        """
      } ?? .none
    return Page("Devices", .devices, form + Self.table(list, next: next))
  }

  /// The other registrations of a device's token.
  private func others(of device: JSONNode, _ visit: Visit) -> [JSONNode] {
    let token = device["token"]?.string ?? ""
    return (device["other_registrations"]?.array ?? []).compactMap { other in
      let answer = api("GET", "/v1" + Self.path(token, other), as: visit.actor)
      return answer?.isGood == true ? answer?.body : nil
    }
  }

  /// A token is registered for an app in an environment, and once more for another one: each is a device of its own.
  private static func path(_ token: String, _ device: JSONNode?, _ page: String = "") -> String {
    let names = ["topic", "environment"].map { ($0, device?[$0]?.string ?? "") }
    return "/devices/\(URLText.encoded(token))\(page)\(query(names))"
  }

  /// The device that a page is about: the one that its address names, else the last one of the token.
  private func device(of visit: Visit) -> APIAnswer? {
    let names = ["topic", "environment"].map { ($0, visit.value($0)) }
    let path = "/v1/devices/\(URLText.encoded(visit.parameters["token"]))\(Self.query(names))"
    return api("GET", path, as: visit.actor)
  }

  /// Why a token finds nothing, in the form's words.
  private static func unfound(_ answer: APIAnswer) -> String {
    answer.status == 400
      ? "This is not a whole device token: it has an even number of hexadecimal digits, usually 64."
      : answer.problem
  }

  private static func table(_ devices: [JSONNode], next: Markup) -> Markup {
    if devices.isEmpty {
      return next.text.isEmpty
        ? "<p>No such device is registered.</p>"
        : "<p>No such device is among those that were searched, the oldest ones.</p>\(next)"
    }
    let rows = devices.map { device -> Markup in
      let token = device["token"]?.string ?? ""
      return """
        <tr><td><a href="\(path(token, device))"><code>\(token)</code></a></td>\
        <td>\(device["topic"]?.string ?? "")</td><td>\(device["environment"]?.string ?? "")</td>\
        <td>\(device["alias"]?.string ?? "")</td>\
        <td>\((device["tags"]?.array ?? []).compactMap(\.string).joined(separator: ", "))</td>\
        <td>\(state(of: device))</td></tr>
        """
    }
    let count = devices.count.counted("device")
    return Piece.table(
      count, columns: ["Token", "App", "Environment", "Alias", "Tags", "State"], rows: rows)
      + next
  }

  private static func state(of device: JSONNode) -> Markup {
    guard let since = device["unregistered_at"]?.string else { return "<span class=\"good\">live</span>" }
    let reason = device["unregistered_reason"]?.string ?? "no reason known"
    return "<span class=\"bad\">invalidated</span> \(Piece.time(text: since)) (\(reason))"
  }

  // MARK: - One device

  private func device(_ visit: Visit) -> Page {
    let token = visit.parameters["token"]
    guard let answer = device(of: visit) else { return Self.failed("Device", .devices, nil) }
    guard answer.isGood, let device = answer.body else { return Self.unfound(answer) }
    let names = [
      ("topic", "App"), ("environment", "Environment"), ("alias", "Alias"), ("locale", "Locale"),
      ("language", "Language"), ("time_zone", "Time zone"), ("app_version", "App version"),
      ("badge", "Badge"),
      ("push_kind", "Push kind"), ("ip_address", "Address"), ("created_at", "First registered"),
      ("last_seen_at", "Last registered"),
    ]
    let rows = names.compactMap { key, title -> Markup? in
      guard let value = device[key], case let text = value.string ?? value.json.text, text != "null" else {
        return nil
      }
      return "<dt>\(title)</dt><dd>\(key.hasSuffix("_at") ? Piece.time(text: text) : "\(text)")</dd>"
    }
    let others = self.others(of: device, visit).map { other -> Markup in
      "<li><a href=\"\(Self.path(token, other))\">\(Self.place(of: other))</a></li>"
    }
    return Page(
      "Device", .devices,
      """
      <h1>Device</h1><p><code>\(token)</code></p><p>\(Self.state(of: device))</p><dl>\(rows)\
      <dt>Number in the audit log</dt><dd>\(number(of: device))</dd>\
      <dt>Tags</dt><dd>\((device["tags"]?.array ?? []).compactMap(\.string).joined(separator: ", "))</dd></dl>
      \(others.isEmpty ? .none : "<h2>Also registered for</h2><ul class=\"plain\">\(others)</ul>")
      <h2>Deliveries</h2>\(deliveryTable(of: token, visit.actor))
      <div class="row"><a href="/push?token=\(URLText.encoded(token))&amp;topic=\(URLText.encoded(device["topic"]?.string ?? ""))\
      &amp;environment=\(URLText.encoded(device["environment"]?.string ?? ""))">Send a push to it</a>
      <a href="\(Self.path(token, device, "/delete"))">Delete this device</a></div>
      """)
  }

  private static func unfound(_ answer: APIAnswer) -> Page {
    Page(
      "Device", .devices, status: answer.status,
      "<h1>Device</h1>\(Piece.notice(unfound(answer), "bad"))<p><a href=\"/devices\">Look for another</a></p>"
    )
  }

  private static func place(of device: JSONNode) -> String {
    "\(device["topic"]?.string ?? ""), \(device["environment"]?.string ?? "")"
  }

  /// How the audit log names a device; empty where the store does not answer.
  private func number(of device: JSONNode) -> String {
    do {
      return try system.registry()?.deviceNumber(device).map { "\($0)" } ?? ""
    } catch {
      system.log("console: the registry does not say the number of a device: \(error.message)")
      return ""
    }
  }

  /// A page of its own between the link and the deletion.
  private func deletion(_ visit: Visit) -> Page {
    let token = visit.parameters["token"]
    // Whether it is still there is said when it is to be deleted.
    let found = device(of: visit)
    let device = found?.isGood == true ? found?.body : nil
    let place: Markup = device.map { "<p>\(Self.place(of: $0))</p>" } ?? .none
    let names = Self.query(["topic", "environment"].map { ($0, visit.value($0)) })
    let path = "/devices/\(URLText.encoded(token))/delete\(names)"
    return Page(
      "Delete a device", .devices,
      """
      <h1>Delete this device?</h1><p><code>\(token)</code></p>\(place)
      <p>It gets no more pushes until its app registers it again. What was sent to it stays in the list of deliveries.</p>
      <form method="post" action="\(device == nil ? path : Self.path(token, device, "/delete"))">\(visit.formField)
      <div class="row"><button class="danger">Delete the device</button>
      <a href="\(Self.path(token, device))">Cancel</a></div></form>
      """)
  }

  private func deleteDevice(_ visit: Visit) -> Answer {
    guard let found = device(of: visit) else { return .page(Self.failed("Device", .devices, nil)) }
    guard found.isGood, let device = found.body else { return .page(Self.unfound(found)) }
    let number = number(of: device)
    let path = "/v1" + Self.path(visit.parameters["token"], device)
    let answer = api("DELETE", path, as: visit.actor)
    guard let answer, answer.isGood else { return .page(Self.failed("Device", .devices, answer)) }
    system.log("audit: \(visit.actor) device.delete \(number)")
    return .redirect(
      "/devices?done=\(keep("The device is deleted. The audit log names it by its number: \(number)."))")
  }

  // MARK: - A person

  private func erasure(_ visit: Visit, _ problem: String? = nil) -> Page {
    Page(
      "Erase", .devices,
      """
      <h1>Erase a person's data</h1>\(problem.map { Piece.notice($0, "bad") } ?? .none)
      <p>Removes every device with the alias, cancels what was not sent, and removes messages that no one else received. It cannot
      be undone.</p>
      <form class="fields" method="post" action="/erase">\(visit.formField)
      \(Piece.field("Alias", name: "alias", value: visit.value("alias"), attributes: " required"))
      \(Piece.field("The alias again", name: "again", hint: "So that no slip erases another person", attributes: " required"))
      <div><button class="danger">Erase</button></div></form>
      """)
  }

  private func erase(_ visit: Visit) -> Answer {
    let alias = visit.value("alias")
    guard alias == visit.value("again") else { return .page(erasure(visit, "The two aliases differ.")) }
    guard let answer = api("POST", "/v1/erasures", .object([("alias", .string(alias))]), as: visit.actor)
    else {
      return .page(erasure(visit, Self.noRegistry))
    }
    guard answer.isGood else { return .page(erasure(visit, answer.problem)) }
    system.log("audit: \(visit.actor) alias.erase")
    return .redirect("/devices?done=\(keep(Self.receipt(answer.body)))")
  }

  private static func receipt(_ body: JSONNode?) -> String {
    func count(_ name: String, _ one: String, _ many: String) -> String {
      let number = body?[name]?.int ?? 0
      return "\(number) \(number == 1 ? one : many)"
    }
    let remains = (body?["remains"]?.array ?? []).compactMap { $0["where"]?.string }
    return
      "Erased \(count("erased", "device", "devices")), cancelled \(count("cancelled", "delivery", "deliveries")),"
      + " redacted \(count("redacted", "message", "messages"))."
      + (remains.isEmpty ? "" : " Remains in: \(remains.joined(separator: "; ")).")
  }
}
