/// How well a fact about Handoff on the air is established. Apple documents none of them.
package enum Evidence: String, Hashable, Sendable {
  /// Recomputed here from published frames or hashes of Apple's own activities.
  case verified
  /// Seen in published frames or code.
  case observed
  /// Read by others out of Apple's program; no published frame confirms it.
  case secondHand = "second-hand"
  /// Follows from the others; no frame of a third-party app was published.
  case inferred
}
