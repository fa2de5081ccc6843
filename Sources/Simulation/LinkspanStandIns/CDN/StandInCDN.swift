internal import AppSiteAssociation
internal import AssociationDelivery
internal import Dispatch
package import HTTPTransport
package import LinkspanCore
package import LinkspanFiles
internal import LinkspanSimulator
package import SimulatedDevices

/// Apple's CDN for association files behind a real socket.
package struct StandInCDN {
  /// What a stand-in for the CDN knows and may do.
  package struct Options {
    /// `HOST=ADDRESS:PORT`: where a host is asked instead of being looked up.
    package var origins: [String] = []
    /// Whether every other host has no address.
    package var knowsOnlyOrigins = false
    /// Hosts that may be at a private address; `all` for every host.
    package var privateHosts: [String] = []
    /// Whom it believes when a host shows its certificate.
    package var trust = TLSTrust.system
    /// What nobody has documented.
    package var switches = CDNSwitches()
    /// Whether time passes only when an admin call moves the clock.
    package var clockStands = false
    /// The file for every exchange, written when it ends; nil for none.
    package var archive: OutputFile?

    package init() {}
  }

  private let place: StandInAddress
  private let clock: MovableClock
  private let record: ExchangeRecord
  private let cdn: ContentDeliveryNetwork
  private let archive: OutputFile?
  private let version: String

  /// - Parameter version: The program's, for the archive.
  /// - Throws: What is wrong with an origin.
  package init(_ place: StandInAddress, _ options: Options, version: String) throws(LinkspanError) {
    self.place = place
    self.version = version
    let clock = MovableClock(stands: options.clockStands)
    self.clock = clock
    archive = options.archive
    let record = ExchangeRecord(isKeeping: archive != nil)
    self.record = record
    let origins = try CrawledOrigins(options, clock: clock, record: record)
    cdn = ContentDeliveryNetwork(
      now: { clock.now }, transport: origins.transport, switches: options.switches)
  }

  /// Answers until a signal ends it.
  ///
  /// - Parameter announce: Told the addresses, and that of the admin listener, once connections are taken.
  /// - Throws: What an address, the archive or the system says.
  package func run(announce: (SocketAddress, SocketAddress?) -> Void) throws(LinkspanError) {
    // The archive is looked at before anything is asked, not when it is too late.
    if let archive { try ArchiveFile.write([], start: clock.start, version: version, to: archive) }
    let admin = AdminHandler(adminRoutes)
    let server = StandInServer(
      address: place.listen, credentials: try place.credentials(for: StandInAddress.ownNames),
      handler: handler, admin: place.admin.map { ($0, { await admin.response(to: $0) }) })
    try server.run(announce: announce)
    if let archive {
      try ArchiveFile.write(record.exchanges, start: clock.start, version: version, to: archive)
    }
  }

  private var handler: StandInServer.Handler {
    let (cdn, clock, record) = (cdn, clock, record)
    return { request in
      let started = clock.now
      let response = await cdn.answer(request)
      record.add(
        Exchange(
          started: started, time: clock.now - started, party: "client", connection: "client to cdn",
          version: .unknown, request: request, result: .answered(response),
          cause: FetchCause("a client asks the stand-in", Provenance(["C1"], .documented))))
      return response
    }
  }

  private var adminRoutes: [AdminHandler.Route] {
    let (cdn, clock) = (cdn, clock)
    let own: [AdminHandler.Route] = [
      (
        "GET", "/cache",
        { _ in
          let now = clock.now
          let answers = await cdn.kept.map { $0.json(at: now) }
          return AdminHandler.answer(.object([("type", .string("cache")), ("answers", .array(answers))]))
        }
      ),
      (
        "POST", "/purge",
        { body in
          if let refusal = AdminHandler.refusal(of: body, knowing: "host") { return refusal }
          let host = body?["host"]
          guard host == nil || host?.string != nil else {
            return AdminHandler.refusal(400, "'host': expected the name of a host")
          }
          let count = await cdn.purge(host?.string.map { IDNA.named($0) })
          return AdminHandler.answer(.object([("type", .string("purge")), ("forgotten", .int(count))]))
        }
      ),
    ]
    return AdminHandler.calls(of: clock) + own
  }
}
