internal import LinkspanCore
internal import LinkspanServer

/// The lines of the log that strangers can cause as often as they like: some of each kind a minute, and how many more.
final class RefusalLog: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case foreignForms = "forms from another origin"
    case withoutSession = "requests without a session"
    case withoutToken = "logins without a valid token"
    case limited = "logins after too many wrong passwords"
    case crowded = "logins for which there was no room"
  }

  /// Of one kind. Ours: enough to see who it is, too few to fill a disk.
  static let linesPerMinute = 60

  private struct State {
    var lines: RequestLimiter
    var omitted: [Kind: Int] = [:]
    /// When the omitted ones are reported.
    var reportAt = Duration.zero
  }

  private let log: @Sendable (String) -> Void
  private let state: LockedState<State>

  init(_ log: @escaping @Sendable (String) -> Void) {
    self.log = log
    state = LockedState(
      State(
        lines: RequestLimiter(
          limit: Self.linesPerMinute, window: .seconds(60), clients: Kind.allCases.count, secret: [])))
  }

  func note(_ kind: Kind, at uptime: Duration, _ line: @autoclosure () -> String) {
    let isWritten = state.withLock { state in
      let standing = state.lines.count(Array(kind.rawValue.utf8), at: uptime)
      guard !standing.isAllowed else { return true }
      if state.omitted.isEmpty { state.reportAt = uptime + standing.wait }
      state.omitted[kind, default: 0] += 1
      return false
    }
    if isWritten { log("console: " + line()) }
  }

  /// Says how many lines were left out, once their minute is over.
  func report(at uptime: Duration) {
    let omitted = state.withLock { state -> [Kind: Int] in
      guard uptime >= state.reportAt, !state.omitted.isEmpty else { return [:] }
      defer { state.omitted = [:] }
      return state.omitted
    }
    for kind in Kind.allCases {
      if let count = omitted[kind] { log("console: \(count) more \(kind.rawValue) were refused") }
    }
  }
}
