package import LinkspanCore

/// A command that clients may call: its name, its arguments and how they become a command line.
package struct Tool: Sendable {
  /// As clients name it.
  package let name: String
  /// The command's words behind `linkspan`.
  package let command: [String]
  let title: String
  let summary: String
  let parameters: [ToolParameter]
  /// The argument of which the command takes one value a run; each value is a run of its own.
  let perRun: String?
  /// Whether the command prints an object a line.
  package let isStream: Bool
  /// Arguments of which at least one is needed; none for a tool that says so by ``ToolParameter/isRequired`` alone.
  private let needed: [String]
  /// The answer's members, each with its type in JSON Schema; of answers in a stream, those that all of them have.
  private let answer: KeyValuePairs<String, String>
  /// The argument that chooses which of the answer's objects are sent, by their `type`.
  package static let filterName = "types"

  init(
    _ name: String, command: [String], title: String, summary: String, needs needed: [String] = [],
    perRun: String? = nil,
    answer: KeyValuePairs<String, String> = [:], _ parameters: [ToolParameter]
  ) {
    self.name = name
    self.answer = answer
    self.needed = needed
    self.command = command
    self.title = title
    self.summary = summary
    self.perRun = perRun
    isStream = perRun != nil || name == "match"
    self.parameters = parameters
  }

  /// The entry for `tools/list`.
  package var json: JSON {
    .object([
      ("name", .string(name)), ("title", .string(title)), ("description", .string(summary)),
      (
        "inputSchema",
        .object([
          ("type", .string("object")),
          ("properties", .object(parameters.map { ($0.name, $0.schema) })),
          ("required", .array(parameters.filter(\.isRequired).map { .string($0.name) })),
          ("additionalProperties", .bool(false)),
        ])
      ), ("outputSchema", outputSchema),
      (
        "annotations",
        .object([
          ("readOnlyHint", .bool(true)), ("destructiveHint", .bool(false)), ("idempotentHint", .bool(true)),
          ("openWorldHint", .bool(false)),
        ])
      ),
    ])
  }

  private var outputSchema: JSON {
    let members = [("type", "string")] + answer.map { ($0.key, $0.value) }
    let one = Self.schema(members.map { name, type in (name, .object([("type", .string(type))])) })
    guard isStream else { return one }
    return Self.schema([("answers", .object([("type", .string("array")), ("items", one)]))])
  }

  /// Objects that have all of these members, and may have others.
  private static func schema(_ members: [(String, JSON)]) -> JSON {
    .object([
      ("type", .string("object")), ("properties", .object(members)),
      ("required", .array(members.map { .string($0.0) })),
    ])
  }

  /// What a call asks for.
  package struct Call: Sendable {
    /// The words behind the command, for each run.
    package var runs: [[ToolWord]]
    /// The types of objects that are sent; nil for all.
    package var types: Set<String>?
  }

  /// - Throws: What is wrong with the arguments.
  package func call(_ arguments: JSONNode?) throws(ToolProblem) -> Call {
    let members = arguments?.object ?? []
    for member in members where !parameters.contains(where: { $0.name == member.name }) {
      throw ToolProblem(
        "Argument '\(member.name)' does not exist; '\(name)' takes \(parameters.map(\.name).joined(separator: ", "))."
      )
    }
    var flags: [ToolWord] = []
    var operands: [ToolWord] = []
    var runs: [ToolWord] = []
    var types: Set<String>?
    for parameter in parameters {
      guard let node = arguments?[parameter.name] else {
        if parameter.isRequired { throw ToolProblem("Argument '\(parameter.name)' is missing.") }
        continue
      }
      let values = try parameter.values(node)
      if parameter.name == Self.filterName {
        types = Set(values.compactMap { if case .text(let text) = $0 { text } else { nil } })
      } else if parameter.name == perRun {
        runs = values
      } else if let flag = parameter.flag {
        for value in values { flags += [.text(flag)] + (value == .text("") ? [] : [value]) }
      } else {
        operands += values
      }
    }
    guard needed.isEmpty || needed.contains(where: { arguments?[$0] != nil }) else {
      let names = needed.map { "'\($0)'" }.joined(separator: " or ")
      throw ToolProblem("Argument \(names) is missing; '\(name)' needs at least one of them.")
    }
    let words = { (run: [ToolWord]) in run + flags + (operands.isEmpty ? [] : [.text("--")] + operands) }
    guard let perRun = parameters.first(where: { $0.name == perRun }), let flag = perRun.flag, !runs.isEmpty
    else { return Call(runs: [words([])], types: types) }
    return Call(runs: runs.map { words([.text(flag), $0]) }, types: types)
  }

  /// What a command says, in the words of whoever called the tool: arguments instead of flags.
  package func inArguments(_ text: String) -> String {
    parameters.reduce(text) { text, parameter in
      guard let flag = parameter.flag else { return text }
      return text.replacing("'\(flag)'", with: "'\(parameter.name)'")
        .replacing("'\(flag) ", with: "'\(parameter.name) ")
    }
  }

  /// What stands in the place of a command's usage.
  package var usage: String { "Arguments of '\(name)': \(parameters.map(\.name).joined(separator: ", "))." }
}
