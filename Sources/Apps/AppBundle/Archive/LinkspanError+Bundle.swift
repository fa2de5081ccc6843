package import LinkspanCore

extension LinkspanError {
  /// What the reader of bundles says.
  package init(_ error: BundleError) { self.init("\(error)") }

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
