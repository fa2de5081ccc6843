internal import LinkspanCore
internal import LinkspanForecast

/// What a document may look like, learnt from its reader: the reader is given complete examples and says at each place
/// what it takes there (``DocumentChoice``). So keys and words are those of the reader, and nobody lists them twice.
indirect enum DocumentShape: Hashable {
  case anything
  case text
  /// A text that a regular expression matches.
  case form(String)
  case word([String])
  case flag
  case integer(ClosedRange<Int>?)
  case number(ClosedRange<Double>?)
  case nothing
  case list(DocumentShape)
  /// An object with free keys.
  case map(DocumentShape)
  /// An object with known keys, in the reader's order, and what the reader calls it.
  case object(String, [String], [String: DocumentShape])
  case either([DocumentShape])

  /// The choices of one document, by the bytes of their values.
  struct Choices {
    private var byRange: [Range<Int>: [DocumentChoice]] = [:]

    init(_ choices: [(range: Range<Int>, choice: DocumentChoice)]) {
      for (range, choice) in choices { byRange[range, default: []].append(choice) }
    }

    subscript(_ range: Range<Int>) -> [DocumentChoice] { byRange[range] ?? [] }
  }

  init(of node: JSONNode, _ choices: Choices) {
    let own = choices[node.range]
    switch node.value {
    case .null: self = .nothing
    case .bool: self = .flag
    case .number(let text):
      self = Int(text) == nil ? .number(nil) : .integer(nil)
      for choice in own {
        if case .integer(let range) = choice { self = .integer(range) }
        if case .number(let range) = choice { self = .number(range) }
      }
    case .string:
      self = .text
      for choice in own {
        if case .words(let words) = choice { self = .word(words) }
        if case .form(let pattern) = choice { self = .form(pattern) }
      }
      if own.contains(.texts) { self = .either([self, .list(self)]) }
    case .array(let elements):
      let element = Self.merged(elements.map { Self(of: $0, choices) })
      let text = elements.isEmpty ? .text : element
      self = own.contains(.texts) ? .either([text, .list(text)]) : .list(element)
    case .object(let members):
      self = .anything
      if own.contains(.names) { self = .map(Self.merged(members.map { Self(of: $0.value, choices) })) }
      // The last of several, because it knows the most.
      for choice in own {
        guard case .keys(let keys, let name) = choice else { continue }
        let shapes = members.filter { keys.contains($0.name) }.map { ($0.name, Self(of: $0.value, choices)) }
        self = .object(name, keys, Dictionary(shapes, uniquingKeysWith: { Self.merged([$0, $1]) }))
      }
    }
  }

  /// What holds for each of several.
  static func merged(_ shapes: [DocumentShape]) -> DocumentShape {
    var parts: [DocumentShape] = []
    for shape in shapes.flatMap(\.parts) {
      if let place = parts.firstIndex(where: { $0.joined(shape) != nil }),
        let both = parts[place].joined(shape)
      {
        parts[place] = both
      } else {
        parts.append(shape)
      }
    }
    if parts.contains(.anything) { return .anything }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? .anything : .either(parts)
  }

  /// Objects of one name and the same keys with what is known of each anywhere in the document.
  var completed: DocumentShape {
    var known: [[String]: [String: DocumentShape]] = [:]
    collect(&known)
    return filled(known, in: [])
  }

  private var children: [DocumentShape] {
    switch self {
    case .list(let shape), .map(let shape): [shape]
    case .either(let shapes): shapes
    case .object(_, let keys, let shapes): keys.compactMap { shapes[$0] }
    case .anything, .text, .form, .word, .flag, .integer, .number, .nothing: []
    }
  }

  private func collect(_ known: inout [[String]: [String: DocumentShape]]) {
    for child in children { child.collect(&known) }
    guard case .object(let name, let keys, let shapes) = self else { return }
    known[[name] + keys, default: [:]].merge(shapes) { Self.merged([$0, $1]) }
  }

  /// - Parameter around: The objects that it stands in, so that one inside itself ends.
  private func filled(
    _ known: [[String]: [String: DocumentShape]], in around: Set<[String]>
  ) -> DocumentShape {
    switch self {
    case .list(let shape): return .list(shape.filled(known, in: around))
    case .map(let shape): return .map(shape.filled(known, in: around))
    case .either(let shapes): return .merged(shapes.map { $0.filled(known, in: around) })
    case .object(let name, let keys, let shapes):
      let own = [name] + keys
      guard !around.contains(own) else { return self }
      let all = (known[own] ?? shapes).mapValues { $0.filled(known, in: around.union([own])) }
      return .object(name, keys, all)
    case .anything, .text, .form, .word, .flag, .integer, .number, .nothing: return self
    }
  }

  private var parts: [DocumentShape] {
    if case .either(let parts) = self { parts } else { [self] }
  }

  /// Both in one; nil where they are alternatives.
  private func joined(_ other: DocumentShape) -> DocumentShape? {
    switch (self, other) {
    case _ where self == other: self
    case (.list(let first), .list(let second)): .list(Self.merged([first, second]))
    case (.map(let first), .map(let second)): .map(Self.merged([first, second]))
    case (.word, .text), (.text, .word), (.form, .text), (.text, .form): .text
    case (.integer(let range), .integer(nil)), (.integer(nil), .integer(let range)): .integer(range)
    case (.object(let name, let keys, let first), .object(_, let others, let second)) where keys == others:
      .object(name, keys, first.merging(second) { Self.merged([$0, $1]) })
    default: nil
    }
  }

  /// - Parameters:
  ///   - required: The keys that an object of a name must have.
  ///   - help: What a key is for, where that is known.
  func json(required: (String, [String]) -> [String], help: (String) -> String?) -> JSON {
    func text(_ shape: DocumentShape) -> JSON { shape.json(required: required, help: help) }
    func typed(_ type: String, _ more: [(String, JSON)] = []) -> JSON {
      .object([("type", .string(type))] + more)
    }
    switch self {
    case .anything: return .bool(true)
    case .text: return typed("string")
    case .form(let pattern): return typed("string", [("pattern", .string(pattern))])
    case .word(let words): return .object([("enum", .array(words.map(JSON.string)))])
    case .flag: return typed("boolean")
    case .integer(let range):
      var limits = range.map { [("minimum", JSON.int($0.lowerBound))] } ?? []
      // The largest number of this machine is no bound of the reader's, which takes a seed's larger ones, too.
      if let most = range?.upperBound, most < Int.max { limits.append(("maximum", .int(most))) }
      return typed("integer", limits)
    case .number(let range):
      let limits = range.map {
        [
          ("minimum", JSON.number(Decimals.text($0.lowerBound))),
          ("maximum", JSON.number(Decimals.text($0.upperBound))),
        ]
      }
      return typed("number", limits ?? [])
    case .nothing: return typed("null")
    case .list(let element): return typed("array", [("items", text(element))])
    case .map(let value): return typed("object", [("additionalProperties", text(value))])
    case .either(let shapes): return .object([("anyOf", .array(shapes.map(text)))])
    case .object(let name, let keys, let shapes):
      let properties = keys.map { key -> (String, JSON) in
        let shape = text(shapes[key] ?? .anything)
        guard let words = help(key) else { return (key, shape) }
        guard case .object(let members) = shape else {
          return (key, .object([("description", .string(words))]))
        }
        return (key, .object([("description", .string(words))] + members))
      }
      var members: [(String, JSON)] = [("properties", .object(properties))]
      let wanted = required(name, keys)
      if !wanted.isEmpty { members.append(("required", .array(wanted.map(JSON.string)))) }
      members.append(("additionalProperties", .bool(false)))
      return typed("object", members)
    }
  }
}
