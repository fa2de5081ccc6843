internal import LinkspanCore

/// Where to go from a place: to the rules that decide before one that is never reached, or to the variable's values.
enum Definitions {
  static func json(_ analysis: DocumentAnalysis, at place: TextPlace, in document: EditorDocument) -> JSON {
    let bytes = document.text.bytes
    let offset = document.text.offset(of: place)
    if document.kind == .site {
      let root = JSONParser.parse(bytes).root
      if let node = NodePath(at: offset, in: root).node, node.string != nil,
        let (name, _) = VariableUse.around(offset, in: bytes, within: node.range),
        let member = root?["applinks"]?["substitutionVariables"]?.object?.first(where: { $0.name == name })
      {
        return .array([location(document.text.span(member.nameRange), in: document)])
      }
    }
    let span = TextSpan(place, place)
    let related = Diagnostics.findings(analysis, at: span, in: document).flatMap { $0.related }
    return .array(related.map { location(document.text.span($0), in: document) })
  }

  private static func location(_ span: TextSpan, in document: EditorDocument) -> JSON {
    .object([("uri", .string(document.uri)), ("range", span.json)])
  }
}
