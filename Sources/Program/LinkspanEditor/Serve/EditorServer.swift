internal import AppSiteAssociation
internal import CLinkspanPlatform
internal import Glibc
internal import HTTPEngine
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSystem

/// The conversation over standard input and output: this thread reads and writes, others answer questions, so that a
/// cancelled one holds nothing up.
struct EditorServer {
  /// Ours: threads at a time. A question that nobody wants any more ends at its next rule, and has its thread until then.
  private static let threadLimit = 4

  private struct Done: Sendable {
    var ticket: Int
    var answer: EditorAnswer
  }

  private let files: EditorFiles
  private let console: Console
  private let done = LockedState<[Done]>([])
  /// Becomes readable when a question is answered.
  private let answered: Wakeup
  private var session: EditorSession
  private var frames = MessageFrames()
  private var isInputOpen = true
  private var running: (ticket: Int, isWanted: LockedState<Bool>)?
  /// What begins when a thread is free.
  private var next: EditorQuestion?
  private var threads = 0
  private var tickets = 0

  init(files: EditorFiles, console: Console, releases: ReleaseSet?) throws(LinkspanError) {
    self.files = files
    self.console = console
    session = EditorSession(serverVersion: Program.version, releases: releases)
    answered = try Wakeup()
  }

  /// Returns when the client says so, or has closed its end and every question is answered.
  mutating func run() throws(LinkspanError) -> Int32 {
    while isInputOpen || session.isBusy {
      if !Self.isReadable(0, isInputOpen), let status = try act(on: session.idle()) { return status }
      guard isInputOpen || session.isBusy else { break }
      var entries = [
        pollfd(fd: isInputOpen ? 0 : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: answered.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      poll(&entries, nfds_t(entries.count), -1)
      if entries[1].revents != 0, let status = try takeAnswers() { return status }
      if entries[0].revents != 0, let status = try read() { return status }
    }
    return session.statusAtEnd
  }

  /// Whether more of the client's messages can be read at once.
  private static func isReadable(_ descriptor: Int32, _ isOpen: Bool) -> Bool {
    guard isOpen else { return false }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  private mutating func read() throws(LinkspanError) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(0, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return nil }
    isInputOpen = count > 0
    for frame in count > 0 ? frames.take(buffer[..<count]) : frames.end() {
      if let status = try act(on: session.take(frame)) { return status }
    }
    return nil
  }

  /// - Returns: The status to end with; nil to go on.
  private mutating func act(on steps: [EditorSession.Step]) throws(LinkspanError) -> Int32? {
    for step in steps {
      switch step {
      case .send(let message): console.print(bytes: MessageFrames.frame(message))
      case .exit(let status):
        console.flush()
        return status
      case .stop:
        running?.isWanted.withLock { $0 = false }
        running = nil
        next = nil
      case .start(let question): try start(question)
      }
    }
    console.flush()
    return nil
  }

  // MARK: - Threads

  private mutating func start(_ question: EditorQuestion) throws(LinkspanError) {
    guard threads < Self.threadLimit else {
      next = question
      return
    }
    tickets += 1
    let ticket = tickets
    let isWanted = LockedState(true)
    let (files, done, answered) = (files, done, answered)
    try DetachedThread.start {
      let answer = question.answer(files) { isWanted.withLock { $0 } }
      done.withLock { $0.append(Done(ticket: ticket, answer: answer)) }
      answered.signal()
    }
    threads += 1
    running = (ticket, isWanted)
  }

  private mutating func takeAnswers() throws(LinkspanError) -> Int32? {
    answered.drain()
    let ended = done.withLock { done in
      defer { done = [] }
      return done
    }
    threads -= ended.count
    for one in ended where one.ticket == running?.ticket {
      running = nil
      if let status = try act(on: session.finished(one.answer)) { return status }
    }
    if let question = next {
      next = nil
      try start(question)
    }
    return nil
  }
}
