import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let variable = AssociationRule(
    identifier: "aasa.variable",
    summary: "Every substitution variable in a pattern is defined and closed, and has values that are not "
      + "empty.",
    severity: .error, source: "S6",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/$(food)/*"⟧}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/$(lang/*"⟧}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(food)"}]}],"substitutionVariables":{"food":["pizza",⟦""⟧]}}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(lang)/$(food)"}]}],"substitutionVariables":{"food":["pizza"]}}}"#
    ]
  ) { file, reading, report in
    guard reading.readsVariables else { return }
    let variables = file.variables
    let names = variables.keys.map { $0.text }.sorted() + PredefinedVariables.names.sorted()
    let compiler = PatternCompiler(variables: SubstitutionVariables(variables))
    for pattern in file.patterns {
      for problem in compiler.problems(in: pattern.text) {
        report.add(
          pattern.node.range, pattern.pointer, problem.message,
          help: "The pattern then never matches. \(problem.way(known: names))")
      }
    }
    guard let (appLinks, base) = file.appLinks else { return }
    for member in appLinks["substitutionVariables"]?.object ?? [] {
      for (index, value) in (member.value.array ?? []).enumerated() {
        if value.string?.isEmpty == true {
          report.add(
            value.range, base.appending("substitutionVariables").appending(member.name).appending(index),
            "a value of '\(member.name)' is empty",
            help:
              "$(\(member.name)) then also matches the empty string: '/$(\(member.name))/a' matches '//a'. "
              + "Remove the value, or write a separate rule for the shorter path.",
            severity: .warning, source: "S3")
        }
        guard let text = value.string, text.contains("$(") else { continue }
        report.add(
          value.range, base.appending("substitutionVariables").appending(member.name).appending(index),
          "a value of '\(member.name)' contains a variable",
          help: "Values support '*' and '?' only; '$(' is literal here.",
          source: "S3")
      }
    }
  }
}

extension PatternProblem {
  var message: String {
    switch self {
    case .undefinedVariable(let name): "the variable '\(name)' is not defined"
    case .emptyVariable(let name): "the variable '\(name)' has no values"
    case .unterminatedVariable: "'$(' has no ')'"
    case .invalidVariableName(let name): "'\(name)' is not a valid variable name"
    }
  }

  /// - Parameter known: The names of all variables.
  fileprivate func way(known: [String]) -> String {
    switch self {
    case .undefinedVariable(let name):
      let near =
        known.first { ASCII.lowercased($0) == ASCII.lowercased(name) }
        ?? Spelling.nearest(to: name, among: known)
      return near.map { "Did you mean '$(\($0))'? Names are case-sensitive." }
        ?? "Define it under \"substitutionVariables\"; predefined variables are \(PredefinedVariables.names.sorted().joined(separator: ", "))."
    case .emptyVariable: return "Give it values."
    case .unterminatedVariable: return "Add the ')'; a '$' without '(' after it is literal."
    case .invalidVariableName: return "Names cannot contain '$', '(' or ')'."
    }
  }
}
