internal import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCore

extension JSONNode {
  /// Whether two documents say the same (C10). The order of members and white space do not count, the order of elements
  /// does. If a name occurs twice, the last value counts.
  package func hasSameMeaning(as other: JSONNode) -> Bool { canonical.text == other.canonical.text }

  /// The value with members sorted by name, each once.
  var canonical: JSON {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let text): .number(text)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map({ $0.canonical }))
    case .object(let members):
      .object(
        Dictionary(members.map { ($0.name, $0.value.canonical) }, uniquingKeysWith: { $1 })
          .sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
  }
}

extension FetchResult {
  /// The JSON of an answer with a file that a device can use.
  var document: JSONNode? {
    guard case .answered(let response) = self, response.status == 200, response.contentCoding == nil else {
      return nil
    }
    let content = AssociationContent(response.body)
    return content.file == nil ? nil : content.document.root
  }
}

/// What differs between two copies of one host's file, at the level of services, apps and rules.
package enum AssociationDifference {
  /// Our choice: differences beyond this number are counted, not listed.
  static let lineLimit = 8

  /// Our choice: how many rules are compared one by one, about a tenth of a second. The largest files that were seen need a
  /// thousandth of it; beyond it, apps with other entries are named without their rules.
  static let ruleLimit = 500_000

  /// One clause for each difference, such as `'applinks' no longer names X`; empty when only things differ that no
  /// device reads. Compares the texts of rules, not what they mean for URLs.
  ///
  /// - Parameter readers: Whose reading counts: all devices', or only those that fetch from Apple's CDN.
  /// - Returns: At most ``lineLimit`` clauses; the last one counts the differences that are not listed.
  package static func lines(
    from old: JSONNode, to new: JSONNode, readers: Readers = .all
  ) -> [String] {
    guard let old = AssociationFile(old), let new = AssociationFile(new) else { return [] }
    var lines = Lines()
    for service in Service.allCases {
      let name = service.rawValue
      let (before, after) = (apps(of: service, in: old), apps(of: service, in: new))
      switch (before, after) {
      case (nil, nil): continue
      case (nil, _): lines.add(["'\(name)' is new"])
      case (_, nil): lines.add(["'\(name)' is gone"])
      case (let before?, let after?):
        let (named, names) = (Set(before), Set(after))
        lines.add(after.filter { !named.contains($0) }) { "'\(name)' newly names \($0)" }
        lines.add(before.filter { !names.contains($0) }) { "'\(name)' no longer names \($0)" }
        guard service == .applinks else { continue }
        var comparison = RuleComparison(old, new)
        for app in before where names.contains(app) { comparison.compare(app, &lines) }
        if comparison.hasOtherPrecedence {
          lines.add(["the entries of different apps are in another order (J12)"])
        }
        if readers == .all, old.appLinks?.onlyOldReleasesRead != new.appLinks?.onlyOldReleasesRead {
          lines.add(["what only iOS 12 and older read is different"])
        }
      }
    }
    if old.appLinks?.substitutionVariables ?? [:] != new.appLinks?.substitutionVariables ?? [:] {
      lines.add(["the substitution variables differ"])
    }
    return lines.texts
  }

  package enum Readers {
    case all
    /// iOS 14 and later, with the releases of its year.
    case fetchingThroughCDN
  }

  /// The applications a service names, each once, in the file's order; nil when the file has no such service.
  private static func apps(of service: Service, in file: AssociationFile) -> [String]? {
    let all =
      service == .applinks
      ? file.appLinks.map { $0.entries.flatMap { $0.applications(on: nil) } } : file.apps[service]
    guard let all else { return nil }
    var seen: Set<String> = []
    return all.filter { seen.insert($0).inserted }
  }
}

extension AppLinks {
  /// What the releases read that demand `"apps": []`, and later ones replace by `appIDs` and `components` (6.2, J6, J8); nil
  /// where they ignore the file.
  fileprivate var onlyOldReleasesRead: [String]? {
    guard hasAppsKey else { return nil }
    return entries.compactMap { entry in
      guard let app = entry.appID, entry.appIDs != nil || entry.components != nil else { return nil }
      return JSON.array([.string(app)] + (entry.paths ?? []).map { .string($0.text) }).text
    }
  }
}

/// The clauses that are listed, and how many there are.
private struct Lines {
  private var listed: [String] = []
  private var count = 0

  mutating func add(_ items: [String], _ clause: (String) -> String = { $0 }) {
    listed += items.prefix(max(0, AssociationDifference.lineLimit - count)).map(clause)
    count += items.count
  }

  var texts: [String] {
    let limit = AssociationDifference.lineLimit
    guard count > limit else { return listed }
    return listed.prefix(limit - 1) + ["\((count - limit + 1).counted("more difference"))"]
  }
}

