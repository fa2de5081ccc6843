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
    let path = url.text(of: url.path)
    self.path = path.isEmpty ? "/" : path
  }

  /// Whether the release reads only `appID` and `paths` (J8).
  private var isOld: Bool { !situation.traits.os.readsComponents }

  private static func file(of host: String) -> String { "the file of '\(host)'" }

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
      served(host)?.inserting(
        path, isExclusion: true, into: app.build.identifier, called: app.name, in: Self.file(of: host)
      ).map { edit in
        change(host, edit.words, ["section 6.4", "M4"], publishing: edit.file.bytes)
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
    let place = wanted.url(host: host)
    let documents = situation.sites[host]?.documents ?? []
    let current = documents.first { $0.path == wanted.rawValue }
    let fresh = EditableFile.granting(identifier, path: path, isOld: isOld)
    var changes: [WorldChange] = []
    if let current, !Self.isPlain(current), EditableFile(current.body, isOld: isOld) != nil {
      changes.append(
        change(
          host, "Serve \(place) itself with status 200 instead of \(current.status)", ["R1", "T2"],
          plain(current.body)))
    }
    if current == nil, let other = documents.first {
      let isRoot = wanted == .wellKnown
      changes.append(
        change(
          host,
          isRoot
            ? "Move the file of '\(host)' from the root to \(place)"
            : "Serve the file of '\(host)' at \(place) as well, the only place where this release looks",
          isRoot ? ["F1", "F3"] : ["F2"], plain(other.body)))
    }
    if let document = read(host) {
      let fixed = mended(document.body, of: host, &player)
      if fixed.isChanged {
        changes.append(
          change(
            host, "Run 'linkspan check --fix' on the file: \(fixed.fixed.count.counted("correction"))",
            ["R5", "J1"],
            publishing: fixed.bytes))
      }
    }
    guard let file = served(host) else {
      changes.append(
        change(
          host, "Publish a file at \(place) that names \(identifier) and covers '\(path)'", ["F1", "J2"],
          plain(fresh.bytes)))
      return changes
    }
    return changes + rules(file, host: host, app: app, identifier: identifier, &player)
  }

  /// Changes inside a file that can be read.
  private func rules(
    _ file: EditableFile, host: String, app: String, identifier: String, _ player: inout WorldPlayer
  ) -> [WorldChange] {
    var changes: [WorldChange] = []
    let place = Self.file(of: host)
    func add(_ what: String, _ rules: [String], _ file: EditableFile?) {
      guard let file else { return }
      changes.append(change(host, what, rules, publishing: file.bytes))
    }
    func add(_ edit: EditableFile.Edit?, _ rules: [String]) {
      if let edit { add(edit.words, rules, edit.file) }
    }
    _ = player.spend(file.bytes.count * Self.stepsPerByte)
    let trace = player.spending(WorkLimits.decision) { work in
      file.trace(url, app: identifier, host: host, on: situation.traits.os, &work)
    }
    if !file.hasAppsKey {
      add("Add \"apps\": [] inside \"applinks\" of \(place)", ["section 6.2"], file.addingAppsKey)
    }
    var defaults: [(key: String, entry: Int)] = []
    if let decision = trace?.decision, decision.verdict == .excluded, let entry = decision.entry,
      let rule = decision.rule
    {
      if file.isInherited("exclude", by: rule, of: entry) {
        defaults.append(("exclude", entry))
        add(
          "Add \"exclude\": false to rule \(rule) of entry \(entry) in \(place)", ["DF2", "DF3"],
          file.setting("exclude", to: .bool(false), rule: rule, of: entry))
      }
      add(
        "Remove rule \(rule) of entry \(entry) from \(place), which excludes the link",
        ["M4", "section 6.4"],
        file.removing(rule, of: entry))
      add(
        "Move rule \(rule) of entry \(entry) after the others: the first match decides", ["M4"],
        file.movingToEnd(rule, of: entry))
    }
    if let trace, case .noRuleHolds? = trace.miss {
      let variables = file.variables
      for step in trace.steps.prefix(Self.ruleLimit) {
        guard let rule = step.rule, !(step.settings.exclude ?? false) else { continue }
        for key in ["caseSensitive", "percentEncoded"] {
          guard mayHold(step.settings, without: key, variables, &player) else { continue }
          add(
            "Add \"\(key)\": false to rule \(rule) of entry \(step.entry) in \(place)", ["section 6.4"],
            file.setting(key, to: .bool(false), rule: rule, of: step.entry))
        }
        guard let key = step.failure?.component.rawValue, file.isInherited(key, by: rule, of: step.entry)
        else { continue }
        if !defaults.contains(where: { $0 == (key, step.entry) }) { defaults.append((key, step.entry)) }
        guard mayHold(step.settings, without: key, variables, &player) else { continue }
        add(
          "Add \"\(key)\": \"*\" to rule \(rule) of entry \(step.entry) in \(place)", ["DF2"],
          file.setting(key, to: .string("*"), rule: rule, of: step.entry))
      }
    }
    if trace?.namesApp == true {
      add(file.inserting(path, into: identifier, called: app, in: place), ["M4", "section 6.4"])
    } else {
      add(
        file.naming(identifier, path: path, in: place),
        isOld ? ["section 6.2", "section 6.3"] : ["J6", "J7"])
    }
    // Last, since other rules have it from there as well.
    for (key, entry) in defaults { add(file.removingDefault(key, of: entry, in: place), ["DF2", "DF3"]) }
    return changes
  }

  /// Whether a rule could hold for the link once it asks for one thing less. Most rules of a file could not, and to find
  /// that out by playing a world is dear.
  ///
  /// On a release that reads less of a rule than later ones it always could: the change may go together with an update.
  private func mayHold(
    _ settings: RuleSettings, without key: String, _ variables: SubstitutionVariables,
    _ player: inout WorldPlayer
  ) -> Bool {
    guard situation.traits.os.readsDefaults else { return true }
    var settings = settings
    switch key {
    case "caseSensitive": settings.caseSensitive = false
    case "percentEncoded": settings.percentEncoded = false
    case URLComponent.path.rawValue: settings.path = "*"
    case URLComponent.query.rawValue: settings.query = .whole("*")
    default: settings.fragment = "*"
    }
    return player.spending(WorkLimits.decision) { work in
      situation.way.navigation.urls(to: url).contains { settings.hold(for: $0, variables: variables, &work) }
        || work.isExhausted
    }
  }

  // MARK: - Where the file is

  /// Where the release looks first (F2).
  private var wanted: AssociationLocation {
    situation.traits.os.readsWellKnownAndWildcards ? .wellKnown : .root
  }

  private static func isPlain(_ document: Site.Document) -> Bool {
    document.status == 200 && document.location == nil
  }

  /// The document that the release takes for the file: the one at the root only where there is none in .well-known (F5).
  private func read(_ host: String) -> Site.Document? {
    let documents = situation.sites[host]?.documents ?? []
    let first = documents.first { $0.path == wanted.rawValue }
    let root = documents.first { $0.path == AssociationLocation.root.rawValue }
    return (first ?? root).flatMap { Self.isPlain($0) ? $0 : nil }
  }

  /// The file of a host: what the release takes, else what it could take if it were served as it should.
  private func served(_ host: String) -> EditableFile? {
    let documents = situation.sites[host]?.documents ?? []
    let document = read(host) ?? documents.first { $0.path == wanted.rawValue } ?? documents.first
    return document.flatMap { EditableFile($0.body, isOld: isOld) }
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

  /// A change to the content of the file, at the place where the release takes it from; where it takes none, the sentence
  /// says that the file is to be served there, too.
  private func change(_ host: String, _ what: String, _ rules: [String], publishing body: [UInt8])
    -> WorldChange
  {
    guard let document = read(host) else {
      let place = wanted.url(host: host)
      return change(
        host, "\(what), and serve it at \(place) with status 200", rules + ["F2", "R1"], plain(body))
    }
    var changed = document
    changed.body = body
    let others = (situation.sites[host]?.documents ?? []).filter { $0.path != document.path }
    return change(host, what, rules, Site(others + [changed]))
  }

  private func change(_ host: String, _ what: String, _ rules: [String], _ site: Site) -> WorldChange {
    WorldChange([.site], what, rules: rules, target: "site \(host)", [.site(host: host, site)])
  }

  private func plain(_ body: [UInt8]) -> Site { Self.site(body, for: situation.traits.os) }

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
