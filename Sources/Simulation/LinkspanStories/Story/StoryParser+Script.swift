import AppSiteAssociation
import LinkspanCore
import SimulatedDevices

/// The script: one object a step, whose verb says what happens.
extension StoryParser {
  private static let stepExample = "{ install: \"shop\", devices: \"iphone\" }"

  /// The keys that each verb takes besides itself.
  private static let extras: [String: [String]] = [
    "install": ["devices"], "update": ["devices"], "reinstall": ["devices"], "delete": ["devices"],
    "launch": ["devices"],
    "tap": [
      "from", "container", "gesture", "page", "app", "through", "choice", "devices", "expect",
    ], "choose": ["host", "devices"],
  ].merging(pushExtras) { first, _ in first }.merging(continuityExtras) { first, _ in first }
    .merging(clipExtras) { first, _ in first }

  mutating func script(_ node: JSONNode) -> [StoryStep] {
    guard let elements = node.array else {
      context.wrongType(
        node, "script", wanted: "an array of steps", example: "script: [\(Self.stepExample)]")
      return []
    }
    guard elements.count <= context.limits.steps else {
      context.report(
        "too-many", node, "The script has \(elements.count) steps; the limit is \(context.limits.steps).",
        "Split the story into several.")
      return []
    }
    return elements.compactMap { element in
      step(element).map { StoryStep($0, at: .init(context.source, element.range)) }
    }
  }

  private mutating func step(_ node: JSONNode) -> StoryStep.Action? {
    guard let members = node.object else {
      context.wrongType(node, "a step", wanted: "an object", example: Self.stepExample)
      return nil
    }
    context.expects(.keys(StoryStep.verbs, of: "a step"), at: node.range)
    // `expect` is a verb alone and belongs to `tap` beside it.
    let found = members.filter { StoryStep.verbs.contains($0.name) }
    let verbs = found.count > 1 ? found.filter { $0.name != "expect" } : found
    guard let verb = verbs.first, verbs.count == 1 else {
      reportVerbs(node, members, verbs)
      return nil
    }
    let keys = [verb.name] + (Self.extras[verb.name] ?? [])
    guard context.members(node, "the step '\(verb.name)'", keys: keys, example: Self.stepExample) != nil
    else { return nil }
    if let expected = node["expect"], devices.isEmpty, context.findings.isEmpty { reportNothing(expected) }
    return action(verb, node)
  }

  private mutating func reportVerbs(_ node: JSONNode, _ members: [JSONMember], _ verbs: [JSONMember]) {
    if verbs.count > 1 {
      context.report(
        "verb", at: verbs[1].nameRange,
        "the step has \(StoryContext.list(verbs.map(\.name))); a step takes one action.",
        "Split it into \(verbs.count) steps.")
      return
    }
    for member in members {
      if let nearest = Self.synonyms[member.name]
        ?? Spelling.nearest(to: member.name, among: StoryStep.verbs)
      {
        context.report(
          "verb", at: member.nameRange, "'\(member.name)' is not an action.", "Did you mean '\(nearest)'?"
        )
        return
      }
    }
    context.report(
      "verb", node, "The step has no action.",
      "Add one of \(StoryContext.list(StoryStep.verbs)).")
  }

  /// Words whose nearest action by spelling is another one.
  private static let synonyms = ["uninstall": "delete", "remove": "delete"]

  private mutating func action(_ verb: JSONMember, _ node: JSONNode) -> StoryStep.Action? {
    switch verb.name {
    case "install", "update", "reinstall", "delete", "launch":
      let apps = appPlaces(verb.value, verb.name)
      let devices = devicePlaces(node["devices"])
      warnOfReplaced(apps, in: verb)
      switch verb.name {
      case "install": return .install(apps: apps, devices: devices)
      case "update": return .update(apps: apps, devices: devices)
      case "reinstall": return .reinstall(apps: apps, devices: devices)
      case "launch": return .launch(apps: apps, devices: devices)
      default: return .delete(apps: apps, devices: devices)
      }
    case "tap": return tap(verb.value, node)
    case "wait": return wait(verb.value)
    case "deploy": return .deploy(readSites(verb.value, "deploy"))
    case "network": return .network(network(verb.value))
    case "choose": return choose(verb, node)
    case "reboot": return .reboot(devices: devicePlaces(verb.value, verb.name))
    case let name where PushStep.verbs.contains(name): return push(verb, node).map { .push($0) }
    case let name where ContinuityStep.verbs.contains(name):
      return continuity(verb, node).map { .continuity($0) }
    case let name where ClipStep.verbs.contains(name): return clipStep(verb, node).map { .clip($0) }
    default:
      return .expect(
        readExpectations(verb.value, links: tappedLinks.sorted(), devices: tappedDevices.sorted()))
    }
  }

