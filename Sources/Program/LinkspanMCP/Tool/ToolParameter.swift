internal import LinkspanCore

/// One argument of a tool: its schema, and where it goes on the command line.
struct ToolParameter: Sendable {
  enum Kind: Sendable {
    case text
    /// A file or folder below one of the folders that the server may read.
    case path
    /// The same, or an application identifier.
    case pathOrIdentifier
    case integer(ClosedRange<Int>)
    case choice([String])
    /// True gives the flag.
    case flag
  }

  let name: String
  let kind: Kind
  /// nil for an operand.
  let flag: String?
  /// nil for a single value; else how many values a list may have.
  let count: ClosedRange<Int>?
  let isRequired: Bool
  let help: String

  /// Ours: longer than any URL or name that these tools take.
  static let textLimitBytes = 8_192

  init(
    _ name: String, _ kind: Kind, _ flag: String?, list count: ClosedRange<Int>? = nil,
    required: Bool = false,
    _ help: String
  ) {
    self.name = name
    self.kind = kind
    self.flag = flag
    self.count = count
    isRequired = required
    self.help = help
  }

  /// JSON Schema (2020-12).
  var schema: JSON {
    let description = ("description", JSON.string(help))
    guard let count else { return .object(Self.members(of: kind) + [description]) }
    return .object([
      ("type", .string("array")), ("items", .object(Self.members(of: kind))),
      ("minItems", .int(count.lowerBound)), ("maxItems", .int(count.upperBound)), description,
    ])
  }

  private static func members(of kind: Kind) -> [(String, JSON)] {
    switch kind {
    case .text, .path, .pathOrIdentifier:
      [("type", .string("string")), ("minLength", .int(1)), ("maxLength", .int(textLimitBytes))]
    case .integer(let range):
      [
        ("type", .string("integer")), ("minimum", .int(range.lowerBound)),
        ("maximum", .int(range.upperBound)),
      ]
    case .choice(let words): [("type", .string("string")), ("enum", .array(words.map(JSON.string)))]
    case .flag: [("type", .string("boolean"))]
    }
  }

  /// The values that a client gave.
  ///
  /// - Throws: What is wrong with them, in words for whoever wrote the call.
  func values(_ node: JSONNode) throws(ToolProblem) -> [ToolWord] {
    guard let count else { return try value(node).map { [$0] } ?? [] }
    guard let elements = node.array else { throw problem("expected an array, got \(node.typeName)") }
    guard count.contains(elements.count) else {
      throw problem("expected \(count.lowerBound) to \(count.upperBound) values, got \(elements.count)")
    }
    var words: [ToolWord] = []
    for element in elements { if let word = try value(element) { words.append(word) } }
    return words
  }

  private func value(_ node: JSONNode) throws(ToolProblem) -> ToolWord? {
    switch kind {
    case .text: return .text(try text(node))
    case .path: return .path(try text(node))
    case .pathOrIdentifier: return .pathOrIdentifier(try text(node))
    case .integer(let range):
      guard let number = Self.integer(node), range.contains(number) else {
        throw problem("expected an integer from \(range.lowerBound) to \(range.upperBound)")
      }
      return .text(String(number))
    case .choice(let words):
      guard let word = node.string else {
        throw problem("expected \(words.alternatives), got \(node.typeName)")
      }
      guard words.contains(word) else { throw problem("expected \(words.alternatives), got '\(word)'") }
      return .text(word)
    case .flag:
      guard let isOn = node.bool else { throw problem("expected true or false, got \(node.typeName)") }
      return isOn ? .text("") : nil
    }
  }

  /// JSON Schema counts 2.0 as an integer.
  private static func integer(_ node: JSONNode) -> Int? {
    if let number = node.int { return number }
    guard case .number(let text) = node.value, let point = text.firstIndex(of: ".") else { return nil }
    return text[point...].dropFirst().allSatisfy { $0 == "0" } ? Int(text[..<point]) : nil
  }

  private func text(_ node: JSONNode) throws(ToolProblem) -> String {
    guard let text = node.string else { throw problem("expected a string, got \(node.typeName)") }
    guard (1...Self.textLimitBytes).contains(text.utf8.count) else {
      throw problem("expected 1 to \(Self.textLimitBytes) bytes, got \(text.utf8.count)")
    }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw problem("has control characters") }
    return text
  }

  private func problem(_ what: String) -> ToolProblem { ToolProblem("Argument '\(name)': \(what).") }
}

/// A word of a command line that a tool call makes.
package enum ToolWord: Hashable, Sendable {
  case text(String)
  /// Still to be looked up below the folders that may be read.
  case path(String)
  case pathOrIdentifier(String)
}

/// Why a tool cannot answer, in words for whoever called it.
package struct ToolProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whole sentences.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}
