package import LinkspanCore

/// A statement list as its author wrote it.
package struct StatementSource: Sendable {
  package let text: SourceText
  package let document: JSONDocument
  /// What could be read, also after mistakes in the syntax; nil when nothing could.
  package let list: StatementList?

  var root: JSONNode? { document.root }

  package init(_ text: SourceText) {
    self.text = text
    document = JSONParser.parse(text.bytes)
    list = document.root.map(StatementList.init)
  }

  /// Whether a file is a statement list and no association file: by its name, or because it is an array of
  /// objects with the keys of statements.
  package static func isStatementList(_ text: SourceText) -> Bool {
    if text.name.hasSuffix("assetlinks.json") { return true }
    guard text.bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "[") else { return false }
    let elements = JSONParser.parse(text.bytes).root?.array ?? []
    return elements.contains { element in
      ["relation", "target", "include"].contains { element[$0] != nil }
    }
  }

  /// The statements that are objects, with their places.
  var objects: [(node: JSONNode, pointer: JSONPointer)] {
    (root?.array ?? []).enumerated().filter { $0.element.object != nil }.map {
      ($0.element, JSONPointer().appending($0.offset))
    }
  }
}
