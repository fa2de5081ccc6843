internal import Glibc
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanServer

/// What a run says, and the certificates it shows.
extension ServeRun {
  /// One line about a host, and what is wrong with its files.
  func report(_ outcome: PublicationOutcome, always: Bool) {
    for finding in outcome.errors { log.error(finding.text()) }
    if outcome.errorCount > outcome.errors.count {
      log.error("\(outcome.errorCount - outcome.errors.count) more errors like these")
    }
    let isAnswer = always || outcome.kind == .refused || outcome.kind == .changed
    guard isAnswer else { return }
    if isJSON {
      console.print(
        .object([
          ("type", .string("publication")), ("host", .init(outcome.host)),
          ("outcome", .string(outcome.kind.rawValue)), ("served", .bool(outcome.isServed)),
          ("errors", .int(outcome.errorCount)), ("problem", .init(outcome.problem)),
          ("differences", .array(outcome.differences.map(JSON.string))),
        ]))
    } else {
      say(Self.words(outcome), isStamped: true)
      for line in outcome.differences { say("  " + line) }
    }
    console.flush()
  }

  private static func words(_ outcome: PublicationOutcome) -> String {
    let host = outcome.host ?? "every other host"
    let errors = outcome.errorCount == 1 ? "1 error" : "\(outcome.errorCount) errors"
    switch outcome.kind {
    case .published: return "\(host): published" + (outcome.errorCount == 0 ? "" : " with \(errors)")
    case .changed: return "\(host): changed" + (outcome.errorCount == 0 ? "" : ", with \(errors)")
    case .unchanged: return "\(host): " + (outcome.endsRefusal ? "mended, and what was live" : "as before")
    case .withdrawn: return "\(host): its files are gone, so it is not served any more"
    case .refused:
      let consequence = outcome.isServed ? "what was live goes on" : "nothing is served for it"
      if let problem = outcome.problem { return "\(host): refused, and \(consequence): \(problem)" }
      return "\(host): refused for \(errors); \(consequence)"
    }
  }

  func report(_ type: String, _ sites: [AssociationSite]?, _ text: String) {
    if isJSON {
      let hosts = sites.map { [("hosts", JSON.array(Self.names($0).map(JSON.string)))] } ?? []
      console.print(.object([("type", .string(type))] + hosts))
    } else {
      say(text, isStamped: true)
    }
    console.flush()
  }

  private static func names(_ sites: [AssociationSite]) -> [String] { sites.map { $0.host ?? "*" } }

  func responder(
    for desk: PublishingDesk, on address: SocketAddress, _ pages: OperatorPages
  ) -> HTTPResponder {
    let sites = desk.served
    let aliases = settings.hasLocalhost ? Self.aliases(of: sites, on: address) : []
    return pages.responder(
      orElse: AssociationHandler(sites + aliases, undecided: desk.publisher.undecided).handler)
  }

  /// With `--localhost` the machine's own names answer for the first host, so that a first look needs no `--resolve`. Only
  /// when told: behind a proxy, whose requests may say anything, it would give a host's file away under other names.
  private static func aliases(of sites: [AssociationSite], on address: SocketAddress) -> [AssociationSite] {
    let names = ["localhost", "127.0.0.1", "[::1]"]
    guard address.isLoopback, let first = sites.first, first.host != nil,
      !sites.contains(where: { $0.host == nil || names.contains($0.host!) })
    else { return [] }
    return names.map { name in
      var alias = first
      alias.host = name
      return alias
    }
  }

  func announce(_ server: HTTPServer, _ admin: HTTPServer?, _ sites: [AssociationSite]) {
    let scheme = settings.isPlain ? "http" : "https"
    let address = server.addresses[0]
    let hosts = Self.names(sites)
    if isJSON {
      console.print(
        .object([
          ("type", .string("listening")), ("url", .string("\(scheme)://\(address)")),
          ("port", .int(Int(address.port))), ("hosts", .array(hosts.map(JSON.string))),
          ("admin_url", .init(admin.map { "http://\($0.addresses[0])" })),
          ("admin_port", .init(admin.map { Int($0.addresses[0].port) })),
        ]))
    } else {
      say("serving \(hosts.joined(separator: ", ")) on \(scheme)://\(address)")
      if let admin { say("for operators: http://\(admin.addresses[0])/readyz and /metrics") }
    }
    console.flush()
  }

  /// Nil for plain HTTP; a throw-away certificate where there are no keys.
  func credentials(
    _ keys: TLSCredentials?, for desk: PublishingDesk, _ pages: OperatorPages
  ) throws(CommandError) -> TLSCredentials? {
    if settings.isPlain { return nil }
    if let keys { return keys }
    return try throwaway(for: desk.served.map(\.host) + desk.publisher.undecided, pages)
  }

  func loaded(_ files: [(certificate: String, key: String)]) throws(CommandError) -> TLSCredentials {
    let pairs = try files.map { certificate, key throws(CommandError) in
      try SecretFile.refuseOpen(key, holding: "a private key")
      return (try FileReader.bytes(certificate), try FileReader.bytes(key))
    }
    do throws(TLSError) {
      var identities: [TLSIdentity] = []
      for ((certificate, key), (certificatePEM, keyPEM)) in zip(files, pairs) {
        let identity = try TLSIdentity(
          certificatePEM: certificatePEM, keyPEM: keyPEM, certificateFile: certificate, keyFile: key)
        if identity.usesRSA {
          log.info("\(certificate): an RSA key; a handshake costs several times that of ECDSA P-256")
        }
        identities.append(identity)
      }
      return try TLSCredentials(identities)
    } catch {
      throw Self.unusable(error)
    }
  }

  /// A certificate or key that cannot be served with, in words for whoever named its file.
  private static func unusable(_ error: TLSError) -> CommandError {
    guard let file = error.file else { return CommandError("\(error)") }
    let what = "'\(file)' cannot be used: \(error.reason)"
    let help: String? =
      switch error.kind {
      case .badCertificate: "A PEM file begins a certificate with -----BEGIN CERTIFICATE-----."
      case .badKey:
        "A PEM file begins a key with -----BEGIN PRIVATE KEY-----; one under a passphrase cannot be served with."
      case .keyOfAnotherCertificate: "Name certificates and keys in the same order."
      case .library: nil
      }
    return CommandError(what.hasSuffix(".") ? what : what + ".", help: help)
  }

  private func throwaway(
    for hosts: [String?], _ pages: OperatorPages
  ) throws(CommandError) -> TLSCredentials {
    let names = hosts.compactMap { $0 } + ["localhost", "127.0.0.1", "::1"]
    let certificate: ThrowawayCertificate
    let credentials: TLSCredentials
    do throws(TLSError) {
      certificate = try ThrowawayCertificate.make(for: names, from: Int64(time(nil)))
      credentials = try TLSCredentials([try TLSIdentity(certificate)])
    } catch {
      throw CommandError("\(error)")
    }
    log.info("no certificate given: using a throw-away one for \(names.joined(separator: ", "))")
    if let end = Self.end(of: certificate.certificatePEM) {
      pages.state.change { $0.certificates = [("throw-away", end.milliseconds / 1000)] }
    }
    if let path = settings.writeCertificate {
      try FileWriter.write(certificate.certificatePEM, to: path)
    }
    return credentials
  }
}
