internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSpecification
internal import RuleCatalogue

/// What is shown for the place under the pointer: its findings with their rules and sources, and what its key or variable
/// means.
enum HoverText {
  static func json(_ analysis: DocumentAnalysis, at place: TextPlace, in document: EditorDocument) -> JSON {
    let span = TextSpan(place, place)
    let found = Diagnostics.findings(analysis, at: span, in: document)
    var parts = found.map(markdown)
    var shown: Range<Int>?
    if document.kind == .site,
      let (text, range) = explanation(at: document.text.offset(of: place), in: document)
    {
      parts.append(text)
      shown = range
    }
    guard !parts.isEmpty else { return .null }
    let range = shown.map { document.text.span($0) } ?? document.text.span(found[0].location)
    return .object([
      (
        "contents",
        .object([
          ("kind", .string("markdown")), ("value", .string(parts.joined(separator: "\n\n---\n\n"))),
        ])
      ),
      ("range", range.json),
    ])
  }

  private static func markdown(_ finding: Finding) -> String {
    var lines = ["**\(finding.severity.rawValue)** \(Markdown.code(finding.rule)): \(plain(finding.message))"]
    if let help = finding.wholeHelp { lines.append(plain(help)) }
    let rule = RuleIndex.all.first { $0.identifier == finding.rule }
    if let rule { lines.append("Rule: \(plain(rule.summary))") }
    if let source = finding.source { lines.append(citation(source)) }
    return lines.joined(separator: "\n\n")
  }

  /// A rule of the specification with where it comes from; the title of a page of Apple's stands for itself.
  private static func citation(_ identifier: String) -> String {
    guard let rule = SpecificationRule.named(identifier) else { return "Source: \(plain(identifier))" }
    return
      "Source: \(rule.identifier), \(rule.certainty.rawValue): \(plain(rule.sentence)) (\(plain(rule.source)))"
  }

  private static func explanation(at offset: Int, in document: EditorDocument) -> (String, Range<Int>)? {
    let root = JSONParser.parse(document.text.bytes).root
    let path = NodePath(at: offset, in: root)
    let isStatements = root?.array != nil
    if let member = path.member {
      guard let entry = KeyGuide.entry(member.name, at: path.steps, isStatements: isStatements) else {
        return nil
      }
      return (text(Markdown.code("\"\(entry.name)\""), entry), member.nameRange)
    }
    guard !isStatements, let node = path.node, node.string != nil,
      let (name, range) = VariableUse.around(offset, in: document.text.bytes, within: node.range),
      let entry = KeyGuide.variables(in: root).first(where: { $0.name == name })
    else { return nil }
    return (text(Markdown.code("$(\(name))"), entry), range)
  }

  private static func text(_ title: String, _ entry: KeyGuide.Entry) -> String {
    ([title + ": " + plain(entry.summary)] + entry.sources.map(citation)).joined(separator: "\n\n")
  }

  /// Text of a file in Markdown: nothing in it becomes a link, code or a heading.
  private static func plain(_ text: String) -> String {
    var result = ""
    for scalar in text.withoutControls(keepsColours: false).unicodeScalars {
      if "\\`*_{}[]<>()#+!|~&".unicodeScalars.contains(scalar) { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}

/// A use of a substitution variable in a pattern.
enum VariableUse {
  /// - Returns: The name of the variable around an offset, and the bytes of `$(name)`.
  static func around(_ offset: Int, in bytes: [UInt8], within range: Range<Int>) -> (String, Range<Int>)? {
    guard range.contains(offset) || range.upperBound == offset else { return nil }
    let opening = Array("$(".utf8)
    var place = min(offset, range.upperBound - 1)
    while place >= range.lowerBound {
      if bytes[place...].starts(with: opening) {
        guard let end = bytes[place..<range.upperBound].firstIndex(of: UInt8(ascii: ")")), offset <= end + 1
        else { return nil }
        return (String(decoding: bytes[(place + 2)..<end], as: UTF8.self), place..<end + 1)
      }
      if bytes[place] == UInt8(ascii: ")"), place < offset { return nil }
      place -= 1
    }
    return nil
  }

  /// The part of a variable's name before a cursor, where one is being written.
  static func begun(before offset: Int, in bytes: [UInt8], from start: Int) -> Range<Int>? {
    var place = offset
    while place > start {
      let byte = bytes[place - 1]
      if byte == UInt8(ascii: "(") {
        return place - 2 >= start && bytes[place - 2] == UInt8(ascii: "$") ? place..<offset : nil
      }
      guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") else { return nil }
      place -= 1
    }
    return nil
  }
}
