internal import LinkspanCore

/// One request of an HTTP/2 connection and its answer, from the first header field to the last byte sent.
final class HTTP2Stream: NumberedStream {
  /// What RFC 9113, 6.5.2 adds to a field's name and value when sizes are counted.
  static let fieldOverheadBytes = 32

  enum Phase {
    case header
    case body
    /// The request is whole, or refused, and waits for its answer.
    case ready
    /// It waits for the handler: for its answer, or for the next piece of a streamed one.
    case handler
    /// The answer is on its way.
    case answering
  }

  let id: Int32
  var phase = Phase.header
  /// The peer has ended its side.
  var isRequestComplete = false
  var isResetByPeer = false
  var body: [UInt8] = []
  /// Bytes of the body that are counted as kept, until the answer is there.
  var keptBytes = 0
  /// What the responder does with the body, once it was asked.
  var continuation: BodyContinuation?
  /// The sender waits for an interim answer before it sends the body (RFC 9110, 10.1.1).
  var expectsContinue = false
  /// Why it is refused; what still comes is dropped.
  private(set) var rejection: HTTPRejection?

  /// Under which its answer comes when it is not there at once.
  var pendingNumber: Int?

  /// The answer's body while it is sent as it comes, and the request's while it goes to the handler as it comes.
  var outgoing: StreamedBody?
  var incoming: StreamedBody?

  /// The answer's body and how much of it is sent.
  var answer: [UInt8] = []
  var sentBytes = 0
  /// The part of the response body that is not sent yet; empty for a body that is streamed.
  var queuedBytes: Int { max(0, answer.count - sentBytes) }
  /// The answer has been handed over to its end.
  var isAnswered = false
  /// Bytes of the body that came although nobody wants them.
  var unwantedBytes = 0
  /// The peer was told not to send the rest of the request.
  var isCut = false

  /// What the header section says.
  private struct Head {
    var method = ""
    var path = ""
    var authority: String?
    var fields: [HTTPField] = []
  }

  private var head = Head()
  /// In place of ``head``, when the section is one that the loop remembers.
  private var known: KnownRequest?
  private var fieldBytes = 0
  private var fieldCount = 0
  private var cookieIndex: Int?

  init(id: Int32) { self.id = id }

  /// Of the request; empty where it is not known.
  var method: String { known?.request.method ?? head.method }
  var target: String { known?.request.target ?? head.path }