  private enum Choice: String, CaseIterable {
    case browser
    case app
  }

  private mutating func choose(_ verb: JSONMember, _ node: JSONNode) -> StoryStep.Action? {
    let choice = context.word(verb.value, "choose", Choice.allCases)
    guard let hostNode = node["host"] else {
      context.report(
        "missing-key", at: verb.nameRange, "The choice has no 'host'.",
        "Add the host whose links it applies to: host: \"example.com\".")
      return nil
    }
    guard let choice, let text = context.string(hostNode, "host", example: "host: \"example.com\""),
      let host = context.host(text, at: hostNode.range)
    else { return nil }
    namedHosts.append(NamedHost(host: host, key: "choose", range: hostNode.range))
    return .choose(browser: choice == .browser, host: host, devices: devicePlaces(node["devices"]))
  }

  private mutating func wait(_ node: JSONNode) -> StoryStep.Action? {
    let example = "wait: \"3h\""
    context.expects(.form(StoryDuration.form), at: node.range)
    guard let text = context.string(node, "wait", example: example) else { return nil }
    guard let duration = StoryDuration.read(text) else {
      context.report(
        "duration", node, "'\(text)' is not a duration.",
        "Use numbers with s, m, h or d, as in \(example) or \"1d 12h\"; at most 10000 of each unit.")
      return nil
    }
    waited += duration
    if waited > context.limits.wait {
      context.report(
        "too-long", node,
        "the story waits for more than \(context.limits.wait.components.seconds / 86_400) days in total.",
        "Shorten the waits.")
      return nil
    }
    return .wait(duration)
  }

  // MARK: - Taps

  private mutating func tap(_ node: JSONNode, _ step: JSONNode) -> StoryStep.Action? {
    let links = linkPlaces(node, "tap")
    let devices = devicePlaces(step["devices"])
    tapCount += links.count * devices.count
    if tapCount > context.limits.taps {
      context.report(
        "too-many", node, "The story has more than \(context.limits.taps) taps (links × devices).",
        "Tap fewer links, or on fewer devices.")
      return nil
    }
    tappedLinks.formUnion(links)
    tappedDevices.formUnion(devices)
    guard let way = way(step) else { return nil }
    let expectations = step["expect"].map { readExpectations($0, links: links, devices: devices) } ?? []
    return .tap(links: links, way: way, devices: devices, expectations: expectations)
  }

  private mutating func way(_ step: JSONNode) -> WayOfFollowing? {
    if let node = step["container"] { return chain(step, node) }
    let names = WayOfFollowing.names
    var name = "messages"
    if let node = step["from"] {
      guard let text = context.string(node, "from", example: "from: \"messages\"") else { return nil }
      context.expects(.words(names), at: node.range)
      guard names.contains(text) else {
        let advice =
          Spelling.nearest(to: text, among: names).map { "Did you mean '\($0)'?" }
          ?? "Use one of \(StoryContext.list(names))."
        context.report("unknown-word", node, "'\(text)' is not a way to follow a link.", advice)
        return nil
      }
      name = text
    }
    for (key, wanted) in WayDetails.ways where !wanted.contains(name) {
      guard let node = step[key] else { continue }
      let ways = wanted.map { "\"\($0)\"" }.joined(separator: " and ")
      let place = wanted.isEmpty ? "'container'" : "from: \(ways)"
      context.report(
        "contradiction", node, "'\(key)' is only allowed with \(place).", "Remove it, or change 'from'.")
    }
    return way(step) { details throws(WayProblem) in try WayOfFollowing(name: name, details) }
  }

