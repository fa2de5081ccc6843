internal import Glibc
internal import LinkspanCore
internal import LinkspanFiles

/// What the server itself has to say: never a secret, at any level.
package final class ServerLog: Sendable {
  /// How much is said.
  package enum Level: String, CaseIterable, Comparable, Sendable {
    case error, info, debug

    private var rank: Int { Self.allCases.firstIndex(of: self)! }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
  }

  private let sink: @Sendable (String) -> Void
  private let level: Level
  private let stampsLines: Bool

  /// - Parameters:
  ///   - level: What is left out: everything that is said on a level behind this one.
  ///   - stampsLines: Whether each line begins with its time.
  ///   - sink: Takes each line, without its end, on the thread that says it.
  package init(_ level: Level, stampsLines: Bool, sink: @escaping @Sendable (String) -> Void) {
    self.sink = sink
    self.level = level
    self.stampsLines = stampsLines
  }

  /// Whether standard error is the journal's, which has a time for each line (systemd.exec(5), `JOURNAL_STREAM`).
  package static var goesToTheJournal: Bool {
    var status = stat()
    guard let stream = ProcessEnvironment.value("JOURNAL_STREAM"), fstat(2, &status) == 0 else {
      return false
    }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// The time and a blank, or nothing.
  package var stamp: String { stampsLines ? "\(CurrentTime.now) " : "" }

  /// What is not as the operator wants it, and that it is again, since who hears of the one waits for the other: one line, or an
  /// error's lines as ``Swift/String/explained(_:findings:help:)`` makes them.
  package func error(_ text: String) { write(text) }

  private func write(_ text: String) { sink(stamp + text.withoutCredentials) }

  /// What an operator may want to know.
  package func info(_ text: String) { if level >= .info { write(text.onOneLine) } }

  /// What somebody wants to know who looks for a mistake.
  package func debug(_ text: @autoclosure () -> String) {
    if level >= .debug { write("debug: " + text().onOneLine) }
  }
}
