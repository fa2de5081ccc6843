import AppSiteAssociation
import LinkspanCore

/// An association file as a tree that can be changed; its blanks are not kept.
struct EditableFile {
  private var root: JSON

  var bytes: [UInt8] { root.bytes }

  private init(root: JSON) { self.root = root }

  /// - Returns: nil for what is not a JSON object.
  init?(_ body: [UInt8]) {
    let document = AssociationContent(body).document
    guard document.isWellFormed, let root = document.root, root.object != nil else { return nil }
    self.root = root.json
  }

  /// A new file that sends one path to one app.
  static func granting(_ app: String, path: String, isOld: Bool) -> EditableFile {
    EditableFile(
      root: .object([
        ("applinks", .object([("apps", .array([])), ("details", .array([entry(app, path, isOld)]))]))
      ]))
  }

  private static func entry(_ app: String, _ path: String, _ isOld: Bool) -> JSON {
    isOld
      ? .object([("appID", .string(app)), ("paths", .array([.string(path)]))])
      : .object([
        ("appIDs", .array([.string(app)])), ("components", .array([.object([("/", .string(path))])])),
      ])
  }

  func trace(
    _ url: LinkURL, app: String, host: String, on os: OSVersion, _ work: inout WorkBudget
  ) -> MatchTrace? {
    guard let file = AssociationContent(bytes).file else { return nil }
    let scope: HostScope = url.host == host ? .exactly(host) : .subdomains(of: host)
    return AssociationMatcher(file, os: os).trace(url, app: app, host: scope, &work)
  }

  // MARK: - Changes

  var hasAppsKey: Bool { root["applinks"]?["apps"] != nil }

  var addingAppsKey: EditableFile? {
    root["applinks"].map {
      EditableFile(root: root.setting("applinks", to: $0.setting("apps", to: .array([]))))
    }
  }

  /// The app in a new entry at the end.
  func naming(_ app: String, path: String, isOld: Bool) -> EditableFile? {
    var links = root["applinks"] ?? .object([])
    // Releases before 13 read nothing without it (6.2).
    if isOld, links["apps"] == nil { links = links.setting("apps", to: .array([])) }
    let entries = links["details"]?.elements ?? []
    return EditableFile(
      root: root.setting(
        "applinks",
        to: links.setting("details", to: .array(entries + [Self.entry(app, path, isOld)]))))
  }

  /// The rule before all others of the app: in its first entry.
  func inserting(_ rule: JSON, into app: String) -> [UInt8]? {
    let entries = root["applinks"]?["details"]?.elements ?? []
    let index = entries.firstIndex { entry in
      let names = entry["appIDs"]?.elements ?? entry["appID"].map { [$0] } ?? []
      return names.contains { $0.text == JSON.string(app).text }
    }
    guard let index else { return nil }
    let key = entries[index]["components"] == nil && entries[index]["paths"] != nil ? "paths" : "components"
    return changing(index, key: key) { rules in
      // In `paths` a rule is a string, and an exclusion begins with NOT.
      guard key == "paths", let path = rule["/"]?.string else { return [rule] + rules }
      return [.string((rule["exclude"] == nil ? "" : "NOT ") + path)] + rules
    }?.bytes
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
    return changing(entry, key: node?["components"] == nil ? "paths" : "components", change)
  }

  private func changing(_ entry: Int, key: String, _ change: ([JSON]) -> [JSON]) -> EditableFile? {
    guard let links = root["applinks"], var entries = links["details"]?.elements,
      let node = entries[safe: entry]
    else { return nil }
    entries[entry] = node.setting(key, to: .array(change(node[key]?.elements ?? [])))
    return EditableFile(root: root.setting("applinks", to: links.setting("details", to: .array(entries))))
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

  fileprivate var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
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
