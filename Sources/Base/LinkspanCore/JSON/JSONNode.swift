/// A JSON value that was read, with the bytes it stood on.
package struct JSONNode: Sendable {
  package enum Value: Sendable {
    case null
    case bool(Bool)
    /// The number as written; convert it when you need a value.
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

  package var string: String? { if case .string(let text) = value { text } else { nil } }

  package var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }

  /// The number when it is a whole one that fits.
  package var int: Int? { if case .number(let text) = value { Int(text) } else { nil } }

  /// The same for numbers that an `Int` of 32 bits, as WebAssembly has, may not hold.
  package var int64: Int64? { if case .number(let text) = value { Int64(text) } else { nil } }

  package var array: [JSONNode]? { if case .array(let elements) = value { elements } else { nil } }

  package var object: [JSONMember]? { if case .object(let members) = value { members } else { nil } }

  /// The value of a member, by the bytes of its name; of a name that occurs twice the last one counts, as most parsers have
  /// it.
  package subscript(_ name: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    var place = members.count
    while place > 0 {
      place -= 1
      if members[place].name.isExactly(name) { return members[place].value }
    }
    return nil
  }

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
///
/// A chain of steps, so that a pointer to each of many elements costs one step and not the whole text; the text is
/// made when somebody reads it.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  private enum Step {
    case name(String)
    case index(Int)
  }

  private final class Link: Sendable {
    let outer: Link?
    let step: Step

    init(_ outer: Link?, _ step: Step) {
      self.outer = outer
      self.step = step
    }
  }

  private let last: Link?

  /// The whole document.
  package init() { last = nil }

  private init(_ last: Link) { self.last = last }

  package func appending(_ name: String) -> JSONPointer { JSONPointer(Link(last, .name(name))) }

  package func appending(_ index: Int) -> JSONPointer { JSONPointer(Link(last, .index(index))) }

  package var description: String {
    var steps: [Step] = []
    var link = last
    while let current = link {
      steps.append(current.step)
      link = current.outer
    }
    var text = String.UnicodeScalarView()
    for step in steps.reversed() {
      text.append("/")
      switch step {
      case .index(let index): text.append(contentsOf: String(index).unicodeScalars)
      case .name(let name):
        for scalar in name.unicodeScalars {
          switch scalar {
          case "~": text.append(contentsOf: "~0".unicodeScalars)
          case "/": text.append(contentsOf: "~1".unicodeScalars)
          default: text.append(scalar)
          }
        }
      }
    }
    return String(text)
  }

  package static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    left.last === right.last || left.description == right.description
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension JSONNode {
  /// The value to be written again.
  package var json: JSON {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let text): .number(text)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map({ $0.json }))
    case .object(let members): .object(members.map { ($0.name, $0.value.json) })
    }
  }
}
