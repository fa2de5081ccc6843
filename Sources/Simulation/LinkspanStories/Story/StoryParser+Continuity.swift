internal import AppLifecycle
import AppSiteAssociation
internal import Handoff
import LinkspanCore
import SimulatedDevices

/// Steps about activities, arrivals and screens.
extension StoryParser {
  /// The keys that each verb takes besides itself.
  static let continuityExtras: [String: [String]] = [
    "handoff": ["from", "to", "app", "start", "trouble", "restores", "updates", "expect"],
    "arrive": ["app", "devices", "start", "link", "expect"], "screen": ["app", "devices", "expect"],
  ]
  private static let handoffExample =
    "handoff: \"https://example.com/recipes/42\", from: \"mac\", to: \"phone\""
  private static let repeatLimit = 100

  mutating func continuity(_ verb: JSONMember, _ step: JSONNode) -> ContinuityStep? {
    switch verb.name {
    case "handoff": return handoff(verb.value, step).map { .handoff($0) }
    case "arrive": return arrival(verb, step).map { .arrive($0) }
    default: return screen(verb, step).map { .screen($0) }
    }
  }

  // MARK: - Handoff

  private mutating func handoff(_ node: JSONNode, _ step: JSONNode) -> HandoffMove? {
    let app = step["app"].flatMap { onlyApp($0) }
    let activity = activity(node, ofApp: step["app"] != nil)
    guard let from = step["from"], let to = step["to"] else {
      context.report(
        "missing-key", step, "The handoff has no '\(step["from"] == nil ? "from" : "to")'.",
        "Name the devices: \(Self.handoffExample).")
      return nil
    }
    let senders = devicePlaces(from, "from")
    let receivers = devicePlaces(to, "to")
    guard let sender = senders.first, senders.count == 1 else {
      if senders.count > 1 {
        context.report(
          "contradiction", from, "'from' names \(senders.count) devices; expected one.", "Name one device.")
      }
      return nil
    }
    guard let activity, step["app"] == nil || app != nil else { return nil }
    var move = HandoffMove(activity, app: app, from: sender, devices: receivers.filter { $0 != sender })
    if move.devices.isEmpty, !receivers.isEmpty {
      context.report(
        "contradiction", to, "'to' names the sending device alone.", "Name another device of the story.")
    }
    move.start = step["start"].flatMap { context.word($0, "start", ContinuityStep.Start.allCases) }
    move.trouble = step["trouble"].flatMap { context.word($0, "trouble", TransferTrouble.allCases) }
    if let node = step["restores"] {
      move.restores = context.int(node, "restores", in: 0...Self.repeatLimit) ?? 0
    }
    if let node = step["updates"] {
      move.updates = context.int(node, "updates", in: 0...Self.repeatLimit) ?? 0
    }
    move.expectations = expectations(
      step, [.opens, .because, .error, .deliveries, .handled, .shows, .problem], move.devices)
    return move
  }

  /// A page in the browser, or an activity of an app.
  private mutating func activity(_ node: JSONNode, ofApp: Bool) -> UserActivity? {
    if let page = node.string {
      let url = LinkURL(written: page)
      guard !ofApp, ["http", "https"].contains(url.scheme), !url.host.isEmpty, url.fault == nil else {
        context.report(
          "link", node,
          ofApp
            ? "An app hands off an activity, not a page."
            : "'\(page.withoutUserInformation)' is not an http or https URL.",
          ofApp
            ? "Write handoff: { type: \"com.example.viewing\" }."
            : "Write the full URL, or an activity with its 'app'.")
        return nil
      }
      return .page(page)
    }
    let keys = ["type", "webpage_url", "user_info", "stream_bytes", "needs_save", "eligible", "expires"]
    let example = "{ type: \"com.example.viewing\" }"
    guard context.members(node, "an activity", keys: keys, example: example) != nil else { return nil }
    guard let type = node["type"].flatMap({ context.string($0, "type", example: example) }) else {
      context.report("missing-key", node, "The activity has no 'type'.", "Write \(example).")
      return nil
    }
    guard ofApp else {
      context.report(
        "missing-key", node, "The activity has no app that makes it.", "Add app: \"…\" to the step.")
      return nil
    }
    var activity = UserActivity(type: type)
    activity.webpageURL = node["webpage_url"].flatMap { context.string($0, "webpage_url", example: example) }
    if let info = node["user_info"],
      context.named(info, "user_info", example: "user_info: { cursor: 120 }") != nil
    {
      activity.userInfo = value(info)
    }
    activity.streamBytes = node["stream_bytes"].flatMap { context.int($0, "stream_bytes", in: 0...1 << 40) }
    activity.needsSave = node["needs_save"].flatMap { context.bool($0, "needs_save") } ?? false
    activity.isEligibleForHandoff = node["eligible"].flatMap { context.bool($0, "eligible") } ?? true
    if let expires = node["expires"] { context.expects(.form(WallTime.form), at: expires.range) }
    if let expires = node["expires"], let text = context.string(expires, "expires", example: example) {
      activity.expires = WallTime(text)
      if activity.expires == nil {
        context.report(
          "time", expires, "'\(text)' is not an RFC 3339 time in UTC.", "Write it as in 2026-09-14T08:00:00Z."
        )
      }
    }
    return activity
  }

