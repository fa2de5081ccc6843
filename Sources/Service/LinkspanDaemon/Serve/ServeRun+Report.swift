internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import RegistryServer
internal import SiteInput

/// What a run says, and the certificates it shows.
extension ServeRun {
  /// One line about a host, and what is wrong with its files.
  func report(_ outcome: PublicationOutcome, always: Bool) {
    // What the API sent has no folder that names its host.
    let host = outcome.isSent ? "\(outcome.host ?? "*"): " : ""
    for finding in outcome.errors { log.error(host + finding.text) }
    if outcome.errorCount > outcome.errors.count {
      log.error("\((outcome.errorCount - outcome.errors.count).counted("more error")) like these")
    }
    if !outcome.errors.isEmpty {
      log.error("'linkspan check FILE' quotes the text that each error is about; this log never does")
    }
    let isAnswer = always || outcome.kind == .refused || outcome.kind == .changed
    if isAnswer { output.report(.publication(outcome)) }
  }

  static func names(_ sites: [AssociationSite]) -> [String] { sites.map { $0.host ?? "*" } }

  func responder(
    for publications: PublicationManager, on address: SocketAddress, _ pages: OperatorPages
  ) -> HTTPResponder {
    let sites = publications.served
    let aliases = settings.hasLocalhost ? Self.aliases(of: sites, on: address) : []
    let handler = publications.newHandler(aliases)
    let files = pages.responder(orElse: handler.handler)
    guard let registry = pages.registry.withLock({ $0 }) else { return files }
    return { request, origin in registry.reply(to: request, from: origin) ?? files(request, origin) }
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

  func announce(
    _ server: HTTPServer, _ admin: HTTPServer?, _ console: HTTPServer?, _ sites: [AssociationSite]
  ) {
    let scheme = settings.certificates.isEmpty ? "http" : "https"
    output.report(
      .listening(
        address: server.addresses[0], isPlain: settings.isPlain, hosts: Self.names(sites),
        admin: admin?.addresses[0], console: console.map { "\(scheme)://\($0.addresses[0])/" }))
  }

  /// Nil for plain HTTP; a throwaway certificate where there are no keys.
  func credentials(
    _ keys: TLSCredentials?, for publications: PublicationManager, _ pages: OperatorPages
  ) throws(LinkspanError) -> TLSCredentials? {
    if settings.isPlain { return nil }
    if let keys { return keys }
    return try throwaway(for: publications.served.map(\.host) + publications.publisher.undecided, pages)
  }

  func loaded(_ files: [(certificate: String, key: String)]) throws(LinkspanError) -> TLSCredentials {
    let pairs = try files.map { certificate, key throws(LinkspanError) in
      try SecretFile.refuseOpen(key, holding: "a private key")
      return (try SecretFile.bytes(certificate), try SecretFile.bytes(key))
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
      throw Self.unusable(error, zip(files, pairs).flatMap { [($0.certificate, $1.0), ($0.key, $1.1)] })
    }
  }

  /// A certificate or key that cannot be served with, in words for whoever named its file.
  ///
  /// - Parameter files: Their names and bytes.
  private static func unusable(_ error: TLSError, _ files: [(name: String, bytes: [UInt8])]) -> LinkspanError
  {
    guard let file = error.file else { return LinkspanError("\(error)") }
    let bytes = files.first { $0.name == file }?.bytes ?? []
    let help: String? =
      switch error.kind {
      case .badCertificate: PEMHelp.certificate(bytes)
      case .badKey: PEMHelp.key(bytes)
      case .keyOfAnotherCertificate:
        "Name certificates and keys in the same order; the server's own certificate is the first of its file."
      case .unusableCertificate, .library: nil
      }
    return LinkspanError("cannot be used", at: file, why: error.reason, help: help)
  }

  /// The most names on a line of the log.
  private static let namesOnLineCount = 10

  private func throwaway(
    for hosts: [String?], _ pages: OperatorPages
  ) throws(LinkspanError) -> TLSCredentials {
    let names = ["localhost", "127.0.0.1", "::1"] + hosts.compactMap { $0 }
    let throwaway = try ThrowawayCredentials(for: names, from: Int64(time(nil)))
    let shown = names.prefix(Self.namesOnLineCount)
    let more = names.count > shown.count ? " and \(names.count - shown.count) more" : ""
    log.info("no certificate given: using a throwaway one for \(shown.joined(separator: ", "))\(more)")
    if let term = CertificateTerm(file: "throwaway", pem: throwaway.certificatePEM) {
      pages.state.change { $0.certificates = [term] }
    }
    try settings.writeCertificate?.write(throwaway.certificatePEM)
    return throwaway.credentials
  }
}
