internal import AppSiteAssociation
internal import LinkLanguages
internal import LinkspanCore

/// Reads the values of a request, and says where one cannot be used.
struct RequestReader {
  typealias Problem = GenerateRequest.Problem

  let text: SourceText

  func problem(_ node: JSONNode, _ message: String, help: String? = nil) -> Problem {
    Problem(
      finding: Finding(
        rule: "generate", severity: .error, at: .init(text, node.range), message: message, help: help))
  }

  func string(_ node: JSONNode, _ key: String) throws(Problem) -> (text: String, node: JSONNode)? {
    guard let value = node[key] else { return nil }
    guard let text = value.string else { throw problem(value, "'\(key)': expected a string") }
    return (text, value)
  }

  func strings(_ node: JSONNode, _ key: String) throws(Problem) -> [(text: String, node: JSONNode)] {
    guard let list = node[key] else { return [] }
    guard let elements = list.array else { throw problem(list, "'\(key)': expected a list of strings") }
    var strings: [(text: String, node: JSONNode)] = []
    for element in elements {
      guard let text = element.string else { throw problem(element, "'\(key)': expected a string") }
      strings.append((text, element))
    }
    return strings
  }

  func variables(_ root: JSONNode) throws(Problem) -> [(name: String, values: [String])] {
    guard let node = root["substitutionVariables"] else { return [] }
    guard let members = node.object else {
      throw problem(node, "'substitutionVariables': expected an object with a list for each name")
    }
    var variables: [(name: String, values: [String])] = []
    for member in members {
      if member.name.isEmpty || member.name.contains(where: { "$()".contains($0) }) {
        throw problem(member.value, "'\(member.name)' is not a valid variable name")
      }
      variables.append((member.name, try strings(node, member.name).map { $0.text }))
    }
    return variables
  }

  /// Each once, where it is first.
  static func each(_ lines: [WantedRule]) -> [WantedRule] {
    var seen: Set<WantedRule> = []
    return lines.filter { seen.insert($0).inserted }
  }

  // MARK: - Lines

  private static let lineKeys = [
    "route", "/", "?", "#", "caseSensitive", "percentEncoded", "exclude", "comment",
  ]

  /// Routes as texts, or rules as objects.
  ///
  /// - Parameters:
  ///   - key: `routes`, `exclude` or `rules`; in rules alone each may say `exclude` itself.
  ///   - variables: What `$(name)` stands for.
  func lines(
    _ node: JSONNode, _ key: String, _ variables: SubstitutionVariables, isExclusion: Bool = false
  ) throws(Problem) -> [WantedRule] {
    guard let list = node[key] else { return [] }
    guard let elements = list.array else { throw problem(list, "'\(key)': expected a list of strings") }
    var lines: [WantedRule] = []
    var mistakes: [Finding] = []
    for element in elements {
      GenerateRequest.collect(&mistakes) { () throws(Problem) in
        for var line in try self.lines(of: element, key, variables) {
          if isExclusion { line.settings.exclude = true }
          lines.append(line)
        }
      }
    }
    if let problem = Problem(joining: mistakes) { throw problem }
    return Self.each(lines)
  }

  /// One line, or of a template with optional segments several.
  private func lines(
    of element: JSONNode, _ key: String, _ variables: SubstitutionVariables
  ) throws(Problem) -> [WantedRule] {
    let lines: [WantedRule]
    if let text = element.string, key != "rules" {
      lines = try routes(text, element)
    } else if element.object != nil {
      lines = try rules(element, isOrdered: key == "rules")
    } else {
      throw problem(
        element,
        key == "rules" ? "'rules': expected a list of objects" : "'\(key)': expected a string or an object")
    }
    for line in lines where !line.canHold(variables: variables) {
      throw problem(
        element, "no URL matches \(line.text): a variable in it is not defined, has no values or no ')'",
        help: "Define it under 'substitutionVariables' of the request.")
    }
    return lines
  }

