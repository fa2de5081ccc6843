internal import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// The changes to one installed app that could help: how it was built, where it lies, and what it claims.
struct BuildCandidates {
  private let situation: Situation
  /// The place of the app in the story.
  private let place: Int
  private let name: String
  private let build: AppBuild
  /// The host of the link.
  private let host: String
  /// The entry for exactly that host.
  private let plain: String

  init(_ situation: Situation, app place: Int) {
    self.situation = situation
    self.place = place
    name = situation.story.apps[place].name
    build = situation.story.apps[place].build
    host = situation.url.host
    plain = "applinks:" + host
  }

  /// Every change worth trying, the cheapest first.
  var all: [WorldChange] { obstacles + entries + developerMode + [managedMode] }

  /// What keeps every entry of the app from counting.
  private var obstacles: [WorldChange] {
    var changes: [WorldChange] = []
    if build.kind == .developerID {
      changes.append(
        WorldChange(
          [.user], "Launch '\(name)' once", rules: ["V9"], target: "launch", [.launch(app: place)]))
    }
    if build.isOnRemoteVolume {
      changes.append(
        change([.user], "Move '\(name)' to /Applications", rules: ["V9"]) { $0.isOnRemoteVolume = false })
    }
    if build.isBrowser {
      changes.append(
        change([.app], "Sign '\(name)' without 'com.apple.developer.web-browser'", rules: ["E22"]) {
          $0.isBrowser = false
        })
    }
    return changes
  }

  /// An entry for the host: a misspelled one corrected, or a new one.
  private var entries: [WorldChange] {
    var changes: [WorldChange] = []
    for (index, text) in build.entries.enumerated() {
      guard let mended = AssociatedDomain.mended(text), mended != text,
        (try? AssociatedDomain(mended))?.covers(host: host) == true
      else { continue }
      changes.append(
        change(
          [.app], "Write '\(mended)' instead of '\(text)' in '\(name)'", rules: ["E1", "E2"], family: "entry"
        ) { $0.entries[index] = mended })
    }
    if !build.entries.contains(plain) {
      changes.append(
        change(
          [.app], "Add '\(plain)' to the associated domains of '\(name)'", rules: ["E1", "E7", "E8"],
          family: "entry"
        ) { $0.entries.append(plain) })
    }
    return changes
  }

  private var developerMode: [WorldChange] {
    let entry = plain + "?mode=developer"
    var steps: [String] = []
    if !build.entries.contains(entry) { steps.append("add '\(entry)' to '\(name)'") }
    if build.kind != .development { steps.append("sign it for development") }
    if !situation.traits.isDeveloper {
      steps.append("turn on Associated Domains Development on the device")
    }
    guard !steps.isEmpty else { return [] }
    let needsApp = build.kind != .development || !build.entries.contains(entry)
    return [
      change(
        needsApp ? [.app, .user] : [.user],
        "Use '?mode=developer', which asks the host itself: " + Self.list(steps),
        rules: ["E13", "E16"], family: "entry with a mode", [.developerMode]
      ) {
        if !$0.entries.contains(entry) { $0.entries.append(entry) }
        $0.kind = .development
      }
    ]
  }

  private var managedMode: WorldChange {
    let entry = plain + "?mode=managed"
    return change(
      [.app, .administrator],
      "Use '?mode=managed', which asks the host itself on managed devices that allow direct downloads",
      rules: ["E14"], family: "entry with a mode", [.management]
    ) { if !$0.entries.contains(entry) { $0.entries.append(entry) } }
  }

  /// A new build of the app, together with other edits.
  private func change(
    _ who: [WorldChange.Actor], _ what: String, rules: [String], family: String? = nil,
    _ edits: [WorldChange.Edit] = [], _ edit: (inout AppBuild) -> Void
  ) -> WorldChange {
    var build = build
    edit(&build)
    return WorldChange(
      who, what, rules: rules, family: family, target: "build of \(name)", edits + [.build(build)])
  }

  private static func list(_ steps: [String]) -> String {
    steps.count < 2 ? steps.joined() : steps.dropLast().joined(separator: ", ") + " and " + steps.last!
  }
}
