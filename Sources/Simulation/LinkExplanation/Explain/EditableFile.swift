import AppSiteAssociation
import LinkspanCore

/// An association file as a tree that can be changed; its blanks are not kept.
struct EditableFile {
  private var root: JSON
  /// Whether it is changed for a release that reads only `appID` and `paths` (J8).
  private let isOld: Bool

  var bytes: [UInt8] { root.bytes }

  private init(root: JSON, isOld: Bool) {
    self.root = root
    self.isOld = isOld
  }

  /// - Returns: nil for what is not a JSON object.
  init?(_ body: [UInt8], isOld: Bool) {
    self.isOld = isOld
    let document = AssociationContent(body).document
    guard document.isWellFormed, let root = document.root, root.object != nil else { return nil }
    self.root = root.json
  }

  /// A new file that sends one path to one app.
  static func granting(_ app: String, path: String, isOld: Bool) -> EditableFile {
    EditableFile(
      root: .object([
        (
          "applinks",
          .object([
            ("apps", .array([])), ("details", .array([entry(app, path, isOld, under: RuleSettings())])),
          ])
        )
      ]), isOld: isOld)
  }

  private static func entry(_ app: String, _ path: String, _ isOld: Bool, under defaults: RuleSettings)
    -> JSON
  {
    isOld
      ? .object([("appID", .string(app)), ("paths", .array([.string(path)]))])
      : .object([
        ("appIDs", .array([.string(app)])),
        ("components", .array([RuleSettings(path: path).meaningTheSame(under: defaults).json])),
      ])
  }

  func trace(
    _ url: LinkURL, app: String, host: String, on os: OSVersion, _ work: inout WorkBudget
  ) -> MatchTrace? {
    guard let file = AssociationContent(bytes).file else { return nil }
    let scope: HostScope = url.host == host ? .exactly(host) : .subdomains(of: host)
    return AssociationMatcher(file, os: os).trace(url, app: app, host: scope, &work)
  }

  var variables: SubstitutionVariables {
    SubstitutionVariables(AssociationContent(bytes).file?.appLinks?.substitutionVariables ?? [:])
  }

  // MARK: - Changes

  var hasAppsKey: Bool {
    if case .array? = root["applinks"]?["apps"] { true } else { false }
  }

  var addingAppsKey: EditableFile? {
    root["applinks"].map { with($0.setting("apps", to: .array([]))) }
  }

  /// A change, and what is done, as a sentence without full stop.
  struct Edit {
    var file: EditableFile
    var words: String
  }

  /// The app in a new entry at the end.
  ///
  /// - Parameter place: What the file is called in the sentence.
  func naming(_ app: String, path: String, in place: String) -> Edit? {
    let links = root["applinks"] ?? .object([])
    let entry = Self.entry(app, path, isOld, under: defaults(of: nil))
    let entries = (links["details"]?.elements ?? []) + [entry]
    let words = "Name \(app) in \(place): add the entry \(entry.text)"
    // Releases before 13 read nothing without it (6.2).
    guard isOld, links["apps"] == nil else {
      return Edit(file: with(links.setting("details", to: .array(entries))), words: words)
    }
    return Edit(
      file: with(links.setting("apps", to: .array([])).setting("details", to: .array(entries))),
      words: words + ", and \"apps\": [] to \"applinks\"")
  }

  /// A rule for a path before all others of the app: in its first entry that the release reads, in the form that this entry
  /// has. `components` would take the place of `paths` (J8).
  func inserting(
    _ path: String, isExclusion: Bool = false, into app: String, called name: String, in place: String
  )
    -> Edit?
  {
    let entries = root["applinks"]?["details"]?.elements ?? []
    let index = entries.firstIndex { entry in
      let single = entry["appID"].map { [$0] } ?? []
      let names = isOld ? single : entry["appIDs"]?.elements ?? single
      return names.contains { $0.text == JSON.string(app).text }
    }
    guard let index else { return nil }
    let key = key(of: entries[index])
    let settings = RuleSettings(path: path, exclude: isExclusion ? true : nil)
    // In `paths` a rule is a string, and an exclusion begins with NOT.
    let rule: JSON =
      key == "paths"
      ? .string((isExclusion ? "NOT " : "") + path) : settings.meaningTheSame(under: defaults(of: index)).json
    let isFirst = entries[index][key]?.elements?.isEmpty ?? true
    let words =
      isFirst
      ? "Add \"\(key)\": [\(rule.text)] to the entry of '\(name)' in \(place)"
      : "Put \(rule.text) before the other \(key) of '\(name)' in \(place)"
    return changing(index, key: key) { [rule] + $0 }.map { Edit(file: $0, words: words) }
  }

