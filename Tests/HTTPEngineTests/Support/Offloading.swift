import Dispatch
import LinkspanCore

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Work that waits until the test lets it go on.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() { semaphore.wait() }

  func open(_ count: Int = 1) { for _ in 0..<count { semaphore.signal() } }

  /// `/slow…` is answered when the gate is opened, once for each; everything else at once. Both say the target.
  var responder: HTTPResponder {
    { request, _ in
      let response = HTTPResponse.text(200, request.target)
      guard request.target.hasPrefix("/slow") else {
        return .now(request.target == "/" ? Conversation.echo(request) : response)
      }
      return .offload {
        self.semaphore.wait()
        return response
      }
    }
  }
}

/// A conversation in memory whose requests are all worked for, when the test says so.
struct PendingConversation<Server: ServerProtocol> {
  let arrived = ArrivedAnswers(nil)
  let counters = LoopCounters()
  let service: LoopService
  let server: Server
  var output = OutputQueue()

  init(
    handler: @escaping HTTPHandler = Conversation.echo, patience: Int64 = .max,
    _ make: (LoopService) -> Server
  ) {
    service = LoopService(
      { _, _ in .afterBody { request in .offload { handler(request) } } },
      PendingAnswers(arrived, patience: patience, counters), counters)
    server = make(service)
  }

  mutating func send(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { server.receive($0) }
    return produced()
  }

  /// Does all the work that is there.
  mutating func work() -> [UInt8] {
    for work in service.pending.takeFresh() { work.run() }
    return delivered()
  }

  mutating func delivered() -> [UInt8] {
    for answer in arrived.take().answers {
      guard let place = service.end(answer.number, with: answer.response) else { continue }
      server.deliver(
        answer.response, number: answer.number, stream: place.stream, into: &output, date: "D")
    }
    return produced()
  }

  private mutating func produced() -> [UInt8] {
    while !server.produce(into: &output, date: "D", limitBytes: .max) {}
    return output.takeAll()
  }
}

extension PendingConversation<HTTP1Server> {
  init(handler: @escaping HTTPHandler = Conversation.echo) {
    self.init(handler: handler) { service in
      HTTP1Server(
        scheme: "http", limits: HTTPLimits(), HTTP1ResponseWriter(), service, origin: ConnectionOrigin())
    }
  }
}

extension PendingConversation<HTTP2Server> {
  init(http2: HTTP2Limits = HTTP2Limits()) {
    self.init { service in
      HTTP2Server(
        scheme: "http", HTTP2Settings(messages: HTTPLimits(), limits: http2), service,
        origin: ConnectionOrigin())
    }
  }

  mutating func frames(_ bytes: [UInt8]) -> [Frames.Frame] {
    var answer = send(bytes)
    return Frames.take(&answer)
  }

  mutating func workedFrames() -> [Frames.Frame] {
    var answer = work()
    return Frames.take(&answer)
  }
}
