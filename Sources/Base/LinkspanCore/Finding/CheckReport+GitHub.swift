extension CheckReport {
  /// The findings as workflow commands, one a line, which GitHub shows beside the lines of a change.
  ///
  /// - Source: GitHub, "Workflow commands for GitHub Actions", and the escaping of its own toolkit: percent
  ///   signs and line ends everywhere, colons and commas in properties as well.
  package var gitHubAnnotations: String { findings.map { $0.gitHubAnnotation + "\n" }.joined() }
}

extension Finding {
  fileprivate var gitHubAnnotation: String {
    let command =
      switch severity {
      case .error: "error"
      case .warning: "warning"
      case .note: "notice"
      }
    var properties = [("file", location.file)]
    if let start = location.start {
      let end = location.end ?? start
      properties.append(("line", "\(start.line)"))
      // Columns are shown within one line only.
      if end.line == start.line { properties.append(("col", "\(start.column)")) }
      properties.append(("endLine", "\(end.line)"))
      if end.line == start.line { properties.append(("endColumn", "\(end.column)")) }
    }
    properties.append(("title", rule))
    let list = properties.map { "\($0.0)=\(Self.escaped($0.1, isProperty: true))" }.joined(separator: ",")
    let text = message + (wholeHelp.map { "\n\($0)" } ?? "")
    return "::\(command) \(list)::\(Self.escaped(text, isProperty: false))"
  }

  private static func escaped(_ text: String, isProperty: Bool) -> String {
    var result = ""
    for scalar in WorkflowCommands.broken(text, startsLine: false).unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      case ":" where isProperty: result += "%3A"
      case "," where isProperty: result += "%2C"
      case _ where scalar.isControl: result += scalar.visibleEscape
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
