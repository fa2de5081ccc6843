internal import LinkspanCore
internal import Synchronization

/// One request whose answer is being worked for.
final class HandedOver: Sendable {
  /// Which of its loop's requests it is; no number is given twice, so that no answer finds another request.
  let number: Int
  private let work: @Sendable () -> HTTPResponse
  private let answers: ArrivedAnswers
  private let forgotten = Atomic(false)

  init(_ number: Int, _ answers: ArrivedAnswers, work: @escaping @Sendable () -> HTTPResponse) {
    self.number = number
    self.answers = answers
    self.work = work
  }

  /// Nobody waits for the answer any more.
  var isForgotten: Bool { forgotten.load(ordering: .relaxed) }

  func forget() { forgotten.store(true, ordering: .relaxed) }

  /// Does the work, on the calling thread, unless nobody waits for it.
  func run() {
    guard !isForgotten else { return }
    answers.put(number, work())
  }
}

/// Answers on their way back to one loop: workers put them here, the loop takes them out in batches.
final class ArrivedAnswers: Sendable {
  struct Answer: Sendable {
    var number: Int
    var response: HTTPResponse
  }

  private let wakeup: Wakeup?
  private let state = LockedState<[Answer]>([])

  /// - Parameter wakeup: Of the loop; nil when there is none to be woken.
  init(_ wakeup: Wakeup?) { self.wakeup = wakeup }

  func put(_ number: Int, _ response: HTTPResponse) {
    let isFirst = state.withLock { answers in
      answers.append(Answer(number: number, response: response))
      return answers.count == 1
    }
    // Whoever put the first one has woken the loop, which takes them all.
    if isFirst { wakeup?.signal() }
  }

  func take() -> [Answer] {
    state.withLock { answers in
      defer { answers = [] }
      return answers
    }
  }
}
