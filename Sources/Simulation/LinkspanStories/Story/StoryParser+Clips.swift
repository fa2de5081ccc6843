import AppClips
import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import SimulatedDevices

/// App Clips: who they are, and the steps about them.
extension StoryParser {
  /// The keys that each verb takes besides itself.
  static let clipExtras: [String: [String]] = [
    "invoke": ["url", "from", "start", "devices", "expect"], "save": ["by", "in", "devices"],
    "read": ["by", "in", "devices", "expect"], "remove_clip": ["devices"],
  ]

  private static let clipExample =
    "clips: { order: { app: \"shop\", experiences: \"experiences.json5\" } }"
  private static let invokeExample = "{ invoke: \"order\", url: \"https://example.com/shop\", from: \"qr\" }"
  private static let dataExample =
    "{ save: \"basket\", by: \"order\", in: \"group.com.example.shop\" }"

  // MARK: - Clips

  mutating func readClips(_ node: JSONNode) {
    for member in context.named(node, "clips", example: Self.clipExample) ?? [] {
      context.checkName(member, reserved: ["all", "browser", "nothing"])
      if apps.contains(where: { $0.name == member.name }) {
        context.report(
          "repeated-name", at: member.nameRange, "'\(member.name)' is the name of an app.",
          "Give the clip a name of its own.")
      }
      if let clip = clip(member) { clips.append(clip) } else { unreadClips.insert(member.name) }
    }
    if clips.count > context.limits.apps {
      context.report(
        "too-many", node, "There are \(clips.count) clips; the limit is \(context.limits.apps).",
        "Split the story into several.")
    }
  }

  private mutating func clip(_ member: JSONMember) -> Story.Clip? {
    let node = member.value
    let keys = [
      "app", "identifier", "domains", "groups", "entitlements", "experiences", "routes", "code",
    ]
    guard context.members(node, "a clip", keys: keys, example: Self.clipExample) != nil else { return nil }
    guard let appNode = node["app"], let app = appPlaces(appNode, "app").first else {
      if node["app"] == nil {
        context.report(
          "missing-key", at: member.nameRange, "The clip '\(member.name)' has no 'app'.",
          "Name its app: \(Self.clipExample).")
      }
      return nil
    }
    var claims: StoryReader.Claims?
    if let file = node["entitlements"] {
      guard let read = clipClaims(file, of: node) else { return nil }
      claims = read
    }
    guard let (experiences, document) = experiences(node, member) else { return nil }
    guard let identifier = clipIdentifier(node, member, app, claims, experiences) else { return nil }
    return Story.Clip(
      name: member.name, app: app, identifier: identifier,
      domains: (claims?.domains ?? [])
        + (node["domains"].map {
          context.strings($0, "domains", example: "domains: [\"appclips:example.com\"]").map(\.0)
        } ?? []),
      groups: groups(node, claims), experiences: experiences, experienceDocument: document,
      continuity: clipContinuity(node, of: apps[app]))
  }

  /// A clip is built from its app's code unless it has routes or code of its own; schemes and activity types it has none.
  private mutating func clipContinuity(_ node: JSONNode, of app: Story.App) -> AppContinuity {
    let own = appContinuity(node)
    var continuity = AppContinuity()
    continuity.routes = own.routes ?? app.continuity.routes
    continuity.routes?.schemes = []
    if node["code"] != nil {
      (continuity.shape, continuity.code) = (own.shape, own.code)
    } else if continuity.routes != nil {
      (continuity.shape, continuity.code) = (app.continuity.shape, app.continuity.code)
    }
    return continuity
  }

  /// App Groups, as the story and the files say.
  mutating func groups(_ node: JSONNode, _ claims: StoryReader.Claims?) -> [String] {
    (claims?.groups ?? [])
      + (node["groups"].map {
        context.strings($0, "groups", example: "groups: \"group.com.example.shop\"").map(\.0)
      } ?? [])
  }

  /// Of a bundle with a clip the clip's; else the file's own. Of several clips, which no app may have (AC2), the story says
  /// which is meant.
  private mutating func clipClaims(_ file: JSONNode, of node: JSONNode) -> StoryReader.Claims? {
    let none = StatedIdentity(prefix: nil, bundleIdentifier: nil)
    guard let claims = claims(file, example: "entitlements: \"Shop.ipa\"", none) else { return nil }
    guard claims.clips.count > 1 else { return claims.clips.first ?? claims }
    let names = claims.clips.map { $0.identifier.complete?.description ?? $0.identifier.bundle ?? "?" }
    if let wanted = node["identifier"]?.string, let index = names.firstIndex(of: wanted) {
      return claims.clips[index]
    }
    context.report(
      "contradiction", file,
      "'entitlements' names an app with \(names.count) clips: \(names.joined(separator: ", ")).",
      "Write which one is meant, as identifier: \"\(names[0])\".")
    return nil
  }

