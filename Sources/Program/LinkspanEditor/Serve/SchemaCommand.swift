package import LinkspanCommand
internal import LinkspanCore

extension Command {
  package static let schema = Command(
    name: "schema", summary: "Print the JSON Schema of a file that people write",
    operands: EditorSchema.allCases.map { $0.rawValue }.joined(separator: "|"),
    discussion: """
      Prints a schema in JSON Schema's draft 7, for an editor or a validator: of association files, of assetlinks.json, of
      stories, of fleets, or of linkspan.json5. The last three are JSON5, as the schema of a JSON5 document describes what
      it says. Keys are refused where 'check', 'simulate', 'forecast' and 'serve' refuse them. A schema does not know what
      rules mean together; 'linkspan lsp' does (Documentation/editors.md).

      The file that a site serves needs no "$schema": editors choose a schema by the name of the file.
      """,
    flags: [],
    examples: ["linkspan schema association > apple-app-site-association.schema.json"],
    operandChoices: { EditorSchema.allCases.map { $0.rawValue } }
  ) { arguments, console throws(LinkspanError) in
    let name = try arguments.chosenOperand()
    guard let schema = EditorSchema(rawValue: name) else { preconditionFailure("'\(name)' is no schema") }
    if arguments.has("--json") {
      console.print(schema.json)
    } else {
      console.printRaw(SchemaText.lines(schema.json), terminator: "\n")
    }
    return .yes
  }
}

/// JSON with a line for each member, as people read it.
enum SchemaText {
  static func lines(_ json: JSON, indent: String = "") -> String {
    let inner = indent + "  "
    switch json {
    case .object(let members) where !members.isEmpty:
      let parts = members.map { "\(inner)\(JSON.string($0.0).text): \(lines($0.1, indent: inner))" }
      return "{\n" + parts.joined(separator: ",\n") + "\n\(indent)}"
    case .array(let elements) where elements.contains(where: isLarge):
      let parts = elements.map { inner + lines($0, indent: inner) }
      return "[\n" + parts.joined(separator: ",\n") + "\n\(indent)]"
    case .object, .array, .null, .bool, .int, .number, .string: return json.text
    }
  }

  private static func isLarge(_ json: JSON) -> Bool {
    switch json {
    case .object, .array: true
    case .null, .bool, .int, .number, .string: false
    }
  }
}
