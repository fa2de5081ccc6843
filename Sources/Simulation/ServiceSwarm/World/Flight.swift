internal import LinkspanCore

/// A request that a client has sent and that is not answered yet.
struct Flight {
  enum Subject: Hashable {
    case change(DeviceChange, device: Int?, credential: Int)
    case look(device: Int)
    case notify(word: String)
    case campaign(word: String)
    case control(String)
  }

  var number: Int
  var subject: Subject
  /// Of an erasure: whether something about its person was acknowledged while it waited for its receipt, so that nobody
  /// knows which of the two came first.
  var isOverlapped = false
}

/// Answers on their way to their clients.
///
/// `@unchecked Sendable`: the one thread of a simulation has it; completions of the service are called there.
final class AnswerBox: @unchecked Sendable {
  private var answers: [(number: Int, response: HTTPResponse)] = []

  func add(_ number: Int, _ response: HTTPResponse) { answers.append((number, response)) }

  func takeAll() -> [(number: Int, response: HTTPResponse)] {
    defer { answers = [] }
    return answers
  }

  var isEmpty: Bool { answers.isEmpty }
}

/// The wall clock of a simulation, and its chance where the service draws numbers.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class SimulatedTime: @unchecked Sendable {
  var now: WallTime
  /// Time that has passed, which no one sets.
  private(set) var uptime = Duration.zero
  private var generator: SeededGenerator

  init(_ start: WallTime, _ generator: SeededGenerator) {
    now = start
    self.generator = generator
  }

  func advance(_ milliseconds: Int64) {
    now = now.advanced(by: .milliseconds(milliseconds))
    uptime += .milliseconds(milliseconds)
  }

  func random() -> UInt64 { generator.next() }
}
