package import AppSiteAssociation
internal import LinkLanguages
internal import LinkspanCore

/// A commented configuration for `generate`, made from an association file.
package struct CommentedRequest {
  package private(set) var text = ""

  /// Our choice: rules that are compiled in all to see what exclusions do, and steps for one of them.
  private static let comparedRules = 400_000
  private static let stepLimit = 2_000_000

  private let variables: [ExactText: [String]]
  private var left = CommentedRequest.comparedRules

  /// - Parameter name: The file, for the first line.
  package init(_ links: AppLinks, from name: String) {
    variables = links.substitutionVariables
    var apps: [String] = []
    var rules: [String: [RuleSettings]] = [:]
    for entry in links.entries {
      let own = Self.rules(of: entry, links)
      for app in entry.applications(on: nil) {
        if rules[app] == nil { apps.append(app) }
        rules[app, default: []] += own
      }
    }
    var text = "// Apps, routes and exclusions for 'linkspan generate', from \(Self.shown(name)).\n"
    text +=
      "// ':name' is one segment, a last '*' anything below. An exclusion wins over every route, whatever their order.\n"
    text += "{\n  // The host adds the entitlement lines.\n  // host: \"example.com\",\n  apps: [\n"
    for app in apps {
      let all = rules[app] ?? []
      text += "    {\n      id: \(Self.quoted(app)),\n"
      text += list("routes", all.indices.filter { all[$0].exclude != true }, all)
      text += list("exclude", all.indices.filter { all[$0].exclude == true }, all)
      text += "    },\n"
    }
    self.text = text + "  ],\n}\n"
  }

  private static func rules(of entry: AppLinks.Entry, _ links: AppLinks) -> [RuleSettings] {
    let rules =
      entry.components.map { $0.map(\.settings) } ?? entry.paths.map { $0.map(\.settings) } ?? [
        RuleSettings()
      ]
    return rules.map { $0.over(entry.defaults.over(links.defaults)) }
  }

  // MARK: - Texts that stay on their line

  /// A string in quotation marks; what ends a line in JSON5 is escaped too.
  private static func quoted(_ text: String) -> String { oneLine(JSON.string(text).text) }

  /// The same without the quotation marks, for comments.
  private static func shown(_ text: String) -> String { String(quoted(text).dropFirst().dropLast()) }

  private static func oneLine(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar.value {
      case 0x2028, 0x2029: result += "\\u\(String(scalar.value, radix: 16))"
      case 0x85: result += "\\u0085"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  // MARK: - Rules as routes

  private mutating func list(_ name: String, _ places: [Int], _ all: [RuleSettings]) -> String {
    var text = "      \(name): [\n"
    for place in places {
      var (route, remarks) = self.route(for: all[place])
      if all[place].exclude == true, route != nil {
        switch effect(of: place, in: all) {
        case .none:
          route = nil
          remarks = ["it keeps out nothing that another rule would open"]
        case .overrides(let rest):
          remarks.append(
            "an earlier rule opens some of these, such as '\(Self.shown(rest))'; here the exclusion wins")
        case .unknown:
          remarks.append("not compared with the rules before it; here the exclusion wins over all of them")
        case .same: break
        }
      }
      let rule = Self.oneLine(all[place].json.text)
      let remark = remarks.isEmpty ? "" : " // \(rule): \(remarks.joined(separator: "; "))"
      text += route.map { "        \(Self.quoted($0)),\(remark)\n" } ?? "        //\(remark.dropFirst(3))\n"
    }
    return text + "      ],\n"
  }

  /// The nearest route, and what it does not say; no route where none comes near.
  private func route(for rule: RuleSettings) -> (route: String?, remarks: [String]) {
    var remarks: [String] = []
    let conditions = [(rule.query != nil, "query"), (rule.fragment != nil, "fragment")].filter(\.0).map(\.1)
    for condition in conditions { remarks.append("a route says nothing of the \(condition)") }
    if rule.exclude == true, !conditions.isEmpty {
      return (nil, remarks + ["without it the exclusion would keep out too much"])
    }
    if rule.caseSensitive == false { remarks.append("a route is case-sensitive") }
    if rule.percentEncoded == false { remarks.append("a route compares URLs as written") }
    let (text, more) = Self.text(of: rule.path ?? "*")
    remarks += more
    guard let text else { return (nil, remarks) }
    guard let route = try? Route(text) else {
      return (nil, remarks + ["no route says '\(Self.shown(rule.path ?? "*"))'"])
    }
    if remarks.isEmpty {
      var settings = rule
      settings.exclude = nil
      var budget = RouteProof.budget
      let outcome = RouteProof(routes: [route], exclusions: []).differences(
        of: [settings], variables: variables, limit: 1, &budget)
      if let difference = outcome.differences.first {
        remarks.append("the route and the rule differ, as at '\(Self.shown(difference.rest))'")
      }
    }
    return (text, remarks)
  }

  /// No text where the path has wildcards inside a segment.
  private static func text(of path: String) -> (route: String?, remarks: [String]) {
    if path == "*" || path == "/*" { return ("/*", []) }
    var remarks: [String] = []
    // A run of slashes at either end counts as one or none (P5, P6); one inside is an empty segment (P9).
    let start = path.utf8.prefix { $0 == UInt8(ascii: "/") }.count
    let end = path.utf8.reversed().prefix { $0 == UInt8(ascii: "/") }.count
    guard start + end < path.utf8.count else { return ("/", []) }
    let trimmed = String(decoding: path.utf8.dropFirst(start).dropLast(end), as: UTF8.self)
    var segments: [String] = []
    let parts = trimmed.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      if part.isEmpty {
        return (nil, remarks + ["no route has an empty segment"])
      } else if part == "*", isLast, end == 0 {
        segments.append("*")
      } else if part == "*" || part == "?*" {
        segments.append(":p\(index + 1)")
        remarks.append("'*' matches several segments, ':p\(index + 1)' one")
      } else if part.contains(where: { "*?".contains($0) }) || part.contains("$(") || part.contains(":") {
        return (nil, remarks + ["no route says '\(shown(part))'"])
      } else {
        segments.append(part)
      }
    }
    return ("/" + segments.joined(separator: "/"), remarks)
  }

  // MARK: - What an exclusion does

  private enum Effect {
    /// Nothing opens that would not without it.
    case none
    /// As an exclusion that wins over every route.
    case same
    /// Such an exclusion would take away a URL that an earlier rule opens.
    case overrides(String)
    case unknown
  }

  /// In the file the first rule decides (M4), in the configuration the exclusion.
  private mutating func effect(of place: Int, in all: [RuleSettings]) -> Effect {
    left -= 2 * all.count
    guard left >= 0 else { return .unknown }
    var without = all
    without.remove(at: place)
    func likeness(_ rules: [RuleSettings], _ others: [RuleSettings], _ place: Int) -> RouteProof.Likeness {
      var budget = RouteProof.budget
      return budget.withShare(of: Self.stepLimit) {
        RouteProof.compare(rules, others, variables: variables, within: place, &$0)
      }
    }
    if likeness(without, all, place) == .alike { return .none }
    switch likeness(all, [all[place]] + without, 0) {
    case .alike: return .same
    case .different(let rest): return .overrides(rest)
    case .undecided: return .unknown
    }
  }
}
