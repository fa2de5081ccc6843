package import LinkspanCore

/// The body of an association file, taken apart far enough to say whether a device can use it.
package struct AssociationContent: Sendable {
  package enum Format: Hashable, Sendable {
    case json
    /// CMS SignedData around the JSON (section 9); the signature is not verified here.
    case signed
  }

  package let format: Format
  /// What the JSON was read from: the body, or what was inside the signature.
  package let json: [UInt8]
  package let document: JSONDocument
  /// nil when a device drops the file: mistakes in its JSON, or no object.
  package let file: AssociationFile?

  package init(_ body: [UInt8]) {
    if body.first == 0x30, let content = SignedFile.content(of: body) {
      format = .signed
      json = content
    } else {
      format = body.first == 0x30 && !body.contains(UInt8(ascii: "{")) ? .signed : .json
      json = body
    }
    document = JSONParser.parse(json)
    file = document.isWellFormed ? document.root.flatMap(AssociationFile.init) : nil
  }
}
