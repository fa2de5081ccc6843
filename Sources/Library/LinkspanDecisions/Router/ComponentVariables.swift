/// The substitution variables of a router's association file: one name for each list of values.
struct ComponentVariables {
  private(set) var values: [String: [String]] = [ComponentPattern.digits: ComponentPattern.digitsValues]
  private var names: [[String]: String] = [ComponentPattern.digitsValues: ComponentPattern.digits]

  /// The name of a list; lists with the same values share the first one's.
  ///
  /// - Parameter wanted: May be any text; what no name can hold is left out (S2).
  mutating func name(of list: [String], wanted: String) -> String {
    if let known = names[list] { return known }
    let plain = wanted.filter { !"$()".contains($0) }
    var name = plain
    var number = 2
    while values[name] != nil || name.isEmpty {
      name = "\(plain) \(number)"
      number += 1
    }
    values[name] = list
    names[list] = name
    return name
  }

  /// Those that some of the rules use.
  func used(by rules: [AssociationComponent]) -> [String: [String]] {
    let patterns = rules.flatMap { [$0.path, $0.fragment ?? ""] + $0.query.values }
    let names = Set(patterns.flatMap(ComponentPattern.names))
    return values.filter { names.contains($0.key) }
  }
}