  /// A way by its container, and not by a name.
  private mutating func chain(_ step: JSONNode, _ node: JSONNode) -> WayOfFollowing? {
    if let from = step["from"] {
      context.report(
        "contradiction", from, "'from' names a way, and 'container' describes one.", "Remove one of the two.")
      return nil
    }
    guard let container = context.string(node, "container", example: "container: \"browser\"") else {
      return nil
    }
    return way(step) { details throws(WayProblem) in
      try WayOfFollowing(container: container, details)
    }
  }

  private mutating func way(
    _ step: JSONNode, _ made: (WayDetails) throws(WayProblem) -> WayOfFollowing
  ) -> WayOfFollowing? {
    let count = context.findings.count
    let details = details(step)
    guard context.findings.count == count else { return nil }
    do throws(WayProblem) {
      return try made(details)
    } catch {
      let place = error.isMissing ? step : step[error.key] ?? step
      let isWord = ["choice", "container", "gesture"].contains(error.key)
      context.report(
        error.isMissing ? "missing-key" : isWord ? "unknown-word" : "link", place, error.message, error.help)
      return nil
    }
  }

  /// What goes with `from`.
  private mutating func details(_ step: JSONNode) -> WayDetails {
    var details = WayDetails()
    if let node = step["page"] {
      details.page = context.string(node, "page", example: "page: \"https://example.com/start\"")
    }
    if let node = step["app"] {
      details.app = appPlaces(node, "app").first.map { apps[$0].build.identifier }
    }
    if let node = step["through"] {
      details.through = context.strings(
        node, "through", example: "through: \"https://click.example.com/1\""
      ).map(\.0)
    }
    if let node = step["choice"] {
      details.choice = context.string(node, "choice", example: "choice: \"browser\"")
    }
    if let node = step["gesture"] {
      details.gesture = context.string(node, "gesture", example: "gesture: \"tap\"")
    }
    return details
  }

  private static let expectExample = "expect: [{ opens: \"browser\", devices: \"iphone-9.0\" }]"

  private mutating func readExpectations(
    _ node: JSONNode, links allLinks: [Int], devices allDevices: [Int]
  ) -> [Expectation] {
    if allLinks.isEmpty || allDevices.isEmpty, context.findings.isEmpty { reportNothing(node) }
    return cases(node).compactMap { node -> Expectation? in
      if node.string != nil {
        return outcome(node).map {
          Expectation(
            opens: $0, links: allLinks, devices: allDevices, location: .init(context.source, node.range))
        }
      }
      let keys = ["opens", "links", "devices", "rule", "by", "step"]
      guard context.members(node, "an expectation", keys: keys, example: Self.expectExample) != nil else {
        return nil
      }
      guard let opens = node["opens"] else {
        context.report(
          "missing-key", node, "The expectation has no 'opens'.",
          "Add opens: \"browser\" or the name of an app.")
        return nil
      }
      guard let outcome = outcome(opens) else { return nil }
      let links = node["links"].map { linkPlaces($0, "links") } ?? allLinks
      let devices = node["devices"].map { devicePlaces($0) } ?? allDevices
      for (list, all, key) in [(links, allLinks, "links"), (devices, allDevices, "devices")] {
        guard let place = node[key], !Set(list).isSubset(of: all), key != "links" || areLinksKnown else {
          continue
        }
        context.report(
          "contradiction", place,
          "The expectation names \(key) that were not tapped in this step or an earlier one.",
          "Tap them first, or remove them from the expectation.")
      }
      var expectation = Expectation(
        opens: outcome, links: links, devices: devices, location: .init(context.source, node.range))
      if let rule = node["rule"] { expectation.rule = ruleName(rule) }
      if let by = node["by"] { expectation.by = context.string(by, "by", example: "by: \"*.example.com\"") }
      if let step = node["step"] { expectation.step = context.word(step, "step", LinkVerdict.Step.allCases) }
      return expectation
    }
  }

