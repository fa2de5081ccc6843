internal import HTTPClientEngine
package import LinkspanCore
internal import LinkspanFiles

/// Asks an S3-like store about what is below one URL.
package struct BucketClient: Sendable {
  /// Sends a request and waits for its answer.
  ///
  /// - Throws: Why there is none, as a part of a sentence.
  package typealias Sending = @Sendable (HTTPRequest) throws(LinkspanError) -> HTTPResponse

  /// Ours: how often a request is sent that the store answers with a 5xx.
  private static let attempts = 3

  private let server: ServiceAddress.Server
  /// Read for each request, since some end after an hour.
  private let credentials: @Sendable () throws(LinkspanError) -> BucketCredentials
  private let now: @Sendable () -> WallTime
  private let send: Sending

  package init(
    _ server: ServiceAddress.Server,
    credentials: @escaping @Sendable () throws(LinkspanError) -> BucketCredentials,
    now: @escaping @Sendable () -> WallTime, send: @escaping Sending
  ) {
    (self.server, self.credentials, self.now, self.send) = (server, credentials, now, send)
  }

  /// Over the network; certificates are those that this machine trusts.
  package init(
    _ server: ServiceAddress.Server,
    credentials: @escaping @Sendable () throws(LinkspanError) -> BucketCredentials
  ) {
    var configuration = HTTPClientConfiguration()
    // A part has eight megabytes; a server that is told to stop waits for it.
    configuration.deadlines.request = .seconds(60)
    let client = HTTPClient(configuration)
    self.init(server, credentials: credentials, now: { CurrentTime.now }) { request throws(LinkspanError) in
      do throws(HTTPClientError) {
        return try client.send(request)
      } catch {
        throw LinkspanError(error.reason)
      }
    }
  }

  /// The URL of a file, without credentials.
  package func url(of name: String) -> String {
    "\(server.scheme)://\(server.authority)\(server.path)/\(name)"
  }

  /// Does something to a file.
  ///
  /// - Parameters:
  ///   - query: Names and values, in the order of their names.
  /// - Returns: An answer of status 200 to 299 that tells of no error.
  /// - Throws: What the store says, or why it cannot be reached.
  package func ask(
    _ method: String, _ name: String, _ query: [(String, String)] = [], body: [UInt8] = []
  ) throws(LinkspanError) -> HTTPResponse {
    let items = query.map { "\(Self.encoded($0))=\(Self.encoded($1))" }.joined(separator: "&")
    var request = HTTPRequest(
      method: method, authority: server.authority,
      target: "\(server.path)/\(Self.encoded(name))" + (items.isEmpty ? "" : "?\(items)"), body: body)
    request.scheme = server.scheme
    let signature = BucketSignature(try credentials(), host: String(server.authority.prefix { $0 != ":" }))
    var problem = ""
    for _ in 0..<Self.attempts {
      let answer: HTTPResponse
      do throws(LinkspanError) {
        answer = try send(signature.signed(request, at: now()))
      } catch {
        problem = "the store cannot be reached: \(error.message)"
        break
      }
      guard let error = Self.error(in: answer) else { return answer }
      problem = "the store answered \(answer.status)\(error)"
      if answer.status < 500 { break }
    }
    throw LinkspanError(
      "cannot be written", at: url(of: name), why: problem,
      help: "Check the URL, the keys, their region and rights, and this machine's clock.")
  }

  /// What an answer says went wrong, to be added to its status; nil when nothing did. An error may come with status 200, when the
  /// store found it after it began to answer (AWS: CompleteMultipartUpload).
  private static func error(in answer: HTTPResponse) -> String? {
    let code = text(of: "Code", in: answer)
    if (200..<300).contains(answer.status), answer.body.firstRange(of: Array("<Error>".utf8)) == nil {
      return nil
    }
    let message = text(of: "Message", in: answer).map { " (\($0))" } ?? ""
    return code.map { ": \($0)\(message)" } ?? ""
  }

  /// The text of the first element of a name in an answer, as it is written there; nil without one.
  static func text(of element: String, in answer: HTTPResponse) -> String? {
    guard let begin = answer.body.firstRange(of: Array("<\(element)>".utf8)),
      let end = answer.body[begin.upperBound...].firstRange(of: Array("</\(element)>".utf8))
    else { return nil }
    let text = answer.body[begin.upperBound..<end.lowerBound].prefix(1_024)
    return String(decoding: text, as: UTF8.self).onOneLine
  }

  /// As S3 encodes names and values: everything but letters, digits and `-._~`.
  private static func encoded(_ text: String) -> String {
    ASCII.percentEncoded(text.utf8) { ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~".utf8.contains($0) }
  }
}
