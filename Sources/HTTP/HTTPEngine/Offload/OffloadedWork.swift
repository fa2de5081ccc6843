internal import LinkspanCore
internal import Synchronization

/// One request whose answer is computed off the loop.
final class OffloadedWork: Sendable {
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
