package import LinkspanCore

/// The keys of a rule that are stated at one level: a rule, its entry's `defaults`, or the domain's (DF1, DF2).
package struct RuleSettings: Sendable, Hashable {
  package var path: String?
  package var query: QueryPattern?
  package var fragment: String?
  package var exclude: Bool?
  package var caseSensitive: Bool?
  package var percentEncoded: Bool?

  package init() {}

  /// A rule for a path.
  package init(path: String, exclude: Bool? = nil) {
    self.path = path
    self.exclude = exclude
  }

  /// Drops every bad value, except a bad `exclude`, which reads as true so that a guard never opens by
  /// mistake (section 6.4, inferred).
  package init(_ node: JSONNode) {
    path = node["/"]?.string
    query = node["?"].flatMap(QueryPattern.init)
    fragment = node["#"]?.string
    exclude = node["exclude"].map { $0.bool ?? true }
    caseSensitive = node["caseSensitive"]?.bool
    percentEncoded = node["percentEncoded"]?.bool
  }

  /// What holds when these settings are more specific than the others, key by key.
  package func over(_ general: RuleSettings) -> RuleSettings {
    var result = general
    if let path { result.path = path }
    if let query { result.query = query }
    if let fragment { result.fragment = fragment }
    if let exclude { result.exclude = exclude }
    if let caseSensitive { result.caseSensitive = caseSensitive }
    if let percentEncoded { result.percentEncoded = percentEncoded }
    return result
  }

  /// The rule with everything stated that defaults would change of it, so that it means under them what it says (DF2).
  package func meaningTheSame(under defaults: RuleSettings) -> RuleSettings {
    var rule = self
    if path == nil, defaults.path != nil { rule.path = "*" }
    if query == nil, defaults.query != nil { rule.query = .whole("*") }
    if fragment == nil, defaults.fragment != nil { rule.fragment = "*" }
    if exclude == nil, defaults.exclude == true { rule.exclude = false }
    // Patterns without escapes mean the same decoded and not.
    if percentEncoded == nil, defaults.percentEncoded == false, json.text.contains("%") {
      rule.percentEncoded = true
    }
    return rule
  }

  /// As it would be written in `components`, keys in the order people write them.
  package var json: JSON {
    var members: [(String, JSON)] = []
    if let path { members.append(("/", .string(path))) }
    if let query { members.append(("?", query.json)) }
    if let fragment { members.append(("#", .string(fragment))) }
    if let exclude { members.append(("exclude", .bool(exclude))) }
    if let caseSensitive { members.append(("caseSensitive", .bool(caseSensitive))) }
    if let percentEncoded { members.append(("percentEncoded", .bool(percentEncoded))) }
    return .object(members)
  }
}

/// The value of `?`.
package enum QueryPattern: Sendable, Hashable {
  /// Compared by bytes: two spellings of a character are two names, and two patterns.
  package struct Item: Sendable, Hashable {
    package var name: String
    package var pattern: String

    package static func == (left: Item, right: Item) -> Bool {
      left.name.isExactly(right.name) && left.pattern.isExactly(right.pattern)
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(ExactText(name))
      hasher.combine(ExactText(pattern))
    }
  }

  /// A pattern for the whole query (Q1).
  case whole(String)
  /// A pattern for each of some items, in the file's order (Q2).
  case items([Item])
  /// An object with a value that is no string: it holds for every URL (Q6, observed).
  case ignored

  init?(_ node: JSONNode) {
    switch node.value {
    case .string(let text): self = .whole(text)
    case .object(let members):
      var items: [Item] = []
      // By bytes: two spellings of a character are two names.
      var places: [ExactText: Int] = [:]
      for member in members {
        guard let pattern = member.value.string else {
          self = .ignored
          return
        }
        if let place = places[ExactText(member.name)] {
          items[place].pattern = pattern
        } else {
          places[ExactText(member.name)] = items.count
          items.append(Item(name: member.name, pattern: pattern))
        }
      }
      self = .items(items)
    default: return nil
    }
  }

  var json: JSON {
    switch self {
    case .whole(let text): .string(text)
    case .items(let items): .object(items.map { ($0.name, .string($0.pattern)) })
    case .ignored: .object([])
    }
  }
}
