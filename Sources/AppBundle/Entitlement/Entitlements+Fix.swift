import AppSiteAssociation
import LinkspanCore

extension Entitlements {
  /// The entry as it was meant, where its bytes stand in the file as they are read.
  ///
  /// - Returns: nil when more than one thing can have been meant, or the file claims that one already.
  func fix(of entry: DomainText) -> Fix? {
    guard let meant = AssociatedDomain.mended(entry.text), meant != entry.text,
      associatedDomains?.contains(where: { $0.text == meant }) != true,
      document.holdsAsWritten(entry.node)
    else { return nil }
    let start = entry.node.contentRange.lowerBound
    return Fix([.change(entry.text, at: start, to: meant)], in: document.source)
  }
}

extension PropertyListDocument {
  /// Whether a string's bytes are in the file one by one: no entities, no other encoding, no binary form.
  fileprivate func holdsAsWritten(_ node: PropertyListNode) -> Bool {
    guard format == .xml, !isTranscoded, let text = node.string else { return false }
    return source.bytes[node.contentRange].elementsEqual(text.utf8)
  }
}
