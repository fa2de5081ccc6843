internal import AppSiteAssociation
package import AssociationDelivery
package import HTTPTransport
package import LinkspanCore
internal import LinkspanCrypto
internal import WebHost

/// Hands questions to the module's host, which asks the network; where it may connect to, and what the answers mean, is decided
/// here.
package struct SiteFetcher: Sendable {
  let fixed: FixedAddresses
  let allowsPrivate: Bool
  let timeout: Duration
  private let trust: TLSTrust

  package init(fixed: FixedAddresses, allowsPrivate: Bool, trust: TLSTrust, timeout: Duration) {
    self.fixed = fixed
    self.allowsPrivate = allowsPrivate
    self.trust = trust
    self.timeout = timeout
  }

  struct Question: Sendable {
    let answer: FetchResult

    func result() throws(LinkspanError) -> FetchResult { answer }
  }

  func begin(_ request: HTTPRequest) -> Question? { Question(answer: ask(request)) }

  package func send(_ request: HTTPRequest) throws(LinkspanError) -> FetchResult { ask(request) }

  /// The private addresses that `--allow-private` lets pass for a host.
  func privateAddress(of host: String) -> String? {
    guard allowsPrivate, let addresses = fixed[host, 443] else { return nil }
    return addresses.first { !$0.isPublic }?.host
  }

  /// The host answers with one line of JSON and, behind its line end, the body:
  /// `{"status":200,"fields":[["Name","value"]],"certificate":"3082…"}`, or `{"failure":"…","reason":"…"}`, with the
  /// certificate where one was shown.
  private func ask(_ request: HTTPRequest) -> FetchResult {
    var port: UInt16 = request.scheme == "https" ? 443 : 80
    let behind = request.authority.dropFirst(request.host.count)
    if behind.hasPrefix(":"), let own = UInt16(behind.dropFirst()) { port = own }
    var addresses = fixed[request.host, port] ?? []
    if addresses.isEmpty {
      do throws(FetchFailure) {
        addresses = try Self.addresses(of: request.host, port: port)
      } catch {
        return .failed(error)
      }
    }
    // Every address is looked at before one is connected to.
    if !allowsPrivate, let hidden = addresses.first(where: { !$0.isPublic }) {
      return .failed(.privateAddress(hidden.host))
    }
    return ask(request, at: addresses)
  }

  private func ask(_ request: HTTPRequest, at addresses: [SocketAddress]) -> FetchResult {
    var members: [(String, JSON)] = [
      ("url", .string("\(request.scheme)://\(request.authority)\(request.target)")),
      ("method", .string(request.method)),
      (
        "fields",
        .array(request.fields.list.map { JSON.array([.string($0.name), .string($0.value)]) })
      ),
      ("timeout_s", .int(Int(timeout.components.seconds))),
      ("limit_bytes", .int(AssociationLocation.readLimitBytes)),
      (
        "addresses",
        .array(
          addresses.map {
            JSON.object([("address", .string($0.host)), ("port", .int(Int($0.port)))])
          })
      ),
    ]
    var demandsAsApple = true
    switch trust {
    case .system: break
    case .authoritiesPEM(let bytes): members.append(("ca", .string(String(decoding: bytes, as: UTF8.self))))
    case .anyone:
      members.append(("believes_anyone", .bool(true)))
      demandsAsApple = false
    }
    guard let (head, body) = Self.reply(to: .fetch, .object(members)) else {
      return .failed(.unreachable("the network was not asked"))
    }
    if demandsAsApple, let certificate = head["certificate"]?.string.flatMap({ ASCII.bytes(hex: $0) }),
      let refusal = ServerCertificateFacts(der: certificate)?
        .refusalByApple(isForName: SocketAddress(request.host, port: 0) == nil)
    {
      return .failed(.certificate(.other(refusal)))
    }
    if let failure = Self.failure(head) { return .failed(failure) }
    var fields: [HTTPField] = []
    for pair in head["fields"]?.array ?? [] {
      if let name = pair.array?.first?.string, let value = pair.array?.last?.string {
        fields.append(HTTPField(name, value))
      }
    }
    return FetchResult(
      HTTPResponse(status: head["status"]?.int ?? 0, fields: HTTPFields(fields), body: body))
  }

  /// What a name stands for; an address stands for itself.
  private static func addresses(of host: String, port: UInt16) throws(FetchFailure) -> [SocketAddress] {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let name = isBracketed ? String(host.dropFirst().dropLast()) : host
    if let address = SocketAddress(name, port: port) { return [address] }
    guard let (head, _) = reply(to: .addresses, .object([("host", .string(name))])) else {
      throw .unreachable("the network was not asked")
    }
    if let failure = failure(head) { throw failure }
    let found = (head["addresses"]?.array ?? []).compactMap { node in
      node.string.flatMap { SocketAddress($0, port: port) }
    }
    guard !found.isEmpty else { throw .unresolvable }
    return found
  }

  private static func reply(to kind: Host.Question, _ question: JSON) -> (head: JSONNode, body: [UInt8])? {
    guard case .bytes(let reply) = Host.ask(kind, question.bytes), let end = reply.firstIndex(of: 0x0A),
      let head = JSONParser.parse(Array(reply[..<end])).root
    else { return nil }
    return (head, Array(reply[(end + 1)...]))
  }

  private static func failure(_ head: JSONNode) -> FetchFailure? {
    guard let kind = head["failure"]?.string else { return nil }
    let reason = head["reason"]?.string ?? ""
    return switch kind {
    case "unresolvable": .unresolvable
    case "lookup": .lookupFailed(reason)
    case "timeout": .timedOut
    case "unfinished": .unfinished(receivedBytes: head["received_bytes"]?.int ?? 0)
    case "expired": .certificate(.expired)
    case "name": .certificate(.wrongName)
    case "untrusted": .certificate(.untrusted)
    case "certificate": .certificate(.other(reason))
    case "handshake": .handshake(reason)
    case "malformed": .malformed(reason)
    case "large": .tooLarge(limitBytes: AssociationLocation.maximumFileBytes)
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

extension LinkspanError {
  /// - Parameter what: Begins the sentence.
  package static func notInModule(_ what: String) -> LinkspanError {
    LinkspanError(
      "\(what) is not in the WebAssembly module.", help: "Install the program: Documentation/getting-it.md.")
  }
}
