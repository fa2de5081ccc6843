import LinkspanCore

/// Why a device asks for a file.
enum CheckReason: String, Hashable, Sendable {
  case install
  case update
  /// The first start of a Developer-ID app.
  case launch
  case reboot
  /// The regular re-check.
  case weekly
  /// After a check that failed.
  case retry

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
    case .install, .update, .launch, .weekly, .retry: .documented
    case .reboot: .observed
    }
  }
}
