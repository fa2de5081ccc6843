internal import LinkspanCore

extension SignedData {
  /// Reads DER, and the indefinite lengths of BER that `openssl smime -stream` writes.
  init(_ bytes: [UInt8]) throws(SignatureProblem) {
    guard bytes.count <= Self.sizeLimitBytes else { throw .tooLarge(Self.sizeLimitBytes) }
    // A certificate or a key in PEM form is no signature.
    if ["PKCS7", "CMS"].contains(where: { bytes.starts(with: "-----BEGIN \($0)-----".utf8) }) {
      throw .textForm("PEM")
    }
    if bytes.starts(with: "MIME-Version:".utf8) || bytes.starts(with: "Content-Type:".utf8) {
      throw .textForm("S/MIME")
    }
    // A sequence of more than two bytes; behind the '0' of a text there is no byte beyond ASCII.
    guard bytes.first == 0x30, bytes.count > 1, bytes[1] >= 0x80 else { throw .notSignedData }
    var file = BERReader(bytes)
    guard let outer = file.next(0x30) else { throw .broken("it ends too early, or a length in it is wrong") }
    var fields = file.inside(outer)
    guard let type = fields.next(0x06) else { throw .notSignedData }
    guard ObjectIdentifier(bytes[type.content]) == .signedData, let wrapped = fields.next(0xA0) else {
      throw .notSignedData
    }
    guard file.isAtEnd else { throw .trailingBytes(bytes.count - outer.encoded.upperBound) }
    var inner = file.inside(wrapped)
    guard fields.isAtEnd, let signed = inner.next(0x30), inner.isAtEnd else {
      throw .broken("more than one structure is in it, or none")
    }
    var members = file.inside(signed)
    guard let version = members.next(0x02), let digests = members.next(0x31), let info = members.next(0x30)
    else {
      throw .broken("its version, digests or content cannot be read")
    }
    let certificates = members.next(0xA0)
    // Revocations prove nothing here.
    _ = members.next(0xA1)
    guard let signers = members.next(0x31), members.isAtEnd else {
      throw .broken("its certificates or signers cannot be read")
    }
    content = try Self.content(in: file.inside(info))
    self.certificates =
      try certificates.map { element throws(SignatureProblem) in
        try Self.certificates(in: file.inside(element))
      } ?? []
    signer = try Self.onlySigner(in: file.inside(signers))
    try Self.check(digests: file.inside(digests), hold: signer.digest)
    guard Array(bytes[version.content]) == [signer.identifier.version] else {
      throw .broken("its version does not fit what is in it")
    }
  }

  /// The list is under no signature, and RFC 5652, 5.1 lets a reader refuse a digest that isn't on it.
  private static func check(
    digests: BERReader, hold digest: DigestAlgorithm
  ) throws(SignatureProblem) {
    var digests = digests
    var isListed = false
    while !digests.isAtEnd {
      guard let element = digests.next(0x30) else { throw .broken("its list of digests cannot be read") }
      let algorithm = try AlgorithmName(digests.inside(element))
      if algorithm.identifier == digest.identifier, algorithm.isPlain { isListed = true }
    }
    guard isListed else { throw .broken("its list of digests lacks the one of its signer") }
  }

  private static func content(in info: BERReader) throws(SignatureProblem) -> [UInt8] {
    var info = info
    guard let type = info.next(0x06) else { throw .broken("its content has no type") }
    let identifier = ObjectIdentifier(info.bytes[type.content])
    guard identifier == .data else { throw .otherContent(identifier.text) }
    guard !info.isAtEnd else { throw .detached }
    guard let explicit = info.next(0xA0), info.isAtEnd else { throw .broken("its content cannot be read") }
    var inside = info.inside(explicit)
    guard let string = inside.next(), inside.isAtEnd, let octets = info.octets(of: string) else {
      throw .broken("its content is not an octet string")
    }
    return octets
  }

  private static func certificates(in set: BERReader) throws(SignatureProblem) -> [[UInt8]] {
    var set = set
    var certificates: [[UInt8]] = []
    while !set.isAtEnd {
      // Other tags are old or foreign kinds of certificates (RFC 5652, 10.2.2), which nobody signs a site with.
      guard let element = set.next(0x30) else { throw .broken("its certificates cannot be read") }
      guard certificates.count < certificateLimitCount else {
        throw .broken("it has more than \(certificateLimitCount) certificates")
      }
      certificates.append(Array(set.bytes[element.encoded]))
    }
    return certificates
  }

