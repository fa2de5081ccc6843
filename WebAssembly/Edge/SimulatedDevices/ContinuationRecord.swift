import AppSiteAssociation

extension SimulatedDevice {
  /// No question of the module looks at the signed files of iOS 8.
  func fetchContinuationFiles(of build: AppBuild) {}
}

struct ContinuationRecord: Sendable {}

extension OSVersion {
  var readsContinuationFiles: Bool { false }
}
