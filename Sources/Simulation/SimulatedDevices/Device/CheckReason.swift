import LinkspanCore

/// Why a device asks for a file.
enum CheckReason: String, Hashable, Sendable, HasProvenance {
  case install
  case update
  /// The first start of a Developer-ID app.
  case launch
  case reboot
  /// The regular re-check.
  case weekly
  /// Hours after a check that failed, unless the host had refused.
  case retry

  /// For whoever reads the questions that a check asks.
  func cause(of record: AssociationRecord) -> FetchCause {
    let words =
      switch self {
      case .install: "the app with this entry was installed"
      case .update: "the app with this entry was updated"
      case .launch: "the app with this entry was started for the first time"
      case .reboot: "the device began anew"
      case .weekly: "weekly re-check"
      case .retry: "retry \(record.retries) after a check that failed"
      }
    var cause = FetchCause(words, provenance)
    cause.lane = record.key.lane
    return cause
  }

  var rules: [String] {
    switch self {
    case .install, .update, .reboot: ["V1"]
    case .launch: ["V9"]
    case .weekly: ["V2"]
    case .retry: ["R1", "V2"]
    }
  }

  var certainty: Certainty {
    switch self {
    case .install, .update, .launch, .weekly: .documented
    // R1 documents retries after 5xx; after other failures they were observed (V2).
    case .reboot, .retry: .observed
    }
  }
}
