/// Conditions that grow, with their values.
package struct SQLFilter {
  package private(set) var conditions: [String] = []
  package private(set) var values: [SQLValue] = []
  /// Values of the statement that stand before these.
  private let offset: Int

  /// - Parameter offset: How many values of the statement stand before these.
  package init(after offset: Int = 0) { self.offset = offset }

  /// Adds a condition in which `?` stands for each of the values.
  package mutating func add(_ condition: String, _ newValues: [SQLValue] = []) {
    var text = ""
    var rest = newValues[...]
    for character in condition {
      guard character == "?" else {
        text.append(character)
        continue
      }
      guard let value = rest.popFirst() else { preconditionFailure("each '?' has its value") }
      values.append(value)
      text += "$\(offset + values.count)"
    }
    precondition(rest.isEmpty, "each value has its '?'")
    conditions.append(text)
  }

  /// Adds that a column has one of the values.
  package mutating func add(_ column: String, in list: [String]) {
    let places = list.map { _ in "?" }.joined(separator: ", ")
    add(list.isEmpty ? "1 = 0" : "\(column) IN (\(places))", list.map(SQLValue.text))
  }

  /// `WHERE …`; empty without conditions.
  package var clause: String { conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ") }

  /// Adds a value outside the conditions.
  ///
  /// - Returns: Its place.
  package mutating func place(_ value: SQLValue) -> String {
    values.append(value)
    return "$\(offset + values.count)"
  }
}
