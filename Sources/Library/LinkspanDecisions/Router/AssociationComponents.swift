/// One rule of an association file's `components`.
public struct AssociationComponent: Sendable, Hashable {
  /// The pattern of `/`.
  public var path: String
  /// The patterns of `?`, by the names of the query's items.
  public var query: [String: String]
  /// The pattern of `#`.
  public var fragment: String?
  /// Whether the rule keeps URLs in the browser.
  public var isExclusion: Bool

  /// A rule with the members that an association file would have.
  public init(path: String, query: [String: String] = [:], fragment: String? = nil, isExclusion: Bool = false)
  {
    self.path = path
    self.query = query
    self.fragment = fragment
    self.isExclusion = isExclusion
  }
}

/// The rules of an association file for a router's routes.
public struct AssociationComponents: Sendable, Equatable {
  /// What the rules cannot say, and what they catch instead.
  public struct Difference: Sendable, Equatable, CustomStringConvertible {
    /// The route that cannot be expressed; nil when the sum of all routes is too much to compare.
    public var route: String?
    /// A path that the rules open and no route takes; nil when the difference is in a query or a fragment.
    public var alsoCatches: String?
    /// What cannot be said, and what the nearest rule catches besides.
    public var description: String
  }

  /// For `components`, in their order.
  public let components: [AssociationComponent]
  /// For `applinks.substitutionVariables`.
  public let substitutionVariables: [String: [String]]
  /// Empty when the rules open exactly the routes' URLs.
  public let differences: [Difference]

  /// Whether the rules open exactly the routes' URLs, as a walk over all paths found.
  public var isExact: Bool { differences.isEmpty }

  /// A whole association file with these rules.
  ///
  /// - Parameter appIDs: Such as `ABCDE12345.com.example.recipes`.
  public func json(appIDs: [String]) -> String {
    func text(_ value: String) -> String {
      var result = "\""
      for scalar in value.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case _ where scalar.value < 0x20:
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result + "\""
    }
    func object(_ members: [(String, String)]) -> String {
      "{ " + members.map { "\(text($0.0)): \($0.1)" }.joined(separator: ", ") + " }"
    }
    let rules = components.map { rule -> String in
      var members = [("/", text(rule.path))]
      if !rule.query.isEmpty {
        members.append(("?", object(rule.query.sorted { $0.key < $1.key }.map { ($0.key, text($0.value)) })))
      }
      if let fragment = rule.fragment { members.append(("#", text(fragment))) }
      if rule.isExclusion { members.append(("exclude", "true")) }
      return "          " + object(members)
    }
    let variables = substitutionVariables.sorted { $0.key < $1.key }.map { name, values in
      "      \(text(name)): [" + values.map(text).joined(separator: ", ") + "]"
    }
    let ids = "[" + appIDs.map(text).joined(separator: ", ") + "]"
    let lists =
      variables.isEmpty
      ? "" : "    \"substitutionVariables\": {\n" + variables.joined(separator: ",\n") + "\n    },\n"
    let entry =
      "        \"appIDs\": \(ids),\n        \"components\": [\n" + rules.joined(separator: ",\n")
      + "\n        ]\n"
    return "{\n  \"applinks\": {\n" + lists + "    \"details\": [\n      {\n" + entry
      + "      }\n    ]\n  }\n}\n"
  }
}
