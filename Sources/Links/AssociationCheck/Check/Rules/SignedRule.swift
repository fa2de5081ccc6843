import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let signed = AssociationRule(
    identifier: "aasa.signed", summary: "The file is plain JSON: signing is obsolete since iOS 9.",
    severity: .error, source: "G3s",
    bad: [
      "⟦⟧-----BEGIN PKCS7-----\nMIIB\n-----END PKCS7-----\n",
      "⟦⟧MIME-Version: 1.0\nContent-Type: application/x-pkcs7-mime; name=\"smime.p7m\"\n\nMIIB\n",
    ],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    switch file.content.format {
    case .json: return
    case .signed:
      report.add(
        0..<0, JSONPointer(), "the file is signed",
        help: "Only iOS 8 required a signature, and Apple will remove support. Publish the plain JSON. "
          + "The content was checked, the signature was not; 'linkspan verify' checks it.",
        severity: .warning)
    case .unreadableSignature:
      let body = file.content.json
      if let whole = SignedFile.statedBytes(of: body), whole > body.count {
        report.add(
          0..<0, JSONPointer(), "the file is signed and cut off: it has \(body.count) of \(whole) bytes",
          help: "Serve or copy all of it. Better, publish the plain JSON: signing is obsolete since iOS 9.",
          source: "G1s")
        return
      }
      report.add(
        0..<0, JSONPointer(), "the file is signed, and its content cannot be read",
        help:
          "The signed message must include the JSON (openssl smime -nodetach). Publish the plain JSON instead: signing "
          + "is obsolete since iOS 9.", source: "G1s")
    case .signatureAsText:
      report.add(
        0..<0, JSONPointer(), "the file is a signature in text form",
        help:
          "Devices accepted signed files only in binary form (openssl smime -outform DER), and signing is "
          + "obsolete since iOS 9. Publish the plain JSON.", source: "G1s")
    }
  }
}
