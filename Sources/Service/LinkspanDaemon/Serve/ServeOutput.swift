package import LinkspanCore
package import LinkspanServer

/// What a run of `serve` tells of.
package enum ServeEvent: Sendable {
  /// It answers from now on.
  ///
  /// - Parameters:
  ///   - hosts: Those that are served; `*` stands for every host without a site of its own.
  ///   - console: The URL of the console.
  case listening(
    address: SocketAddress, isPlain: Bool, hosts: [String], admin: SocketAddress?, console: String?)
  /// What became of the files of a host.
  case publication(PublicationOutcome)
  /// Everything was read again, as somebody asked, and everything is served.
  case reloaded(hosts: [String])
  /// Everything was read again, as somebody asked, and some of it was refused.
  case refusedSome(hosts: [String])
  /// Nothing could be read again; what was served is still served.
  case notReloaded
  /// What a dry run found of the device registry.
  ///
  /// - Parameters:
  ///   - found: The version of its tables; nil where there are none.
  ///   - wanted: The version that a start brings them to.
  case registry(found: Int?, wanted: Int)
}

/// Where a run of `serve` says what it has to say.
package struct ServeOutput {
  /// What operators read while it runs.
  let log: ServerLog
  /// Takes each event, on the thread that called the run.
  let report: (ServeEvent) -> Void
  /// Takes what went wrong on a thread beside, where the run goes on; on that thread.
  let fail: @Sendable (LinkspanError) -> Void

  package init(
    log: ServerLog, report: @escaping (ServeEvent) -> Void, fail: @escaping @Sendable (LinkspanError) -> Void
  ) {
    self.log = log
    self.report = report
    self.fail = fail
  }
}
