package import LinkspanCore

extension Sequence<Finding> {
  /// What is wrong with the domains of an extension that is no watch app's. Whether a device uses them is not documented (E18
  /// speaks of watchOS only), so no link is known to be lost.
  package var ofExtension: [Finding] {
    map { finding in
      guard finding.severity == .error else { return finding }
      var finding = finding
      finding.severity = .warning
      finding.addHelp("Apple documents no use of an extension's domains outside watchOS.")
      return finding
    }
  }
}
