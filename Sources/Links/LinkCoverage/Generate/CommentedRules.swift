internal import AppSiteAssociation
internal import LinkLanguages
internal import LinkspanCore

/// The rules of one application as lines of a request: as routes and exclusions where that means the same, else in their
/// order.
struct CommentedRules {
  private(set) var text = ""
  /// The rules that no URL matches, each with the reason.
  private(set) var losses: [String] = []

  private struct Line {
    var settings: RuleSettings
    /// nil for a rule that no URL matches.
    var wanted: WantedRule?
    var text: String
  }

  private let variables: SubstitutionVariables
  private let rules: [RuleSettings]
  private var lines: [Line] = []
  private var budget: WorkBudget

  /// Our choices: longer lists stay in their order, where it may matter and where it cannot.
  private static let comparedCount = 60
  private static let unorderedCount = 200
  /// Our choice: steps for one comparison, and what compiling a rule for it counts.
  private static let stepLimit = 4_000_000
  private static let costOfRule = 2_000

  /// - Parameter work: For all applications of the file; what it does not decide stays as it is, in its order.
  init(_ rules: [RuleSettings], _ variables: SubstitutionVariables, _ work: inout WorkBudget) {
    self.rules = rules
    self.variables = variables
    budget = work
    defer { work = budget }
    for rule in rules { lines.append(line(for: rule)) }
    losses = lines.filter { $0.wanted == nil }.map { "Without the rule \($0.text)." }
    let exclusionCount = rules.count { $0.exclude == true }
    let isShort = rules.count <= (exclusionCount == 0 ? Self.unorderedCount : Self.comparedCount)
    guard isShort else {
      text = ordered("The rules are many, so they stay in their order.")
      return
    }
    var idle: Set<Int> = []
    for place in rules.indices where rules[place].exclude == true && isIdle(place) { idle.insert(place) }
    if exclusionCount > 0, let reason = reasonForOrder(without: idle) {
      text = ordered(reason)
      return
    }
    text = list("routes", rules.indices.filter { rules[$0].exclude != true }, idle)
    text += list("exclude", rules.indices.filter { rules[$0].exclude == true }, idle)
  }

  // MARK: - Lines

  private mutating func line(for rule: RuleSettings) -> Line {
    let written = JSON.oneLine(rule.json.text)
    guard WantedRule(rule).canHold(variables: variables) else {
      return Line(settings: rule, text: "\(written): no URL matches it")
    }
    if rule.percentEncoded ?? true, rule.patterns.contains(where: Self.isDecoded) {
      return Line(
        settings: rule, text: "\(written): devices compare the percent-encoded URL, so no URL matches it")
    }
    if let (wanted, text) = route(for: rule) {
      return Line(settings: rule, wanted: wanted, text: JSON.oneLine(JSON.string(text).text))
    }
    return Line(
      settings: rule, wanted: WantedRule(rule), text: JSON.oneLine(rule.withoutEffect.json.text))
  }

