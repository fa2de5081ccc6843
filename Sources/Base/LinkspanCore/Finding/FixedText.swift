/// A text with the fixes of its findings applied, in rounds until no fix is left.
///
/// The result never has more errors than the original: a fix that would add errors is left out. When some syntax errors
/// have no fix, the text stays as it was, because its meaning is unknown. The work is bounded by ``workLimitBytes``.
package struct FixedText: Sendable {
  /// Our choice. One round applies every fix that touches no other; the next round is for the rest, and for the findings that
  /// the round revealed.
  private static let roundLimit = 32

  /// How much text may be checked to fix one file: each attempt checks the whole file again. Our choice: 64 attempts on the
  /// largest association file, thousands on one of 2 KB.
  package static let workLimitBytes = 8 << 20

  package let original: SourceText
  package let bytes: [UInt8]
  /// The findings that were fixed, in order. Positions of later rounds refer to the text of that round.
  package let fixed: [Finding]
  /// The findings of the result.
  package let remaining: [Finding]
  /// Whether there were fixes and the text was left alone, because it would still not be valid JSON or XML.
  package let isBeyondRepair: Bool
  /// How many fixes of the result were not tried before ``workLimitBytes`` or the last round; 0 when all were.
  package let untriedCount: Int

  package var isChanged: Bool { bytes != original.bytes }

  /// - Parameters:
  ///   - isReadable: Whether the syntax of a text is valid.
  ///   - hasWorkLeft: Asked before each attempt; when it is false the rest of the fixes stays untried.
  ///   - findings: Checks a text; the fixes of its findings are edits of that text.
  package init(
    _ original: SourceText, isReadable: (SourceText) -> Bool, hasWorkLeft: () -> Bool = { true },
    findings: (SourceText) -> [Finding]
  ) {
    self.original = original
    let atFirst = State(source: original, findings: findings(original), fixed: [])
    // A fix may reveal findings that have fixes of their own, so only the outcome counts. If the outcome is worse, no
    // round may add errors.
    var state = atFirst.mended(isGuarded: false, hasWorkLeft, findings: findings)
    if state.errorCount > atFirst.errorCount {
      state = atFirst.mended(isGuarded: true, hasWorkLeft, findings: findings)
    }
    let isBeyondRepair = !state.fixed.isEmpty && !isReadable(state.source)
    let outcome = isBeyondRepair ? atFirst : state
    bytes = outcome.source.bytes
    fixed = outcome.fixed
    remaining = outcome.findings
    untriedCount = state.isCut && !isBeyondRepair ? state.findings.count { $0.fix != nil } : 0
    self.isBeyondRepair = isBeyondRepair
  }

  private struct State {
    var source: SourceText
    var findings: [Finding]
    var fixed: [Finding]
    /// Whether a limit ended the work while fixes were left.
    var isCut = false

    var errorCount: Int { findings.count(of: .error) }

    /// - Parameter isGuarded: Whether no round may add errors.
    func mended(
      isGuarded: Bool, _ hasWorkLeft: () -> Bool, findings: (SourceText) -> [Finding]
    ) -> State {
      var state = self
      var workBytes = FixedText.workLimitBytes
      for _ in 0..<FixedText.roundLimit {
        let chosen = FixedText.compatible(state.findings.filter { $0.fix != nil })
        // If all of them together add errors: the first one that alone does not.
        var step: State?
        for attempt in [chosen] + chosen.map({ [$0] }) where step == nil {
          workBytes -= state.source.bytes.count
          guard workBytes >= 0, hasWorkLeft() else {
            state.isCut = !chosen.isEmpty
            return state
          }
          guard let next = state.applying(attempt, findings: findings) else { continue }
          if !isGuarded || next.errorCount <= state.errorCount { step = next }
        }
        guard let step else { return state }
        state = step
      }
      state.isCut = true
      return state
    }

    /// - Returns: The next text; nil when the fixes change nothing.
    private func applying(_ chosen: [Finding], findings: (SourceText) -> [Finding]) -> State? {
      let bytes = source.bytes(applying: chosen.flatMap { $0.fix?.edits ?? [] })
      guard bytes != source.bytes else { return nil }
      let next = SourceText(name: source.name, bytes: bytes)
      return State(source: next, findings: findings(next), fixed: fixed + chosen)
    }
  }

  /// Findings whose fixes touch no other chosen fix, in text order.
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

  /// Whether two edits share a byte, or one is an insertion at the edge of the other: their order would be undefined.
  private static func collide(_ left: Edit, _ right: Edit) -> Bool {
    if left.range.isEmpty || right.range.isEmpty {
      return left.range.lowerBound <= right.range.upperBound
        && right.range.lowerBound <= left.range.upperBound
    }
    return left.range.overlaps(right.range)
  }
}
