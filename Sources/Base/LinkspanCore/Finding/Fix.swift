/// The one safe answer to a finding: how its file reads when the mistake is mended.
///
/// A finding has a fix only where no second answer could be meant. Everything outside the edits keeps its bytes.
package struct Fix: Hashable, Sendable {
  /// An edit with its place, as editors and reports count.
  package struct Step: Hashable, Sendable {
    package let edit: Edit
    package let start: SourcePosition
    package let end: SourcePosition
  }

  /// In the order of their places; they do not overlap.
  package let steps: [Step]

  package var edits: [Edit] { steps.map { $0.edit } }

  /// - Returns: nil when there is nothing to change.
  package init?(_ edits: [Edit], in source: SourceText) {
    guard !edits.isEmpty else { return nil }
    steps = edits.sorted { $0.range.lowerBound < $1.range.lowerBound }.map { edit in
      Step(
        edit: edit, start: source.position(at: edit.range.lowerBound),
        end: source.position(at: edit.range.upperBound))
    }
    for (left, right) in zip(steps, steps.dropFirst()) {
      precondition(
        left.edit.range.upperBound <= right.edit.range.lowerBound, "a fix of \(source.name) overlaps itself")
    }
  }
}
