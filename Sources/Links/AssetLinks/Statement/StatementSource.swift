internal import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCore

/// A statement list as its author wrote it.
package struct StatementSource: Sendable {
  package let text: SourceText
  package let document: JSONDocument
  /// What could be read, also after mistakes in the syntax; nil when nothing could.
  package let list: StatementList?

  var root: JSONNode? { document.root }

  /// A larger list is not read. Our choice: Google publishes no limit, and no list that is known comes near.
  package static let sizeLimitBytes = 1 << 18

  package init(_ text: SourceText) {
    self.text = text
    document = Self.parse(text)
    list = document.root.map(StatementList.init)
  }

  private static func parse(_ text: SourceText) -> JSONDocument {
    var limits = JSONParser.Limits()
    limits.sizeBytes = sizeLimitBytes
    return JSONParser.parse(text.bytes, limits: limits)
  }

  /// Whether a file is a statement list and no association file: by its content, an array of objects with the keys
  /// of statements. Where the content does not say, the name does.
  package static func isStatementList(_ text: SourceText) -> Bool {
    let isNamedSo = text.name.hasSuffix("assetlinks.json")
    switch text.bytes.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "["):
      if isNamedSo { return true }
      return (parse(text).root?.array ?? []).contains { element in
        ["relation", "target", "include"].contains { element[$0] != nil }
      }
    case UInt8(ascii: "{"):
      guard isNamedSo else { return false }
      return !(parse(text).root?.object ?? []).contains { Service.meant(by: $0.name) != nil }
    default: return isNamedSo && AssociationContent.isText(text.bytes)
    }
  }

  /// Whether this is a statement list beyond doubt, for what writes to it: an array, of which each element is an object
  /// with the key of a statement.
  package var isPlain: Bool {
    guard let elements = root?.array else { return false }
    return elements.allSatisfy { element in
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
