package import LinkspanCore

/// What a tool call came to.
package struct ToolOutcome: Sendable {
  /// The text for a client that reads no structure.
  package let text: String
  /// The same as an object; nil for a failure.
  package let structure: JSON?
  package let isError: Bool

  private init(text: String, structure: JSON?, isError: Bool) {
    self.text = text
    self.structure = structure
    self.isError = isError
  }

  /// A call that cannot be answered.
  package static func refused(_ message: String) -> ToolOutcome {
    ToolOutcome(text: message, structure: nil, isError: true)
  }

  /// What a command printed: one document, or an object a line, which becomes `{"answers":[…]}`.
  ///
  /// - Parameters:
  ///   - output: Standard output.
  ///   - notes: Standard error.
  ///   - status: The exit status: 0 and 1 are answers.
  ///   - types: The types of objects that are kept; nil for all.
  package static func of(
    output: [UInt8], notes: String, status: Int32, isStream: Bool, types: Set<String>?
  ) -> ToolOutcome {
    guard status == 0 || status == 1 else {
      return .refused(notes.isEmpty ? "The command ended with status \(status) and said nothing." : notes)
    }
    // Where only some types are kept, none may be left.
    guard !output.isEmpty || types != nil else {
      return .refused(notes.isEmpty ? "The command ended without an answer." : notes)
    }
    var objects: [JSON] = []
    for line in output.split(separator: 0x0A) {
      let document = JSONParser.parse(Array(line))
      guard document.errors.isEmpty, let root = document.root, root.object != nil else {
        return .refused("The command's answer is not JSON; please report this.")
      }
      if let types, !types.contains(root["type"]?.string ?? "") { continue }
      objects.append(root.json)
    }
    let structure: JSON
    if objects.count == 1, !isStream {
      structure = objects[0]
    } else {
      structure = .object([("answers", .array(objects))])
    }
    return ToolOutcome(text: structure.text, structure: structure, isError: false)
  }

  /// The result of `tools/call`.
  package var json: JSON {
    let content = JSON.array([.object([("type", .string("text")), ("text", .string(text))])])
    return .object(
      [("content", content)] + (structure.map { [("structuredContent", $0)] } ?? []) + [
        ("isError", .bool(isError))
      ])
  }
}
