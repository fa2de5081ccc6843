package import LinkspanDaemon

extension BundleInput {
  package static func open(_ path: String) throws(CommandError) -> BundleInput {
    try CommandError.mapping(BundleInput(path))
  }
}
