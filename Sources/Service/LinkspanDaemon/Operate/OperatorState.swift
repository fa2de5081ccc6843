internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer

/// What the thread that publishes knows and the pages for operators tell.
final class OperatorState: Sendable {
  struct Snapshot: Sendable {
    var readiness = Readiness()
    /// The hosts that are live, without the site of all others.
    var hosts: [String] = []
    /// Every host with its state.
    var sites = ConsoleSites()
    var reloadsDone = 0
    var reloadsFailed = 0
    /// By the word of the outcome.
    var publications: [String: Int] = [:]
    /// When the certificates that TLS shows are valid.
    var certificates: [CertificateTerm] = []
    /// The host and the end of each signed file, in seconds since 1970.
    var signedFiles: [(host: String, ends: Int64)] = []
  }

  private let snapshot = LockedState(Snapshot())

  var now: Snapshot { snapshot.withLock { $0 } }

  func change(_ body: (inout sending Snapshot) -> Void) {
    snapshot.withLock { body(&$0) }
  }
}
