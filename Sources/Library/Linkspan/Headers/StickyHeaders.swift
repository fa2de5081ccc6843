public import Foundation

/// Where section headers lie that stick to the top of a list while their section is on screen.
///
/// Pure geometry for a collection view's layout of your own, in content coordinates. A stock flow layout does the same with
/// `sectionHeadersPinToVisibleBounds` (iOS 9), and a compositional layout with `pinToVisibleBounds`; use those where you can.
///
/// In `shouldInvalidateLayout(forBoundsChange:)` answer true, or headers don't move; in `layoutAttributesForElements(in:)`
/// add the headers of ``visible(_:in:)``, because the header of a section that is on screen may itself lie outside
/// the rectangle; and give them ``zIndex``, so that cells pass below them.
public struct StickyHeaders: Hashable, Sendable {
  /// Above cells, whose `zIndex` is 0.
  public static let zIndex = 1024

  /// A section as the layout made it before any header moved.
  public struct Section: Hashable, Sendable {
    /// The frames of a section's items, as far as they matter.
    public struct Items: Hashable, Sendable {
      /// That of the first item.
      public var first: CGRect
      /// That of the last item.
      public var last: CGRect

      /// Both frames in their natural places.
      public init(first: CGRect, last: CGRect) {
        self.first = first
        self.last = last
      }
    }

    /// The header in its natural place.
    public var header: CGRect
    /// nil for a section without items.
    public var items: Items?
    /// nil for a section without one.
    public var footer: CGRect?
    /// The section's inset above its first item.
    public var topInset: CGFloat
    /// The section's inset below its last item.
    public var bottomInset: CGFloat

    /// A section in its natural place.
    public init(
      header: CGRect, items: Items?, footer: CGRect? = nil, topInset: CGFloat = 0, bottomInset: CGFloat = 0
    ) {
      self.header = header
      self.items = items
      self.footer = footer
      self.topInset = topInset
      self.bottomInset = bottomInset
    }
  }

  /// A header that is on screen.
  public struct Placed: Hashable, Sendable {
    /// The section's index.
    public let section: Int
    /// Where it lies now.
    public let frame: CGRect
  }

  /// How far the list is scrolled.
  public var offset: CGPoint
  /// What bars cover above the list: its `adjustedContentInset.top`. Without it headers would stick below a bar.
  public var topContentInset: CGFloat
  /// Its `adjustedContentInset.left`.
  public var leftContentInset: CGFloat

  /// Headers of a list that is scrolled to a place.
  public init(offset: CGPoint, topContentInset: CGFloat = 0, leftContentInset: CGFloat = 0) {
    self.offset = offset
    self.topContentInset = topContentInset
    self.leftContentInset = leftContentInset
  }

  /// The frame of a section's header now.
  ///
  /// It stays where the layout put it until it would leave the top, then sticks there, and is pushed out by the
  /// end of its section. Scrolling sideways leaves it where it is on screen.
  public func frame(of section: Section) -> CGRect {
    let top = offset.y + topContentInset
    let (natural, end) = Self.bounds(of: section)
    // In this order: the end of the section wins over the top of the list.
    let y = min(max(top, natural), max(natural, end - section.header.height))
    return CGRect(
      x: offset.x + leftContentInset, y: y, width: section.header.width, height: section.header.height)
  }

  /// The headers to add for a rectangle: of each section of which the rectangle shows anything, and of each header that was
  /// moved into it.
  public func visible(_ sections: [Section], in rectangle: CGRect) -> [Placed] {
    sections.enumerated().compactMap { index, section in
      let frame = frame(of: section)
      let (natural, end) = Self.bounds(of: section)
      let bottom = max(end, section.footer?.maxY ?? end, section.header.maxY)
      // Touching is not showing.
      let showsSection = natural < rectangle.maxY && bottom > rectangle.minY
      let showsHeader = frame.minY < rectangle.maxY && frame.maxY > rectangle.minY
      return showsSection || showsHeader ? Placed(section: index, frame: frame) : nil
    }
  }

  /// The header's natural place, and where the header is pushed out.
  ///
  /// The insets belong to the items: the header lies above the top one, and leaves after the bottom one. Without items
  /// the header's own frame and the footer's count as they are.
  private static func bounds(of section: Section) -> (natural: CGFloat, end: CGFloat) {
    guard let items = section.items else {
      return (section.header.minY, (section.footer ?? section.header).maxY)
    }
    return (
      items.first.minY - section.header.height - section.topInset, items.last.maxY + section.bottomInset
    )
  }
}
