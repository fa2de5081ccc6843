package import LinkspanCore

/// The body of an association file, taken apart far enough to say whether a device can use it.
package struct AssociationContent: Sendable {
  package enum Format: Hashable, Sendable {
    case json
    /// CMS SignedData around the JSON (G1s); the signature is not verified here.
    case signed
    /// DER or BER that holds no content: detached, encrypted or broken.
    case unreadableSignature
    /// PEM or S/MIME, which no device takes.
    case signatureAsText
  }

  package let format: Format
  /// What the JSON was read from: the body, or what was inside the signature.
  package let json: [UInt8]
  package let document: JSONDocument
  /// nil when a device drops the file: mistakes in its JSON, or no object.
  package let file: AssociationFile?

  package init(_ body: [UInt8]) {
    if body.first == 0x30, let content = SignedFile.content(of: body) {
      self.init(format: .signed, json: content)
    } else if body.first == 0x30, body.count > 1, body[1] >= 0x80 {
      // A sequence of DER or BER; behind the '0' of a text there is no byte beyond ASCII.
      self.init(format: .unreadableSignature, json: body)
    } else {
      let isText = Self.textSignatures.contains { body.starts(with: $0.utf8) }
      self.init(format: isText ? .signatureAsText : .json, json: body)
    }
  }

  /// Whether a body is no signature in binary form.
  package static func isText(_ body: [UInt8]) -> Bool {
    body.first != 0x30 || body.count < 2 || body[1] < 0x80
  }

  /// How PEM and S/MIME begin, as `openssl smime` writes them when DER is not asked for.
  private static let textSignatures = ["-----BEGIN PKCS7", "-----BEGIN CMS", "MIME-Version:"]

  private init(format: Format, json: [UInt8]) {
    self.init(format: format, json: json, document: JSONParser.parse(json, limits: Self.limits))
  }

  private static var limits: JSONParser.Limits {
    var limits = JSONParser.Limits()
    limits.sizeHelp = "An association file has at most 131072 bytes."
    limits.depthHelp = "An association file needs at most seven levels."
    return limits
  }

  /// A body that is too large to be read: all that is known of it is its size.
  package init(unread body: [UInt8], limitBytes: Int) {
    var limits = Self.limits
    limits.sizeBytes = limitBytes
    self.init(format: .json, json: body, document: JSONParser.parse(body, limits: limits))
  }

  /// Part of another file.
  package init(format: Format = .json, json: [UInt8], document: JSONDocument) {
    self.format = format
    self.json = json
    self.document = document
    file = document.isWellFormed ? document.root.flatMap(AssociationFile.init) : nil
  }

  /// Whether the bytes were parsed as JSON, so that syntax errors are meaningful.
  package var isText: Bool { format == .json || format == .signed }
}
