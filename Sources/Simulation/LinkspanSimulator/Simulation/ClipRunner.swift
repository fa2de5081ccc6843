import AppClips
import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import LinkspanSpecification
import LinkspanStories
import SimulatedDevices

/// The App Clips of a story: which are on which device, what their entrances open, and where data is kept.
///
/// - Source: rules AC15, AC16, AC22, AC23, AC28 to AC30.
actor ClipRunner {
  private struct Place: Hashable {
    var clip: Int
    var device: Int
  }

  /// Where data lies: the container or keychain of an identifier, or an App Group.
  private struct Drawer: Hashable {
    var device: Int
    var store: ClipData.Store
    /// The identifier of the owner; empty for an App Group, which has several.
    var owner: String
  }

  private struct Answer {
    var words: String
    var provenance: Provenance
  }

  private let story: Story
  private let world: World
  /// Plays what the code of clips and apps does.
  private let continuity: ContinuityRunner
  /// The clips on devices, with the URL that each was opened with last.
  private var present: [Place: String?] = [:]
  private var drawers: [Drawer: Set<String>] = [:]

  init(story: Story, world: World, continuity: ContinuityRunner) {
    self.story = story
    self.world = world
    self.continuity = continuity
  }

  /// - Parameter sites: What each host publishes now.
  func perform(_ step: ClipStep, _ sites: [String: Site]) async -> [SimulationResult.Check] {
    switch step {
    case .invoke(let invocation): return await invoke(invocation, sites)
    case .save(let data):
      for device in data.devices { await save(data, device) }
    case .read(let data):
      var checks: [SimulationResult.Check] = []
      for device in data.devices {
        if let check = await read(data, device) { checks.append(check) }
      }
      return checks
    case .remove(let clips, let devices):
      for clip in clips {
        for device in devices { await remove(Place(clip: clip, device: device)) }
      }
    }
    return []
  }

  /// What a step about apps does to clips and to data.
  func follow(_ action: StoryStep.Action) async {
    switch action {
    case .install(let apps, let devices), .update(let apps, let devices):
      for app in apps { for device in devices { await replaceClips(of: app, device) } }
    case .reinstall(let apps, let devices):
      for app in apps {
        for device in devices {
          forgetApp(app, device)
          await replaceClips(of: app, device)
        }
      }
    case .delete(let apps, let devices):
      for app in apps { for device in devices { forgetApp(app, device) } }
    default: break
    }
  }

  // MARK: - Entrances

  private struct Outcome {
    var opens: ClipExpectation.Outcome
    var received: String?
    var card: String?
    /// Where the code led that was opened; nil for code that is not the library.
    var shows: String?
    var answer: Answer
  }

  private func invoke(_ step: ClipInvocation, _ sites: [String: Site]) async -> [SimulationResult.Check] {
    var outcomes: [Int: Outcome] = [:]
    for device in step.devices {
      let outcome = await outcome(step, device, sites)
      outcomes[device] = outcome
      let place = Place(clip: step.clip, device: device)
      if outcome.opens == .clip { present[place] = .some(outcome.received ?? (present[place] ?? nil)) }
      await world.trace.record(
        story.devices[device].name,
        ClipHappening.invoked(
          .init(
            clip: story.clips[step.clip].identifier, url: step.url, entrance: step.entrance,
            opens: name(outcome.opens, step.clip), received: outcome.received, card: outcome.card,
            reason: outcome.answer.words)), provenance: outcome.answer.provenance)
      outcomes[device]?.shows = await run(outcome, step, device)
    }
    return step.expectations.flatMap { expectation in
      expectation.devices.map { device in
        SimulationResult.Check(
          link: step.url?.withoutUserInformation
            ?? "'\(story.clips[step.clip].name)' from \(step.entrance.rawValue)",
          device: story.devices[device].name, expected: expectation.words,
          actual: outcomes[device].map { words($0, step.clip) } ?? "was not invoked",
          isHeld: outcomes[device].map {
            $0.opens == expectation.opens
              && (expectation.received ?? $0.received ?? "") == ($0.received ?? "")
              && (expectation.card ?? $0.card ?? "") == ($0.card ?? "")
              && (expectation.shows ?? $0.shows ?? "") == ($0.shows ?? "")
          } ?? false, change: nil, location: expectation.location)
      }
    }
  }

  /// Has the code of the clip, or of the app that took its place, receive what was opened, where the library is its code.
  ///
  /// - Returns: Where it led.
  private func run(_ outcome: Outcome, _ step: ClipInvocation, _ device: Int) async -> String? {
    let program: StoryProgram
    switch outcome.opens {
    case .browser: return nil
    case .clip: program = .clip(step.clip)
    case .app:
      guard let app = await continuity.installed(story.clips[step.clip].app, on: device) else { return nil }
      program = .app(app)
    }
    guard story.continuity(of: program).routes != nil else { return nil }
    // Without a URL there is no activity, so nothing enters.
    guard let url = outcome.received else { return LibraryApp.Outcome().shows }
    return await continuity.open(program, withClip: url, on: device, start: step.start)
  }

  private func outcome(_ step: ClipInvocation, _ device: Int, _ sites: [String: Site]) async -> Outcome {
    let clip = story.clips[step.clip]
    let os = story.devices[device].os
    guard os.platform == .iOS else {
      return nothing("App Clips exist on iOS", ["AC14"])
    }
    let place = Place(clip: step.clip, device: device)
    let hasApp = await hasApp(clip.app, device)
    guard let url = step.url else { return reopened(place, step.entrance, hasApp) }
    var state = Invocation.Device()
    state.release = ClipRelease(major: os.major, minor: os.minor)
    state.hasApp = hasApp
    state.lastURL = present[place] ?? nil
    let invocation = Invocation(url, step.entrance, state, in: clip.experiences)
    let answer = Self.answer(invocation.reasons.map { ($0.text, $0.source) })
    switch invocation.receiver {
    case .none: return Outcome(opens: .browser, answer: answer)
    case .app: return Outcome(opens: .app, received: invocation.received, answer: answer)
    case .clip:
      if let problem = problem(invocation, clip, sites) { return nothing(problem, ["AC6"]) }
      if present[place] == nil, await !world.devices[device].snapshot.isOnline {
        // No source says what the card shows then; the clip is not there to be opened.
        return Outcome(
          opens: .browser,
          answer: Answer(
            words: "the device is offline, and the clip is not on it",
            provenance: Provenance(["AC30"], .inferred)))
      }
      return Outcome(
        opens: .clip, received: invocation.received, card: invocation.card.map { $0.title ?? "" },
        answer: answer)
    }
  }

  /// From a place where only what is on the device can be opened.
  private func reopened(_ place: Place, _ entrance: Entrance, _ hasApp: Bool) -> Outcome {
    let last = entrance == .appLibrary ? present[place] ?? nil : nil
    if hasApp {
      return Outcome(
        opens: .app, answer: Self.answer([("The app is installed, so it takes the clip's place.", "AC23")]))
    }
    guard present[place] != nil else {
      return nothing("the clip is not on the device, so '\(entrance.rawValue)' does not show it", ["AC22"])
    }
    let words =
      entrance == .appLibrary
      ? "This entrance brings the URL of the last time." : "This entrance brings no URL."
    return Outcome(opens: .clip, received: last, answer: Self.answer([(words, "AC22")]))
  }

  /// Why the clip does not open although an experience takes the URL: the domain is not associated with it.
  private func problem(_ invocation: Invocation, _ clip: Story.Clip, _ sites: [String: Site]) -> String? {
    guard let experience = invocation.experience,
      experience.kind == .advanced || experience.kind == .website, invocation.entrance != .xcode
    else { return nil }
    let host = experience.address.host
    let domains = clip.domains.compactMap { try? AssociatedDomain(asDevicesRead: $0) }
    let covers = domains.contains { $0.service == .appclips && $0.covers(host: host) }
    guard covers else { return "the clip's entitlement lacks 'appclips:\(host)'" }
    guard let site = sites[host] else { return "'\(host)' publishes no association file" }
    let files = site.documents.filter {
      AssociationLocation(rawValue: $0.path) == .wellKnown && (200..<300).contains($0.status)
    }
    guard let file = files.lazy.compactMap({ AssociationContent($0.body).file }).first else {
      return "'\(host)' publishes no association file that can be read"
    }
    guard file.apps[.appclips]?.contains(exactly: clip.identifier) == true else {
      return "the association file of '\(host)' does not list '\(clip.identifier)' under 'appclips'"
    }
    return nil
  }

  private func nothing(_ words: String, _ rules: [String]) -> Outcome {
    Outcome(opens: .browser, answer: Answer(words: words, provenance: Self.provenance(rules)))
  }

  private static func answer(_ reasons: [(text: String, source: String)]) -> Answer {
    Answer(
      words: reasons.map { String($0.text.last == "." ? $0.text.dropLast() : $0.text[...]) }.joined(
        separator: "; "),
      provenance: provenance(reasons.map(\.source)))
  }

  private static func provenance(_ rules: [String]) -> Provenance {
    var known: [String] = []
    for rule in rules where !known.contains(rule) { known.append(rule) }
    return Provenance(citing: known)
  }

  // MARK: - Data

  private func save(_ data: ClipData, _ device: Int) async {
    let obstacle = await obstacle(data, device)
    if obstacle == nil { drawers[drawer(data, device), default: []].insert(data.key) }
    await world.trace.record(
      story.devices[device].name,
      ClipHappening.saved(
        data, by: identifier(data.owner), isKept: obstacle == nil, reason: obstacle?.words),
      provenance: obstacle?.provenance ?? Self.provenance([Self.rule(of: data.store)]))
  }

  private func read(_ data: ClipData, _ device: Int) async -> SimulationResult.Check? {
    var isFound = false
    var answer: Answer
    if let obstacle = await obstacle(data, device) {
      answer = obstacle
    } else {
      isFound = drawers[drawer(data, device)]?.contains(data.key) == true
      answer = Answer(
        words: isFound ? "it is in '\(data.store.text)'" : "'\(data.store.text)' does not hold it",
        provenance: Self.provenance([Self.rule(of: data.store)]))
      if !isFound, let inherited = inherited(data, device) { (isFound, answer) = inherited }
    }
    await world.trace.record(
      story.devices[device].name,
      ClipHappening.read(data, by: identifier(data.owner), isFound: isFound, reason: answer.words),
      provenance: answer.provenance)
    return data.isExpected.map { isExpected in
      SimulationResult.Check(
        link: "\(data.key) in \(data.store.text)", device: story.devices[device].name,
        expected: (isExpected ? "found" : "missing") + " for \(name(data.owner))",
        actual: "was \(isFound ? "found" : "missing"): \(answer.words)", isHeld: isFound == isExpected,
        change: nil, location: data.location, subject: .data)
    }
  }

  /// A clip's keychain, as its app sees it.
  private func inherited(_ data: ClipData, _ device: Int) -> (Bool, Answer)? {
    guard case .app(let app) = data.owner, data.store == .keychain else { return nil }
    let own = story.clips.filter { $0.app == app }
    let isThere = own.contains {
      drawers[Drawer(device: device, store: .keychain, owner: $0.identifier)]?.contains(data.key) == true
    }
    guard isThere else { return nil }
    let os = story.devices[device].os
    guard (os.major, os.minor) >= (15, 4) else {
      return (
        false,
        Answer(
          words: "it is in the clip's keychain, which the app reads from iOS 15.4 on",
          provenance: Self.provenance(["AC29"]))
      )
    }
    return (true, Answer(words: "it is in the clip's keychain", provenance: Self.provenance(["AC29"])))
  }

  /// Why the owner cannot use the store now.
  private func obstacle(_ data: ClipData, _ device: Int) async -> Answer? {
    let groups: [String]
    switch data.owner {
    case .clip(let clip):
      guard present[Place(clip: clip, device: device)] != nil else {
        return Answer(words: "the clip is not on the device", provenance: Self.provenance(["AC30"]))
      }
      groups = story.clips[clip].groups
    case .app(let app):
      guard await hasApp(app, device) else {
        return Answer(words: "the app is not installed", provenance: Self.provenance(["AC28"]))
      }
      groups = story.apps[app].build.groups
    }
    guard case .group(let group) = data.store, !groups.contains(group) else { return nil }
    return Answer(
      words: "'\(group)' is not among the App Groups of '\(name(data.owner))'",
      provenance: Self.provenance(["AC28"]))
  }

  private static func rule(of store: ClipData.Store) -> String { store == .keychain ? "AC29" : "AC28" }

  private func drawer(_ data: ClipData, _ device: Int) -> Drawer {
    if case .group = data.store { return Drawer(device: device, store: data.store, owner: "") }
    return Drawer(device: device, store: data.store, owner: identifier(data.owner))
  }

  // MARK: - Coming and going

  /// The app takes the place of its clips: what lies in App Groups of both stays, and the keychain.
  private func replaceClips(of app: Int, _ device: Int) async {
    let identifier = story.apps[app].build.identifier
    for (index, clip) in story.clips.enumerated()
    where story.apps[clip.app].build.identifier == identifier {
      let place = Place(clip: index, device: device)
      guard present.removeValue(forKey: place) != nil else { continue }
      await continuity.forget(.clip(index), on: device)
      let kept = clip.groups.filter(story.apps[app].build.groups.contains)
      discard(clip, device, keeping: kept, keepsKeychain: true)
      await world.trace.record(
        story.devices[device].name,
        ClipHappening.replaced(clip: clip.identifier, app: identifier, keptGroups: kept),
        provenance: Self.provenance(["AC23", "AC28"]))
    }
  }

  /// Clip and data go; only what the app shares stays, where it is installed, which it is not beside its clip.
  private func remove(_ place: Place) async {
    guard present.removeValue(forKey: place) != nil else { return }
    await continuity.forget(.clip(place.clip), on: place.device)
    let clip = story.clips[place.clip]
    discard(clip, place.device, keeping: [], keepsKeychain: false)
    await world.trace.record(
      story.devices[place.device].name, ClipHappening.removed(clip: clip.identifier),
      provenance: Self.provenance(["AC30"]))
  }

  private func discard(_ clip: Story.Clip, _ device: Int, keeping groups: [String], keepsKeychain: Bool) {
    drawers[Drawer(device: device, store: .container, owner: clip.identifier)] = nil
    if !keepsKeychain { drawers[Drawer(device: device, store: .keychain, owner: clip.identifier)] = nil }
    for group in clip.groups where !groups.contains(group) {
      drawers[Drawer(device: device, store: .group(group), owner: "")] = nil
    }
  }

  private func forgetApp(_ app: Int, _ device: Int) {
    let build = story.apps[app].build
    drawers[Drawer(device: device, store: .container, owner: build.identifier)] = nil
    for group in build.groups { drawers[Drawer(device: device, store: .group(group), owner: "")] = nil }
  }

  // MARK: - Names

  private func hasApp(_ app: Int, _ device: Int) async -> Bool {
    await world.devices[device].apps[story.apps[app].build.identifier] != nil
  }

  private func identifier(_ owner: ClipData.Owner) -> String {
    switch owner {
    case .clip(let place): story.clips[place].identifier
    case .app(let place): story.apps[place].build.identifier
    }
  }

  private func name(_ owner: ClipData.Owner) -> String {
    switch owner {
    case .clip(let place): story.clips[place].name
    case .app(let place): story.apps[place].name
    }
  }

  private func name(_ outcome: ClipExpectation.Outcome, _ clip: Int) -> String {
    switch outcome {
    case .clip: story.clips[clip].name
    case .app: story.apps[story.clips[clip].app].name
    case .browser: "browser"
    }
  }

  private func words(_ outcome: Outcome, _ clip: Int) -> String {
    var words = "opens \(name(outcome.opens, clip))"
    if outcome.opens != .browser {
      words += ", which receives \(outcome.received?.withoutUserInformation ?? "no URL")"
    }
    if let card = outcome.card { words += ", behind the card '\(card)'" }
    if let shows = outcome.shows { words += ", and shows \(shows)" }
    return words + ": \(outcome.answer.words)"
  }
}
