internal import LinkspanCore

/// What both writers of responses do alike: framing is the engine's, and a handler's mistakes stop here.
enum ResponseFraming {
  /// Whether an answer can be read as one answer only: no line ends in fields, a status of three digits.
  static func isWritable(_ response: HTTPResponse) -> Bool {
    (200...599).contains(response.status) && HTTPSyntax.areFields(response.fields.list)
  }

  /// Whether an answer of this status has content at all (RFC 9110, 6.4.1).
  static func hasBody(_ status: Int) -> Bool { status != 204 && status != 304 }

  /// The value of Content-Length: that of the body, or what the handler says in answer to HEAD.
  static func length(of response: HTTPResponse, answersHead: Bool) -> Int {
    if answersHead, response.body.isEmpty, let count = declaredLength(of: response) { return count }
    return response.body.count
  }

  /// The length that the handler has declared for a body it streams; nil where it has not.
  static func declaredLength(of response: HTTPResponse) -> Int? {
    guard let named = response.fields["Content-Length"], case .bytes(let count) = HTTPSyntax.length(named)
    else {
      return nil
    }
    return count
  }

  /// Whether a field speaks of the connection or of framing, or is Date: the engine's to say, not the handler's.
  static func isFraming(_ name: String) -> Bool { isConnection(name) || isSame(name, "date") }

  /// Whether a field of any message speaks of the connection or of framing.
  static func isConnection(_ name: String) -> Bool {
    switch name.utf8.count {
    case 7: isSame(name, "upgrade")
    case 10: isSame(name, "connection") || isSame(name, "keep-alive")
    case 14: isSame(name, "content-length")
    case 16: isSame(name, "proxy-connection")
    case 17: isSame(name, "transfer-encoding")
    default: false
    }
  }

  /// - Parameter known: Lower-cased.
  static func isSame(_ name: String, _ known: StaticString) -> Bool {
    guard name.utf8.count == known.utf8CodeUnitCount else { return false }
    var name = name
    return name.withUTF8 { bytes in
      for index in bytes.indices where ASCII.lowercased(bytes[index]) != known.utf8Start[index] {
        return false
      }
      return true
    }
  }
}
