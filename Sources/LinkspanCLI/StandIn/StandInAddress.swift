internal import Glibc
internal import HTTPEngine
internal import LinkspanCore

/// Where a stand-in listens and what it shows there, from its flags.
struct StandInAddress {
  let listen: SocketAddress
  let admin: SocketAddress?
  let isPlain: Bool
  private let arguments: Arguments

  init(_ arguments: Arguments) throws(CommandError) {
    self.arguments = arguments
    listen = try SocketAddress.read(arguments.value("--listen") ?? "127.0.0.1:8080")
    isPlain = arguments.has("--plain")
    if isPlain, arguments.has("--write-certificate") {
      throw arguments.usage("'--write-certificate' does not go with '--plain', which serves without TLS")
    }
    guard let text = arguments.value("--admin") else {
      admin = nil
      return
    }
    let admin = try SocketAddress.read(text)
    guard admin.isLoopback else {
      throw arguments.usage("'--admin' takes a loopback address, and '\(text)' can be reached from elsewhere")
    }
    self.admin = admin
  }

  /// A throw-away certificate; nil for plain HTTP.
  ///
  /// - Parameters:
  ///   - names: Hosts it is for, besides this machine's own names.
  ///   - age: How long ago it began; it lives a day.
  func credentials(for names: [String], age: Duration = .zero) throws(CommandError) -> TLSCredentials? {
    guard !isPlain else { return nil }
    let certificate: ThrowawayCertificate
    let credentials: TLSCredentials
    do throws(TLSError) {
      certificate = try ThrowawayCertificate.make(
        for: names, from: Int64(time(nil)) - age.components.seconds)
      credentials = try TLSCredentials([try TLSIdentity(certificate)])
    } catch {
      throw CommandError("\(error)")
    }
    if let path = arguments.value("--write-certificate") {
      try FileWriter.write(certificate.certificatePEM, to: path)
    }
    return credentials
  }

  static let ownNames = ["localhost", "127.0.0.1", "::1"]

  /// Says where it listens, as `serve` does.
  func announce(
    _ what: String, _ address: SocketAddress, _ admin: SocketAddress?, _ more: [(String, JSON)],
    on console: Console
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
