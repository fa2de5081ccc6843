import RegistryRequests

/// Answers as texts that can be compared.
enum HistoryText {
  /// A value with all that is in it. The members of sets and dictionaries have an order of their own here.
  static func of(_ value: Any) -> String {
    if let error = value as? RegistryError {
      return
        "\(error.kind)\(error.isDisconnected ? ", disconnected" : "")\(error.isConflict ? ", conflict" : "")"
    }
    let mirror = Mirror(reflecting: value)
    guard let style = mirror.displayStyle, !mirror.children.isEmpty else { return "\(value)" }
    let members = mirror.children.map { child in (child.label.map { "\($0): " } ?? "") + of(child.value) }
    switch style {
    case .optional: return members[0].replacing("some: ", with: "")
    case .set, .dictionary: return "[" + members.sorted().joined(separator: ", ") + "]"
    case .collection: return "[" + members.joined(separator: ", ") + "]"
    default: return "(" + members.joined(separator: ", ") + ")"
    }
  }

  /// Puts the order of their appearance in the place of random identifiers.
  static func numbered(_ lines: [String]) -> [String] {
    var known: [Substring: Int] = [:]
    return lines.map { line in
      line.replacing(identifier) { match in
        let number = known[match.output, default: known.count + 1]
        known[match.output] = number
        return "#\(number)"
      }
    }
  }

  static func withoutIdentifiers(_ line: String) -> String { line.replacing(identifier, with: "#") }

  nonisolated(unsafe) private static let identifier =
    /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/
}
