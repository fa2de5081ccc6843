internal import HTTPEngine

/// Tells whether every loop of a server goes around: wakes them, and looks the next time whether they did.
final class LoopWatchdog {
  private let server: HTTPServer
  private var turns: [Int] = []

  init(_ server: HTTPServer) {
    self.server = server
    wake()
  }

  /// Whether every loop has gone around since the last look. A server that was told to stop has loops that ended, and
  /// its end has a deadline of its own.
  func look() -> Bool {
    let answers = server.isStopping || zip(server.turns, turns).allSatisfy { $0 > $1 }
    wake()
    return answers
  }

  private func wake() {
    turns = server.turns
    server.wake()
  }
}
