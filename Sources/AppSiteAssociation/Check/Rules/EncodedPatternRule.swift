internal import LinkspanCore

extension AssociationRule {
  static let encodedPattern = AssociationRule(
    identifier: "aasa.encoded-pattern",
    summary:
      "A pattern is written as the URL is compared: encoded, or decoded under \"percentEncoded\": false.",
    severity: .error, source: "K4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a%20b"⟧,"percentEncoded":false}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/café"⟧}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/caf%C3%A9"},{"/":"/café","percentEncoded":false}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns {
      let bytes = Array(pattern.text.utf8)
      let isDecoded = pattern.settings.percentEncoded == false
      if isDecoded, PercentEncoding.decode(bytes) != bytes {
        report.add(
          pattern.node.range, pattern.pointer,
          "the pattern is percent-encoded under \"percentEncoded\": false",
          help: "The URL is decoded before it is compared and the pattern is not, so this never matches. "
            + "Write \"\(String(decoding: PercentEncoding.decode(bytes), as: UTF8.self))\".",
          fix: AssociationFix.decoded(pattern.node, in: file))
      } else if !isDecoded, bytes.contains(where: { $0 >= 0x80 || $0 == 0x20 }),
        !pattern.looksLikeExclusion
      {
        report.add(
          pattern.node.range, pattern.pointer,
          "the pattern holds a character that URLs carry percent-encoded",
          help:
            "The URL is compared as it is written, '\(Self.encoded(bytes))', so this never matches (observed). "
            + "Write it so, or add \"percentEncoded\": false (iOS 14 and later).",
          source: "K3")
      } else if !isDecoded, PercentEncoding.hasStrayPercent(bytes) {
        report.add(
          pattern.node.range, pattern.pointer, "the pattern holds a '%' that begins no escape",
          help: "URLs carry '%25' for the sign itself, and the URL is compared as it is written.",
          severity: .warning, source: "K5")
      }
    }
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    ASCII.percentEncoded(bytes) { $0 < 0x80 && $0 != 0x20 }
  }
}
