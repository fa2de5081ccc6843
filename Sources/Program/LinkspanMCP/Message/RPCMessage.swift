package import LinkspanCore

/// What a client sent in one line, by JSON-RPC 2.0.
package enum RPCMessage: Sendable {
  /// A request, which gets exactly one answer.
  case request(id: JSON, method: String, parameters: JSONNode?)
  /// A notification, which gets none.
  case notification(method: String, parameters: JSONNode?)
  /// An answer to a request of ours; this server asks nothing, so it is ignored.
  case answer
  /// Something else; the answer says why.
  case invalid(id: JSON, RPCError)

  /// Ours: nested this deep, an argument is no argument of these tools.
  private static let depthLimit = 32
  /// Ours: as many URLs as one call takes, and some.
  private static let valueLimit = 20_000
  /// Ours: messages in one batch.
  private static let batchLimit = 50

  /// Reads a line: one message, or the messages of a batch.
  ///
  /// - Parameter takesBatches: Whether the agreed version of the protocol has batches; only 2025-03-26 does.
  package static func read(_ line: [UInt8], takesBatches: Bool) -> (messages: [RPCMessage], isBatch: Bool) {
    var limits = JSONParser.Limits()
    limits.depth = depthLimit
    limits.valueCount = valueLimit
    limits.errorCount = 1
    let document = JSONParser.parse(line, limits: limits)
    if let error = document.errors.first {
      return ([.invalid(id: .null, RPCError(.parse, "The line is not JSON: \(error.message)."))], false)
    }
    guard let root = document.root else {
      return ([.invalid(id: .null, RPCError(.parse, "The line is empty."))], false)
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
    let parameters = node["params"]
    guard parameters == nil || parameters?.object != nil else {
      return invalid(id ?? .null, "'params' is not an object.")
    }
    guard node["id"] != nil else { return .notification(method: name, parameters: parameters) }
    guard let id else { return invalid(.null, "'id' is neither a string nor an integer.") }
    return .request(id: id, method: name, parameters: parameters)
  }

  /// The Model Context Protocol allows strings and integers only, and not null.
  private static func identifier(_ node: JSONNode) -> JSON? {
    switch node.value {
    case .string(let text): text.utf8.count <= 1_000 ? .string(text) : nil
    case .number(let text): Int(text).map(JSON.int)
    case .null, .bool, .array, .object: nil
    }
  }
}

/// Why a request gets no result.
package struct RPCError: Error, Sendable {
  /// The numbers of JSON-RPC 2.0, section 5.1.
  package enum Code: Int, Sendable {
    case parse = -32_700
    case invalidRequest = -32_600
    case noSuchMethod = -32_601
    case invalidParameters = -32_602
    case internalFailure = -32_603
  }

  package let code: Code
  /// What is wrong and what to do.
  package let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  var json: JSON { .object([("code", .int(code.rawValue)), ("message", .string(message))]) }
}
