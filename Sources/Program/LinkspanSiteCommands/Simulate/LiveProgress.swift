internal import LinkspanCommand
internal import LinkspanCore
import SimulatedDevices

/// Says how far a story has come while a real server answers for its hosts: each request waits for an answer, so a long story
/// with many devices can take minutes.
final class LiveProgress: Sendable {
  private struct State {
    var requests = 0
    var told = ContinuousClock.now
  }

  private let state = LockedState(State())
  /// When the story begins.
  private let start: WallTime

  init(start: WallTime) { self.start = start }

  /// The same transport, which says before each request where the story is: on a terminal in one line, elsewhere in a line of
  /// its own when a second has passed since the last one.
  func watching(_ transport: @escaping Transport) -> Transport {
    { request, client, options in
      self.tell(request.host, options.time)
      return await transport(request, client, options)
    }
  }

  /// Clears the line on a terminal.
  func end() { Console.progress("") }

  private func tell(_ host: String, _ time: Duration) {
    let (number, isDue) = state.withLock { state in
      state.requests += 1
      let now = ContinuousClock.now
      let isDue = now - state.told >= .seconds(1)
      if isDue { state.told = now }
      return (state.requests, isDue)
    }
    let text = "linkspan simulate: \(start.advanced(by: time)) in the story, request \(number): \(host)"
    if !Console.progress(text), isDue { Console.tell(text) }
  }
}
