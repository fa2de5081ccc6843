internal import Glibc
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanMCP

/// The conversation over standard input and output: one thread waits for the client and for the call that runs.
struct MCPServer {
  /// Ours: many times what a call with the most arguments takes.
  static let lineLimitBytes = 8 << 20
  /// Ours: an assistant reads far less.
  static let outputLimitBytes = 8 << 20
  static let usualTimeout_s = 60

  private let roots: [String]
  private let timeout_s: Int
  private let console: Console
  private var session: MCPSession
  private var line: [UInt8] = []
  private var isLineTooLong = false
  private var isInputOpen = true
  private var child: (process: ChildProcess, call: MCPCall, deadline: ContinuousClock.Instant)?

  init(roots: [String], timeout_s: Int, console: Console) {
    self.roots = roots
    self.timeout_s = timeout_s
    self.console = console
    session = MCPSession(serverVersion: Program.version)
  }

  /// Returns when the client has closed its end and every call is answered.
  mutating func run() throws(LinkspanError) {
    while isInputOpen || session.isBusy {
      let streams = child?.process.streams ?? [-1, -1]
      var entries = ([isInputOpen ? 0 : -1] + streams).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      poll(&entries, nfds_t(entries.count), patience())
      for index in 0..<2 where entries[index + 1].revents != 0 { child?.process.take(index) }
      finishChild()
      if entries[0].revents != 0 { try read() }
    }
  }

  private func patience() -> Int32 {
    guard let child else { return -1 }
    let left = child.deadline - ContinuousClock.now
    return Int32(clamping: max(0, left.components.seconds * 1_000 + 1_000))
  }

  // MARK: - Lines

  private mutating func read() throws(LinkspanError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(0, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      isInputOpen = false
      if !line.isEmpty || isLineTooLong { takeLine() }
      return
    }
    for byte in buffer[..<count] {
      if byte == 0x0A {
        takeLine()
      } else if line.count < Self.lineLimitBytes {
        line.append(byte)
      } else {
        isLineTooLong = true
      }
    }
  }

  private mutating func takeLine() {
    let steps =
      isLineTooLong ? session.refuse(longerThan: Self.lineLimitBytes) : session.take(line)
    line.removeAll(keepingCapacity: line.count < 1 << 16)
    isLineTooLong = false
    act(on: steps)
  }

  private mutating func act(on steps: [MCPSession.Step]) {
    var steps = steps[...]
    while let step = steps.popFirst() {
      switch step {
      case .send(let line):
        console.print(line)
        console.flush()
      case .stop: child = nil
      case .start(let call):
        do throws(LinkspanError) {
          let words =
            ["mcp", "--call", call.tool.name, "--timeout", String(timeout_s)]
            + roots.flatMap { ["--root", $0] }
          child = (
            try ChildProcess(words, input: call.arguments.bytes, outputLimitBytes: Self.outputLimitBytes),
            call,
            ContinuousClock.now + .seconds(timeout_s)
          )
        } catch {
          steps = session.finished(.refused(error.description)) + steps
        }
      }
    }
  }

  // MARK: - The call that runs

  private mutating func finishChild() {
    guard let (process, call, deadline) = child else { return }
    if process.isTooLong {
      process.stop()
      let hint = call.tool.name == "simulate" ? " Ask for fewer types of objects with 'types'." : ""
      return finish(
        .refused(
          "The answer has more than \(Self.outputLimitBytes >> 20) MB. Ask for less in one call." + hint))
    }
    if ContinuousClock.now >= deadline {
      process.stop()
      return finish(
        .refused("The call took longer than \(timeout_s) s and was stopped. Ask for less in one call."))
    }
    guard process.isAtEnd else { return }
    let status = process.status()
    guard status != 128 + SIGXCPU, status != 128 + SIGKILL else {
      return finish(
        .refused("The call took longer than \(timeout_s) s and was stopped. Ask for less in one call."))
    }
    let notes = String(decoding: process.printed[1], as: UTF8.self)
    finish(
      .of(
        output: process.printed[0], notes: notes, status: status, isStream: call.tool.isStream,
        types: call.types))
  }

  private mutating func finish(_ outcome: ToolOutcome) {
    child = nil
    act(on: session.finished(outcome))
  }
}