  /// Whether a character stands in it, outside of variables' names, that URLs percent-encode (K3).
  private static func isDecoded(_ pattern: String) -> Bool {
    var rest = pattern[...]
    while let next = rest.first {
      if rest.hasPrefix("$("), let close = rest.firstIndex(of: ")") {
        rest = rest[rest.index(after: close)...]
        continue
      }
      if next.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) { return true }
      rest.removeFirst()
    }
    return false
  }

  /// The route that means the same; nil for a rule that stays one.
  private mutating func route(for rule: RuleSettings) -> (WantedRule, String)? {
    guard rule.query == nil, rule.caseSensitive == nil, rule.percentEncoded == nil,
      let path = Self.path(rule.path ?? "*"), let route = try? Route(path)
    else { return nil }
    var plain = RuleSettings()
    plain.path = rule.path
    let proof = RouteProof(routes: [route], exclusions: [])
    let outcome = budget.withShare(of: Self.stepLimit) {
      proof.differences(of: [plain], variables: variables, limit: 1, &$0)
    }
    guard outcome.isDecided, outcome.differences.isEmpty else { return nil }
    let wanted = WantedRule(route, isExclusion: rule.exclude == true, fragment: rule.fragment)
    return (wanted, path + (rule.fragment.map { "#" + $0 } ?? ""))
  }

  /// The path as a route; nil where it has wildcards, variables or empty segments.
  private static func path(_ path: String) -> String? {
    if path == "*" || path == "/*" { return "/*" }
    // A run of slashes at either end counts as one or none (P5, P6); one inside is an empty segment (P9).
    let slash = UInt8(ascii: "/")
    let start = path.utf8.prefix { $0 == slash }.count
    guard start < path.utf8.count else { return "/" }
    let end = path.utf8.reversed().prefix { $0 == slash }.count
    let trimmed = String(decoding: path.utf8.dropFirst(start).dropLast(end), as: UTF8.self)
    let plain = trimmed.hasSuffix("/*") && end == 0 ? trimmed.dropLast(2) : trimmed[...]
    guard !plain.contains(where: { "*?:(".contains($0) }), !plain.contains("//") else { return nil }
    return "/" + trimmed
  }

  // MARK: - Lists

  private func list(_ name: String, _ places: [Int], _ idle: Set<Int>) -> String {
    var text = "      \(name): [\n"
    for place in places {
      let line = lines[place]
      if line.wanted != nil, idle.contains(place) {
        text +=
          "        // \(JSON.oneLine(line.settings.json.text)): it keeps out nothing that another rule would open\n"
      } else {
        text += line.wanted == nil ? "        // \(line.text)\n" : "        \(line.text),\n"
      }
    }
    return text + "      ],\n"
  }

  private func ordered(_ reason: String) -> String {
    var text = "      // \(reason)\n      rules: [\n"
    for line in lines {
      text +=
        line.wanted == nil
        ? "        // \(line.text)\n" : "        \(JSON.oneLine(line.settings.json.text)),\n"
    }
    return text + "      ],\n"
  }

  // MARK: - Order

  /// Whether the exclusion decides no URL, or none that another rule would open.
  private mutating func isIdle(_ place: Int) -> Bool {
    var without = rules
    without.remove(at: place)
    guard budget.spend(2 * Self.costOfRule * rules.count) else { return false }
    let likeness = budget.withShare(of: Self.stepLimit) {
      RouteProof.compare(without, rules, variables: variables, within: place, &$0)
    }
    return likeness == .alike
  }

  /// In the file the first rule decides (M4), in the configuration the exclusion; nil where that makes no difference.
  private mutating func reasonForOrder(without idle: Set<Int>) -> String? {
    let wanted = lines.indices.filter { !idle.contains($0) }.compactMap { lines[$0].wanted }
    var speller = RouteSpeller(
      variables: VariableNames(
        variables.values.sorted { $0.key.text < $1.key.text }.map { (name: $0.key.text, values: $0.value) }))
    let generator = RuleGenerator(
      RuleGenerator.Lines(
        routes: wanted.filter { !$0.isExclusion }, exclusions: wanted.filter { $0.isExclusion }),
      variables: variables, speller: &speller)
    let plan = budget.withShare(of: Self.stepLimit) { generator.plan(&$0) }
    var limits = FileComparison.Limits()
    limits.steps = min(Self.stepLimit, budget.steps)
    limits.changes = 1
    guard let before = file(rules), let after = file(plan.rules) else {
      return "The rules stay in their order."
    }
    let comparison = FileComparison(before, after, host: "example.com", limits: limits)
    _ = budget.spend(comparison.spentSteps)
    if let change = comparison.changes.first {
      return
        "Routes and exclusions would change \(JSON.oneLine(change.url)), so the rules stay in their order."
    }
    return comparison.undecided.isEmpty
      ? nil : "Not decided whether exclusions may win over every route, so the rules stay in their order."
  }

  private func file(_ rules: [RuleSettings]) -> AssociationFile? {
    let lists = variables.values.map { ($0.key.text, JSON.array($0.value.map(JSON.string))) }
    let entry = JSON.object([
      ("appIDs", .array([.string("A")])), ("components", .array(rules.map { $0.json })),
    ])
    let links = JSON.object([("substitutionVariables", .object(lists)), ("details", .array([entry]))])
    return JSONParser.parse(JSON.object([("applinks", links)]).bytes).root.flatMap { AssociationFile($0) }
  }
}

extension JSON {
  /// Without what ends a line in JSON5.
  static func oneLine(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar.value {
      case 0x2028, 0x2029: result += "\\u\(String(scalar.value, radix: 16))"
      case 0x85: result += "\\u0085"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}

extension RuleSettings {
  /// Without what holds anyhow: a pattern `*`, settings that are the default, and a query object that is ignored (Q6).
  var plain: RuleSettings {
    var rule = self
    if rule.path == "*" { rule.path = nil }
    switch rule.query {
    case .ignored, .whole("*"): rule.query = nil
    default: break
    }
    if rule.fragment == "*" { rule.fragment = nil }
    if rule.exclude == false { rule.exclude = nil }
    if rule.caseSensitive == true { rule.caseSensitive = nil }
    if rule.percentEncoded == true { rule.percentEncoded = nil }
    if rule.path == nil, rule.query == nil, rule.fragment == nil { rule.path = "*" }
    return rule
  }
}
