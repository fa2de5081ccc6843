/// A text after its findings' fixes, round by round until none is left.
///
/// The result never has more errors than the text it came from: a fix whose outcome has is left out. It is
/// left as it was when the mistakes in its syntax cannot all be mended, for then nobody knows what it says.
package struct FixedText: Sendable {
  /// Ours. A round mends all it can at once; only fixes that touch one another, or that come to light after
  /// others, need the next one.
  private static let roundLimit = 32

  package let original: SourceText
  package let bytes: [UInt8]
  /// What was mended, in the order it was. Places of later rounds are those in the text of that round.
  package let fixed: [Finding]
  /// What is still found in the result.
  package let remaining: [Finding]
  /// Whether there were fixes and the text was left alone, because it would still not have been readable.
  package let isBeyondRepair: Bool

  package var isChanged: Bool { bytes != original.bytes }

  /// - Parameters:
  ///   - isReadable: Whether nothing is wrong with the syntax of a text.
  ///   - findings: What is found in a text, with fixes for the text as given.
  package init(
    _ original: SourceText, isReadable: (SourceText) -> Bool, findings: (SourceText) -> [Finding]
  ) {
    self.original = original
    let atFirst = State(source: original, findings: findings(original), fixed: [])
    // What a fix brings to light may have fixes of its own, so only the outcome counts; when that is worse,
    // every step has to hold.
    var state = atFirst.mended(isGuarded: false, findings: findings)
    if state.errorCount > atFirst.errorCount {
      state = atFirst.mended(isGuarded: true, findings: findings)
    }
    isBeyondRepair = !state.fixed.isEmpty && !isReadable(state.source)
    let outcome = isBeyondRepair ? atFirst : state
    bytes = outcome.source.bytes
    fixed = outcome.fixed
    remaining = outcome.findings
  }

  private struct State {
    var source: SourceText
    var findings: [Finding]
    var fixed: [Finding]

    var errorCount: Int { findings.count(of: .error) }

    /// - Parameter isGuarded: Whether no round may leave more errors than it found.
    func mended(isGuarded: Bool, findings: (SourceText) -> [Finding]) -> State {
      var state = self
      for _ in 0..<FixedText.roundLimit {
        let chosen = FixedText.compatible(state.findings.filter { $0.fix != nil })
        // Where all of them together make it worse: the first one alone that does not.
        var step: State?
        for attempt in [chosen] + chosen.map({ [$0] }) where step == nil {
          guard let next = state.applying(attempt, findings: findings) else { continue }
          if !isGuarded || next.errorCount <= state.errorCount { step = next }
        }
        guard let step else { break }
        state = step
      }
      return state
    }

    /// The next text, or nil when it says what it said.
    func applying(_ chosen: [Finding], findings: (SourceText) -> [Finding]) -> State? {
      let bytes = source.bytes(applying: chosen.flatMap { $0.fix?.edits ?? [] })
      guard bytes != source.bytes else { return nil }
      let next = SourceText(name: source.name, bytes: bytes)
      return State(source: next, findings: findings(next), fixed: fixed + chosen)
    }
  }

  /// Fixes that can be made in one go, the first in the text first: none touches another.
  fileprivate static func compatible(_ findings: [Finding]) -> [Finding] {
    var taken: [Edit] = []
    var chosen: [Finding] = []
    for finding in findings {
      guard let edits = finding.fix?.edits else { continue }
      let isFree = !edits.contains { edit in taken.contains { Self.collide($0, edit) } }
      guard isFree else { continue }
      taken += edits
      chosen.append(finding)
    }
    return chosen
  }

  /// Ranges that share a byte, and insertions at the edge of another edit, whose order nobody knows.
  private static func collide(_ left: Edit, _ right: Edit) -> Bool {
    if left.range.isEmpty || right.range.isEmpty {
      return left.range.lowerBound <= right.range.upperBound
        && right.range.lowerBound <= left.range.upperBound
    }
    return left.range.overlaps(right.range)
  }
}
