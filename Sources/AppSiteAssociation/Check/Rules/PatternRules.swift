internal import LinkspanCore

extension AssociationRule {
  static let notInComponents = AssociationRule(
    identifier: "aasa.not-in-components", summary: "\"NOT \" excludes in \"paths\" only.", severity: .error,
    source: "J14",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"NOT /a/*"⟧}]}]}}"#
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["NOT /a/*","*"]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns {
      if pattern.isLegacyPath {
        let written = pattern.node.string ?? ""
        guard !written.hasPrefix("NOT "),
          ASCII.lowercased(written).hasPrefix("not ") || written.hasPrefix("NOT/")
        else { continue }
        report.add(
          pattern.node.range, pattern.pointer, "'\(written)' excludes nothing",
          help: "Only \"NOT \", in upper case and with one blank, excludes; this is compared literally.",
          fix: AssociationFix.pathExclusion(pattern.node, in: file))
      } else if pattern.text.hasPrefix("NOT ") {
        report.add(
          pattern.node.range, pattern.pointer, "\"NOT \" does not exclude in \"components\"",
          help: "It is compared literally here, so the rule never matches. "
            + "Write \"\(pattern.text.dropFirst(4))\" and \"exclude\": true.",
          fix: AssociationFix.componentExclusion(pattern, in: file))
      }
    }
  }

  static let variable = AssociationRule(
    identifier: "aasa.variable", summary: "Every substitution variable is closed, defined and not empty.",
    severity: .error, source: "S6",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/$(food)/*"⟧}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/$(lang/*"⟧}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(lang)/$(food)"}]}],"substitutionVariables":{"food":["pizza"]}}}"#
    ]
  ) { file, report in
    let compiler = PatternCompiler(variables: SubstitutionVariables(file.variables))
    for pattern in file.patterns {
      for problem in compiler.problems(in: pattern.text) {
        report.add(
          pattern.node.range, pattern.pointer, problem.message,
          help: "The pattern then never matches. \(problem.way(variables: file.variables))")
      }
    }
    guard let (appLinks, base) = file.appLinks else { return }
    for member in appLinks["substitutionVariables"]?.object ?? [] {
      for (index, value) in (member.value.array ?? []).enumerated() {
        guard let text = value.string, text.contains("$(") else { continue }
        report.add(
          value.range, base.appending("substitutionVariables").appending(member.name).appending(index),
          "a value of '\(member.name)' holds a variable",
          help: "Values may hold '*' and '?' only; '$(' is literal here.",
          source: "S3")
      }
    }
  }

  static let shadowedVariable = AssociationRule(
    identifier: "aasa.shadowed-variable", summary: "No variable has the name of a predefined one.",
    severity: .warning, source: "S7",
    bad: [#"{"applinks":{"details":[],"substitutionVariables":{⟦"lang"⟧:["de"]}}}"#],
    good: [#"{"applinks":{"details":[],"substitutionVariables":{"language":["de"]}}}"#]
  ) { file, report in
    guard let (appLinks, base) = file.appLinks else { return }
    for member in appLinks["substitutionVariables"]?.object ?? []
    where PredefinedVariables.names.contains(member.name) {
      report.add(
        member.nameRange, base.appending("substitutionVariables").appending(member.name),
        "'\(member.name)' is also predefined",
        help: "Which of the two counts is not known. Choose another name.")
    }
  }

  static let neverMatches = AssociationRule(
    identifier: "aasa.never-matches", summary: "A path pattern is a path: no scheme, no host, no fragment.",
    severity: .error, source: "P11",
    bad: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"/#/settings"⟧]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"https://example.com/a"⟧]}]}}"#,
    ],
    good: [
      ##"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"#":"/settings"}]}]}}"##
    ]
  ) { file, report in
    for pattern in file.patterns where pattern.component == .path {
      let text = ASCII.lowercased(pattern.text)
      if text.hasPrefix("https://") || text.hasPrefix("http://") {
        let path = LinkURL(pattern.text)
        let rest = path.text(of: path.path)
        report.add(
          pattern.node.range, pattern.pointer, "the path pattern is a whole URL",
          help:
            "It is compared with the path alone, so it never matches. Write \"\(rest.isEmpty ? "/" : rest)\"."
        )
      } else if text.contains("#"), pattern.settings.percentEncoded ?? true {
        report.add(
          pattern.node.range, pattern.pointer, "the path pattern holds '#'",
          help: "A path ends before '#', so it never matches. "
            + "Compare the fragment with a \"#\" key of \"components\"; \"paths\" cannot.")
      }
    }
  }

  static let literalSyntax = AssociationRule(
    identifier: "aasa.literal-syntax",
    summary: "Patterns know '*', '?' and '$(name)'; other wildcards are compared literally.",
    severity: .warning,
    source: "P1",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/user/:id"⟧}]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"/item/[0-9]+"⟧]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/user/*"}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns {
      guard let found = LiteralSyntax.find(in: pattern.text) else { continue }
      report.add(
        pattern.node.range, pattern.pointer, "'\(found)' is compared literally",
        help: "Patterns are neither regular expressions nor routes. Write '*' for any run of characters, "
          + "'?' for one, '?*' for at least one.")
    }
  }

  static let missingSlash = AssociationRule(
    identifier: "aasa.missing-slash", summary: "A path pattern begins with '/', '*', '?' or a variable.",
    severity: .note, source: "P5",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"buy/*"⟧}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy/*"}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns where pattern.component == .path {
      guard let first = pattern.text.first, !"/*?$".contains(first), !pattern.text.contains("://"),
        !pattern.text.hasPrefix("NOT ")
      else { continue }
      report.add(
        pattern.node.range, pattern.pointer, "the path pattern has no leading '/'",
        help:
          "Apple's matcher adds it (observed for \"components\"). Write \"/\(pattern.text)\" to be plain.",
        fix: AssociationFix.leadingSlash(pattern.node, in: file))
    }
  }

  static let doubleStar = AssociationRule(
    identifier: "aasa.double-star", summary: "One star is enough: it crosses '/'.", severity: .note,
    source: "P1",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a/**"⟧}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns where pattern.text.contains("**") {
      report.add(
        pattern.node.range, pattern.pointer, "'**' means the same as '*'",
        help: "A star stands for any characters, '/' included; write one. Only a single '/*' at the end "
          + "also matches the path without it.", fix: AssociationFix.singleStars(pattern.node, in: file))
    }
  }

  static let encodedPattern = AssociationRule(
    identifier: "aasa.encoded-pattern",
    summary:
      "A pattern is written as the URL is compared: encoded, or decoded under \"percentEncoded\": false.",
    severity: .error, source: "K4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a%20b"⟧,"percentEncoded":false}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/café"⟧}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/caf%C3%A9"},{"/":"/café","percentEncoded":false}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns {
      let bytes = Array(pattern.text.utf8)
      let isDecoded = pattern.settings.percentEncoded == false
      if isDecoded, PercentEncoding.decode(bytes) != bytes {
        report.add(
          pattern.node.range, pattern.pointer,
          "the pattern is percent-encoded under \"percentEncoded\": false",
          help: "The URL is decoded before it is compared and the pattern is not, so this never matches. "
            + "Write \"\(String(decoding: PercentEncoding.decode(bytes), as: UTF8.self))\".",
          fix: AssociationFix.decoded(pattern.node, in: file))
      } else if !isDecoded, bytes.contains(where: { $0 >= 0x80 || $0 == 0x20 }),
        !pattern.text.hasPrefix("NOT ")
      {
        report.add(
          pattern.node.range, pattern.pointer,
          "the pattern holds a character that URLs carry percent-encoded",
          help:
            "The URL is compared as it is written, '\(Self.encoded(bytes))', so this does not match (observed). "
            + "Write it so, or add \"percentEncoded\": false (iOS 14 and later).",
          severity: .warning, source: "K3")
      }
    }
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let encoded = bytes.flatMap { byte in
      byte >= 0x80 || byte == 0x20
        ? [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  static let excludingDefaults = AssociationRule(
    identifier: "aasa.excluding-defaults", summary: "Defaults do not exclude.", severity: .warning,
    source: "DF3",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}],"defaults":{"exclude":⟦true⟧}}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}],"defaults":{"caseSensitive":false}}}"#
    ]
  ) { file, report in
    var places = file.entries.map { ($0.node, $0.pointer) }
    if let appLinks = file.appLinks { places.append((appLinks.node, appLinks.pointer)) }
    for (node, pointer) in places {
      guard let exclude = node["defaults"]?["exclude"], exclude.bool != false else { continue }
      report.add(
        exclude.range, pointer.appending("defaults").appending("exclude"), "the defaults exclude",
        help: "On iOS 14 and later no URL opens an app unless its rule says \"exclude\": false (observed).")
    }
  }
}

/// Wildcards of other languages that people write into patterns.
private enum LiteralSyntax {
  static func find(in pattern: String) -> String? {
    for marker in ["(.*)", ".*", "[^", "[0-9]", "[a-z", "\\d", "\\w", "{{", "^/"]
    where pattern.contains(marker) {
      return marker
    }
    for segment in pattern.split(separator: "/") {
      if segment.hasPrefix(":"), segment.count > 1 { return String(segment) }
      if segment.hasPrefix("{"), segment.hasSuffix("}") { return String(segment) }
      if segment.hasPrefix("<"), segment.hasSuffix(">") { return String(segment) }
    }
    return nil
  }
}

extension PatternProblem {
  var message: String {
    switch self {
    case .undefinedVariable(let name): "the variable '\(name)' is not defined"
    case .emptyVariable(let name): "the variable '\(name)' has no values"
    case .unterminatedVariable: "'$(' has no ')'"
    case .invalidVariableName(let name): "'\(name)' is no name of a variable"
    }
  }

  fileprivate func way(variables: [String: [String]]) -> String {
    switch self {
    case .undefinedVariable(let name):
      let known = variables.keys.sorted() + PredefinedVariables.names.sorted()
      let near =
        known.first { ASCII.lowercased($0) == ASCII.lowercased(name) }
        ?? Spelling.nearest(to: name, among: known)
      return near.map { "Did you mean '$(\($0))'? Names are case-sensitive." }
        ?? "Define it under \"substitutionVariables\"; predefined are \(PredefinedVariables.names.sorted().joined(separator: ", "))."
    case .emptyVariable: return "Give it values."
    case .unterminatedVariable: return "Close it; a '$' that is not followed by '(' is literal."
    case .invalidVariableName: return "Names may not hold '$', '(' or ')'."
    }
  }
}
