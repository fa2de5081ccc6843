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
        help: "Only iOS 8 needed that, and support is to be removed. Publish the plain JSON. "
          + "What the file holds was read; its signature was not verified; linkspan verify does that.",
        severity: .warning)
    case .unreadableSignature:
      report.add(
        0..<0, JSONPointer(), "the file is signed, and its content cannot be read",
        help:
          "It must hold the JSON (openssl smime with -nodetach). Better publish the plain JSON: signing is "
          + "obsolete since iOS 9.", source: "G1s")
    case .signatureAsText:
      report.add(
        0..<0, JSONPointer(), "the file is a signature written as text",
        help:
          "Devices took signed files in binary form only (openssl smime with -outform DER), and signing is "
          + "obsolete since iOS 9. Publish the plain JSON.", source: "G1s")
    }
  }
}