  /// Copies the next piece of the answer's body.
  ///
  /// - Returns: How many bytes.
  func readAnswer(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, answer.count - sentBytes)
    answer.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sentBytes..<(sentBytes + count)]))
    }
    sentBytes += count
    return count
  }

  /// Known before the section is whole, for it may be refused before that.
  private(set) var answersHead = false

  func reject(_ rejection: HTTPRejection) {
    if self.rejection == nil { self.rejection = rejection }
    body = []
    head.fields = []
  }

  /// Takes one field, pseudo fields included. The library has checked its characters and the order of pseudo fields
  /// (RFC 9113, 8.2 and 8.3).
  ///
  /// - Parameter section: Gets the field, name and value each with a zero behind it, which neither may hold.
  /// - Returns: False when the section is so much too large that not even its rest is read.
  func add(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isTrailer: Bool,
    _ limits: HTTPLimits, into section: inout [UInt8]
  ) -> Bool {
    let isPseudo = name.first == UInt8(ascii: ":")
    if isPseudo, value.first == UInt8(ascii: "H"), name.elementsEqual(":method".utf8) {
      answersHead = value.elementsEqual("HEAD".utf8)
    }
    if isPseudo, value.count > limits.targetBytes {
      reject(
        name.count == 5
          ? HTTPRejection(414, "the request target is longer than \(limits.targetBytes) bytes")
          : HTTPRejection(431, "a pseudo-header field is longer than \(limits.targetBytes) bytes"))
      return value.count <= limits.targetBytes * 4
    }
    if !isPseudo {
      fieldBytes += name.count + value.count + Self.fieldOverheadBytes
      fieldCount += 1
      if fieldBytes > limits.headerBytes {
        reject(HTTPRejection(431, "the header section is larger than \(limits.headerBytes) bytes"))
      } else if fieldCount > limits.headerCount {
        reject(HTTPRejection(431, "there are more than \(limits.headerCount) header fields"))
      }
    }
    guard rejection == nil else { return fieldBytes <= limits.headerBytes * 4 }
    // Trailers are checked and dropped, as in HTTP/1.1.
    if isTrailer { return true }
    let bytes = name.count + value.count + 2
    section.append(addingCapacity: bytes) { rest in
      rest.withUnsafeMutableBufferPointer { memory, count in
        let middle = memory.initialize(fromContentsOf: name)
        memory.initializeElement(at: middle, to: 0)
        _ = memory[(middle + 1)...].initialize(fromContentsOf: value)
        memory.initializeElement(at: bytes - 1, to: 0)
        count = bytes
      }
    }
    return true
  }

  /// Keeps nothing of a request and of an answer that were dealt with, where the rest of the request is still to come.
  func forgetExchange() {
    (head, known, body) = (Head(), nil, [])
    (answer, sentBytes) = ([], 0)
  }

  private func read(_ section: [UInt8]) {
    section.withUnsafeBufferPointer { bytes in
      var rest = bytes[...]
      func next() -> UnsafeBufferPointer<UInt8> {
        let end = rest.firstIndex(of: 0) ?? rest.endIndex
        defer { rest = rest[end...].dropFirst() }
        return UnsafeBufferPointer(rebasing: rest[..<end])
      }
      while !rest.isEmpty {
        let (name, value) = (next(), next())
        let text = HTTPSyntax.text(value)
        guard name.first == UInt8(ascii: ":") else {
          append(HTTPSyntax.text(name), text)
          continue
        }
        switch HTTPSyntax.text(name) {
        case ":method": head.method = text
        case ":path": head.path = text
        case ":authority": head.authority = text
        // What a proxy in front was asked with; the request's scheme is the connection's, as in HTTP/1.1.
        default: break
        }
      }
    }
  }

  private func append(_ name: String, _ value: String) {
    // A client may split its cookies into several fields (RFC 9113, 8.2.3).
    if name == "cookie" {
      if let cookieIndex {
        head.fields[cookieIndex].value += "; " + value
        return
      }
      cookieIndex = head.fields.count
    }
    head.fields.append(HTTPField(name, value))
  }

  /// What follows a header section that is whole.
  enum Next {
    case body
    /// The sender waits for an interim answer (RFC 9110, 10.1.1).
    case continueExpected
    case refused
  }

  /// Checks what no field tells alone. A refusal is kept in ``rejection``.
  ///
  /// - Parameters:
  ///   - section: Every field, as ``add(_:_:isTrailer:_:into:)`` left it.
  ///   - headers: The sections that the loop remembers, this one among them when it is right.
  func finishHeader(_ section: [UInt8], _ limits: HTTPLimits, scheme: String, known headers: KnownRequests)
    -> Next
  {
    guard rejection == nil else {
      // For the answer's form: what came before the refusal.
      read(section)
      return .refused
    }
    if let request = section.withUnsafeBufferPointer({ headers.request(for: $0, scheme: scheme) }) {
      known = request
      return .body
    }
    read(section)
    do throws(HTTPRejection) {
      try checkRequestLine()
      let fields = HTTPFields(head.fields)
      head.authority = try agreedAuthority(fields, scheme)
      let expectation = HTTPSyntax.list("expect", in: fields)
      guard expectation.allSatisfy({ $0 == "100-continue" }) else {
        throw HTTPRejection(417, "the only expectation known is 100-continue")
      }
      if let length = fields["content-length"] {
        switch HTTPSyntax.length(length) {
        case .invalid: throw .malformed("Content-Length is not a number")
        case .bytes(let count) where count <= limits.bodyBytes: break
        default: throw .bodyTooLarge(limits.bodyBytes)
        }
      }
      guard expectation.isEmpty else { return .continueExpected }
      headers.keep(section, KnownRequest(request(scheme: scheme, fields), .http2))
      return .body
    } catch {
      reject(error)
      return .refused
    }
  }

  private func checkRequestLine() throws(HTTPRejection) {
    let (method, path) = (head.method, head.path)
    guard HTTPSyntax.isToken(method.utf8) else { throw .malformed("the method is not valid") }
    guard method.utf8.count <= HTTP1RequestLine.methodLimitBytes else {
      throw HTTPRejection(501, "the method is not known")
    }
    guard method != "CONNECT" else { throw HTTPRejection(501, "this is not a proxy") }
    guard path.utf8.allSatisfy(HTTPSyntax.isTarget) else {
      throw .malformed("the request target is not valid")
    }
    switch path.utf8.first {
    case UInt8(ascii: "/"): break
    case UInt8(ascii: "*"):
      guard path == "*", method == "OPTIONS" else {
        throw .malformed("the target '*' belongs to OPTIONS alone")
      }
    default: throw .malformed("the request target is not a path")
    }
  }

  /// The authority asked for; `:authority` and Host have to agree (RFC 9113, 8.3.1).
  private func agreedAuthority(_ fields: HTTPFields, _ scheme: String) throws(HTTPRejection) -> String {
    let hosts = fields.values(of: "host")
    guard hosts.count <= 1 else { throw .malformed("there is more than one Host field") }
    guard let named = head.authority ?? hosts.first else {
      throw .malformed("there is no :authority and no Host field")
    }
    guard let parsed = HTTPAuthority(named) else { throw .malformed("the authority is not valid") }
    guard let host = hosts.first, head.authority != nil else { return named }
    guard let other = HTTPAuthority(host) else { throw .malformed("the Host field is not valid") }
    guard parsed.matches(other, scheme: scheme) else {
      throw .malformed(":authority and the Host field name different hosts")
    }
    return named
  }

  /// The request, once it is whole and has no body, if the loop remembers it.
  var knownRequest: KnownRequest? { body.isEmpty ? known : nil }

  /// The request without its body.
  func head(scheme: String) -> HTTPRequest {
    if let known { known.request } else { request(scheme: scheme, HTTPFields(head.fields)) }
  }

  /// The request, once it is whole. Its body leaves the stream with it.
  func takeRequest(scheme: String) -> HTTPRequest {
    defer {
      body = []
      head.fields = []
    }
    var request = if let known { known.request } else { request(scheme: scheme, HTTPFields(head.fields)) }
    request.body = body
    return request
  }

  private func request(scheme: String, _ fields: HTTPFields) -> HTTPRequest {
    HTTPRequest(
      method: head.method, scheme: scheme, authority: head.authority ?? "", target: head.path, fields: fields)
  }
}
