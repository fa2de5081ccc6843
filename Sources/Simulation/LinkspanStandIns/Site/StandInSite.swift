internal import AppSiteAssociation
internal import AssociationDelivery
package import LinkspanCore
internal import LinkspanServer
internal import LinkspanSimulator
package import SimulatedDevices
internal import SiteInput

/// A folder served with faults behind a real socket.
package struct StandInSite {
  /// What is wrong with the certificate it shows.
  package enum CertificateFault: String, CaseIterable, Sendable {
    case expired
    case wrongName = "wrong-name"
  }

  private let place: StandInAddress
  private let folder: String
  /// Those that the folder has files for.
  package let hosts: [String]
  private let faults: CurrentFaults
  private let certificateFault: CertificateFault?

  private final class CurrentFaults: Sendable {
    let set: LockedState<SiteFaults>
    init(_ faults: SiteFaults) { set = LockedState(faults) }
  }

  /// - Parameters:
  ///   - folder: Laid out `HOST/.well-known/apple-app-site-association`.
  ///   - faults: Those it begins with.
  /// - Throws: That the folder has no association file, or that a plain listener has no certificate to be at fault.
  package init(
    _ place: StandInAddress, folder: String, faults: SiteFaults, certificateFault: CertificateFault?
  ) throws(LinkspanError) {
    self.place = place
    self.folder = folder
    let reader = try SiteReader([folder], host: nil)
    hosts = reader.files.compactMap(\.host)
    if let name = reader.names.first {
      throw LinkspanError(
        "there is no file or folder '\(name.host)'.",
        help: "'stand-in site' serves files of this machine; 'linkspan check \(name.host)' asks the host.")
    }
    guard !hosts.isEmpty else {
      throw LinkspanError(
        reader.hasBareFiles
          ? "'\(folder)' is a file; expected a directory." : "there is no association file to serve.",
        help: "Lay the folder out as HOST/.well-known/apple-app-site-association.")
    }
    self.faults = CurrentFaults(faults)
    self.certificateFault = certificateFault
    if certificateFault != nil, place.isPlain {
      throw .usage("'--certificate-fault' does not go with '--plain', which serves without TLS")
    }
  }

  /// Answers until a signal ends it.
  ///
  /// - Parameter announce: Told the addresses, and that of the admin listener, once connections are taken.
  /// - Throws: What an address or the system says.
  package func run(announce: (SocketAddress, SocketAddress?) -> Void) throws(LinkspanError) {
    let names = certificateFault == .wrongName ? ["other.invalid"] : StandInAddress.ownNames + hosts
    let credentials = try place.credentials(
      for: names, age: certificateFault == .expired ? .seconds(200_000) : .seconds(3_600))
    let admin = AdminHandler(adminRoutes)
    let server = StandInServer(
      address: place.listen, credentials: credentials, handler: handler,
      admin: place.admin.map { ($0, { await admin.response(to: $0) }) }, relayFault: relayFault)
    try server.run(announce: announce)
  }

  private var relayFault: @Sendable () -> RelayFault? {
    let faults = faults
    return {
      let faults = faults.set.withLock { $0 }
      switch faults.network {
      case .silent: return .silent
      case .reset: return .reset
      case .trickle: return .trickle(pause: .milliseconds(20))
      case nil: return faults.breakBytes.map { .cut(afterBytes: $0) }
      }
    }
  }

  private var handler: StandInServer.Handler {
    let (folder, faults) = (folder, faults)
    return { request in
      let faults = faults.set.withLock { $0 }
      let agent = request.fields["User-Agent"] ?? ""
      guard faults.concern(agent) else { return Self.file(for: request, in: folder) }
      if faults.delay_ms > 0 {
        do { try await Task.sleep(for: .milliseconds(faults.delay_ms)) } catch {
          return .text(503, "the stand-in is ending")
        }
      }
      // HEAD is answered with the length that the file with its faults has (RFC 9110, 9.3.2).
      var asked = request
      if request.method == "HEAD" { asked.method = "GET" }
      let answer = faults.applied(to: Self.file(for: asked, in: folder))
      return request.method == "HEAD" ? answer.withoutBody : answer
    }
  }

  /// The folder as it is now.
  private static func file(for request: HTTPRequest, in folder: String) -> HTTPResponse {
    do throws(LinkspanError) {
      let reader = try SiteReader([folder], host: nil)
      var sites: [AssociationSite] = []
      for host in Set(reader.files.compactMap(\.host)).sorted() {
        let files = reader.files.filter { $0.host == host }
        let wellKnown = files.first { $0.location == .wellKnown }
        let root = files.first { $0.location == .root }
        if request.path == AssociationLocation.root.rawValue, root == nil { continue }
        let file = request.path == AssociationLocation.root.rawValue ? root : wellKnown
        sites.append(
          AssociationSite(host: host, associationFile: file?.source.bytes, servesRootName: root != nil))
      }
      return AssociationHandler(sites).response(to: request)
    } catch {
      return .text(500, error.message)
    }
  }

  private var adminRoutes: [AdminHandler.Route] {
    let faults = faults
    return [
      ("GET", "/faults", { _ in AdminHandler.answer(faults.set.withLock { $0.json }) }),
      (
        "POST", "/faults",
        { body in
          var new = SiteFaults()
          for member in body?.object ?? [] {
            // What GET tells can be sent back as it is.
            if member.name == "type" { continue }
            let text: String
            switch member.value.value {
            case .null: continue
            case .string(let value), .number(let value): text = value
            case .bool(let flag): text = flag ? "true" : "false"
            default: return AdminHandler.refusal(400, "'\(member.name)' is \(member.value.typeName)")
            }
            if let problem = new.set(member.name, to: text) {
              return AdminHandler.refusal(400, "'\(member.name)': \(problem)")
            }
          }
          faults.set.withLock { $0 = new }
          return AdminHandler.answer(faults.set.withLock { $0.json })
        }
      ),
    ]
  }
}
