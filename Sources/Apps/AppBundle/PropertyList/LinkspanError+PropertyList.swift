package import LinkspanCore

extension LinkspanError {
  /// What the reader of property lists says: the place and the message in one line, and what to do.
  package init(_ error: PropertyListError) {
    let finding = error.finding
    let place = finding.location.start.map { ":\($0.line):\($0.column)" } ?? ""
    self.init("\(finding.location.file)\(place): \(finding.message)", help: finding.help)
  }
}
