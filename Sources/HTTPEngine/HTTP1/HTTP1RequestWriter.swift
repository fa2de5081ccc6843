package import LinkspanCore

/// The bytes of a request (RFC 9112, 3), and what keeps a request from being sent in any protocol.
package enum HTTP1RequestWriter {
  /// Whether every part of the request is read as it is meant, and as one request.
  package static func isWritable(_ request: HTTPRequest) -> Bool {
    HTTPSyntax.isToken(request.method.utf8) && request.method != "CONNECT"
      && !request.target.isEmpty && request.target.utf8.allSatisfy(HTTPSyntax.isTarget)
      && request.fields.list.allSatisfy {
        HTTPSyntax.isToken($0.name.utf8) && $0.value.utf8.allSatisfy(HTTPSyntax.isFieldValue)
      }
  }

  /// The header section and the body of a request that ``isWritable(_:)``.
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
    switch name.utf8.count {
    case 2: ASCII.lowercased(name) == "te"
    case 4: ASCII.lowercased(name) == "host"
    case 7: ASCII.lowercased(name) == "upgrade"
    case 10: ASCII.lowercased(name) == "connection" || ASCII.lowercased(name) == "keep-alive"
    case 14: ASCII.lowercased(name) == "content-length"
    case 16: ASCII.lowercased(name) == "proxy-connection"
    case 17: ASCII.lowercased(name) == "transfer-encoding"
    default: false
    }
  }
}
