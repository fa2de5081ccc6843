package import AppBundle
package import LinkspanDaemon

extension BundleInput {
  package static func open(_ path: String) throws(CommandError) -> BundleInput {
    try CommandError.mapping(BundleInput(path))
  }

  /// An answer, or its error as one of the command.
  package static func answer<Answer>(_ work: () throws(BundleError) -> Answer) throws(CommandError) -> Answer
  {
    do throws(BundleError) {
      return try work()
    } catch {
      throw CommandError(error)
    }
  }
}

extension CommandError {
  package init(_ error: BundleError) { self.init("\(error)") }
}
