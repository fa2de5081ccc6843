extension CheckReport {
  /// The report as a SARIF log with one run.
  ///
  /// A finding's message is its first sentence, for lists, and the way out on the lines below. Severities have
  /// the same names there. What was not checked is told as notifications of the run.
  ///
  /// - Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", section 3, and its
  ///   JSON schema.
  package var sarif: JSON {
    let rules = brokenRules
    var places: [String: Int] = [:]
    for (index, rule) in rules.enumerated() { places[rule.identifier] = index }
    var occurrences: [String: Int] = [:]
    let results = findings.map { finding in
      let subject = finding.subject
      let occurrence = occurrences[subject, default: 0]
      occurrences[subject] = occurrence + 1
      return finding.sarif(ruleIndex: places[finding.rule], subject: subject, occurrence: occurrence)
    }
    let driver = JSON.object([
      ("name", .string(tool.name)), ("version", .string(tool.version)),
      ("rules", .array(rules.map { $0.sarif })),
    ])
    let notifications = notChecked.map { item in
      JSON.object([("message", Self.message("Not checked: \(item).")), ("level", .string("note"))])
    }
    let run = JSON.object([
      ("tool", .object([("driver", driver)])),
      (
        "invocations",
        .array([
          .object([
            ("executionSuccessful", .bool(true)), ("toolExecutionNotifications", .array(notifications)),
          ])
        ])
      ),
      ("columnKind", .string("unicodeCodePoints")),
      ("results", .array(results)),
    ])
    return .object([
      // The address the standard gives its schema (errata 01).
      (
        "$schema",
        .string("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
      ),
      ("version", .string("2.1.0")),
      ("runs", .array([run])),
    ])
  }

  fileprivate static func message(_ text: String) -> JSON { .object([("text", .string(text))]) }
}

extension FindingRule {
  fileprivate var sarif: JSON {
    .object([
      ("id", .string(identifier)), ("shortDescription", CheckReport.message(summary)),
      ("defaultConfiguration", .object([("level", .string(severity.rawValue))])),
    ])
  }
}

extension Finding {
  /// What the finding is about, whatever lines stand before it.
  fileprivate var subject: String {
    var text = ""
    if let start = location.start, let excerpt = location.excerpt {
      let scalars = excerpt.unicodeScalars.dropFirst(max(0, start.column - 1 - location.excerptColumn))
      let length = location.end.map { $0.line == start.line ? $0.column - start.column : scalars.count }
      text = String(String.UnicodeScalarView(scalars.prefix(length ?? scalars.count)))
    }
    return [rule, location.file, text].joined(separator: "\n")
  }

  /// - Parameter occurrence: How many findings with the same subject come before this one.
  fileprivate func sarif(ruleIndex: Int?, subject: String, occurrence: Int) -> JSON {
    let artifact = JSON.object([("uri", .string(ReportURI.of(location.file)))])
    var physical: [(String, JSON)] = [("artifactLocation", artifact)]
    if let start = location.start {
      physical.append(("region", Self.region(start, location.end ?? start)))
    }
    var place: [(String, JSON)] = [("physicalLocation", .object(physical))]
    if let pointer = location.pointer, !pointer.isEmpty {
      place.append(("logicalLocations", .array([.object([("fullyQualifiedName", .string(pointer))])])))
    }
    var digest = Digest()
    digest.update(subject)
    digest.update(UInt64(occurrence))
    var members: [(String, JSON)] = [("ruleId", .string(rule))]
    if let ruleIndex { members.append(("ruleIndex", .int(ruleIndex))) }
    members += [
      ("level", .string(severity.rawValue)),
      ("message", CheckReport.message(message + (wholeHelp.map { "\n\($0)" } ?? ""))),
      ("locations", .array([.object(place)])),
      ("partialFingerprints", .object([("linkspanSubject/v1", .string(digest.text))])),
    ]
    if let releases { members.append(("properties", .object([("releases", releases.json)]))) }
    if let fix {
      let replacements = fix.steps.map { step in
        JSON.object([
          ("deletedRegion", Self.region(step.start, step.end)),
          ("insertedContent", CheckReport.message(step.edit.replacement)),
        ])
      }
      let change = JSON.object([("artifactLocation", artifact), ("replacements", .array(replacements))])
      members.append(("fixes", .array([.object([("artifactChanges", .array([change]))])])))
    }
    return .object(members)
  }

  /// A region ends just behind its last character; an empty one is the place between two.
  private static func region(_ start: SourcePosition, _ end: SourcePosition) -> JSON {
    .object([
      ("startLine", .int(start.line)), ("startColumn", .int(start.column)), ("endLine", .int(end.line)),
      ("endColumn", .int(end.column)),
    ])
  }
}

/// File names as references that reports can carry.
enum ReportURI {
  /// An address keeps its own escapes; a path becomes a relative reference, or a `file` address when it is absolute.
  ///
  /// - Source: RFC 3986, sections 2.3 and 4.2: a colon in a first segment would make it a scheme.
  static func of(_ name: String) -> String {
    if name.hasPrefix("https://") || name.hasPrefix("http://") {
      return encoded(name[...], keeping: "-._~/:?#[]@!$&'()*+,;=%")
    }
    var path = name[...]
    while path.hasPrefix("./") { path = path.dropFirst(2) }
    return (path.hasPrefix("/") ? "file://" : "") + encoded(path, keeping: "-._~/")
  }

  private static func encoded(_ text: Substring, keeping marks: String) -> String {
    ASCII.percentEncoded(text.utf8) { ASCII.isLetter($0) || ASCII.isDigit($0) || marks.utf8.contains($0) }
  }
}
