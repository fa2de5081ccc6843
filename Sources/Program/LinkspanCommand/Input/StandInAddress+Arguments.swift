package import LinkspanCore
package import LinkspanStandIns
internal import SiteInput

/// Where a stand-in listens, as a person says it.
extension StandInAddress {
  /// The flags that every stand-in has.
  package static let flags = [
    Flag("--listen", "ADDRESS:PORT", "The address to listen on; port 0 picks a free port (127.0.0.1:8080)"),
    Flag("--plain", "Serve plain HTTP instead of TLS"),
    Flag("--write-certificate", "FILE", "Write the throwaway certificate to a file, for clients to trust"),
    Flag("--admin", "ADDRESS:PORT", "Accept admin calls at this loopback address, in plain HTTP (none)"),
    .force,
  ]

  package init(_ arguments: Arguments) throws(LinkspanError) {
    let certificate = try arguments.outputFile("--write-certificate", ThrowawayCredentials.outputKind)
    self = try StandInAddress(
      listen: arguments.value("--listen"), admin: arguments.value("--admin"),
      isPlain: arguments.has("--plain"), writeCertificate: certificate)
  }

  /// Says where it listens, as `serve` does.
  package func announce(
    _ what: String, _ address: SocketAddress, _ admin: SocketAddress?, _ more: [(String, JSON)],
    _ arguments: Arguments, _ console: Console
  ) {
    let url = "\(isPlain ? "http" : "https")://\(address)"
    if arguments.has("--json") {
      console.print(
        .object(
          [
            ("type", .string("listening")), ("url", .string(url)), ("port", .int(Int(address.port))),
            ("admin_url", .init(admin.map { "http://\($0)" })),
          ] + more))
    } else {
      console.print(what + " on \(url)" + (admin.map { ", admin calls on http://\($0)" } ?? ""))
    }
    console.flush()
  }
}
