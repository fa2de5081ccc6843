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

  /// Whether a file is a statement list and no association file: an array of objects with the keys of statements, or
  /// what is called `assetlinks.json` and holds no service of an association file.
  package static func isStatementList(_ text: SourceText) -> Bool {
    let isNamedSo = text.name.hasSuffix("assetlinks.json")
    let first = text.bytes.first { $0 > 0x20 }
    guard isNamedSo || first == UInt8(ascii: "[") else { return false }
    let root = JSONParser.parse(text.bytes).root
    if isNamedSo { return !Service.allCases.contains { root?[$0.rawValue] != nil } }
    return (root?.array ?? []).contains { element in
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
