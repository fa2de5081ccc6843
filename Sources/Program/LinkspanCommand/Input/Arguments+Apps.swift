package import LinkspanCore
internal import SiteInput

extension Flag {
  /// What an app's files may leave open.
  package static let identity = [
    Flag("--team", "PREFIX", "The app's prefix, usually the Team ID, where its files leave it to Xcode"),
    Flag("--bundle-identifier", "ID", "The app's bundle identifier, where its files leave it to Xcode"),
  ]
}

extension AppReader {
  /// The apps that `--app`, `--team` and `--bundle-identifier` name.
  ///
  /// - Parameters:
  ///   - bundles: Paths of apps that were named otherwise.
  ///   - sources: Files about apps that were named otherwise; a broken one is one of ``findings``.
  ///   - replacing: Bytes that stand for those of a file, by its path.
  ///   - sites: Association files, whose identifiers are named where half of one is refused.
  package init(
    _ arguments: Arguments, bundles: [String] = [], beside sources: [SourceText] = [],
    replacing: [String: [UInt8]] = [:], among sites: [SourceText] = []
  ) throws(LinkspanError) {
    self = try AppReader(
      arguments.all("--app") + bundles, team: arguments.value("--team"),
      bundleIdentifier: arguments.value("--bundle-identifier"), beside: sources, replacing: replacing,
      among: sites)
  }

  /// The same, of some of the values of `--app` alone.
  package init(_ arguments: Arguments, only paths: [String]) throws(LinkspanError) {
    self = try AppReader(
      files: paths, team: arguments.value("--team"),
      bundleIdentifier: arguments.value("--bundle-identifier"))
  }
}
