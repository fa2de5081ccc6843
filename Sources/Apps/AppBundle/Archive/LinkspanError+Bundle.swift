package import LinkspanCore

extension LinkspanError {
  /// What the reader of bundles says.
  package init(_ error: BundleError) {
    // The finding without its help, which has a line of its own.
    let finding = error.description.prefix { $0 != "\n" }
    self.init(String(finding), help: error.help.isEmpty ? nil : error.help)
  }

  /// An answer of the reader of bundles, or what it says in the shape of every other error.
  package static func of<Answer>(
    bundle work: @autoclosure () throws(BundleError) -> Answer
  ) throws(LinkspanError) -> Answer {
    do throws(BundleError) {
      return try work()
    } catch {
      throw LinkspanError(error)
    }
  }
}
