package import LinkspanCore

/// One client's conversation by the Model Context Protocol: lines in, lines and tool calls out. It reads no file and
/// starts nothing, so tests feed it lines.
package struct MCPSession: Sendable {
  /// What the caller does next.
  package enum Step: Sendable {
    /// Send this line.
    case send(JSON)
    /// Run a tool and report its end with ``finished(_:)``; one at a time.
    case start(MCPCall)
    /// Stop the running call, whose end is then not reported.
    case stop
  }

  /// The versions that are spoken, the newest last. A client of another version is offered the newest.
  ///
  /// - Source: modelcontextprotocol.io, "Specification", the revisions of these dates.
  package static let versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
  /// The only one with batches of messages.
  private static let versionWithBatches = "2025-03-26"
  /// Ours: calls that wait for the one that runs.
  package static let waitingLimit = 64

  private struct Batch {
    var answers: [JSON] = []
    var open: Int
  }

  private struct Waiting {
    var call: MCPCall
    var batch: Int?
  }

  private let serverVersion: String
  private var version: String?
  private var isInitialized = false
  private var running: Waiting?
  private var waiting: [Waiting] = []
  private var batches: [Int: Batch] = [:]
  private var batchCount = 0

  /// - Parameter serverVersion: The program's version, for `serverInfo`.
  package init(serverVersion: String) { self.serverVersion = serverVersion }

  /// Whether a call runs or waits.
  package var isBusy: Bool { running != nil || !waiting.isEmpty }

  /// Takes a line, without its line feed.
  package mutating func take(_ line: [UInt8]) -> [Step] {
    guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return [] }
    let (messages, isBatch) = RPCMessage.read(line, takesBatches: version == Self.versionWithBatches)
    guard isBatch else { return messages.flatMap { take($0, batch: nil) } }
    batchCount += 1
    let number = batchCount
    batches[number] = Batch(open: 1)
    var steps: [Step] = []
    for message in messages { steps += take(message, batch: number) }
    return steps + close(number)
  }

  /// Refuses a line that was longer than the caller reads.
  package func refuse(longerThan limitBytes: Int) -> [Step] {
    let error = RPCError(
      .invalidRequest, "The line has more than \(limitBytes) bytes, the limit for a message.")
    return [.send(error.answer(to: .null))]
  }

  /// The running call has ended.
  package mutating func finished(_ outcome: ToolOutcome) -> [Step] {
    guard let ended = running else { return [] }
    running = nil
    return answer(outcome.json.answer(to: ended.call.id), batch: ended.batch) + next()
  }

  // MARK: - Messages

  private mutating func take(_ message: RPCMessage, batch: Int?) -> [Step] {
    switch message {
    case .answer: return []
    case .notification(let method, let parameters):
      if method == "notifications/initialized" { isInitialized = version != nil }
      return method == "notifications/cancelled" ? cancel(parameters?["requestId"]) : []
    case .invalid(let id, let error): return answer(error.answer(to: id), batch: nil, isKept: batch)
    case .request(let id, let method, let parameters):
      if let batch { batches[batch]?.open += 1 }
      if method == "tools/call" { return call(id, parameters, batch: batch) }
      do throws(RPCError) {
        return answer(try result(of: method, parameters).answer(to: id), batch: batch)
      } catch {
        return answer(error.answer(to: id), batch: batch)
      }
    }
  }

  private mutating func result(of method: String, _ parameters: JSONNode?) throws(RPCError) -> JSON {
    switch method {
    case "ping": return .object([])
    case "initialize": return try initialize(parameters)
    case "tools/list":
      try refuseEarly(method)
      guard parameters?["cursor"]?.string == nil else {
        throw RPCError(.invalidParameters, "'cursor' is unknown: the list of tools has one page.")
      }
      return .object([("tools", .array(Tool.all.map(\.json)))])
    default: throw RPCError(.noSuchMethod, "There is no method '\(method.shortenedForMessage)'.")
    }
  }

  private func refuseEarly(_ method: String) throws(RPCError) {
    if version == nil { throw RPCError(.invalidRequest, "Send 'initialize' before '\(method)'.") }
  }

  private static func string(
    _ name: String, of parameters: JSONNode?, _ missing: String
  ) throws(RPCError) -> String {
    guard let node = parameters?[name] else { throw RPCError(.invalidParameters, missing) }
    guard let text = node.string else {
      throw RPCError(.invalidParameters, "'\(name)' is \(node.typeName); expected a string.")
    }
    return text
  }

  private mutating func initialize(_ parameters: JSONNode?) throws(RPCError) -> JSON {
    guard version == nil else { throw RPCError(.invalidRequest, "The connection is initialized already.") }
    let asked = try Self.string("protocolVersion", of: parameters, "'protocolVersion' is missing.")
    let agreed = Self.versions.contains(asked) ? asked : Self.versions.last!
    version = agreed
    return .object([
      ("protocolVersion", .string(agreed)),
      ("capabilities", .object([("tools", .object([("listChanged", .bool(false))]))])),
      (
        "serverInfo",
        .object([
          ("name", .string("linkspan")), ("title", .string("Linkspan")), ("version", .string(serverVersion)),
        ])
      ),
      (
        "instructions",
        .string(
          "Universal links, App Clips and pushes, checked without a Mac. Every tool only reads files, and answers with "
            + "the JSON of the command of the same name.")
      ),
    ])
  }

  // MARK: - Calls

  private mutating func call(_ id: JSON, _ parameters: JSONNode?, batch: Int?) -> [Step] {
    func refuse(_ error: RPCError) -> [Step] { answer(error.answer(to: id), batch: batch) }
    if version == nil { return refuse(RPCError(.invalidRequest, "Send 'initialize' before 'tools/call'.")) }
    let name: String
    do throws(RPCError) {
      name = try Self.string("name", of: parameters, "'name' is missing: the tool to call.")
    } catch {
      return refuse(error)
    }
    guard let tool = Tool.all.first(where: { $0.name == name }) else {
      return refuse(
        RPCError(
          .invalidParameters,
          "There is no tool '\(name.shortenedForMessage)': \(Tool.all.map(\.name).joined(separator: ", "))."))
    }
    let arguments = parameters?["arguments"]
    guard arguments == nil || arguments?.object != nil else {
      return refuse(RPCError(.invalidParameters, "'arguments' is not an object."))
    }
    let types: Set<String>?
    do throws(ToolProblem) {
      types = try tool.call(arguments).types
    } catch {
      // Whoever called can mend this, so it is the tool's answer and no error of the protocol.
      return answer(ToolOutcome.refused(error.message).json.answer(to: id), batch: batch)
    }
    guard waiting.count < Self.waitingLimit else {
      return refuse(
        RPCError(.internalFailure, "\(Self.waitingLimit) calls are waiting already. Call again later."))
    }
    let call = MCPCall(id: id, tool: tool, arguments: arguments?.json ?? .object([]), types: types)
    waiting.append(Waiting(call: call, batch: batch))
    return running == nil ? next() : []
  }

  private mutating func next() -> [Step] {
    guard running == nil, !waiting.isEmpty else { return [] }
    let first = waiting.removeFirst()
    running = first
    return [.start(first.call)]
  }

  /// A cancelled request gets no answer.
  private mutating func cancel(_ request: JSONNode?) -> [Step] {
    guard let id = request?.json.text else { return [] }
    if let current = running, current.call.id.text == id {
      running = nil
      return [.stop] + settle(current.batch) + next()
    }
    guard let place = waiting.firstIndex(where: { $0.call.id.text == id }) else { return [] }
    return settle(waiting.remove(at: place).batch)
  }

  // MARK: - Answers

  /// - Parameter isKept: The batch of a message that no request of it counts.
  private mutating func answer(_ line: JSON, batch: Int?, isKept: Int? = nil) -> [Step] {
    if let isKept {
      batches[isKept]?.answers.append(line)
      return []
    }
    guard let batch else { return [.send(line)] }
    batches[batch]?.answers.append(line)
    return settle(batch)
  }

  private mutating func settle(_ batch: Int?) -> [Step] { batch.map { close($0) } ?? [] }

  /// One of a batch's requests is done; the last one sends the answers of all.
  private mutating func close(_ number: Int) -> [Step] {
    batches[number]?.open -= 1
    guard let batch = batches[number], batch.open == 0 else { return [] }
    batches[number] = nil
    return batch.answers.isEmpty ? [] : [.send(.array(batch.answers))]
  }
}

/// A tool that a client called.
package struct MCPCall: Sendable {
  package let id: JSON
  package let tool: Tool
  /// An object that the tool's schema allows.
  package let arguments: JSON
  /// The types of objects that are sent; nil for all.
  package let types: Set<String>?
}
