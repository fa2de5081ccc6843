package import LinkspanCore

/// What happened, as a value of the part of the simulation that it happened in. Whoever wants to know reads the value; lines,
/// JSON and pages are written from it.
package protocol Happening: Sendable {
  /// `install`, `check`, `tap` and the like; part of the line, and so of the digest.
  var kind: String { get }
  /// In the order they are shown; the names `type`, `t_ms`, `time`, `party`, `kind`, `rules` and `certainty` are taken.
  var fields: [(String, JSON)] { get }
  /// What it rests on where whoever records it knows nothing better; nil for what a story does to its world and for what
  /// chance does, which rest on the story.
  var usualProvenance: Provenance? { get }
}

extension Happening {
  package var usualProvenance: Provenance? { nil }
}
