import Testing

@testable import LinkspanCore

/// A line that a person would never read costs no more than its length.
struct LongLineTests {
  @Test(arguments: [",a:b", "=a:b/", "http://a:b ", ",//a:b"])
  func tooManyLinksAreHiddenAndNotSearched(_ piece: String) {
    let line = Array((String(repeating: piece, count: 20_000) + " @").utf8)
    let ranges = UserInformation.ranges(in: line[...], isWhole: true)
    #expect(ranges.last?.upperBound == line.count)
    let short = Array((String(repeating: piece, count: 20) + " @").utf8)
    #expect(UserInformation.ranges(in: short[...], isWhole: true).allSatisfy { $0.upperBound < short.count })
  }

  @Test func linksInsideALineAreSearchedOnce() {
    let pieces = String(repeating: "://a:b/", count: 20_000)
    let none = Array((pieces + " @").utf8)
    #expect(UserInformation.rangesOfInnerLinks(in: none[...]).isEmpty)
    let one = Array((pieces + "@host.example").utf8)
    #expect(UserInformation.rangesOfInnerLinks(in: one[...]) == [3..<140_000])
  }
}