  private static func onlySigner(in set: BERReader) throws(SignatureProblem) -> Signer {
    var set = set
    guard !set.isAtEnd else { throw .noSigner }
    guard let only = set.next(0x30) else { throw .broken("its signer cannot be read") }
    if set.next(0x30) != nil { throw .severalSigners }
    guard set.isAtEnd else { throw .broken("its signers cannot be read") }
    return try Signer(set.inside(only))
  }
}

extension SignedData.Signer {
  fileprivate init(_ fields: BERReader) throws(SignatureProblem) {
    var fields = fields
    guard let version = fields.next(0x02) else { throw .broken("its signer has no version") }
    if let named = fields.next(0x30) {
      var name = fields.inside(named)
      guard let issuer = name.next(0x30), let serial = name.next(0x02), name.isAtEnd else {
        throw .broken("its signer has no issuer and serial number")
      }
      identifier = .issuerAndSerial(
        issuer: Array(fields.bytes[issuer.encoded]), serial: Array(fields.bytes[serial.content]))
    } else if let key = fields.next(0x80) {
      identifier = .subjectKey(Array(fields.bytes[key.content]))
    } else {
      throw .broken("its signer is not named")
    }
    guard Array(fields.bytes[version.content]) == [identifier.version] else {
      throw .broken("the version of its signer does not fit how it is named")
    }
    guard let digest = fields.next(0x30) else { throw .broken("its signer has no digest") }
    let digestName = try AlgorithmName(fields.inside(digest))
    self.digest = try DigestAlgorithm(digestName.identifier)
    attributes = try fields.next(0xA0).map { element throws(SignatureProblem) in
      try SignedData.Attributes(fields.inside(element), content: fields.bytes[element.content])
    }
    guard let algorithm = fields.next(0x30), let signature = fields.next(0x04) else {
      throw .broken("its signature cannot be read")
    }
    let keyName = try AlgorithmName(fields.inside(algorithm))
    key = try KeyAlgorithm(keyName.identifier, with: self.digest)
    guard digestName.isPlain, keyName.isPlain else { throw .broken("an algorithm has parameters") }
    self.signature = Array(fields.bytes[signature.content])
    // Unsigned attributes, such as a time stamp, prove nothing here.
    _ = fields.next(0xA1)
    guard fields.isAtEnd else { throw .broken("more than a signature is in its signer") }
  }
}

/// An AlgorithmIdentifier (RFC 5280, 4.1.1.2).
private struct AlgorithmName {
  let identifier: ObjectIdentifier
  /// Whether nothing is behind the name but perhaps NULL (RFC 5754, 2 and 3).
  let isPlain: Bool

  init(_ fields: BERReader) throws(SignatureProblem) {
    var fields = fields
    guard let name = fields.next(0x06) else { throw .broken("an algorithm has no name") }
    identifier = ObjectIdentifier(fields.bytes[name.content])
    let parameters = fields.next(0x05)
    isPlain = fields.isAtEnd && parameters?.content.isEmpty ?? true
  }
}

extension SignedData.Attributes {
  fileprivate init(_ attributes: BERReader, content: ArraySlice<UInt8>) throws(SignatureProblem) {
    var attributes = attributes
    var type: ObjectIdentifier?
    var digest: [UInt8]?
    while !attributes.isAtEnd {
      guard let attribute = attributes.next(0x30) else {
        throw .broken("its signed attributes cannot be read")
      }
      var parts = attributes.inside(attribute)
      guard let name = parts.next(0x06), let values = parts.next(0x31) else {
        throw .broken("a signed attribute has no value")
      }
      let identifier = ObjectIdentifier(attributes.bytes[name.content])
      guard identifier == .contentType || identifier == .messageDigest else { continue }
      var inside = attributes.inside(values)
      guard let value = inside.next(), inside.isAtEnd else {
        throw .broken("a signed attribute has more than one value, or none")
      }
      switch (identifier, value.tag) {
      case (.contentType, 0x06) where type == nil: type = ObjectIdentifier(attributes.bytes[value.content])
      case (.messageDigest, 0x04) where digest == nil: digest = Array(attributes.bytes[value.content])
      default: throw .broken("its type or digest is there twice, or is something else")
      }
    }
    guard type == .data, let digest else {
      throw .broken("its signed attributes lack the type or the digest")
    }
    messageDigest = digest
    // The signature is over a SET, not over the [0] that stands in its place (RFC 5652, 5.4).
    signedBytes = DER.element(0x31, Array(content))
  }
}
