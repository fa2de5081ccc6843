/// A JSON value that was read, with the bytes it stood on.
package struct JSONNode: Sendable {
  package enum Value: Sendable {
    case null
    case bool(Bool)
    /// The number as written; whoever needs a value converts it.
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([JSONMember])
  }

  package let value: Value
  /// Byte offsets in the source; a string's range includes its quotes.
  package let range: Range<Int>

  package init(_ value: Value, at range: Range<Int>) {
    self.value = value
    self.range = range
  }

  package var string: String? {
    if case .string(let text) = value { text } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let flag) = value { flag } else { nil }
  }

  /// The number when it is a whole one that fits.
  package var int: Int? {
    if case .number(let text) = value { Int(text) } else { nil }
  }

  package var array: [JSONNode]? {
    if case .array(let elements) = value { elements } else { nil }
  }

  package var object: [JSONMember]? {
    if case .object(let members) = value { members } else { nil }
  }

  /// The value of a member; of a name that occurs twice the last one counts, as most parsers have it.
  package subscript(_ name: String) -> JSONNode? { object?.last { $0.name == name }?.value }

  /// The type as a person calls it: "an object", "a string", …
  package var typeName: String {
    switch value {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// One `"name": value` of an object.
package struct JSONMember: Sendable {
  package let name: String
  /// The bytes of the name, quotes included.
  package let nameRange: Range<Int>
  package let value: JSONNode

  package init(name: String, nameRange: Range<Int>, value: JSONNode) {
    self.name = name
    self.nameRange = nameRange
    self.value = value
  }
}

/// RFC 6901: a path to a value inside a document.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  package private(set) var description: String

  /// The whole document.
  package init() { description = "" }

  package func appending(_ name: String) -> JSONPointer {
    var copy = self
    copy.description += "/"
    for character in name.unicodeScalars {
      switch character {
      case "~": copy.description += "~0"
      case "/": copy.description += "~1"
      default: copy.description.unicodeScalars.append(character)
      }
    }
    return copy
  }

  package func appending(_ index: Int) -> JSONPointer { appending(String(index)) }
}

extension JSONNode {
  /// The value to be written again.
  package var json: JSON {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let text): .number(text)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.json))
    case .object(let members): .object(members.map { ($0.name, $0.value.json) })
    }
  }
}
