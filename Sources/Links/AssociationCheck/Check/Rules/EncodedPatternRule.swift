import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let encodedPattern = AssociationRule(
    identifier: "aasa.encoded-pattern",
    summary:
      "Patterns are percent-encoded, like the URL; with \"percentEncoded\": false they are decoded.",
    severity: .error, source: "K4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a%20b"⟧,"percentEncoded":false}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/café"⟧}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a|b"⟧}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"?":{⟦"größe"⟧:"?*"}}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/$(city)/*"⟧}]}],"substitutionVariables":{"city":["köln","new york"]}}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(city)/*"}]}],"substitutionVariables":{"city":["ulm",⟦"köln"⟧]}}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/caf%C3%A9"},{"/":"/café","percentEncoded":false}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(Canadian food)"}]}],"substitutionVariables":{"Canadian food":["poutine"]}}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(city)/*"},{"/":"/$(city)","percentEncoded":false}]}],"substitutionVariables":{"city":["ulm","k%C3%B6ln","köln"]}}}"#,
    ]
  ) { file, reading, report in
    let decodes = reading.reads { $0.readsDefaults }
    var told: Set<String> = []
    for pattern in file.patterns where Self.checkText(pattern, decodes: decodes, in: file, &report) {
      told.insert(pattern.pointer.description)
    }
    Self.checkNames(of: file, decodes: decodes, &report)
    if reading.readsVariables { Self.checkValues(of: file, decodes: decodes, but: told, &report) }
  }

  // MARK: - Text

  /// - Parameter decodes: Whether the release knows the key that has URLs decoded.
  /// - Returns: Whether the pattern never matches because of its own text.
  private static func checkText(
    _ pattern: AssociationSource.PatternText, decodes: Bool, in file: AssociationSource,
    _ report: inout CheckRule.Report
  ) -> Bool {
    let encoding = PatternEncoding(of: pattern)
    let text = pattern.textWithoutNames
    let bytes = Array(text.utf8)
    if encoding.isDecoded {
      guard decodes, encoding.isAbsent(text) else { return false }
      report.add(
        pattern.node.range, pattern.pointer,
        "the pattern is percent-encoded, although \"percentEncoded\" is false",
        help: "iOS decodes the URL, not the pattern, so \(effect(pattern.settings)). "
          + "Write \"\(pattern.text(changing: mended(encoding)))\".",
        fix: pattern.variableNames.contains { $0.contains("%") }
          ? [] : AssociationFix.decoded(pattern.node, in: file))
      return true
    }
    // `{id}` and `\d+` are told as wildcards of others.
    let isForeign = ForeignPattern(text) != nil
    let absent = encoding.absent(in: text).filter { isTold($0, of: pattern, isForeign: isForeign) }
    if absent.contains("\u{FFFD}") {
      report.add(
        pattern.node.range, pattern.pointer, "the pattern contains text that is not Unicode",
        help:
          "Neither half of a surrogate pair, such as \"\\ud800\" alone, nor a byte that is not UTF-8 is a character: no URL "
          + "contains it, and "
          + "\(effect(pattern.settings)). Write the character that was meant.", source: "K3")
      return true
    }
    if absent.contains(where: { $0 != "'" }) {
      // Of blanks and of text beyond ASCII there are runs of Apple's tool.
      let blankless = pattern.withoutOuterBlanks
      let isObserved = absent.contains { $0 == " " || !$0.isASCII }
      report.add(
        pattern.node.range, pattern.pointer,
        "the pattern contains a character that is percent-encoded in URLs",
        help:
          "iOS compares the encoded URL, so \(effect(pattern.settings))\(isObserved ? " (observed)" : ""). "
          + (blankless.text != pattern.text
            ? "Remove the blanks at its ends: write '\(blankless.text(changing: mended(encoding)))'."
            : "Write '\(pattern.text(changing: mended(encoding)))', or add \"percentEncoded\": false (iOS 14 and later)."),
        source: "K3")
      return true
    }
    if !absent.isEmpty {
      report.add(
        pattern.node.range, pattern.pointer,
        "the pattern contains an apostrophe, which browsers percent-encode in queries",
        help: "Links on pages have '%27' there, and only a URL of an app's code has the character itself. "
          + "Write '%27', or add \"percentEncoded\": false (iOS 14 and later).",
        severity: .warning, source: "K3")
    } else if PercentEncoding.hasStrayPercent(bytes) {
      report.add(
        pattern.node.range, pattern.pointer, "the pattern contains a '%' that does not begin an escape",
        help: "In URLs a percent sign is written '%25', and iOS compares the encoded URL. Write '%25'.",
        severity: .warning, source: "K5")
    }
    return false
  }

  /// Whether no other rule speaks of a character in a pattern.
  private static func isTold(
    _ scalar: Unicode.Scalar, of pattern: AssociationSource.PatternText, isForeign: Bool
  ) -> Bool {
    // `not /a` is told as an exclusion.
    if pattern.looksLikeExclusion { return scalar == "'" }
    return switch scalar {
    // Where a path and the value of an item end.
    case "#": pattern.isWholeQuery || pattern.component == .fragment && !pattern.text.hasPrefix("#")
    case "&": false
    case " ", "'": true
    default: !scalar.isASCII || !isForeign
    }
  }

  private static func mended(_ encoding: PatternEncoding) -> ([UInt8]) -> String {
    { encoding.mended(String(decoding: $0, as: UTF8.self)) }
  }

  private static func effect(_ settings: RuleSettings) -> String {
    settings.exclude == true ? "the rule excludes nothing" : "the pattern never matches"
  }

  // MARK: - Names of query items

  private static func checkNames(
    of file: AssociationSource, decodes: Bool, _ report: inout CheckRule.Report
  ) {
    for object in file.ruleObjects {
      guard let items = object.node["?"]?.object, items.allSatisfy({ $0.value.string != nil }) else {
        continue
      }
      let encoding = PatternEncoding(object.settings, .query, isItem: true)
      for item in items where !item.name.contains(where: { "&=#".contains($0) }) {
        guard encoding.isAbsent(item.name), decodes || !encoding.isDecoded else { continue }
        // A missing item counts as an empty value (Q3).
        let isMet = canBeEmpty(item.value.string ?? "", file)
        let result = isMet ? "this condition holds for every URL" : effect(object.settings)
        let compared =
          encoding.isDecoded
          ? "iOS decodes the URL, not the pattern" : "iOS compares the encoded URL"
        report.add(
          item.nameRange, object.pointer.appending("?").appending(item.name),
          "no query item has the name '\(item.name)' as it is written here",
          help:
            "\(compared), so the item is always missing, and \(result). Write '\(encoding.mended(item.name))'"
            + (encoding.isDecoded ? "." : ", or add \"percentEncoded\": false (iOS 14 and later)."),
          severity: isMet || encoding.isDecoded ? .warning : .error, source: encoding.isDecoded ? "K4" : "K3")
      }
    }
  }

  /// Whether a pattern may match the empty text.
  private static func canBeEmpty(_ pattern: String, _ file: AssociationSource) -> Bool {
    let rest = pattern.filter { $0 != "*" }
    return rest.isEmpty
      || rest.contains("$(") && file.variables.values.contains { $0.contains { canBeEmpty($0, file) } }
  }

  // MARK: - Values of variables

  private struct Use: Hashable {
    var name: String
    var encoding: PatternEncoding
  }

  /// - Parameter told: Patterns that never match because of their own text.
  private static func checkValues(
    of file: AssociationSource, decodes: Bool, but told: Set<String>, _ report: inout CheckRule.Report
  ) {
    var absent: [Use: [String]] = [:]
    var usesByName: [String: [Use]] = [:]
    for pattern in file.patterns where !pattern.looksLikeExclusion {
      let encoding = PatternEncoding(of: pattern)
      for name in Set(pattern.variableNames).sorted() {
        guard let values = file.variables[ExactText(name)], !values.isEmpty else { continue }
        let use = Use(name: name, encoding: encoding)
        let missing = absent[use] ?? values.filter(encoding.isAbsent)
        if absent.updateValue(missing, forKey: use) == nil { usesByName[name, default: []].append(use) }
        // A release that decodes nothing has no such rule, and other releases need its values.
        guard decodes || !encoding.isDecoded, missing.count == values.count,
          !told.contains(pattern.pointer.description)
        else { continue }
        report.add(
          pattern.node.range, pattern.pointer, "no value of the variable '\(name)' can match",
          help: way(missing, encoding, effect(pattern.settings)),
          severity: encoding.isDecoded ? .warning : .error, source: encoding.isDecoded ? "K4" : "K3")
      }
    }
    guard let (appLinks, base) = file.appLinks else { return }
    for member in appLinks["substitutionVariables"]?.object ?? [] {
      let uses = usesByName[member.name] ?? []
      let nodes = (member.value.array ?? []).enumerated().filter { $0.element.string != nil }
      let missing = uses.map { Set((absent[$0] ?? []).map { ExactText($0) }) }
      // Where none matches each pattern is told.
      guard let encoding = uses.first?.encoding, uses.contains(where: { absent[$0]?.count != nodes.count })
      else {
        continue
      }
      let dead = nodes.filter { _, node in missing.allSatisfy { $0.contains(ExactText(node.string!)) } }
      guard let (index, node) = dead.first else { continue }
      let values = dead.map { $0.element.string! }
      report.add(
        node.range, base.appending("substitutionVariables").appending(member.name).appending(index),
        values.count == 1
          ? "the value '\(values[0])' of '\(member.name)' never matches"
          : "\(values.count) values of '\(member.name)' never match: \(listed(values) { "'\($0)'" })",
        help: way(values, encoding, "no URL has what is written here"), severity: .warning,
        source: encoding.isDecoded ? "K4" : "K3")
    }
  }

  /// What to write instead of values that no URL has.
  private static func way(_ values: [String], _ encoding: PatternEncoding, _ effect: String) -> String {
    let instead = listed(values) { "'\(encoding.mended($0))' for '\($0)'" }
    return encoding.isDecoded
      ? "iOS decodes the URL, not the pattern, so \(effect). Write \(instead)."
      : "iOS compares the encoded URL, so \(effect). Write \(instead), "
        + "or add \"percentEncoded\": false to the rule (iOS 14 and later)."
  }

  private static func listed(_ texts: [String], _ words: (String) -> String) -> String {
    // Our choice.
    let limit = 3
    return texts.prefix(limit).map(words).joined(separator: ", ") + (texts.count > limit ? ", …" : "")
  }
}
