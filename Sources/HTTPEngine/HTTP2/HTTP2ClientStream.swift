internal import LinkspanCore

/// One request of a client's HTTP/2 connection and what has come of its answer.
final class HTTP2ClientStream {
  let id: Int32
  /// The caller's name for it.
  let number: Int
  private let answersHead: Bool

  /// The request's body and how much of it is sent.
  var content: [UInt8]
  var sentBytes = 0
  var isHeadSent = false

  private(set) var response: [UInt8] = []
  private(set) var receivedBytes = 0
  /// The outcome is known; what still comes is dropped.
  var isConcluded = false
  /// The server's word for ending it early.
  var reset: UInt32?

  private var status = 0
  private var fields: [HTTPField] = []
  private var fieldBytes = 0
  private var fieldCount = 0
  private var interimCount = 0
  private var hasHead = false
  /// What the answer says of its body's length.
  private var length: HTTPSyntax.Length?

  init(id: Int32, number: Int, _ request: HTTPRequest) {
    self.id = id
    self.number = number
    answersHead = request.method == "HEAD"
    content = request.body
  }

  /// Takes one field, `:status` included; the library has checked its characters.
  ///
  /// - Returns: Why the answer cannot be used, or nil.
  func add(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ limits: HTTPLimits
  ) -> ClientFailure? {
    receivedBytes += name.count + value.count
    if name.first == UInt8(ascii: ":") {
      status = value.reduce(0) { $0 * 10 + Int($1) - 0x30 }
      return nil
    }
    fieldBytes += name.count + value.count + HTTP2Stream.fieldOverheadBytes
    fieldCount += 1
    if fieldBytes > limits.headerBytes {
      return ClientFailure(
        kind: .tooLarge, reason: "the header section is larger than \(limits.headerBytes) bytes")
    }
    if fieldCount > limits.headerCount {
      return ClientFailure(kind: .tooLarge, reason: "there are more than \(limits.headerCount) header fields")
    }
    // Trailers are checked and dropped, as in HTTP/1.1.
    if hasHead { return nil }
    if name.count == 14, name.elementsEqual("content-length".utf8) {
      length = HTTPSyntax.length(HTTPSyntax.text(value))
    }
    fields.append(HTTPField(HTTPSyntax.text(name), HTTPSyntax.text(value)))
    return nil
  }

  /// A header section is whole.
  ///
  /// - Returns: Why the answer cannot be used, or nil.
  func finishHeader(_ limits: HTTPLimits, cutsBody: Bool) -> ClientFailure? {
    defer { (fieldBytes, fieldCount) = (0, 0) }
    if hasHead { return nil }
    if status < 200 {
      interimCount += 1
      fields = []
      length = nil
      return interimCount > HTTP1ResponseParser.interimLimitCount
        ? ClientFailure(kind: .malformedAnswer, reason: "too many interim answers") : nil
    }
    hasHead = true
    guard status < 600 else {
      return ClientFailure(kind: .malformedAnswer, reason: "the answer's status is \(status)")
    }
    switch length {
    case .bytes(let count)? where count <= limits.bodyBytes: return nil
    case nil: return nil
    case .invalid: return ClientFailure(kind: .malformedAnswer, reason: "Content-Length is not a number")
    default: return cutsBody || answersHead ? nil : Self.bodyTooLarge(limits)
    }
  }

  /// Takes a piece of the body.
  func append(_ bytes: some Collection<UInt8>) {
    receivedBytes += bytes.count
    response.append(contentsOf: bytes)
  }

  static func bodyTooLarge(_ limits: HTTPLimits) -> ClientFailure {
    ClientFailure(kind: .tooLarge, reason: "the body is larger than \(limits.bodyBytes) bytes")
  }

  /// The response, once it is whole or cut. Its body leaves the stream with it.
  func takeResponse() -> HTTPResponse {
    defer { drop() }
    return HTTPResponse(status: status, fields: HTTPFields(fields), body: response)
  }

  func drop() {
    response = []
    fields = []
  }
}
