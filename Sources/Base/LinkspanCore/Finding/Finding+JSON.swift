extension Finding {
  /// One element of `findings` in the JSON report.
  package var json: JSON {
    var members: [(String, JSON)] = [
      ("rule", .string(rule)),
      ("severity", .string(severity.rawValue)),
      ("file", .string(location.file)),
      ("line", .init(location.start?.line)),
      ("column", .init(location.start?.column)),
      ("end_line", .init(location.end?.line)),
      ("end_column", .init(location.end?.column)),
      ("pointer", .init(location.pointer)),
      ("message", .string(message)),
      ("help", .init(help)),
      ("source", .init(source)),
      ("fixable", .bool(fix != nil)),
    ]
    if let releases { members.append(("releases", releases.json)) }
    if unlisted > 0 { members.append(("unlisted", .int(unlisted))) }
    return .object(members)
  }
}

extension Sequence<Finding> {
  /// `{"errors":n,"warnings":n,"notes":n}`
  package var summaryJSON: JSON {
    .object([
      ("errors", .int(count(of: .error))), ("warnings", .int(count(of: .warning))),
      ("notes", .int(count(of: .note))),
    ])
  }

  /// "2 errors, 1 note"; what there is none of is left out.
  package var counted: String {
    let parts = Finding.Severity.allCases.compactMap { severity in
      let count = count(of: severity)
      return count == 0 ? nil : count.counted(severity.rawValue)
    }
    return parts.isEmpty ? "no problems found" : parts.joined(separator: ", ")
  }
}
