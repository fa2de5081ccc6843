internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanSystem

/// Threads that ask for addresses, since the system answers when it likes: at most ``limitCount`` at a time, each gone
/// when nothing is left to ask.
final class ResolverThreads: Sendable {
  /// A guess: as many hosts as may be silent at once before others wait for them.
  static let limitCount = 16

  struct Question: Sendable {
    var host: String
    var port: UInt16
    var connection: Int32
    var serial: Int
  }

  private struct State: Sendable {
    var questions: [Question] = []
    var threadCount = 0
  }

  private let resolve: @Sendable (String, UInt16) throws(HTTPClientError) -> [SocketAddress]
  private let mailbox: ClientMailbox
  private let state = LockedState(State())

  init(
    _ mailbox: ClientMailbox,
    resolve: @escaping @Sendable (String, UInt16) throws(HTTPClientError) -> [SocketAddress]
  ) {
    self.mailbox = mailbox
    self.resolve = resolve
  }

  /// The answer lies in the mailbox some time later.
  func ask(_ question: Question) {
    let isNew = state.withLock { state in
      state.questions.append(question)
      guard state.threadCount < Self.limitCount else { return false }
      state.threadCount += 1
      return true
    }
    guard isNew else { return }
    do throws(LinkspanError) {
      try DetachedThread.start { self.work() }
    } catch {
      refuse(without: error)
    }
  }

  /// Answers what waits when there is no thread to answer it.
  private func refuse(without thread: LinkspanError) {
    // Without any thread nobody would ever answer.
    let unanswered = state.withLock { state in
      state.threadCount -= 1
      guard state.threadCount == 0 else { return [] as [Question] }
      defer { state.questions = [] }
      return state.questions
    }
    for question in unanswered {
      let reason =
        "\(HostResolver.unanswered): no thread to ask for addresses: \(thread.reason ?? thread.what)"
      answer(
        question,
        .failure(
          HTTPClientError(.cannotResolve(isAnswered: false), "\(question.host):\(question.port)", reason)))
    }
  }

  private func work() {
    while let question = next() {
      do throws(HTTPClientError) {
        answer(question, .success(try resolve(question.host, question.port)))
      } catch {
        answer(question, .failure(error))
      }
    }
  }

  private func next() -> Question? {
    state.withLock { state in
      if state.questions.isEmpty {
        state.threadCount -= 1
        return nil
      }
      return state.questions.removeFirst()
    }
  }

  private func answer(_ question: Question, _ result: Result<[SocketAddress], HTTPClientError>) {
    mailbox.put(
      ClientMailbox.Resolved(connection: question.connection, serial: question.serial, result: result))
  }
}