  private mutating func clipIdentifier(
    _ node: JSONNode, _ member: JSONMember, _ app: Int, _ claims: StoryReader.Claims?,
    _ experiences: ExperienceFile
  ) -> String? {
    if let place = node["identifier"] {
      guard
        let text = context.string(
          place, "identifier", example: "identifier: \"ABCDE12345.com.example.shop.Clip\"")
      else { return nil }
      do { _ = try ApplicationIdentifier(text) } catch {
        context.report("identifier", place, "'\(text)' is not an application identifier.", "\(error)")
        return nil
      }
      return text
    }
    if let complete = claims?.identifier.complete { return complete.description }
    let prefix = apps[app].build.identifier.prefix { $0 != "." }
    if let bundle = experiences.clip.bundleIdentifier, !prefix.isEmpty { return "\(prefix).\(bundle)" }
    context.report(
      "missing-key", at: member.nameRange, "The clip '\(member.name)' has no identifier.",
      "Write identifier: \"<prefix>.<bundle identifier>\", or clip.bundle_id in its experiences.")
    return nil
  }

  /// The experiences, in the story or in a file.
  private mutating func experiences(_ node: JSONNode, _ member: JSONMember) -> (ExperienceFile, JSON)? {
    guard let value = node["experiences"] else {
      context.report(
        "missing-key", at: member.nameRange, "The clip '\(member.name)' has no 'experiences'.",
        "Name the file that 'linkspan clip url' takes, or write its contents here.")
      return nil
    }
    var source = SourceText(name: context.source.name, bytes: Array(context.source.bytes[value.range]))
    if let path = value.string {
      do {
        guard let bytes = try context.reader.file(path) else {
          context.report(
            "no-file", value, "'\(path)' does not exist.", "Paths are relative to the story's folder.")
          return nil
        }
        source = SourceText(name: path, bytes: bytes)
      } catch {
        context.report(
          "unreadable-file", value, "'\(path)' cannot be read: \(error.reason).",
          "Fix the file, or name another.")
        return nil
      }
    }
    let file = ExperienceFile(source)
    if value.string == nil {
      let start = value.range.lowerBound
      for (range, choice) in file.choices {
        context.expects(choice, at: range.lowerBound + start..<range.upperBound + start)
      }
    }
    let document = JSONParser.parse(source.bytes, dialect: .json5).root?.json ?? .null
    let broken = file.findings.filter { $0.rule.hasPrefix("experiences.") && $0.severity == .error }
    for finding in broken {
      let place =
        value.string == nil ? "" : " in line \(finding.location.start?.line ?? 1) of '\(source.name)'"
      context.report(
        "experiences", value, "The experiences are wrong\(place): \(finding.message)", finding.help ?? "")
    }
    return broken.isEmpty ? (file, document) : nil
  }

  // MARK: - Steps

  mutating func clipStep(_ verb: JSONMember, _ node: JSONNode) -> ClipStep? {
    switch verb.name {
    case "invoke": return invocation(verb, node).map { .invoke($0) }
    case "save": return clipData(verb, node).map { .save($0) }
    case "read": return clipData(verb, node).map { .read($0) }
    default: return .remove(clips: clipPlaces(verb.value, verb.name), devices: devicePlaces(node["devices"]))
    }
  }

  private mutating func invocation(_ verb: JSONMember, _ node: JSONNode) -> ClipInvocation? {
    guard let clip = clipPlaces(verb.value, "invoke").first else { return nil }
    var entrance = Entrance.qr
    if let from = node["from"] {
      guard let word = context.word(from, "from", Entrance.allCases) else { return nil }
      entrance = word
    }
    var url: String?
    if let place = node["url"] {
      guard let text = context.string(place, "url", example: "url: \"https://example.com/shop\"") else {
        return nil
      }
      if entrance.opensAgain {
        context.report(
          "contradiction", place, "The entrance '\(entrance.rawValue)' has no URL.",
          "Remove 'url', or change 'from'.")
      }
      url = text
    } else if !entrance.opensAgain {
      context.report(
        "missing-key", at: verb.nameRange, "The invocation has no 'url'.",
        "Add the URL of the code, tag or page: \(Self.invokeExample).")
      return nil
    }
    let devices = devicePlaces(node["devices"])
    tapCount += devices.count
    if tapCount > context.limits.taps {
      context.report(
        "too-many", node, "The story has more than \(context.limits.taps) taps and invocations.",
        "Use fewer devices.")
      return nil
    }
    let wanted = node["expect"].map { cases($0) } ?? []
    let start = node["start"].flatMap { context.word($0, "start", ContinuityStep.Start.allCases) }
    return ClipInvocation(
      clip: clip, url: url, entrance: entrance, start: start, devices: devices,
      expectations: wanted.compactMap { clipExpectation($0, clip, devices) })
  }

