/// The text of an association file for a router's rules.
struct ComponentFile {
  let components: [AssociationComponent]
  let variables: [String: [String]]

  /// The largest file that devices take (R4).
  static let sizeLimitBytes = 131_072

  /// Indented where a device takes it so, else without blanks.
  func text(appIDs: [String]) -> String {
    let indented = text(appIDs: appIDs, isIndented: true)
    return indented.utf8.count <= Self.sizeLimitBytes ? indented : text(appIDs: appIDs, isIndented: false)
  }

  private func text(appIDs: [String], isIndented: Bool) -> String {
    let (comma, colon, blank) = isIndented ? (", ", ": ", " ") : (",", ":", "")
    func line(_ depth: Int) -> String {
      isIndented ? "\n" + String(repeating: " ", count: 2 * depth) : ""
    }
    func lines(_ parts: [String], _ depth: Int) -> String {
      parts.map { line(depth) + $0 }.joined(separator: ",") + line(depth - 1)
    }
    func object(_ members: [(String, String)]) -> String {
      "{" + blank + members.map { Self.text($0.0) + colon + $0.1 }.joined(separator: comma) + blank + "}"
    }
    let rules = components.map { rule -> String in
      var members = [("/", Self.text(rule.path))]
      if !rule.query.isEmpty {
        let items = rule.query.sorted { $0.key < $1.key }
        members.append(("?", object(items.map { ($0.key, Self.text($0.value)) })))
      }
      if let fragment = rule.fragment { members.append(("#", Self.text(fragment))) }
      if rule.isExclusion { members.append(("exclude", "true")) }
      return object(members)
    }
    let lists = variables.sorted { $0.key < $1.key }.map { name, values in
      Self.text(name) + colon + "[" + values.map(Self.text).joined(separator: comma) + "]"
    }
    let entry = [
      "\"appIDs\"" + colon + "[" + appIDs.map(Self.text).joined(separator: comma) + "]",
      "\"components\"" + colon + "[" + lines(rules, 5) + "]",
    ]
    var links = ["\"details\"" + colon + "[" + lines(["{" + lines(entry, 4) + "}"], 3) + "]"]
    if !lists.isEmpty {
      links.insert("\"substitutionVariables\"" + colon + "{" + lines(lists, 3) + "}", at: 0)
    }
    let file = "\"applinks\"" + colon + "{" + lines(links, 2) + "}"
    return "{" + lines([file], 1) + "}" + line(0)
  }

  private static func text(_ value: String) -> String {
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
}
