import Testing

@testable import LinkspanEditor

/// Where a cursor stands; `|` is the cursor.
@Suite struct CursorPlaceTests {
  private static func place(_ text: String) -> CursorPlace {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    return CursorPlace(at: parts[0].utf8.count, in: Array(parts.joined().utf8))
  }

  /// A comment to the end of its line holds a cursor at that end; one with an end of its own holds none behind it.
  @Test(arguments: [
    ("{ // a| b\n", true), ("{ // a b|\n", true), ("{ //|", true), ("{ // a\n|", false), ("{ /* a| */", true),
    ("{ /* a *|/", true), ("{ /* a */|", false), ("{ /**/|", false), ("{ /*/| x", true),
    ("{ /* a\n| x", true), ("{ /* a|", true), ("{ /*|", true), ("{ /* a *|", true), ("{ /* a\n|", true),
    ("{ /***/|", false), ("{ \"//|\"", false), ("{ /|", false),
  ])
  func aCommentHoldsTheCursor(_ text: String, _ isHeld: Bool) {
    #expect(Self.place(text).isInComment == isHeld)
  }

  @Test func aKeyFollowsTheOnesBeforeIt() {
    let place = Self.place(#"{"applinks": {"apps": [], /* x */ "de|tails": 1}}"#)
    #expect(place.path == [.key("applinks")])
    #expect(place.keysBefore == ["apps"])
    #expect(place.word.count == "details".utf8.count && place.mark == UInt8(ascii: "\""))
  }

  @Test func aValueBelongsToItsKey() {
    let place = Self.place(#"{"a": [{"b": 1}, {"c": tr|ue}]}"#)
    #expect(place.path == [.key("a"), .index(1)])
    #expect(place.keysBefore == nil && place.key == "c")
    #expect(place.word.count == 4 && place.mark == nil)
  }
}
