extension FaultOptions {
  /// The likelihoods by the names that a story uses, in the order of the documentation.
  package static var knobs: [(name: String, path: WritableKeyPath<FaultOptions, Likelihood>)] {
    [
      ("loss", \.loss), ("latency_tail", \.latencyTail), ("reorder", \.reorder), ("clock_step", \.clockStep),
      ("stale_copy", \.staleCopy), ("partial_answer", \.partialAnswer),
      ("crash_before_store", \.crashBeforeStore), ("crash_after_store", \.crashAfterStore),
      ("edge_restart", \.edgeRestart), ("origin_flap", \.originFlap), ("lookup_failure", \.lookupFailure),
    ]
  }
}
