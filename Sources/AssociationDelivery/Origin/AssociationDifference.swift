internal import AppSiteAssociation
package import LinkspanCore

extension JSONNode {
  /// Whether both say the same: the order of members and blanks do not count, the order of elements does (C10). Of a
  /// name that occurs twice the last value counts.
  package func hasSameMeaning(as other: JSONNode) -> Bool { canonical.text == other.canonical.text }

  /// The value with members sorted by name, each once.
  var canonical: JSON {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let text): .number(text)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.canonical))
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
  /// Ours: more are counted, not listed.
  static let lineLimit = 8

  /// One clause a difference, such as `'applinks' no longer names X`; empty when only things differ that no device
  /// reads. The texts are compared; what URLs that means for is another question.
  package static func lines(from old: JSONNode, to new: JSONNode) -> [String] {
    guard let old = AssociationFile(old), let new = AssociationFile(new) else { return [] }
    var lines: [String] = []
    for service in Service.allCases {
      let (before, after) = (apps(of: service, in: old), apps(of: service, in: new))
      switch (before, after) {
      case (nil, nil): continue
      case (nil, _): lines.append("'\(service.rawValue)' is new")
      case (_, nil): lines.append("'\(service.rawValue)' is gone")
      case (let before?, let after?):
        lines += after.filter { !before.contains($0) }.map { "'\(service.rawValue)' names \($0) anew" }
        lines += before.filter { !after.contains($0) }.map { "'\(service.rawValue)' no longer names \($0)" }
        guard service == .applinks else { continue }
        for app in before where after.contains(app) { lines += rules(of: app, old, new) }
      }
    }
    if old.appLinks?.substitutionVariables ?? [:] != new.appLinks?.substitutionVariables ?? [:] {
      lines.append("the substitution variables differ")
    }
    guard lines.count > lineLimit else { return lines }
    return lines.prefix(lineLimit - 1) + ["\(lines.count - lineLimit + 1) more things differ"]
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

  private static func rules(of app: String, _ old: AssociationFile, _ new: AssociationFile) -> [String] {
    let (before, after) = (rules(of: app, in: old), rules(of: app, in: new))
    guard before != after else { return [] }
    let added = less(after, before)
    let removed = less(before, after)
    if added.isEmpty, removed.isEmpty { return ["the rules of \(app) stand in another order"] }
    return added.map { "\(app) has the new rule \($0)" } + removed.map { "\(app) lacks the old rule \($0)" }
  }

  /// Each rule with everything that holds for it.
  private static func rules(of app: String, in file: AssociationFile) -> [String] {
    guard let appLinks = file.appLinks else { return [] }
    return appLinks.entries.filter { $0.applications(on: nil).contains(app) }.flatMap { entry in
      let defaults = entry.defaults.over(appLinks.defaults)
      if let components = entry.components {
        return components.map { $0.settings.over(defaults).json.text }
      }
      return entry.paths?.map { JSON.string($0.text).text } ?? ["for every URL"]
    }
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
