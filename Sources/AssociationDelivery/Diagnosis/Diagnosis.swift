package import LinkspanCore

/// One reason for which links open the browser, put together from findings, and what to do next.
///
/// Findings say what is so; a diagnosis says which of the failures that people report it is.
package struct Diagnosis: Hashable, Sendable {
  /// The failures people report, the most frequent first. That order is ours, from the reports the specification
  /// names.
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    /// A browser gets the file, and Apple's crawler does not (T7, F-tag).
    case cdnBlocked = "cdn-blocked"
    /// Apple's CDN still has the file from before (C5–C8, C11).
    case staleCopy = "stale-copy"
    /// The signed app claims no domain (E19).
    case entitlementLost = "entitlement-lost"
    /// A page, a redirect or a login stands where the file should (R8, T2, T5).
    case somethingElseServed = "something-else-served"
    /// The host has no file at the place that counts (F1, F3).
    case notPublished = "not-published"
    /// Nobody gets an answer, or none in time (T1, T8, T9).
    case hostUnreachable = "host-unreachable"
    /// A device drops the file (R4, R5, J1).
    case fileDropped = "file-dropped"
    /// File and app do not name one another (V1).
    case sidesDisagree = "sides-disagree"
    /// Why tools that ask the host as a browser see none of this (T7, F-tag).
    case otherValidatorsGreen = "other-validators-green"
    /// Both sides agree as far as was looked: how the link is followed decides (section 10).
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
    case .cdnBlocked: "Apple's CDN is kept out, although others are given the file."
    case .staleCopy: "Apple's CDN still has an old copy, and devices get that one."
    case .entitlementLost: "The app as signed claims no website: its associated domains were lost on the way."
    case .somethingElseServed: "The host serves something else where the file should be."
    case .notPublished: "The file is not where devices look for it."
    case .hostUnreachable: "The host cannot be reached as devices and Apple's CDN reach it."
    case .fileDropped: "A device drops the file, whatever it says about links."
    case .sidesDisagree: "The file and the app do not name one another."
    case .otherValidatorsGreen: "Other validators may still be green."
    case .nothingWrong: "Nothing is wrong as far as was looked. If the link opens the browser all the same:"
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
