internal import LinkspanCore

/// The substitution variables of a generated file: a name for each list of values (S1–S3).
struct VariableNames {
  private(set) var values: [(name: String, values: [String])]

  /// - Parameter own: The lists that the request defines.
  init(_ own: [(name: String, values: [String])] = []) { values = own }

  /// Names that mean something by themselves (S4); a list of the same name would hide it (S7).
  private static let predefined: Set<String> = [
    "alpha", "upper", "lower", "alnum", "digit", "xdigit", "region", "lang",
  ]

  /// - Parameter wanted: The name of the parameter that has these values.
  mutating func name(of list: [String], wanted: String) -> String {
    if let known = values.first(where: { $0.values == list }) { return known.name }
    let taken = Self.predefined.union(values.map { $0.name })
    var name = wanted
    var number = 2
    while taken.contains(name) {
      name = "\(wanted)\(number)"
      number += 1
    }
    values.append((name, list))
    return name
  }

  var dictionary: [ExactText: [String]] {
    Dictionary(values.map { (ExactText($0.name), $0.values) }, uniquingKeysWith: { first, _ in first })
  }
}