  private static let tags = ["$data_bytes", "$date", "$url", "$uuid", "$set", "$class"]

  /// JSON as it is; other classes as an object with one tag: `{ $data_bytes: 4000 }`, `{ $class: "UIImage" }`.
  private mutating func value(_ node: JSONNode) -> ActivityValue {
    switch node.value {
    case .null: return .null
    case .bool(let flag): return .bool(flag)
    case .number(let text): return Int(text).map { .integer($0) } ?? .real(Double(text) ?? 0)
    case .string(let text): return .string(text)
    case .array(let elements): return .array(elements.map { value($0) })
    case .object(let members):
      guard members.count == 1, let tag = members.first, tag.name.hasPrefix("$") else {
        return .dictionary(members.map { .init(key: $0.name, value: value($0.value)) })
      }
      switch tag.name {
      case "$data_bytes": return .data(context.int(tag.value, tag.name, in: 0...1 << 30) ?? 0)
      case "$set": return .set((tag.value.array ?? []).map { value($0) })
      case "$date": return .date(0)
      case "$url": return .url(context.string(tag.value, tag.name, example: "{ $url: \"https://…\" }") ?? "")
      case "$uuid": return .uuid(context.string(tag.value, tag.name, example: "{ $uuid: \"…\" }") ?? "")
      case "$class":
        return .other(
          className: context.string(tag.value, tag.name, example: "{ $class: \"UIImage\" }") ?? "")
      default:
        context.report(
          "unknown-key", at: tag.nameRange, "'\(tag.name)' is not a class of values.",
          "Known: \(StoryContext.list(Self.tags)).")
        return .null
      }
    }
  }

  // MARK: - Arrival and screen

  private mutating func arrival(_ verb: JSONMember, _ step: JSONNode) -> ArrivalMove? {
    let entrance = context.word(verb.value, "arrive", Entrance.allCases)
    guard let app = neededApp(verb, step), let entrance else { return nil }
    var move = ArrivalMove(entrance, app: app, devices: devicePlaces(step["devices"]), start: nil)
    move.start = step["start"].flatMap { context.word($0, "start", ContinuityStep.Start.allCases) }
    if let link = step["link"] {
      move.link = context.string(link, "link", example: "link: \"https://recipes.example/recipes/5\"")
      if apps[app].continuity.routes == nil {
        context.report(
          "contradiction", link, "'\(apps[app].name)' has no 'routes', so nothing reads the link.",
          "Add routes: { recipe: \"/recipes/{id:int}\" } to the app, or remove 'link'.")
      }
    }
    move.expectations = expectations(step, [.deliveries, .handled, .shows, .problem], move.devices)
    return move
  }

  private mutating func screen(_ verb: JSONMember, _ step: JSONNode) -> ScreenMove? {
    let known = ScreenEvent.allCases.map(\.rawValue)
    reportEmpty(verb.value, "screen")
    let events = context.strings(verb.value, "screen", example: "screen: [\"home\", \"switcher\"]").compactMap
    {
      text, place -> ScreenEvent? in
      if let event = ScreenEvent(rawValue: text) { return event }
      context.report(
        "unknown-word", place, "'\(text)' is not an event of the screen.",
        Spelling.nearest(to: text, among: known).map { "Did you mean '\($0)'?" }
          ?? "Known: \(StoryContext.list(known)).")
      return nil
    }
    guard let app = neededApp(verb, step) else { return nil }
    guard events.count <= Self.repeatLimit else {
      context.report(
        "too-many", verb.value, "The step has \(events.count) events; the limit is \(Self.repeatLimit).",
        "Split it into several steps.")
      return nil
    }
    var move = ScreenMove(events, app: app, devices: devicePlaces(step["devices"]))
    move.expectations = expectations(step, [.card, .snapshot, .disturbance, .exposes], move.devices)
    return move
  }

  private mutating func neededApp(_ verb: JSONMember, _ step: JSONNode) -> Int? {
    guard let node = step["app"] else {
      context.report(
        "missing-key", at: verb.nameRange, "The step '\(verb.name)' has no 'app'.", "Add app: \"shop\".")
      return nil
    }
    return onlyApp(node)
  }

  private mutating func onlyApp(_ node: JSONNode) -> Int? {
    let places = appPlaces(node, "app")
    if places.count > 1 {
      context.report(
        "contradiction", node, "'app' names \(places.count) apps; expected one.", "Name one app.")
      return nil
    }
    return places.first
  }

  // MARK: - Expectations

