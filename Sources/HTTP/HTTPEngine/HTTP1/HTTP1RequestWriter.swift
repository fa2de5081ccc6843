package import LinkspanCore

/// The bytes of a request (RFC 9112, 3), and what keeps a request from being sent in any protocol.
package enum HTTP1RequestWriter {
  /// Whether a request's first line is read as it is meant, and as one line.
  static func isWritable(method: String, target: String) -> Bool {
    HTTPSyntax.isName(method) && method != "CONNECT"
      && HTTPSyntax.hasNone(of: HTTPSyntax.notTarget, target) && !target.isEmpty
  }

  /// The header section and the body of one of ``WritableRequests``.
  static func write(_ request: HTTPRequest, to output: inout OutputQueue) {
    var head = Array("\(request.method) \(request.target) HTTP/1.1\r\nHost: \(request.authority)\r\n".utf8)
    for field in request.fields.list where !isFraming(field.name) {
      head.append(contentsOf: field.name.utf8)
      head.append(contentsOf: ": ".utf8)
      head.append(contentsOf: field.value.utf8)
      head.append(contentsOf: "\r\n".utf8)
    }
    if saysLength(request) {
      head.append(contentsOf: "Content-Length: ".utf8)
      head.appendDecimal(request.body.count)
      head.append(contentsOf: "\r\n".utf8)
    }
    head.append(contentsOf: "\r\n".utf8)
    output.append(head)
    output.append(request.body)
  }

  /// Whether a length belongs into the request: content of no bytes is said for methods that expect some (RFC 9110,
  /// 8.6).
  static func saysLength(_ request: HTTPRequest) -> Bool {
    !request.body.isEmpty || request.method == "POST" || request.method == "PUT"
  }

  /// Whether a field is the engine's to say: it speaks of the host, of the connection or of framing.
  static func isFraming(_ name: String) -> Bool {
    ResponseFraming.isConnection(name) || ResponseFraming.isSame(name, "te")
      || ResponseFraming.isSame(name, "host")
  }
}

/// Recognises requests that ``HTTP1RequestWriter`` can write. Many requests share their fields, or most of them, and what was
/// found right is not read again.
package struct WritableRequests {
  /// Held, so that its memory is no other list's.
  private var fields: [HTTPField] = []

  package init() {}

  package mutating func contains(_ request: HTTPRequest) -> Bool {
    guard HTTP1RequestWriter.isWritable(method: request.method, target: request.target) else { return false }
    let list = request.fields.list
    if Self.place(list) == Self.place(fields) { return true }
    for place in list.indices {
      let isKnown = place < fields.count && Self.isSame(list[place], fields[place])
      guard isKnown || HTTPSyntax.isField(list[place]) else { return false }
    }
    fields = list
    return true
  }

  /// Texts compare by Unicode's equivalence, by which KELVIN SIGN is "K"; of what is equal to ASCII, only ASCII is as short.
  private static func isSame(_ field: HTTPField, _ known: HTTPField) -> Bool {
    field == known && field.name.utf8.count == known.name.utf8.count
  }

  private static func place(_ list: [HTTPField]) -> UnsafePointer<HTTPField>? {
    list.withUnsafeBufferPointer { $0.baseAddress }
  }
}
