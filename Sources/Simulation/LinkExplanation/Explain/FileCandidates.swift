import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// What the owner of a site could change in an association file, and in how it is served.
struct FileCandidates {
  /// Ours: each change to a rule is a world that is played.
  private static let ruleLimit = 20

  private let situation: Situation
  private let url: LinkURL
  private let path: String
  /// By host: the same file serves several apps.
  private var mendedFiles: [String: FixedText] = [:]

  // Ours: what correcting a file may cost, and our estimate of what changing one costs for each byte.
  private static let correctionSteps = 30_000_000
  private static let stepsPerByte = 40

  init(_ situation: Situation) {
    self.situation = situation
    url = situation.url
    let path = String(decoding: url.bytes[url.path], as: UTF8.self)
    self.path = path.isEmpty ? "/" : path
  }

  /// Changes that could let the app open.
  mutating func grants(_ player: inout WorldPlayer) -> [WorldChange] {
    var changes: [WorldChange] = []
    for (host, app) in places where player.hasWorkLeft {
      changes += grants(host: host, app: app.name, identifier: app.build.identifier, &player)
    }
    return changes
  }

  /// Changes that could keep it from opening.
  var exclusions: [WorldChange] {
    places.compactMap { host, app in
      let rule = JSON.object([("/", .string(path)), ("exclude", .bool(true))])
      return served(host)?.inserting(rule, into: app.build.identifier).map { body in
        change(
          host, "Put \(rule.text) before the other components of '\(app.name)'", ["section 6.4", "M4"],
          publishing: body)
      }
    }
  }

  /// Each app that could open the link, with each host whose file could let it.
  private var places: [(host: String, app: Story.App)] {
    let hosts = WorldChange.hosts(situation)
    return WorldChange.claimants(situation).flatMap { place in
      hosts.map { ($0, situation.story.apps[place]) }
    }
  }

  // MARK: - Grants

  private mutating func grants(
    host: String, app: String, identifier: String, _ player: inout WorldPlayer
  ) -> [WorldChange] {
    let place = AssociationLocation.wellKnown.url(host: host)
    let documents = situation.sites[host]?.documents ?? []
    let current = documents.first { $0.path == AssociationLocation.wellKnown.rawValue }
    let fresh = EditableFile.granting(identifier, path: path, isOld: !situation.traits.os.readsComponents)
    var changes: [WorldChange] = []
    if let current, current.status != 200 || current.location != nil, EditableFile(current.body) != nil {
      changes.append(
        change(
          host, "Serve \(place) itself with status 200 instead of \(current.status)", ["R1", "T2"],
          publishing: current.body))
    }
    if current == nil, let root = documents.first(where: { $0.path == AssociationLocation.root.rawValue }) {
      changes.append(
        change(
          host, "Move the file of '\(host)' from the root to \(place)", ["F1", "F3"], publishing: root.body))
    }
    if let current, current.status == 200 {
      let fixed = mended(current.body, of: host, &player)
      if fixed.isChanged {
        changes.append(
          change(
            host, "Run 'linkspan check --fix' on the file: \(fixed.fixed.count) corrections", ["R5", "J1"],
            publishing: fixed.bytes))
      }
    }
    guard let file = served(host) else {
      changes.append(
        change(
          host, "Publish a file at \(place) that names \(identifier) and covers '\(path)'", ["F1", "J2"],
          publishing: fresh.bytes))
      return changes
    }
    return changes + rules(file, host: host, app: app, identifier: identifier, &player)
  }