  private mutating func expectations(
    _ step: JSONNode, _ allowed: [ContinuityFact.Name], _ all: [Int]
  ) -> [ContinuityExpectation] {
    guard let node = step["expect"] else { return [] }
    return cases(node).compactMap { node in
      let location = Finding.Location(context.source, node.range)
      if let word = node.string {
        return shorthand(word, node, allowed).map { .init($0, devices: all, location: location) }
      }
      let keys = allowed.map(\.rawValue) + ["devices"]
      guard
        let members = context.members(
          node, "an expectation", keys: keys, example: "expect: { \(allowed[0].rawValue): … }")
      else { return nil }
      var facts: [ContinuityFact] = []
      for member in members {
        guard let name = ContinuityFact.Name(rawValue: member.name), allowed.contains(name) else { continue }
        if let fact = fact(name, member.value) { facts.append(fact) }
      }
      checkCause(facts, node)
      let devices = node["devices"].map { devicePlaces($0) } ?? all
      if let place = node["devices"], !Set(devices).isSubset(of: all) {
        context.report(
          "contradiction", place, "The expectation names devices that take no part in this step.",
          "Remove them from the expectation.")
      }
      return ContinuityExpectation(facts, devices: devices, location: location)
    }
  }

  /// Names of conditions, and those of causes behind one.
  private static let conditions = HandoffObstacle.Condition.allCases.map(\.rawValue) + ["none"]
  private static let causes =
    conditions + LinkVerdict.Step.allCases.map(\.rawValue) + ContinuationGap.allCases.map(\.rawValue)
    + ContinuationFile.Refusal.names

  private mutating func cause(_ node: JSONNode) -> ContinuityFact? {
    context.expects(.offers(Self.causes), at: node.range)
    guard let text = context.string(node, "because", example: "because: \"bluetooth-off\"") else {
      return nil
    }
    if Self.causes.contains(text) || ContinuationGap.isName(text) { return ContinuityFact(.because, text) }
    context.report(
      "unknown-word", node, "'\(text)' is not a value of 'because'.",
      Spelling.nearest(to: text, among: Self.causes).map { "Did you mean '\($0)'?" }
        ?? "Expected \(StoryContext.list(Self.conditions)), or what lies behind 'domain-not-associated', such as 'expired'."
    )
    return nil
  }

  /// Where an app continues the activity nothing was in its way.
  private mutating func checkCause(_ facts: [ContinuityFact], _ node: JSONNode) {
    guard let place = node["because"], facts.contains(where: { $0.name == .because && $0.value != "none" }),
      let opened = facts.first(where: { $0.name == .opens })?.value,
      apps.contains(where: { $0.name == opened })
    else { return }
    context.report(
      "contradiction", place,
      "'because' says why no app continues the activity, and 'opens' names '\(opened)'.",
      "Remove 'because', or expect \"browser\" or \"nothing\".")
  }

  private mutating func shorthand(
    _ word: String, _ node: JSONNode, _ allowed: [ContinuityFact.Name]
  ) -> [ContinuityFact]? {
    if allowed.contains(.opens) { return fact(.opens, node).map { [$0] } }
    let words: [String: [ContinuityFact]] =
      allowed.contains(.handled)
      ? ["once": [ContinuityFact(.handled, "1"), ContinuityFact(.problem, "none")]]
      : ["hidden": [ContinuityFact(.exposes, "false")], "exposed": [ContinuityFact(.exposes, "true")]]
    context.expects(.words(words.keys.sorted()), at: node.range)
    if let facts = words[word] { return facts }
    context.report(
      "unknown-word", node, "'\(word)' is not an outcome.",
      "Expected \(StoryContext.list(words.keys.sorted())), or an object.")
    return nil
  }

  private mutating func fact(_ name: ContinuityFact.Name, _ node: JSONNode) -> ContinuityFact? {
    let known: [String]?
    switch name {
    case .opens: known = ["browser", "nothing"] + apps.map(\.name)
    case .card: known = ScreenOutcome.Card.allCases.map(\.rawValue)
    case .snapshot: known = ScreenStep.Content.allCases.map(\.rawValue) + ["none"]
    case .disturbance: known = ScreenOutcome.Disturbance.allCases.map(\.rawValue)
    case .problem: known = ArrivalProblem.allCases.map(\.rawValue) + ["none"]
    case .exposes: return context.bool(node, "exposes").map { ContinuityFact(.exposes, String($0)) }
    case .deliveries, .handled:
      return context.int(node, name.rawValue, in: 0...Self.repeatLimit).map {
        ContinuityFact(name, String($0))
      }
    case .error:
      if node.string == "none" { return ContinuityFact(.error, "none") }
      return context.int(node, "error", in: 4608...4863).map { ContinuityFact(.error, String($0)) }
    case .because: return cause(node)
    case .shows: known = nil
    }
    if let known { context.expects(name == .opens ? .offers(known) : .words(known), at: node.range) }
    let example = "\(name.rawValue): \"\(known?.first ?? "bluetooth-off")\""
    guard let text = context.string(node, name.rawValue, example: example) else { return nil }
    if let known, !known.contains(text) {
      context.report(
        "unknown-word", node, "'\(text)' is not a value of '\(name.rawValue)'.",
        Spelling.nearest(to: text, among: known).map { "Did you mean '\($0)'?" }
          ?? "Expected \(StoryContext.list(known)).")
      return nil
    }
    return ContinuityFact(name, text)
  }
}