  /// The list of an entry's rules that the release reads.
  private func key(of entry: JSON?) -> String {
    isOld || (entry?["components"] == nil && entry?["paths"] != nil) ? "paths" : "components"
  }

  /// What holds in the rules of an entry that do not say otherwise, or in those of a new one.
  private func defaults(of entry: Int?) -> RuleSettings {
    let links = AssociationContent(bytes).file?.appLinks
    let own = links?.entries.first { $0.index == entry }?.defaults
    return (own ?? RuleSettings()).over(links?.defaults ?? RuleSettings())
  }

  /// Removing a key from the defaults that an entry has it from.
  func removingDefault(_ name: String, of entry: Int, in place: String) -> Edit? {
    guard let links = root["applinks"] else { return nil }
    if let entries = links["details"]?.elements, let own = entries[safe: entry]?["defaults"],
      own[name] != nil
    {
      var changed = entries
      changed[entry] = entries[entry].setting("defaults", to: own.removing(name))
      return Edit(
        file: with(links.setting("details", to: .array(changed))),
        words: "Remove \"\(name)\" from the defaults of entry \(entry) in \(place)")
    }
    guard let general = links["defaults"], general[name] != nil else { return nil }
    return Edit(
      file: with(links.setting("defaults", to: general.removing(name))),
      words: "Remove \"\(name)\" from the defaults of 'applinks' in \(place)")
  }

  /// Whether a rule does not state a key itself, so that what it has there comes from defaults.
  func isInherited(_ name: String, by rule: Int, of entry: Int) -> Bool {
    let node = root["applinks"]?["details"]?.elements?[safe: entry]
    let key = key(of: node)
    guard let written = node?[key]?.elements?[safe: rule] else { return false }
    guard key == "paths" else { return written[name] == nil }
    return name != "/" && !(name == "exclude" && written.text.hasPrefix("\"NOT "))
  }

  func removing(_ rule: Int, of entry: Int) -> EditableFile? {
    changingRules(of: entry) { rules in
      var rules = rules
      if rules.indices.contains(rule) { rules.remove(at: rule) }
      return rules
    }
  }

  func movingToEnd(_ rule: Int, of entry: Int) -> EditableFile? {
    changingRules(of: entry) { rules in
      var rules = rules
      if rules.indices.contains(rule) { rules.append(rules.remove(at: rule)) }
      return rules
    }
  }

  func setting(_ key: String, to value: JSON, rule: Int, of entry: Int) -> EditableFile? {
    guard let rules = root["applinks"]?["details"]?.elements?[safe: entry]?["components"]?.elements,
      rules.indices.contains(rule)
    else { return nil }
    return changing(entry, key: "components") { rules in
      var rules = rules
      rules[rule] = rules[rule].setting(key, to: value)
      return rules
    }
  }

  private func changingRules(of entry: Int, _ change: ([JSON]) -> [JSON]) -> EditableFile? {
    let node = root["applinks"]?["details"]?.elements?[safe: entry]
    return changing(entry, key: key(of: node), change)
  }

  private func changing(_ entry: Int, key: String, _ change: ([JSON]) -> [JSON]) -> EditableFile? {
    guard let links = root["applinks"], var entries = links["details"]?.elements,
      let node = entries[safe: entry]
    else { return nil }
    entries[entry] = node.setting(key, to: .array(change(node[key]?.elements ?? [])))
    return with(links.setting("details", to: .array(entries)))
  }

  private func with(_ links: JSON) -> EditableFile {
    EditableFile(root: root.setting("applinks", to: links), isOld: isOld)
  }
}

extension JSON {
  fileprivate subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.0 == name }?.1
  }

  fileprivate var elements: [JSON]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  fileprivate func removing(_ name: String) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.0 != name })
  }

  /// The object with a member set, at its place or at the end; anything else becomes an object of it alone.
  fileprivate func setting(_ name: String, to value: JSON) -> JSON {
    guard case .object(var members) = self else { return .object([(name, value)]) }
    if let index = members.firstIndex(where: { $0.0 == name }) {
      members[index].1 = value
    } else {
      members.append((name, value))
    }
    return .object(members)
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
