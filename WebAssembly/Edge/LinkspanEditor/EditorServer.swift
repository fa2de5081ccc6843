internal import AppSiteAssociation
internal import LinkspanCommand
internal import LinkspanCore
internal import WebHost

/// The conversation by the module's host, on one thread: while a question is answered, what the client sends is heard too, so
/// that a cancelled one ends.
struct EditorServer {
  private enum Manner: String {
    case wait, poll
  }

  private let files: EditorFiles
  private let console: Console
  private var session: EditorSession
  private var frames = MessageFrames()
  private var isInputOpen = true
  /// What the session has begun, and is answered when no message is left to take.
  private var question: EditorQuestion?
  /// Whether anybody still waits for the answer that is worked on.
  private var isWanted = false

  init(files: EditorFiles, console: Console, releases: ReleaseSet?) throws(LinkspanError) {
    self.files = files
    self.console = console
    session = EditorSession(serverVersion: Program.version, releases: releases)
  }

  /// Returns when the client says so, or has closed its end and every question is answered.
  mutating func run() throws(LinkspanError) -> Int32 {
    while isInputOpen || session.isBusy {
      while hear(.poll) {}
      act(on: session.idle())
      if let question {
        self.question = nil
        isWanted = true
        let answer = question.answer(files) {
          _ = hear(.poll)
          return isWanted
        }
        if isWanted { act(on: session.finished(answer)) }
      } else if !hear(.wait) {
        isInputOpen = false
      }
    }
    return session.statusAtEnd
  }

  /// Takes what the client has sent; returns whether that was anything.
  private mutating func hear(_ manner: Manner) -> Bool {
    guard isInputOpen, case .bytes(let bytes) = Host.ask(.input, manner.rawValue) else { return false }
    isInputOpen = !bytes.isEmpty
    for frame in isInputOpen ? frames.take(bytes) : frames.end() { act(on: session.take(frame)) }
    return true
  }

  private mutating func act(on steps: [EditorSession.Step]) {
    for step in steps {
      switch step {
      case .send(let message): console.print(bytes: MessageFrames.frame(message))
      case .start(let question): self.question = question
      case .stop:
        isWanted = false
        question = nil
      case .exit(let status):
        console.flush()
        Host.exit(status)
      }
    }
    console.flush()
  }
}
