internal import LinkspanDaemon

extension Arguments {
  /// An answer of the daemon's target, or its error as one of the command: options that do not go together are wrong
  /// usage of it.
  func mapping<Answer>(_ work: @autoclosure () throws(DaemonError) -> Answer) throws(CommandError) -> Answer {
    do throws(DaemonError) {
      return try work()
    } catch {
      switch error.kind {
      case .usage: throw usage(error.message)
      case .failure: throw CommandError(error)
      }
    }
  }

  /// The configuration file that `--config` names, or the one in the working directory.
  ///
  /// - Parameter isWanted: Whether the one in the working directory counts; it does not where the arguments say everything.
  func configurationPath(isWanted: Bool) -> String? {
    if let path = value("--config") { return path }
    let usual = ConfigurationFile.defaultName
    return isWanted && (try? FileReader.kind(of: usual)) == .file ? usual : nil
  }
}
