internal import LinkspanCore

/// One request of a client's HTTP/2 connection and what has come of its answer. Carries one request after the other.
final class HTTP2ClientStream: NumberedStream {
  private(set) var id: Int32 = 0
  /// The caller's name for it.
  private(set) var number = 0
  private var answersHead = false

  /// The request's body and how much of it is sent.
  private(set) var content: [UInt8] = []
  var sentBytes = 0
  var isHeadSent = false

  private(set) var response: [UInt8] = []
  private(set) var receivedBytes = 0
  /// The outcome is known; what still comes is dropped.
  var isConcluded = false
  /// The server's word for ending it early.
  var reset: UInt32?

  /// What an answer's word alone makes us set aside. A guess.
  private static let reservedLimitBytes = 65_536

  private var head = HTTP2AnswerSection.Head()
  private var interimCount = 0
  private(set) var hasHead = false

  /// Takes a request on; what is left of an earlier one goes.
  func begin(id: Int32, number: Int, _ request: HTTPRequest) {
    self.id = id
    self.number = number
    answersHead = request.method == "HEAD"
    content = request.body
    (sentBytes, isHeadSent, isConcluded, reset) = (0, false, false, nil)
    (receivedBytes, interimCount, hasHead) = (0, 0, false)
  }

  /// A header section is whole.
  ///
  /// - Returns: Why the answer cannot be used, or nil.
  func finish(_ section: HTTP2AnswerSection, _ limits: HTTPLimits, cutsBody: Bool) -> ClientFailure? {
    receivedBytes += section.messageBytes
    if hasHead { return nil }
    head = section.head()
    let status = head.status
    if status < 200 {
      interimCount += 1
      return interimCount > HTTP1ResponseParser.interimLimitCount
        ? ClientFailure(kind: .malformedAnswer, reason: "too many interim answers") : nil
    }
    hasHead = true
    guard status < 600 else {
      return ClientFailure(kind: .malformedAnswer, reason: "the answer's status is \(status)")
    }
    switch head.length {
    case .bytes(let count)? where count <= limits.bodyBytes: return nil
    case nil: return nil
    case .invalid: return ClientFailure(kind: .malformedAnswer, reason: "Content-Length is not a number")
    default: return cutsBody || answersHead ? nil : Self.bodyTooLarge(limits)
    }
  }

  /// Takes a piece of the body.
  func append(_ bytes: some Collection<UInt8>) {
    receivedBytes += bytes.count
    // At once as large as it will be, if the answer has said so and the limit allows it.
    if response.isEmpty, case .bytes(let count)? = head.length, count <= Self.reservedLimitBytes {
      response.reserveCapacity(count)
    }
    response.append(contentsOf: bytes)
  }

  static func bodyTooLarge(_ limits: HTTPLimits) -> ClientFailure {
    ClientFailure(
      kind: .tooLarge(isHeader: false), reason: "the body is larger than \(limits.bodyBytes) bytes")
  }

  /// The response, once it is whole or cut. Its body leaves the stream with it.
  func takeResponse() -> HTTPResponse {
    defer { drop() }
    return HTTPResponse(status: head.status, fields: HTTPFields(head.fields), body: response)
  }

  func drop() {
    response = []
    head = HTTP2AnswerSection.Head()
  }

  /// Lets the request's body go as well.
  func dropAll() {
    drop()
    content = []
  }
}