  /// `entry/rule`, both from 0; `entry/-` for an entry without rules.
  private mutating func ruleName(_ node: JSONNode) -> String? {
    context.expects(.form("^[0-9]+/([0-9]+|-)$"), at: node.range)
    guard let text = context.string(node, "rule", example: "rule: \"0/1\"") else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    func isNumber(_ part: Substring) -> Bool { !part.isEmpty && part.utf8.allSatisfy(ASCII.isDigit) }
    if parts.count == 2, isNumber(parts[0]), parts[1] == "-" || isNumber(parts[1]) { return text }
    context.report(
      "rule", node, "'\(text)' is not a rule.", "Write ENTRY/RULE, both counted from 0, as in \"0/1\".")
    return nil
  }

  private mutating func outcome(_ node: JSONNode) -> Expectation.Outcome? {
    guard let name = context.string(node, "opens", example: "opens: \"browser\"") else { return nil }
    context.expects(.offers(["browser", "unknown"] + apps.map(\.name)), at: node.range)
    if name == "browser" { return .browser }
    guard let app = apps.first(where: { $0.name == name }) else {
      if name == "unknown" { return .unknown }
      reportUnknown("app", name, node, among: ["browser", "unknown"] + apps.map(\.name))
      return nil
    }
    return .app(identifier: app.build.identifier, name: name)
  }

  // MARK: - Names

  /// `"all"`, one URL, or several.
  private mutating func linkPlaces(_ node: JSONNode, _ name: String) -> [Int] {
    if node.string == "all" {
      if listedLinkCount == 0, areLinksKnown {
        context.report(
          "no-links", node, "The story has no 'links'.", "List them under 'links', or name a link here.")
      }
      return Array(0..<listedLinkCount)
    }
    reportEmpty(node, name)
    let places = context.strings(node, name, example: "\(name): \"https://example.com/a\"").compactMap {
      link($0.0, $0.1)
    }
    return places.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Reports a list that names nothing: the step would do nothing, and an expectation would always hold.
  mutating func reportEmpty(_ node: JSONNode, _ name: String) {
    guard node.array?.isEmpty == true else { return }
    context.report(
      "empty-list", node, "'\(name)' is an empty list.", "Name at least one, or remove '\(name)'.")
  }

  /// The expectations under `expect`: one, or several in a list.
  mutating func cases(_ node: JSONNode) -> [JSONNode] {
    reportEmpty(node, "expect")
    return node.array ?? [node]
  }

  mutating func appPlaces(_ node: JSONNode, _ name: String) -> [Int] {
    reportEmpty(node, name)
    return context.strings(node, name, example: "\(name): \"shop\"").compactMap { text, place in
      context.expects(.offers(apps.map(\.name)), at: place.range)
      if let index = apps.firstIndex(where: { $0.name == text }) { return index }
      reportUnknown("app", text, place, among: apps.map(\.name))
      return nil
    }
  }

  /// Devices and groups of them, in the order of the story; every device when nothing is said.
  ///
  /// - Parameter key: What names them.
  mutating func devicePlaces(_ node: JSONNode?, _ key: String = "devices") -> [Int] {
    guard let node, node.string != "all" else { return Array(devices.indices) }
    reportEmpty(node, key)
    var places: Set<Int> = []
    for (text, place) in context.strings(node, key, example: "\(key): \"iphone-17.4\"") {
      context.expects(.offers(deviceGroups.keys.sorted()), at: place.range)
      if let group = deviceGroups[text] {
        places.formUnion(group)
      } else {
        reportUnknown("device", text, place, among: deviceGroups.keys.sorted())
      }
    }
    return places.sorted()
  }

  mutating func reportUnknown(_ kind: String, _ name: String, _ node: JSONNode, among known: [String]) {
    guard !unreadClips.contains(name) else { return }
    let advice =
      Spelling.nearest(to: name, among: known).map { "Did you mean '\($0)'?" }
      ?? (known.isEmpty
        ? "The story has none."
        : "There \(known.count == 1 ? "is" : "are") \(StoryContext.list(Array(known.prefix(12)))).")
    context.report("unknown-\(kind)", node, "the story has no \(kind) '\(name)'.", advice)
  }
}
