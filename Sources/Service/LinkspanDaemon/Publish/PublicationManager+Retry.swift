internal import LinkspanCore
internal import LinkspanServer

/// What could not be kept is tried again, since nobody may change anything for hours after a full disk has room again.
extension PublicationManager {
  struct Retry {
    /// Attempts since something could not be kept.
    fileprivate var attempts = 0
    /// Looks to pass before the next one.
    fileprivate var pause = 0
    /// Whether the state lacks a decision that is in force.
    var isStateBehind = false
  }

  /// Ours: how often it is looked whether there is something.
  static let retryMilliseconds: Int64 = 1_000
  /// Ours: the looks between two attempts, at most. A disk stays full for a while, and each attempt checks a host.
  private static let longestPause = 20

  /// Tries again what could not be kept: the files of one host, and those of all others when that has worked.
  ///
  /// - Returns: What became of hosts at once; the rest comes out of ``takeOutcomes(at:)``.
  func tryAgain(at now: WallTime) -> [PublicationOutcome] {
    guard !isChecking else { return [] }
    guard publisher.isHindered || retry.isStateBehind else {
      retry = Retry()
      return []
    }
    guard retry.pause == 0 else {
      retry.pause -= 1
      return []
    }
    retry.attempts += 1
    retry.pause = min(Self.longestPause, (1 << min(retry.attempts, 8)) - 2)
    tryAgain(all: false)
    guard retry.isStateBehind else { return [] }
    retry.isStateBehind = false
    return finish([], at: now)
  }

  func tryAgain(all: Bool) { _ = begin(publisher.retry(all: all)) }

  /// Takes note of something that the state lacks. Of a series of attempts the operator hears the first failure, and who looks for
  /// a mistake the rest.
  func noteUnkept(_ error: LinkspanError) {
    if retry.attempts == 0 { log.error(error.text) } else { log.debug(error.text) }
    retry.isStateBehind = true
  }
}
