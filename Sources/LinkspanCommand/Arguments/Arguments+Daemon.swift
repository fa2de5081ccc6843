package import LinkspanDaemon

extension Arguments {
  /// An answer of the daemon's target, or its error as ``failure(_:)`` words it.
  package func mapping<Answer>(_ work: @autoclosure () throws(DaemonError) -> Answer) throws(CommandError)
    -> Answer
  {
    do throws(DaemonError) {
      return try work()
    } catch {
      throw failure(error)
    }
  }

  /// An error of the daemon's target as one of the command; options that do not go together are wrong usage of it.
  package func failure(_ error: DaemonError) -> CommandError {
    switch error.kind {
    case .usage: usage(error.message)
    case .failure: CommandError(error)
    }
  }

  /// The configuration file that `--config` names, or the one in the working directory.
  ///
  /// - Parameter isWanted: Whether the one in the working directory counts; it does not where the arguments say everything.
  package func configurationPath(isWanted: Bool) -> String? {
    if let path = value("--config") { return path }
    let usual = ConfigurationFile.defaultName
    return isWanted && (try? FileReader.kind(of: usual)) == .file ? usual : nil
  }
}
