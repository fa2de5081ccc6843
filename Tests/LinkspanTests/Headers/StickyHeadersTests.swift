import Foundation
import Linkspan
import LinkspanCore
import Testing

/// - Source: griffin-stewie/CSNFloatingHeaderViewFlowLayout.
@Suite struct StickyHeadersTests {
  typealias Section = StickyHeaders.Section

  /// A vertical list, as a flow layout makes it, with the insets and gaps of a seed.
  struct List {
    var sections: [Section] = []
    var ends: [CGFloat] = []
    var topContentInset: CGFloat
    var height: CGFloat = 0
    let width: CGFloat = 320

    init(seed: UInt64, hasFooters: Bool = true) {
      var generator = SeededGenerator(seed: seed)
      func draw(_ range: ClosedRange<Int>) -> CGFloat { CGFloat(Int.random(in: range, using: &generator)) }
      topContentInset = draw(0...100)
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let header = CGRect(x: 0, y: height, width: width, height: draw(0...60))
        height = header.maxY
        let count = Int.random(in: 0...6, using: &generator)
        let (topInset, bottomInset) = (draw(0...30), draw(0...30))
        height += topInset
        var items: [CGRect] = []
        for index in 0..<count {
          if index > 0 { height += draw(0...12) }
          items.append(CGRect(x: 0, y: height, width: width, height: draw(1...200)))
          height = items[index].maxY
        }
        height += bottomInset
        var footer: CGRect?
        if hasFooters, Bool.random(using: &generator) {
          footer = CGRect(x: 0, y: height, width: width, height: draw(0...40))
          height = footer!.maxY
        }
        sections.append(
          Section(
            header: header,
            items: items.isEmpty ? nil : .init(first: items[0], last: items[items.count - 1]),
            footer: footer, topInset: topInset, bottomInset: bottomInset))
        ends.append(height)
      }
    }

    func headers(at offset: CGFloat) -> [CGRect] {
      let headers = StickyHeaders(
        offset: CGPoint(x: 0, y: offset), topContentInset: topContentInset)
      return sections.map(headers.frame)
    }

    /// From above the list to below it, every quarter of a header, in order.
    var offsets: StrideTo<CGFloat> { stride(from: -300, to: height + 300, by: 37) }
  }

  private static let section = Section(
    header: CGRect(x: 0, y: 100, width: 320, height: 40),
    items: .init(
      first: CGRect(x: 10, y: 150, width: 300, height: 50),
      last: CGRect(x: 10, y: 550, width: 300, height: 50)),
    topInset: 10, bottomInset: 20)

  @Test(arguments: [
    // offset, content inset, where the header lies
    (0, 0, 100), (100, 0, 100), (101, 0, 101), (300, 0, 300), (580, 0, 580), (581, 0, 580), (900, 0, 580),
    // Without the first correction it would hide behind the bar.
    (60, 64, 124), (300, 64, 364), (516, 64, 580), (600, 64, 580),
  ])
  func sticksBetweenItsPlaceAndTheEndOfItsSection(offset: Int, inset: Int, y: Int) {
    let headers = StickyHeaders(offset: CGPoint(x: 0, y: offset), topContentInset: CGFloat(inset))
    #expect(headers.frame(of: Self.section) == CGRect(x: 0, y: y, width: 320, height: 40))
  }

  /// Without the second correction it would jump by the insets where it begins to stick and where it is pushed out.
  @Test func beginsAndEndsWithoutAJump() {
    var last: CGFloat?
    for offset in stride(from: CGFloat(0), through: 700, by: 0.5) {
      let y = StickyHeaders(offset: CGPoint(x: 0, y: offset)).frame(of: Self.section).minY
      if let last { #expect(y - last <= 0.5) }
      last = y
    }
  }

  @Test func staysPutOnScreenWhenScrolledSideways() {
    let headers = StickyHeaders(offset: CGPoint(x: 55, y: 300), leftContentInset: 8)
    #expect(headers.frame(of: Self.section).minX == 63)
  }

  @Test func anEmptySectionKeepsItsHeaderAboveItsFooter() {
    let header = CGRect(x: 0, y: 100, width: 320, height: 40)
    let bare = Section(header: header, items: nil, topInset: 30, bottomInset: 30)
    let footed = Section(
      header: header, items: nil, footer: CGRect(x: 0, y: 200, width: 320, height: 20), topInset: 30,
      bottomInset: 30)
    for offset in [CGFloat(0), 150, 190, 500] {
      let headers = StickyHeaders(offset: CGPoint(x: 0, y: offset))
      #expect(headers.frame(of: bare).minY == 100)
      #expect(headers.frame(of: footed).minY == min(max(offset, 100), 180))
    }
  }

  /// What holds for every offset.
  @Test func holdsOnTenThousandLayouts() {
    for seed in UInt64(1)...10_000 {
      let list = List(seed: seed)
      var before: [CGRect]?
      for offset in list.offsets {
        let headers = list.headers(at: offset)
        for (index, header) in headers.enumerated() {
          let section = list.sections[index]
          let natural = section.header.minY
          let isMonotone = before.map { $0[index].minY <= header.minY } ?? true
          let isPlaced = header.minY >= natural && header.maxY <= max(list.ends[index], section.header.maxY)
          let isApart = index == 0 || headers[index - 1].maxY <= header.minY
          guard isMonotone, isPlaced, isApart, header.size == section.header.size else {
            Issue.record("seed \(seed), offset \(offset), section \(index): \(header)")
            return
          }
        }
        before = headers
      }
    }
  }

  /// As `sectionHeadersPinToVisibleBounds` has it: a header keeps within its section and below the bars.
  @Test func agreesWithPinningToVisibleBounds() {
    for seed in UInt64(1)...1_000 {
      let list = List(seed: seed, hasFooters: false)
      for offset in list.offsets {
        for (index, header) in list.headers(at: offset).enumerated() where list.sections[index].items != nil {
          let natural = list.sections[index].header
          let pinned = min(
            max(offset + list.topContentInset, natural.minY), list.ends[index] - natural.height)
          guard header.minY == pinned else {
            Issue.record("seed \(seed), offset \(offset), section \(index): \(header.minY), \(pinned)")
            return
          }
        }
      }
    }
  }

  /// A header is added whenever its section shows anything, though its natural place is far above.
  @Test func addsTheHeadersOfSectionsOnScreen() {
    for seed in UInt64(1)...1_000 {
      let list = List(seed: seed)
      for offset in list.offsets {
        let rectangle = CGRect(x: 0, y: offset, width: list.width, height: 200)
        let headers = StickyHeaders(offset: rectangle.origin, topContentInset: list.topContentInset)
        let placed = headers.visible(list.sections, in: rectangle)
        for (index, section) in list.sections.enumerated() {
          let end = max(section.items?.last.maxY ?? 0, section.footer?.maxY ?? 0, section.header.maxY)
          let shows = section.header.minY < rectangle.maxY && end > rectangle.minY
          let found = placed.first { $0.section == index }
          let isRight = !shows || found?.frame == headers.frame(of: section)
          guard isRight else {
            Issue.record("seed \(seed), offset \(offset), section \(index)")
            return
          }
        }
      }
    }
  }

  @Test func liesAboveCells() { #expect(StickyHeaders.zIndex > 0) }
}