  /// Changes inside a file that can be read.
  private func rules(
    _ file: EditableFile, host: String, app: String, identifier: String, _ player: inout WorldPlayer
  ) -> [WorldChange] {
    var changes: [WorldChange] = []
    func add(_ what: String, _ rules: [String], _ file: EditableFile?) {
      guard let file else { return }
      changes.append(change(host, what, rules, publishing: file.bytes))
    }
    _ = player.spend(file.bytes.count * Self.stepsPerByte)
    let trace = player.spending(WorkLimits.decision) { work in
      file.trace(url, app: identifier, host: host, on: situation.traits.os, &work)
    }
    if !file.hasAppsKey {
      add(
        "Add \"apps\": [] inside \"applinks\" of the file of '\(host)'", ["section 6.2"], file.addingAppsKey)
    }
    if let decision = trace?.decision, decision.verdict == .excluded, let entry = decision.entry,
      let rule = decision.rule
    {
      add(
        "Remove rule \(rule) of entry \(entry) from the file of '\(host)', which excludes the link",
        ["M4", "section 6.4"], file.removing(rule, of: entry))
      add(
        "Move rule \(rule) of entry \(entry) after the others: the first match decides", ["M4"],
        file.movingToEnd(rule, of: entry))
    }
    if case .noRuleHolds? = trace?.miss {
      for step in trace?.steps.prefix(Self.ruleLimit) ?? [] {
        guard let rule = step.rule, !(step.settings.exclude ?? false) else { continue }
        for key in ["caseSensitive", "percentEncoded"] {
          add(
            "Add \"\(key)\": false to rule \(rule) of entry \(step.entry) in the file of '\(host)'",
            ["section 6.4"], file.setting(key, to: .bool(false), rule: rule, of: step.entry))
        }
      }
    }
    let isOld = !situation.traits.os.readsComponents
    let rule = JSON.object([("/", .string(path))])
    if trace?.namesApp == true {
      add(
        isOld
          ? "Put \"\(path)\" before the other paths of '\(app)' in the file of '\(host)'"
          : "Put \(rule.text) before the other components of '\(app)' in the file of '\(host)'",
        ["M4", "section 6.4"],
        file.inserting(isOld ? .string(path) : rule, into: identifier)
          .flatMap { EditableFile($0) })
    } else {
      add(
        "Name \(identifier) in the file of '\(host)', with \(isOld ? "\"apps\": [], \"appID\" and \"paths\"" : "a component") "
          + "for '\(path)'", isOld ? ["section 6.2", "section 6.3"] : ["J6", "J7"],
        file.naming(identifier, path: path, isOld: isOld))
    }
    return changes
  }

  private func served(_ host: String) -> EditableFile? {
    let documents = situation.sites[host]?.documents ?? []
    let wanted: AssociationLocation = situation.traits.os.readsWellKnownAndWildcards ? .wellKnown : .root
    let document = documents.first { $0.path == wanted.rawValue } ?? documents.first
    return document.flatMap { EditableFile($0.body) }
  }

  /// The file as the checker mends it.
  private mutating func mended(_ body: [UInt8], of host: String, _ player: inout WorldPlayer) -> FixedText {
    if let known = mendedFiles[host] { return known }
    let fixed = player.spending(Self.correctionSteps) { work in
      AssociationChecker.fixed(SourceText(name: "file", bytes: body), &work)
    }
    mendedFiles[host] = fixed
    return fixed
  }

  private func change(
    _ host: String, _ what: String, _ rules: [String],
    publishing body: [UInt8]
  ) -> WorldChange {
    WorldChange(
      [.site], what, rules: rules, target: "site \(host)",
      [.site(host: host, Self.site(body, for: situation.traits.os))])
  }

  /// A site that has the file where this release looks for it (F2).
  static func site(_ body: [UInt8], for os: OSVersion) -> Site {
    var documents = [Site.Document(body: body)]
    if !os.readsWellKnownAndWildcards {
      documents.append(Site.Document(path: AssociationLocation.root.rawValue, body: body))
    }
    return Site(documents)
  }
}

extension MatchTrace {
  /// Whether the file names the app for this release at all.
  fileprivate var namesApp: Bool {
    switch miss {
    case .noRuleHolds, .noRules: true
    case nil: true
    default: false
    }
  }
}