  /// `/buy/:id` or `/buy/{id}`, or with a pattern for the fragment: `/buy/:id#reviews`.
  private func routes(_ text: String, _ node: JSONNode) throws(Problem) -> [WantedRule] {
    func read(_ text: String) -> Result<(routes: [Route], rest: String), Route.Problem> {
      do throws(Route.Problem) {
        return .success(try Route.reading(text))
      } catch {
        return .failure(error)
      }
    }
    switch read(text) {
    case .success(let (routes, rest)):
      guard !rest.hasPrefix("?"), !rest.contains(where: { "{}".contains($0) }) else {
        throw problem(beyondPath: rest, text, node)
      }
      let fragment = rest.isEmpty ? nil : Self.encoded(String(rest.dropFirst()))
      return try wanted(routes, fragment: fragment, node)
    case .failure(let reason):
      for index in text.indices where text[index] == "#" {
        guard case .success(let (routes, "")) = read(String(text[..<index])) else { continue }
        return try wanted(routes, fragment: Self.encoded(String(text[text.index(after: index)...])), node)
      }
      throw problem(node, reason.description)
    }
  }

  private func wanted(
    _ routes: [Route], fragment: String?, _ node: JSONNode
  ) throws(Problem) -> [WantedRule] {
    var lines: [WantedRule] = []
    for route in routes { lines.append(WantedRule(try decidable(route, node), fragment: fragment)) }
    return lines
  }

  /// A template's query, or parameters in its fragment: what opens the app must be said as a pattern.
  private func problem(beyondPath rest: String, _ text: String, _ node: JSONNode) -> Problem {
    let path = String(text.dropLast(rest.count))
    return problem(
      node, "'\(text)': a route is a path, without '\(rest)'",
      help: "Remove it, or add patterns: {route: \"\(path)\", \"?\": {\"name\": \"?*\"}}.")
  }

  /// As a URL carries it; the names of variables stay as they are.
  private static func encoded(_ fragment: String) -> String {
    guard !fragment.contains("$(") else { return fragment }
    return ASCII.percentEncoded(Array(fragment.utf8)) { (0x21...0x7E).contains($0) }
  }

  private func decidable(_ route: Route, _ node: JSONNode) throws(Problem) -> Route {
    guard let reason = route.unknown else { return route }
    throw problem(
      node, "'\(route.text)': \(reason)",
      help: "No pattern can be proven to say it. Write the parameter without it, or with a simpler one.")
  }

  /// A rule as `components` have it, or with `route` in the place of its path.
  private func rules(_ node: JSONNode, isOrdered: Bool) throws(Problem) -> [WantedRule] {
    for member in node.object ?? [] {
      guard Self.lineKeys.contains(member.name), member.name != "exclude" || isOrdered else {
        throw problem(
          member.value,
          "'\(member.name)' is not a key of a rule here; expected \(Self.lineKeys.filter { $0 != "exclude" || isOrdered }.joined(separator: ", "))"
        )
      }
      let isRight =
        switch member.name {
        case "exclude", "caseSensitive", "percentEncoded": member.value.bool != nil
        case "?":
          member.value.string != nil || member.value.object?.allSatisfy { $0.value.string != nil } ?? false
        case "comment": true
        default: member.value.string != nil
        }
      guard isRight else { throw problem(member.value, "'\(member.name)' has a value of the wrong type") }
    }
    let settings = RuleSettings(node)
    guard let (text, place) = try string(node, "route") else { return [WantedRule(settings)] }
    if let other = node["/"] ?? node["caseSensitive"] ?? node["percentEncoded"] {
      throw problem(
        other, isOrdered ? "only '?', '#' and 'exclude' go with a route" : "only '?' and '#' go with a route",
        help: "Write its path as a pattern under \"/\".")
    }
    var lines = try routes(text, place)
    for index in lines.indices {
      lines[index].settings.query = settings.query
      lines[index].settings.fragment = settings.fragment ?? lines[index].settings.fragment
      lines[index].settings.exclude = settings.exclude == true ? true : nil
    }
    return lines
  }
}
