internal import HTTPTransport
package import LinkspanCore

/// The client's side of an HTTP/1.1 connection: one request after the other.
package final class HTTP1ClientSession: ClientSession {
  private struct Current {
    var number: Int
    var parser: HTTP1ResponseParser
    var receivedBytes = 0
  }

  private let limits: HTTPLimits
  private let cutsBody: Bool
  private var current: Current?
  private var output = OutputQueue()
  private var outcomes: [ClientOutcome] = []
  private var isOpen = true

  /// - Parameter cutsBody: A body that reaches the limit ends there instead of being refused.
  package init(limits: HTTPLimits = HTTPLimits(), cutsBody: Bool = false) {
    self.limits = limits
    self.cutsBody = cutsBody
  }

  package var version: HTTPAnswer.Version { .http1 }
  package var room: Int { isOpen && current == nil ? 1 : 0 }
  package var inFlightCount: Int { current == nil ? 0 : 1 }
  package var isLeaving: Bool { !isOpen }
  package var isFinished: Bool { !isOpen && current == nil }

  package func submit(_ request: HTTPRequest, as number: Int) {
    precondition(room > 0, "one request at a time")
    current = Current(
      number: number,
      parser: HTTP1ResponseParser(method: request.method, limits: limits, cutsBody: cutsBody))
    HTTP1RequestWriter.write(request, to: &output)
  }

  /// The connection goes with it, for nobody knows where the next answer would begin.
  package func cancel(_ number: Int) {
    guard current?.number == number else { return }
    current = nil
    isOpen = false
  }

  package func receivedBytes(of number: Int) -> Int {
    current?.number == number ? current?.receivedBytes ?? 0 : 0
  }

  package func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard current != nil else {
      // Nobody asked for these bytes, so nothing that comes later can be believed.
      isOpen = false
      return
    }
    current?.receivedBytes += bytes.count
    if let outcome = current?.parser.append(bytes) { settle(outcome) }
  }

  package func receiveEnd(_ reason: String?) {
    isOpen = false
    guard let waiting = current else { return }
    let isUnheard = waiting.receivedBytes == 0
    let isUnended = reason == TLSTransport.unendedWords
    if let reason, !isUnended {
      fail(
        ClientFailure(
          kind: .connectionLost, reason: "the connection broke before the answer was whole: \(reason)",
          isUnheard: isUnheard))
    } else if let outcome = current?.parser.finish(isTrusted: !isUnended) {
      settle(outcome, isUnheard: isUnheard)
    }
  }

  package func produce(into output: inout OutputQueue, limitBytes: Int) -> Bool {
    while !self.output.isEmpty {
      guard output.count < limitBytes else { return false }
      self.output.write { bytes in
        output.append(bytes)
        return bytes.count
      }
    }
    return true
  }

  package func takeOutcomes() -> [ClientOutcome] {
    defer { outcomes.removeAll(keepingCapacity: true) }
    return outcomes
  }

  package func end() { isOpen = false }

  private func settle(_ outcome: HTTP1ResponseParser.Outcome, isUnheard: Bool = false) {
    switch outcome {
    case .needMore: return
    case .response(let response):
      guard let current else { return }
      if !current.parser.isReusable || !output.isEmpty { isOpen = false }
      outcomes.append(ClientOutcome(number: current.number, result: .success(response)))
      self.current = nil
    case .failed(.malformed(let reason)):
      fail(ClientFailure(kind: .malformedAnswer, reason: reason, isUnheard: isUnheard))
    case .failed(.tooLarge(let reason, let isHeader)):
      fail(ClientFailure(kind: .tooLarge(isHeader: isHeader), reason: reason))
    }
  }

  private func fail(_ failure: ClientFailure) {
    guard let current else { return }
    isOpen = false
    outcomes.append(ClientOutcome(number: current.number, result: .failure(failure)))
    self.current = nil
  }
}
