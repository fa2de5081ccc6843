import AppSiteAssociation
internal import LinkLanguages
internal import LinkspanCore

/// How the text of a pattern has to be written so that some URL has it (K3, K4).
struct PatternEncoding: Hashable {
  private let component: URLComponent
  /// Whether it is the value of one item of a query, which ends at `&`.
  private let isItem: Bool
  /// Whether URLs are decoded before they are compared.
  let isDecoded: Bool
  private let foldsCase: Bool

  init(_ settings: RuleSettings, _ component: URLComponent, isItem: Bool) {
    self.component = component
    self.isItem = isItem
    isDecoded = settings.percentEncoded == false
    foldsCase = settings.caseSensitive == false
  }

  init(of pattern: AssociationSource.PatternText) {
    self.init(
      pattern.settings, pattern.component, isItem: pattern.component == .query && !pattern.isWholeQuery)
  }

  /// Whether the text is such that no URL has it in this place: because of a character that URLs have as an escape only, or
  /// because of an escape where URLs are decoded.
  func isAbsent(_ text: String) -> Bool {
    if isDecoded { return PercentEncoding.decode(text.utf8) != Array(text.utf8) }
    return !absent(in: text).isEmpty
  }

  /// The characters that a URL has as escapes only, where it is not decoded.
  func absent(in text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
      guard scalar.isASCII else { return !(foldsCase && Self.foldingToASCII.contains(scalar.value)) }
      let byte = UInt8(scalar.value)
      if byte == UInt8(ascii: "&"), isItem { return true }
      return component == .query ? !HeldCharacter.isOneOfQuery(byte) : !HeldCharacter.isOne(byte)
    }
  }

  /// The text as URLs are compared with it.
  func mended(_ text: String) -> String {
    if isDecoded { return String(decoding: PercentEncoding.decode(text.utf8), as: UTF8.self) }
    return ASCII.percentEncoded(text.utf8) { byte in
      HeldCharacter.isOne(byte) && !(isItem && byte == UInt8(ascii: "&"))
    }
  }

  /// The sign of Kelvin and the long s, which are `k` and `s` without case.
  private static let foldingToASCII: Set<UInt32> = [0x212A, 0x17F]
}
