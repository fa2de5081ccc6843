internal import Dispatch
internal import HTTPEngine
package import LinkspanCore
package import LinkspanFiles
package import PushStandIn

/// APNs behind a real socket.
package struct StandInAPNs {
  /// A line for each request, as ``RequestFacts`` writes it.
  package static let recordKind = OutputKind.form("a record of 'linkspan stand-in apns'") { bytes in
    let line = bytes.prefix { $0 != 0x0A }
    return [#"{"type":"push","token":"#, #"{"type":"request","token":"#].contains {
      line.starts(with: $0.utf8)
    }
  }

  package struct Options {
    package var service = APNsConfiguration()
    /// The file for one line a request; nil for none.
    package var record: OutputFile?
    /// Whether HTTP/1.1 is answered as well.
    package var allowsHTTP1 = false
    /// Whether time passes only when an admin call moves the clock.
    package var clockStands = false
    /// How long a connection may be idle before it is told `IdleTimeout`.
    package var idle = Duration.seconds(3_600)

    package init() {}
  }

  private let place: StandInAddress
  private let options: Options
  private let clock: MovableClock
  private let record: RequestRecord?
  private let desk: APNsDesk

  /// - Throws: Why the record cannot be written.
  package init(_ place: StandInAddress, _ options: Options) throws(LinkspanError) {
    self.place = place
    self.options = options
    clock = MovableClock(stands: options.clockStands)
    if let file = options.record { record = try RequestRecord(file) } else { record = nil }
    desk = APNsDesk(options.service, clock: clock, record: record, allowsHTTP1: options.allowsHTTP1)
  }

  /// Answers until a signal ends it.
  ///
  /// - Parameter announce: Told the addresses, and that of the admin listener, once connections are taken.
  /// - Throws: What an address, the record or the system says.
  package func run(announce: (SocketAddress, SocketAddress?) -> Void) throws(LinkspanError) {
    let admin = AdminHandler(adminRoutes)
    let names =
      StandInAddress.ownNames + [
        "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
      ]
    let desk = desk
    let server = StandInServer(
      address: place.listen, credentials: try place.credentials(for: names, asksForCertificate: true),
      admin: place.admin.map { ($0, { await admin.response(to: $0) }) },
      responder: { desk.respond(to: $0, from: $1) }, adjust: adjust)
    try server.run(announce: announce)
    try record?.finish()
  }

  /// Push notes, 1.9; and where the engine guards against clients, a stand-in lets them be tested.
  private func adjust(_ configuration: inout HTTPServerConfiguration) {
    configuration.messages.headerBytes = 8_000
    configuration.messages.bodyBytes = 16 << 20
    configuration.http2.concurrentStreams = options.service.limits.streams
    configuration.http2.announcedStreams = options.service.limits.initialStreams
    // 'bearer ' with nothing after it and a topic that ends with a blank get a reason (push notes, vectors 21 and 45).
    configuration.http2.takesBlanksAroundValues = true
    configuration.http2.indexedOnce = ["apns-id", "apns-unique-id"]
    configuration.http2.resets = 1_000_000
    configuration.http2.controlFrames = 1_000_000
    configuration.http2.bodyBytes = 64 << 20
    configuration.connections.bodyBytes = 256 << 20
    configuration.http2.stopDebugData = Self.reason(.shutdown)
    configuration.http2.idleDebugData = Self.reason(.idleTimeout)
    configuration.deadlines.idle = options.idle
    configuration.offload.completions = 1_000_000
  }

  private static func reason(_ reason: APNsReason) -> [UInt8] {
    APNsReply.GoAway(reason: reason.rawValue).debugData
  }

  private var adminRoutes: [AdminHandler.Route] {
    let desk = desk
    let own: [AdminHandler.Route] = [
      ("POST", "/rules", { Self.replaceRules(by: $0, desk) }),
      ("POST", "/tokens", { Self.takeToken($0, desk) }),
      (
        "POST", "/drain",
        { body in
          if let refusal = AdminHandler.refusal(of: body, knowing: "drain") { return refusal }
          guard let drain = body?["drain"] else {
            return AdminHandler.refusal(400, "'drain' is missing; expected true or false")
          }
          guard let drains = drain.bool else {
            return AdminHandler.refusal(400, "'drain': expected true or false")
          }
          desk.change { $0.isDraining = drains }
          return AdminHandler.answer(.object([("type", .string("drain")), ("draining", .bool(drains))]))
        }
      ),
    ]
    return AdminHandler.calls(of: clock) + own
  }

  private static func replaceRules(by body: JSONNode?, _ desk: APNsDesk) -> HTTPResponse {
    if let refusal = AdminHandler.refusal(of: body, knowing: "rules") { return refusal }
    switch RulesDocument.parse(SourceText(name: "rules", bytes: body?.json.bytes ?? [])) {
    case .findings(let findings): return refusal(findings)
    case .document(let document):
      desk.change { $0.replaceRules(document.rules) }
      return AdminHandler.answer(
        .object([("type", .string("rules")), ("rules", .int(document.rules.count))]))
    }
  }

  private static func takeToken(_ body: JSONNode?, _ desk: APNsDesk) -> HTTPResponse {
    let list = JSON.array([body?.json ?? .null])
    switch DeviceTokens.parse(SourceText(name: "token", bytes: list.bytes)) {
    case .findings(let findings): return refusal(findings)
    case .tokens(let tokens):
      desk.change { $0.take(tokens, at: desk.now) }
      return AdminHandler.answer(.object([("type", .string("token")), ("tokens", .int(tokens.count))]))
    }
  }

  private static func refusal(_ findings: [Finding]) -> HTTPResponse {
    AdminHandler.refusal(
      400, findings.map { $0.message + ($0.help.map { " " + $0 } ?? "") }.joined(separator: " "))
  }
}
