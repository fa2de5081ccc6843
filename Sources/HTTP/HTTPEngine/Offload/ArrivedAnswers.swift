internal import LinkspanCore
internal import LinkspanSystem

/// Answers and news of streamed bodies on their way back to one loop: other threads put them here, the loop takes them
/// out in batches.
final class ArrivedAnswers: Sendable {
  struct Answer: Sendable {
    var number: Int
    var response: HTTPResponse
  }

  private struct State: Sendable {
    var answers: [Answer] = []
    var streams: [Int] = []
    var isEmpty: Bool { answers.isEmpty && streams.isEmpty }
  }

  private let wakeup: Wakeup?
  private let state = LockedState(State())

  /// - Parameter wakeup: Of the loop; nil when there is none to be woken.
  init(_ wakeup: Wakeup?) { self.wakeup = wakeup }

  func put(_ number: Int, _ response: HTTPResponse) {
    put { $0.answers.append(Answer(number: number, response: response)) }
  }

  /// A streamed body has news: there are bytes where there were none, or room where there was none.
  func putNews(ofStream number: Int) { put { $0.streams.append(number) } }

  private func put(_ add: (inout State) -> Void) {
    let isFirst = state.withLock { state in
      defer { add(&state) }
      return state.isEmpty
    }
    // Whoever put the first one has woken the loop, which takes them all.
    if isFirst { wakeup?.signal() }
  }

  /// Takes the answers, and the numbers of the streamed bodies with news. Both at once: what came in between would wake
  /// nobody, and stay for ever.
  func take() -> (answers: [Answer], streams: [Int]) {
    state.withLock { state in
      defer { state = State() }
      return (state.answers, state.streams)
    }
  }
}
