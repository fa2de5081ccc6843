import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let decomposedLetter = AssociationRule(
    identifier: "aasa.decomposed-letter",
    summary: "Letters with accents are composed, as in URLs.",
    severity: .warning, source: "K3",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/cafe%CC%81/*"⟧}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/cafe\u0301/*"⟧,"percentEncoded":false}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/caf%C3%A9/*"},{"/":"/caf\u00e9/*","percentEncoded":false}]}]}}"#
    ]
  ) { file, report in
    // Files have thousands of patterns, nearly all in ASCII.
    for pattern in file.patterns where pattern.text.utf8.contains(where: { $0 >= 0x80 || $0 == 0x25 }) {
      let isDecoded = pattern.settings.percentEncoded == false
      let text = pattern.textWithoutNames
      let letters = isDecoded ? text : String(decoding: PercentEncoding.decode(text.utf8), as: UTF8.self)
      guard let letter = composedLetter(in: letters) else { continue }
      let escapes = ASCII.percentEncoded(letter.utf8) { _ in false }
      report.add(
        pattern.node.range, pattern.pointer, "the pattern contains '\(letter)' as several characters",
        help:
          "iOS compares bytes, and keyboards and nearly all pages write it as one character, '\(escapes)' in URLs, "
          + "so such URLs do not match. Write '\(isDecoded ? letter : escapes)', unless your links are made of file names "
          + "of a Mac, which are decomposed.")
    }
  }

  /// The first letter of a text that is not in its composed form, in that form.
  private static func composedLetter(in text: String) -> String? {
    let scalars = Array(text.unicodeScalars)
    if scalars.allSatisfy({ $0.value < 0x300 }) { return nil }
    // The tables of host names have small letters only; folding keeps the count.
    let small = String(decoding: CaseFolding.fold(Array(text.utf8)), as: UTF8.self).unicodeScalars.map {
      $0.value
    }
    let composed = Normalization.composed(small)
    // Letters that have no composed form are longer in it, or in another order.
    guard composed.count < small.count else { return nil }
    let place = composed.indices.first { small[$0] != composed[$0] }
    guard let place, let letter = Unicode.Scalar(composed[place]) else { return nil }
    let isCapital = scalars[place].value != small[place]
    return isCapital ? letter.properties.uppercaseMapping : String(Character(letter))
  }
}
