internal import LinkspanCore

/// A request that a client has sent and that is not answered yet.
struct Flight {
  enum Subject: Hashable {
    case change(DeviceChange, device: Int?, credential: Int)
    case look(device: Int)
    case notify(word: String)
    case campaign(word: String)
    /// A push by a route of 2013, which is answered without a number.
    case message(word: String, isForAll: Bool)
    case control(String)
    case survey(ServiceWorld.List)
    case channel(ChannelAsk)
    /// Files of a host.
    case upload(host: Int)
    /// A request that is wrong, by its place in ``ClientMistake/all``.
    case mistake(Int)
    /// A request with a credential that is none.
    case intrude
  }

  var number = 0
  var request: HTTPRequest
  var subject: Subject
  /// The place of the server that was asked.
  var server: Int
  var credential: Int
  /// Uptime, in milliseconds.
  var sentAt: Int64
  /// The process that was asked.
  var process: Int
  /// Of an erasure: whose.
  var alias: String?
  /// Of an erasure: whether something about its person was acknowledged while it waited for its receipt, so that nobody
  /// knows which of the two came first.
  var isOverlapped = false

  /// Whether it asks for something to be stored.
  var isChange: Bool {
    switch subject {
    case .change, .notify, .campaign, .message, .control: true
    // What of these stores something is told apart when they are answered.
    case .look, .intrude, .survey, .channel, .upload, .mistake: false
    }
  }

  var isErasure: Bool { if case .change(.erase, _, _) = subject { true } else { false } }
}

/// Answers on their way to their clients.
///
/// `@unchecked Sendable`: the one thread of a simulation has it; completions of the service are called there.
final class AnswerBox: @unchecked Sendable {
  private var answers: [(number: Int, response: HTTPResponse)] = []
  /// Whether the server dies before it can send what it answers now.
  var isCut = false

  func add(_ number: Int, _ response: HTTPResponse) {
    if !isCut { answers.append((number, response)) }
  }

  func takeAll() -> [(number: Int, response: HTTPResponse)] {
    defer { answers = [] }
    return answers
  }

  var isEmpty: Bool { answers.isEmpty }
}
