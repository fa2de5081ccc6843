internal import LinkspanFiles
internal import ServiceConfiguration

extension Arguments {
  /// The configuration file that `--config` names, or the one in the working directory.
  ///
  /// - Parameter isWanted: Whether the one in the working directory counts; it does not where the arguments say everything.
  package func configurationPath(isWanted: Bool) -> String? {
    if let path = value("--config") { return path }
    let usual = ConfigurationFile.defaultName
    return isWanted && (try? FileReader.kind(of: usual)) == .file ? usual : nil
  }
}
