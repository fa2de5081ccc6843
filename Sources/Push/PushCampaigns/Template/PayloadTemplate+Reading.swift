internal import LinkspanCore

/// Reading a template.
extension PayloadTemplate {
  /// Reads the text of a payload.
  ///
  /// - Returns: The template, or the first thing that is wrong with it.
  package static func reading(_ text: String) -> Result<PayloadTemplate, Problem> {
    var reader = Reader(rest: Substring(text))
    do throws(Problem) {
      let nodes = try reader.nodes(inside: [], depth: 0)
      if let end = reader.end { throw Problem(message: "'{{\(end)}}' ends a branch that was not begun.") }
      let template = PayloadTemplate(nodes)
      guard template.conditions.count <= conditionLimit else {
        throw Problem(message: "There are more than \(conditionLimit) different conditions.")
      }
      return .success(template)
    } catch {
      return .failure(error)
    }
  }

  /// What a JSON string says: encoders write `{{\/if}}` and `{{#if tag:caf\u00e9}}`.
  fileprivate static func unescaped(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
    return JSONParser.parse(Array("\"\(text)\"".utf8)).root?.string ?? String(text)
  }

  /// Whether the JSON string that a text begins in ends there.
  fileprivate static func endsString(_ text: Substring) -> Bool {
    var isEscaped = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\""), !isEscaped { return true }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return false
  }

  /// The first place in a payload that is no template: somebody has forgotten to say that it is one.
  package static func place(in payload: String) -> String? {
    var rest = Substring(payload)
    while let start = rest.firstRange(of: "{{") {
      rest = rest[start.upperBound...]
      guard let close = rest.firstRange(of: "}}") else { return nil }
      let tag = unescaped(rest[..<close.lowerBound])
      let name = tag.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)[0]
      if tag.hasPrefix("#if ") || Name(rawValue: String(name)) != nil { return "{{\(tag)}}" }
    }
    return nil
  }

  private struct Reader {
    var rest: Substring
    /// `else` or `/if`, when one was met.
    var end: String?
    /// Whether what was read so far ends inside of a JSON string.
    private var isInString = false
    private var isEscaped = false

    init(rest: Substring) { self.rest = rest }

    /// - Parameter known: Names that have a value here.
    mutating func nodes(inside known: Set<Name>, depth: Int) throws(Problem) -> [Node] {
      var nodes: [Node] = []
      while !rest.isEmpty {
        guard let start = rest.firstRange(of: "{{") else {
          nodes.append(.text(String(rest)))
          rest = rest[rest.endIndex...]
          break
        }
        let plain = rest[..<start.lowerBound]
        follow(plain)
        if !plain.isEmpty { nodes.append(.text(String(plain))) }
        // Two braces outside of a string are JSON's own.
        guard isInString else {
          nodes.append(.text("{"))
          follow("{")
          rest = rest[rest.index(after: start.lowerBound)...]
          continue
        }
        guard let close = rest[start.upperBound...].firstRange(of: "}}"),
          !PayloadTemplate.endsString(rest[start.upperBound..<close.lowerBound])
        else {
          throw Problem(message: "A '{{' has no '}}'.")
        }
        let tag = rest[start.upperBound..<close.lowerBound]
        rest = rest[close.upperBound...]
        let plainTag = PayloadTemplate.unescaped(tag)
        if plainTag == "else" || plainTag == "/if" {
          end = plainTag
          return nodes
        }
        nodes.append(try node(tag, plainTag, known, depth))
      }
      return nodes
    }

    private mutating func follow(_ text: Substring) {
      for byte in text.utf8 {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = isInString
        } else if byte == UInt8(ascii: "\"") {
          isInString.toggle()
        }
      }
    }

    /// - Parameters:
    ///   - tag: As the payload has it: a fallback stays as it is written.
    ///   - plainTag: The same without JSON's escapes.
    private mutating func node(
      _ tag: Substring, _ plainTag: String, _ known: Set<Name>, _ depth: Int
    ) throws(Problem) -> Node {
      if plainTag.hasPrefix("#if ") { return try branch(plainTag.dropFirst(4), known, depth) }
      let parts = tag.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try name(PayloadTemplate.unescaped(parts[0])[...])
      if parts.count == 2 {
        guard parts[1].utf8.count <= PayloadTemplate.valueLimit else {
          throw Problem(
            message: "The fallback of '\(name.rawValue)' has more than \(PayloadTemplate.valueLimit) bytes.")
        }
        guard parts[1].firstRange(of: "{{") == nil else {
          throw Problem(
            message: "The fallback of '\(name.rawValue)' has a '{{'; it is sent as it is written.")
        }
        return .value(name, fallback: String(parts[1]))
      }
      guard known.contains(name) || name == .badge else {
        throw Problem(
          message:
            "'{{\(name.rawValue)}}' has no text for devices without it; write '{{\(name.rawValue)|…}}',"
            + " or put it into '{{#if \(name.rawValue)}}…{{/if}}'.")
      }
      return .value(name, fallback: nil)
    }

    private mutating func branch(_ text: Substring, _ known: Set<Name>, _ depth: Int) throws(Problem) -> Node
    {
      guard depth < PayloadTemplate.depthLimit else {
        throw Problem(
          message: "Branches are inside of each other more than \(PayloadTemplate.depthLimit) deep.")
      }
      let condition: Condition
      var inside = known
      if text.hasPrefix("tag:") {
        guard text != "tag:" else { throw Problem(message: "'{{#if tag:}}' names no tag.") }
        condition = .tag(Array(text.dropFirst(4).utf8))
      } else {
        let name = try name(text)
        condition = .has(name)
        inside.insert(name)
      }
      let wasInString = isInString
      let yes = try nodes(inside: inside, depth: depth + 1)
      var no: [Node] = []
      if end == "else" {
        end = nil
        no = try nodes(inside: known, depth: depth + 1)
      }
      guard end == "/if" else { throw Problem(message: "'{{#if \(text)}}' has no '{{/if}}'.") }
      end = nil
      guard isInString == wasInString else {
        throw Problem(message: "'{{#if \(text)}}' ends in another JSON string than it begins in.")
      }
      return .branch(condition, yes, no)
    }

    private func name(_ text: Substring) throws(Problem) -> Name {
      if let name = Name(rawValue: String(text)) { return name }
      let known = Name.allCases.map(\.rawValue)
      let advice = Spelling.nearest(to: String(text), among: known).map { " Did you mean '\($0)'?" } ?? ""
      throw Problem(
        message: "'\(text)' is not known of devices; there are \(known.joined(separator: ", ")).\(advice)")
    }
  }
}
