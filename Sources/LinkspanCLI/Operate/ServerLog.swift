/// What the server itself has to say, on standard error: never a secret, at any level.
final class ServerLog {
  enum Level: String, CaseIterable, Comparable, Sendable {
    case error, info, debug

    private var rank: Int { Self.allCases.firstIndex(of: self)! }

    static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
  }

  private let console: Console
  private let level: Level

  init(_ console: Console, _ level: Level) {
    self.console = console
    self.level = level
  }

  /// What is not as the operator wants it.
  func error(_ text: String) { console.note(text) }

  /// What an operator may want to know.
  func info(_ text: String) { if level >= .info { console.note(text) } }

  /// What somebody wants to know who looks for a mistake.
  func debug(_ text: @autoclosure () -> String) { if level >= .debug { console.note("debug: " + text()) } }
}
