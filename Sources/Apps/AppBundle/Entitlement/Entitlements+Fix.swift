import AssociatedDomains
import LinkspanCore

extension Entitlements {
  /// The entry as it was meant, where its bytes stand in the file as they are read.
  ///
  /// - Returns: nil when more than one thing can have been meant, or the file claims that one already.
  func fix(of entry: DomainText) -> Fix? {
    guard let meant = AssociatedDomain.mended(entry.text), meant != entry.text,
      associatedDomains?.contains(where: { $0.text == meant }) != true,
      entry.isVerbatim, !isTranscoded
    else { return nil }
    return Fix([.change(entry.text, at: entry.contentRange.lowerBound, to: meant)], in: origin.source)
  }

  /// Whether the source holds other bytes than the file.
  private var isTranscoded: Bool {
    if case .propertyList(let document) = origin { document.isTranscoded } else { false }
  }
}
