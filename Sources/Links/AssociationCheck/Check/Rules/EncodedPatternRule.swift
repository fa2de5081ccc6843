import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let encodedPattern = AssociationRule(
    identifier: "aasa.encoded-pattern",
    summary:
      "Patterns are percent-encoded, like the URL; with \"percentEncoded\": false they are decoded.",
    severity: .error, source: "K4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a%20b"⟧,"percentEncoded":false}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/café"⟧}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/caf%C3%A9"},{"/":"/café","percentEncoded":false}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(Canadian food)"}]}],"substitutionVariables":{"Canadian food":["poutine"]}}}"#,
    ]
  ) { file, reading, report in
    for pattern in file.patterns {
      let bytes = Array(pattern.textWithoutNames.utf8)
      let isDecoded = pattern.settings.percentEncoded == false
      if isDecoded, reading.reads({ $0.readsDefaults }), PercentEncoding.decode(bytes) != bytes {
        report.add(
          pattern.node.range, pattern.pointer,
          "the pattern is percent-encoded, although \"percentEncoded\" is false",
          help: "iOS decodes the URL, not the pattern, so the pattern never matches. "
            + "Write \"\(pattern.text(changing: Self.decoded))\".",
          fix: pattern.variableNames.contains { $0.contains("%") }
            ? [] : AssociationFix.decoded(pattern.node, in: file))
      } else if !isDecoded, bytes.contains(where: { $0 >= 0x80 || $0 == 0x20 }),
        !pattern.looksLikeExclusion
      {
        report.add(
          pattern.node.range, pattern.pointer,
          "the pattern contains a character that is percent-encoded in URLs",
          help:
            "iOS compares the encoded URL, so the pattern never matches (observed). "
            + "Write '\(pattern.text(changing: Self.encoded))', or add \"percentEncoded\": false (iOS 14 and later).",
          source: "K3")
      } else if !isDecoded, pattern.component == .query, bytes.contains(UInt8(ascii: "'")) {
        report.add(
          pattern.node.range, pattern.pointer,
          "the pattern contains an apostrophe, which browsers percent-encode in queries",
          help: "Links on pages have '%27' there, and only a URL of an app's code has the character itself. "
            + "Write '%27', or add \"percentEncoded\": false (iOS 14 and later).",
          severity: .warning, source: "K3")
      } else if !isDecoded, PercentEncoding.hasStrayPercent(bytes) {
        report.add(
          pattern.node.range, pattern.pointer, "the pattern contains a '%' that does not begin an escape",
          help: "In URLs a percent sign is written '%25', and iOS compares the encoded URL. Write '%25'.",
          severity: .warning, source: "K5")
      }
    }
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    ASCII.percentEncoded(bytes) { $0 < 0x80 && $0 != 0x20 }
  }

  private static func decoded(_ bytes: [UInt8]) -> String {
    String(decoding: PercentEncoding.decode(bytes), as: UTF8.self)
  }
}
