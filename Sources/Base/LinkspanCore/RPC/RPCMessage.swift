/// What a client sent in one message, by JSON-RPC 2.0: for every server of ours that speaks it over standard input.
package enum RPCMessage: Sendable {
  /// A request, which gets exactly one answer.
  case request(id: JSON, method: String, parameters: JSONNode?)
  /// A notification, which gets none.
  case notification(method: String, parameters: JSONNode?)
  /// An answer to a request of ours; our servers ask nothing, so it is ignored.
  case answer
  /// Something else; the answer says why.
  case invalid(id: JSON, RPCError)

  /// Ours: nested this deep, an argument is no argument of our servers.
  private static let depthLimit = 32
  /// Ours: as many URLs as one call of a tool takes, and some.
  package static let valueLimit = 20_000
  /// Ours: messages in one batch.
  private static let batchLimit = 50

  /// Reads a line, or another unit of the transport: one message, or the messages of a batch.
  ///
  /// - Parameters:
  ///   - unit: What the transport calls it, for errors.
  ///   - takesBatches: Whether the agreed version of the protocol has batches; of the Model Context Protocol only
  ///     2025-03-26 does, the Language Server Protocol never.
  ///   - values: How many JSON values a message may have.
  package static func read(
    _ line: [UInt8], unit: String = "line", takesBatches: Bool, values: Int = valueLimit
  ) -> (messages: [RPCMessage], isBatch: Bool) {
    var limits = JSONParser.Limits()
    limits.depth = depthLimit
    limits.valueCount = values
    limits.errorCount = 1
    let document = JSONParser.parse(line, limits: limits)
    if let error = document.errors.first {
      return ([.invalid(id: .null, RPCError(.parse, "The \(unit) is not JSON: \(error.message)."))], false)
    }
    guard let root = document.root else {
      return ([.invalid(id: .null, RPCError(.parse, "The \(unit) is empty."))], false)
    }
    guard let batch = root.array else { return ([message(root)], false) }
    guard takesBatches else {
      let error = RPCError(.invalidRequest, "Batches are not part of this version of the protocol.")
      return ([.invalid(id: .null, error)], false)
    }
    guard (1...batchLimit).contains(batch.count) else {
      let error = RPCError(
        .invalidRequest, "A batch has 1 to \(batchLimit) messages; this has \(batch.count).")
      return ([.invalid(id: .null, error)], false)
    }
    return (batch.map(message), true)
  }

  private static func message(_ node: JSONNode) -> RPCMessage {
    func invalid(_ id: JSON, _ text: String) -> RPCMessage {
      .invalid(id: id, RPCError(.invalidRequest, text))
    }
    guard node.object != nil else {
      return invalid(.null, "A message is a JSON object, not \(node.typeName).")
    }
    let isOnlyID = node.object?.count { $0.name == "id" } == 1
    let id = isOnlyID ? node["id"].flatMap(identifier) : nil
    if let problem = DuplicateKeys.problem(in: node) { return invalid(id ?? .null, problem) }
    guard node["jsonrpc"]?.string == "2.0" else { return invalid(id ?? .null, "'jsonrpc' is not \"2.0\".") }
    guard let method = node["method"] else {
      if node["result"] != nil || node["error"] != nil { return .answer }
      return invalid(id ?? .null, "'method' is missing.")
    }
    guard let name = method.string else { return invalid(id ?? .null, "'method' is not a string.") }
    // Some clients send null where a method takes nothing.
    var parameters = node["params"]
    if case .null = parameters?.value { parameters = nil }
    guard parameters == nil || parameters?.object != nil else {
      return invalid(id ?? .null, "'params' is not an object.")
    }
    guard node["id"] != nil else { return .notification(method: name, parameters: parameters) }
    guard let id else { return invalid(.null, "'id' is neither a string nor an integer.") }
    return .request(id: id, method: name, parameters: parameters)
  }

  /// Both protocols allow strings and integers only, and not null.
  private static func identifier(_ node: JSONNode) -> JSON? {
    switch node.value {
    case .string(let text): text.utf8.count <= 1_000 ? .string(text) : nil
    case .number(let text): Int64(text).map { .number(String($0)) }
    case .null, .bool, .array, .object: nil
    }
  }
}

/// Why a request gets no result.
package struct RPCError: Error, Sendable {
  /// The numbers of JSON-RPC 2.0, section 5.1, and those that the Language Server Protocol adds.
  package enum Code: Int, Sendable {
    case parse = -32_700
    case invalidRequest = -32_600
    case noSuchMethod = -32_601
    case invalidParameters = -32_602
    case internalFailure = -32_603
    case notInitialized = -32_002
    case cancelled = -32_800
  }

  package let code: Code
  /// What is wrong and what to do.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  private var json: JSON { .object([("code", .int(code.rawValue)), ("message", .string(message))]) }

  /// The answer to a request that gets no result.
  package func answer(to id: JSON) -> JSON {
    .object([("jsonrpc", .string("2.0")), ("id", id), ("error", json)])
  }
}

extension JSON {
  /// The answer to a request.
  package func answer(to id: JSON) -> JSON {
    .object([("jsonrpc", .string("2.0")), ("id", id), ("result", self)])
  }
}

extension String {
  /// What a client sent, in a message of ours.
  package var shortenedForMessage: String { count <= 60 ? self : prefix(60) + "…" }
}
