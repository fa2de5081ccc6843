extension AssociationRecord {
  /// Why the device asks for the file of this entry at a moment.
  func cause(at now: Duration) -> FetchCause {
    var cause: FetchCause
    if lastChecked == nil {
      cause = FetchCause("the app with this entry was installed or updated", rules: ["V1"])
    } else if let nextCheck, now < nextCheck {
      cause = FetchCause("the device began anew", rules: ["V1"])
    } else if problem != nil {
      cause = FetchCause("retry \(retries) after a check that failed", rules: ["R1", "V2"])
    } else {
      cause = FetchCause("weekly re-check", rules: ["V2"])
    }
    cause.lane = key.lane
    return cause
  }
}
