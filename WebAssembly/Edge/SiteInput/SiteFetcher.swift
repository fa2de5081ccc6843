internal import AppSiteAssociation
package import AssociationDelivery
package import HTTPTransport
package import LinkspanCore
internal import WebHost

/// Hands questions to the module's host, which asks the network; the answers are judged here.
package struct SiteFetcher: Sendable {
  let allowsPrivate: Bool
  let timeout: Duration

  package init(fixed: FixedAddresses, allowsPrivate: Bool, trust: TLSTrust, timeout: Duration) {
    self.allowsPrivate = allowsPrivate
    self.timeout = timeout
  }

  struct Question: Sendable {
    let answer: FetchResult

    func result() throws(LinkspanError) -> FetchResult { answer }
  }

  func begin(_ request: HTTPRequest) -> Question? { Question(answer: ask(request)) }

  package func send(_ request: HTTPRequest) throws(LinkspanError) -> FetchResult { ask(request) }

  func privateAddress(of host: String) -> String? { nil }

  /// The host answers with one line of JSON and, behind its line end, the body: `{"status":200,"fields":[["Name","value"]]}`,
  /// or `{"failure":"…","reason":"…"}`.
  private func ask(_ request: HTTPRequest) -> FetchResult {
    let question = JSON.object([
      ("url", .string("\(request.scheme)://\(request.authority)\(request.target)")),
      ("method", .string(request.method)),
      (
        "fields",
        .array(request.fields.list.map { JSON.array([.string($0.name), .string($0.value)]) })
      ),
      ("timeout_s", .int(Int(timeout.components.seconds))), ("private", .bool(allowsPrivate)),
      ("limit_bytes", .int(AssociationLocation.readLimitBytes)),
    ])
    guard case .bytes(let reply) = Host.ask(.fetch, question.bytes),
      let end = reply.firstIndex(of: 0x0A), let head = JSONParser.parse(Array(reply[..<end])).root
    else { return .failed(.unreachable("the network was not asked")) }
    if let failure = head["failure"]?.string {
      return .failed(Self.failure(failure, head["reason"]?.string ?? ""))
    }
    var fields: [HTTPField] = []
    for pair in head["fields"]?.array ?? [] {
      if let name = pair.array?.first?.string, let value = pair.array?.last?.string {
        fields.append(HTTPField(name, value))
      }
    }
    return FetchResult(
      HTTPResponse(
        status: head["status"]?.int ?? 0, fields: HTTPFields(fields), body: Array(reply[(end + 1)...])))
  }

  private static func failure(_ kind: String, _ reason: String) -> FetchFailure {
    switch kind {
    case "unresolvable": .unresolvable
    case "private": .privateAddress(reason)
    case "timeout": .timedOut
    case "expired": .certificate(.expired)
    case "name": .certificate(.wrongName)
    case "untrusted": .certificate(.untrusted)
    case "certificate": .certificate(.other(reason))
    case "handshake": .handshake(reason)
    case "malformed": .malformed(reason)
    default: .unreachable(reason)
    }
  }
}

/// The module has one thread.
enum Parallel {
  static func map<Item: Sendable, Output: Sendable>(
    _ items: [Item], width: Int, everySecond: (Int) -> Void, _ body: @escaping @Sendable (Item) -> Output
  ) -> [Output] {
    items.map { body($0) }
  }
}

/// Addresses of hosts are the program's to choose.
package struct FixedAddresses: Sendable {
  package init(_ texts: [String]) throws(LinkspanError) {
    guard texts.isEmpty else { throw .notInModule("'--resolve'") }
  }
}

extension LinkspanError {
  /// - Parameter what: Begins the sentence.
  package static func notInModule(_ what: String) -> LinkspanError {
    LinkspanError(
      "\(what) is not in the WebAssembly module.", help: "Install the program: Documentation/getting-it.md.")
  }
}