  private mutating func clipExpectation(_ node: JSONNode, _ clip: Int, _ devices: [Int]) -> ClipExpectation? {
    let example = "expect: { opens: \"order\", receives: \"https://example.com/shop\" }"
    let keys = ["opens", "receives", "card", "shows", "devices"]
    if node.string == nil {
      guard context.members(node, "an expectation about a clip", keys: keys, example: example) != nil else {
        return nil
      }
    }
    guard let opens = node.string == nil ? node["opens"] : node else {
      context.report("missing-key", node, "The expectation has no 'opens'.", "For example: \(example).")
      return nil
    }
    guard let name = context.string(opens, "opens", example: example) else { return nil }
    let outcomes = [
      clips[clip].name: ClipExpectation.Outcome.clip, apps[clips[clip].app].name: .app, "browser": .browser,
    ]
    guard let outcome = outcomes[name] else {
      let known = StoryContext.list(outcomes.keys.sorted())
      context.report(
        "unknown-app", opens, "'\(name)' is neither the clip nor its app.", "Write one of \(known).")
      return nil
    }
    func text(_ key: String) -> String? {
      guard let place = node.string == nil ? node[key] : nil else { return nil }
      guard let text = context.string(place, key, example: "\(key): \"nothing\"") else { return nil }
      return text == "nothing" ? "" : text
    }
    var place: String?
    if node.string == nil, let wanted = node["shows"] { place = shows(wanted, outcome, clip) }
    return ClipExpectation(
      opens: outcome, name: name, received: text("receives"), card: text("card"), shows: place,
      devices: node.string == nil && node["devices"] != nil ? devicePlaces(node["devices"]) : devices,
      location: .init(context.source, node.range))
  }

  private mutating func shows(
    _ node: JSONNode, _ outcome: ClipExpectation.Outcome, _ clip: Int
  ) -> String? {
    let program: AppContinuity? =
      switch outcome {
      case .clip: clips[clip].continuity
      case .app: apps[clips[clip].app].continuity
      case .browser: nil
      }
    guard program?.routes != nil else {
      let name = outcome == .app ? apps[clips[clip].app].name : clips[clip].name
      context.report(
        "contradiction", node,
        outcome == .browser
          ? "The browser has no routes." : "'\(name)' has no 'routes', so nothing reads the URL.",
        "Remove 'shows', or add routes: { recipe: \"/recipes/{id:int}\" } to '\(name)'.")
      return nil
    }
    return context.string(node, "shows", example: "shows: \"recipe id=5\"")
  }

  private enum Presence: String, CaseIterable {
    case found, missing
  }

  private mutating func clipData(_ verb: JSONMember, _ node: JSONNode) -> ClipData? {
    guard let key = context.string(verb.value, verb.name, example: Self.dataExample) else { return nil }
    for name in ["by", "in"] where node[name] == nil {
      context.report(
        "missing-key", at: verb.nameRange, "The step '\(verb.name)' has no '\(name)'.",
        "For example: \(Self.dataExample).")
      return nil
    }
    guard let by = node["by"], let inside = node["in"],
      let name = context.string(by, "by", example: "by: \"order\""),
      let place = context.string(inside, "in", example: "in: \"group.com.example.shop\"")
    else { return nil }
    let owner: ClipData.Owner
    if let clip = clips.firstIndex(where: { $0.name == name }) {
      owner = .clip(clip)
    } else if let app = apps.firstIndex(where: { $0.name == name }) {
      owner = .app(app)
    } else {
      reportUnknown("app", name, by, among: (apps.map(\.name) + clips.map(\.name)).sorted())
      return nil
    }
    guard place == "container" || place == "keychain" || place.hasPrefix("group.") else {
      context.report(
        "unknown-word", inside, "'\(place)' is not a place for data.",
        "Write \"container\", \"keychain\" or the name of an App Group, which begins with 'group.'.")
      return nil
    }
    let store: ClipData.Store =
      place == "container" ? .container : place == "keychain" ? .keychain : .group(place)
    return ClipData(
      key: key, owner: owner, store: store, devices: devicePlaces(node["devices"]),
      isExpected: node["expect"].flatMap { context.word($0, "expect", Presence.allCases) }.map {
        $0 == .found
      },
      location: .init(context.source, (node["expect"] ?? node).range))
  }

  private mutating func clipPlaces(_ node: JSONNode, _ name: String) -> [Int] {
    reportEmpty(node, name)
    return context.strings(node, name, example: "\(name): \"order\"").compactMap { text, place in
      if let index = clips.firstIndex(where: { $0.name == text }) { return index }
      reportUnknown("clip", text, place, among: clips.map(\.name))
      return nil
    }
  }
}
