package import LinkspanCore

/// One reason why links open the browser, derived from findings, and what to do next.
///
/// A finding states a fact; a diagnosis names the known failure that the findings add up to.
package struct Diagnosis: Hashable, Sendable {
  /// The failures people report, the most frequent first. That order is ours, from published reports.
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    /// A browser gets the file, and Apple's crawler does not (T7).
    case cdnBlocked = "cdn-blocked"
    /// Apple's CDN still has the file from before (C5–C8, C11).
    case staleCopy = "stale-copy"
    /// The signed app claims no domain (E19).
    case entitlementLost = "entitlement-lost"
    /// The host serves a page, a redirect or a login in place of the file (R8, T2, T5).
    case somethingElseServed = "something-else-served"
    /// The host has no file at the place that counts (F1, F3).
    case notPublished = "not-published"
    /// The host does not respond, or not in time (T1, T8, T9).
    case hostUnreachable = "host-unreachable"
    /// A device drops the file (R4, R5, J1).
    case fileDropped = "file-dropped"
    /// File and app do not name one another (V1).
    case sidesDisagree = "sides-disagree"
    /// Why tools that ask the host as a browser see none of this (T7).
    case otherValidatorsGreen = "other-validators-green"
    /// Both sides agree in what was checked: how the link is followed decides (section 10).
    case nothingWrong = "nothing-wrong"
  }

  package let cause: Cause
  /// The rules whose findings it rests on, sorted; empty where it rests on there being none.
  package let because: [String]
  /// What to do, the first thing first.
  package let next: [String]

  package init(cause: Cause, because: [String], next: [String]) {
    self.cause = cause
    self.because = because
    self.next = next
  }

  /// What it is, in one sentence.
  package var sentence: String {
    switch cause {
    case .cdnBlocked: "The host blocks Apple's CDN but serves the file to other clients."
    case .staleCopy: "Apple's CDN still has an old copy, and devices get that copy."
    case .entitlementLost: "The signed app claims no domain: its associated domains were lost during signing."
    case .somethingElseServed: "The host serves something else instead of the file."
    case .notPublished: "The file is not where devices look for it."
    case .hostUnreachable: "Devices and Apple's CDN cannot reach the host."
    case .fileDropped: "Devices ignore the whole file because of an error."
    case .sidesDisagree: "The file and the app do not refer to each other."
    case .otherValidatorsGreen: "Other validators may report no problem."
    case .nothingWrong: "No problems in what was checked. If the link still opens the browser:"
    }
  }

  /// For a report that people read.
  package func text(style: TextStyle = .plain) -> String {
    var text = "  " + style.bold(sentence)
    if !because.isEmpty { text += " (\(because.joined(separator: ", ")))" }
    return text + next.map { "\n    - \($0)" }.joined() + "\n"
  }

  /// One element of `diagnosis` in the JSON report.
  package var json: JSON {
    .object([
      ("cause", .string(cause.rawValue)), ("sentence", .string(sentence)),
      ("because", .array(because.map(JSON.string))), ("next", .array(next.map(JSON.string))),
    ])
  }
}
