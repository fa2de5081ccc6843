/// One header field, its name spelled as it was sent.
package struct HTTPField: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The header fields of a message, in the order they were sent; names compare without case (RFC 9110, 5.1).
package struct HTTPFields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  package private(set) var list: [HTTPField] = []

  package init() {}

  package init(_ list: [HTTPField]) { self.list = list }

  package init(dictionaryLiteral elements: (String, String)...) {
    list = elements.map { HTTPField($0, $1) }
  }

  /// The value of the first field of that name; setting replaces every field of that name with one.
  package subscript(_ name: String) -> String? {
    get {
      for index in list.indices where Self.equal(list[index].name, name) { return list[index].value }
      return nil
    }
    set {
      list.removeAll { Self.equal($0.name, name) }
      if let newValue { list.append(HTTPField(name, newValue)) }
    }
  }

  /// Every value of that name, in order.
  package func values(of name: String) -> [String] {
    var values: [String] = []
    for index in list.indices where Self.equal(list[index].name, name) { values.append(list[index].value) }
    return values
  }

  /// Adds a field at the end, beside others of its name.
  package mutating func append(_ name: String, _ value: String) { list.append(HTTPField(name, value)) }

  private static func equal(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        for index in left.indices where ASCII.lowercased(left[index]) != ASCII.lowercased(right[index]) {
          return false
        }
        return true
      }
    }
  }
}