/// Compares the rules of each app of two files, in time linear in the files.
///
/// Every list of rules has a number, and lists that say the same have the same one. So apps whose entries did not change
/// are told apart by numbers, and apps with the same entries are compared once.
private struct RuleComparison {
  private struct Change {
    var added: [String]
    var removed: [String]
  }

  private struct Entries: Hashable {
    var old: [Int]
    var new: [Int]
  }

  /// Each list of rules once, every rule with everything that holds for it.
  private var lists: [[String]] = []
  /// The lists of each app, in the order of its entries.
  private var old: [String: [Int]] = [:]
  private var new: [String: [Int]] = [:]
  /// Where each application has each list first, in entries that have an order (J12, J13).
  private var oldPlaces: [Line: Int] = [:]
  private var newPlaces: [Line: Int] = [:]
  private var known: [Entries: Change?] = [:]
  private var ruleCount = 0

  private struct Line: Hashable {
    var app: String
    var list: Int
  }

  init(_ old: AssociationFile, _ new: AssociationFile) {
    var numbers: [[String]: Int] = [:]
    (self.old, oldPlaces) = number(old, &numbers)
    (self.new, newPlaces) = number(new, &numbers)
  }

  private mutating func number(
    _ file: AssociationFile, _ numbers: inout [[String]: Int]
  ) -> (lists: [String: [Int]], places: [Line: Int]) {
    var listsByApp: [String: [Int]] = [:]
    var places: [Line: Int] = [:]
    guard let appLinks = file.appLinks else { return (listsByApp, places) }
    for entry in appLinks.entries {
      let rules = Self.rules(of: entry, defaults: entry.defaults.over(appLinks.defaults))
      let number = numbers[rules] ?? lists.count
      if number == lists.count {
        numbers[rules] = number
        lists.append(rules)
      }
      for app in Set(entry.applications(on: nil)) {
        listsByApp[app, default: []].append(number)
        let line = Line(app: app, list: number)
        if entry.key == nil, places[line] == nil { places[line] = entry.index }
      }
    }
    return (listsByApp, places)
  }

  private static func rules(of entry: AppLinks.Entry, defaults: RuleSettings) -> [String] {
    if let components = entry.components {
      return components.map { $0.settings.over(defaults).json.text }
    }
    return entry.paths?.map { JSON.string($0.text).text } ?? ["for every URL"]
  }

  /// Whether two apps that both files name have their entries the other way round.
  var hasOtherPrecedence: Bool {
    let moves = oldPlaces.compactMap { line, place in
      newPlaces[line].map { (old: place, new: $0, app: line.app) }
    }.sorted { ($0.old, $0.app, $0.new) < ($1.old, $1.app, $1.new) }
    // The latest place in the new file of what stood before in the old one, and that of another app.
    var (latest, other): ((new: Int, app: String)?, Int?) = (nil, nil)
    var rest = moves[...]
    while let first = rest.first {
      let group = rest.prefix { $0.old == first.old }
      rest = rest.dropFirst(group.count)
      for move in group {
        guard let before = latest?.app == move.app ? other : latest?.new else { continue }
        if move.new < before { return true }
      }
      for move in group {
        if let latest, move.new <= latest.new {
          if move.app != latest.app { other = max(other ?? 0, move.new) }
          continue
        }
        if let latest, latest.app != move.app { other = latest.new }
        latest = (move.new, move.app)
      }
    }
    return false
  }

  mutating func compare(_ app: String, _ lines: inout Lines) {
    let entries = Entries(old: old[app] ?? [], new: new[app] ?? [])
    guard entries.old != entries.new else { return }
    if known[entries] == nil {
      ruleCount += (entries.old + entries.new).reduce(0) { $0 + lists[$1].count }
      guard ruleCount <= AssociationDifference.ruleLimit else {
        return lines.add(["the entries of \(app) differ"])
      }
      known[entries] = .some(change(entries))
    }
    guard let change = known[entries] ?? nil else { return }
    if change.added.isEmpty, change.removed.isEmpty {
      lines.add(["the rules of \(app) are in a different order"])
    }
    lines.add(change.added) { "\(app) has the new rule \($0)" }
    lines.add(change.removed) { "\(app) no longer has the rule \($0)" }
  }

  /// - Returns: nil when both have the same rules in the same order, divided over other entries.
  private func change(_ entries: Entries) -> Change? {
    let before = entries.old.flatMap { lists[$0] }
    let after = entries.new.flatMap { lists[$0] }
    guard before != after else { return nil }
    return Change(added: Self.less(after, before), removed: Self.less(before, after))
  }

  /// The elements of one list that the other lacks, as often as it lacks them.
  private static func less(_ all: [String], _ others: [String]) -> [String] {
    var counts = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
    return all.filter { element in
      guard let count = counts[element], count > 0 else { return true }
      counts[element] = count - 1
      return false
    }
  }
}
