internal import Glibc
internal import LinkspanCore

/// What the server itself has to say, on standard error: never a secret, at any level.
final class ServerLog {
  enum Level: String, CaseIterable, Comparable, Sendable {
    case error, info, debug

    private var rank: Int { Self.allCases.firstIndex(of: self)! }

    static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
  }

  private let console: Console
  private let level: Level
  private let stampsLines: Bool

  /// - Parameter stampsLines: Whether each line begins with its time.
  init(_ console: Console, _ level: Level, stampsLines: Bool) {
    self.console = console
    self.level = level
    self.stampsLines = stampsLines
  }

  /// Whether standard error is the journal's, which has a time for each line (systemd.exec(5), `JOURNAL_STREAM`).
  static var goesToTheJournal: Bool {
    var status = stat()
    guard let stream = Console.environment("JOURNAL_STREAM"), fstat(2, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// The time and a blank, or nothing.
  var stamp: String { stampsLines ? "\(CurrentTime.now) " : "" }

  /// What is not as the operator wants it.
  func error(_ text: String) { console.note(stamp + text) }

  /// What an operator may want to know.
  func info(_ text: String) { if level >= .info { console.note(stamp + text) } }

  /// What somebody wants to know who looks for a mistake.
  func debug(_ text: @autoclosure () -> String) {
    if level >= .debug { console.note("\(stamp)debug: " + text()) }
  }
}
