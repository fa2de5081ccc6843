internal import AppBundle
internal import LinkspanDaemon

extension BundleInput {
  static func open(_ path: String) throws(CommandError) -> BundleInput {
    try CommandError.mapping(BundleInput(path))
  }

  /// An answer, or its error as one of the command.
  static func answer<Answer>(_ work: () throws(BundleError) -> Answer) throws(CommandError) -> Answer {
    do throws(BundleError) {
      return try work()
    } catch {
      throw CommandError("\(error)")
    }
  }
}
