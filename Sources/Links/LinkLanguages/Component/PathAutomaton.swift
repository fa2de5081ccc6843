/// The paths a pattern covers, trailing slashes set aside (P5–P8).
///
/// A state holds where the text stands with all of its slashes, and whether the text without its trailing ones is
/// covered.
package final class PathAutomaton {
  static let dead: Int32 = 0
  private static let slash: UInt32 = 0x2F

  private let text: TextAutomaton
  /// Made when it is asked for: long lists have thousands of beginnings.
  private(set) lazy var start: Int32 = {
    let behindSlash = text.step(text.start, Self.slash)
    let coversRoot =
      text.accepts(text.start) || (behindSlash != TextAutomaton.dead && text.acceptsWhole(behindSlash))
    return Self.state(text.start, coversRoot)
  }()

  /// - Parameters:
  ///   - elements: The pattern without its trailing slashes.
  ///   - parentCount: So many of the elements are the path that a pattern ending in `/*` matches as well.
  package init(_ elements: [PatternElement], parentCount: Int?) {
    text = TextAutomaton(elements, otherEnd: parentCount)
  }

  private static func state(_ text: Int32, _ isCovered: Bool) -> Int32 {
    (text + 1) * 2 + (isCovered ? 1 : 0)
  }

  @inline(__always)
  func step(_ state: Int32, _ scalar: UInt32) -> Int32 {
    var next = state >> 1 - 1
    if next != TextAutomaton.dead { next = text.step(next, scalar) }
    if scalar == Self.slash { return Self.state(next, state & 1 == 1) }
    return Self.state(next, next != TextAutomaton.dead && text.accepts(next))
  }

  func takeWork() -> Int { text.takeWork() }

  func accepts(_ state: Int32) -> Bool { state & 1 == 1 }

  func isUniversal(_ state: Int32) -> Bool { state & 1 == 1 && state > 1 && text.isUniversal(state >> 1 - 1) }

  func distinguished(at state: Int32) -> ScalarSet {
    state > 1 ? text.distinguished(at: state >> 1 - 1) : ScalarSet()
  }
}
