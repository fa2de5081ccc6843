#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// A flow layout whose section headers stick to the top, by ``StickyHeaders``.
  ///
  /// The stock layout does the same with `sectionHeadersPinToVisibleBounds`; use this one where headers are to stay in place
  /// while the list is scrolled sideways, or empty sections are to keep theirs.
  @MainActor
  open class StickyHeaderLayout: UICollectionViewFlowLayout {
    /// Headers move while the list is scrolled.
    open override func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool { true }

    /// The cells of the rectangle, and every header that is to be seen in it.
    open override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? {
      let all = super.layoutAttributesForElements(in: rect) ?? []
      let header = UICollectionView.elementKindSectionHeader
      let others = all.filter { $0.representedElementKind != header }
      let known = sections
      let placed = sticky.visible(known.map(\.section), in: rect)
      return others
        + placed.compactMap { place in
          moved(known[place.section].index, to: place.frame)
        }
    }

    /// The header where it is now.
    open override func layoutAttributesForSupplementaryView(
      ofKind elementKind: String, at indexPath: IndexPath
    ) -> UICollectionViewLayoutAttributes? {
      guard elementKind == UICollectionView.elementKindSectionHeader, let section = section(indexPath.section)
      else {
        return super.layoutAttributesForSupplementaryView(ofKind: elementKind, at: indexPath)
      }
      return moved(indexPath.section, to: sticky.frame(of: section))
    }

    /// The inset around a section's items. Override it when the delegate gives each section its own.
    open func inset(ofSection section: Int) -> UIEdgeInsets { sectionInset }

    private var sticky: StickyHeaders {
      let inset = collectionView?.adjustedContentInset ?? .zero
      return StickyHeaders(
        offset: collectionView?.contentOffset ?? .zero, topContentInset: inset.top,
        leftContentInset: inset.left)
    }

    private var sections: [(index: Int, section: StickyHeaders.Section)] {
      (0..<(collectionView?.numberOfSections ?? 0)).compactMap { index in
        section(index).map { (index, $0) }
      }
    }

    private func moved(_ section: Int, to frame: CGRect) -> UICollectionViewLayoutAttributes? {
      let path = IndexPath(item: 0, section: section)
      let kind = UICollectionView.elementKindSectionHeader
      // The layout keeps its own attributes; only a copy may move.
      let own = super.layoutAttributesForSupplementaryView(ofKind: kind, at: path)
      guard let attributes = own?.copy() as? UICollectionViewLayoutAttributes else { return nil }
      attributes.frame = frame
      attributes.zIndex = StickyHeaders.zIndex
      return attributes
    }

    private func section(_ index: Int) -> StickyHeaders.Section? {
      guard let collectionView else { return nil }
      let path = IndexPath(item: 0, section: index)
      guard
        let header = super.layoutAttributesForSupplementaryView(
          ofKind: UICollectionView.elementKindSectionHeader, at: path),
        header.frame.height > 0
      else { return nil }
      let count = collectionView.numberOfItems(inSection: index)
      var items: StickyHeaders.Section.Items?
      if count > 0, let first = layoutAttributesForItem(at: path),
        let last = layoutAttributesForItem(at: IndexPath(item: count - 1, section: index))
      {
        items = StickyHeaders.Section.Items(first: first.frame, last: last.frame)
      }
      let footer = super.layoutAttributesForSupplementaryView(
        ofKind: UICollectionView.elementKindSectionFooter, at: path)
      let inset = inset(ofSection: index)
      return StickyHeaders.Section(
        header: header.frame, items: items, footer: footer?.frame, topInset: inset.top,
        bottomInset: inset.bottom)
    }
  }
#endif
