internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import LinkspanServer
internal import ServiceConfiguration

/// Puts the signed form in the place of the plain file for the hosts configured so (G1s, R3).
///
/// It signs anew when the file or one of the signer's files has changed. Where that fails the signed file from before
/// goes on; where there was none the plain one is served, which every device from iOS 9 on takes (G2s).
final class SignedForms {
  private struct Signed {
    var plain: [UInt8]
    var signer: String
    var site: SignedSite
  }

  /// What is configured; what a host was signed with before goes on until it is signed anew.
  var signers: [FileSigner] {
    didSet { signed = signed.filter { host, _ in signers.contains { $0.host == host } } }
  }
  private var signed: [String: Signed] = [:]
  /// Why the newest file of a host is not signed, by host; sorted when told.
  /// The plain file is served where no signed one was served before.
  private(set) var problems: [(host: String, message: String, servesPlain: Bool)] = []

  /// The hosts that are to be signed and are none.
  private var unserved: [String] = []

  /// Reads a signer's file that is none of this machine's; nil for those.
  private let files: PublicationSurroundings.Files?

  init(_ signers: [FileSigner], _ files: PublicationSurroundings.Files? = nil) {
    self.signers = signers
    self.files = files
  }

  /// The sites as they are served.
  func sites(_ sites: [AssociationSite], at now: WallTime) -> [AssociationSite] {
    problems = []
    let hosts = Set(sites.map(\.host))
    unserved = signers.map(\.host).filter { !hosts.contains($0) }
    return sites.map { site in
      guard let host = site.host, let signer = signers.first(where: { $0.host == host }),
        let plain = site.associationFile
      else { return site }
      var served = site
      // iOS 8 asks for the signed form at the root, and nowhere else (F2).
      served.servesRootName = true
      do throws(LinkspanError) {
        served.associationFile = try form(of: plain, signer, at: now)
      } catch {
        problems.append((host, error.text, signed[host] == nil))
        served.associationFile = signed[host].map(\.site.bytes) ?? plain
      }
      return served
    }
  }

  /// The SHA-256 of each signed file, by host.
  func digests(of served: [AssociationSite]) -> [String: String] {
    guard !signed.isEmpty else { return [:] }
    return served.reduce(into: [:]) { digests, site in
      guard let host = site.host, let bytes = site.associationFile, signed[host]?.site.bytes == bytes
      else { return }
      digests[host] = SHA256.hexDigest(of: bytes)
    }
  }

  /// The end of each signature that is served.
  var ends: [(host: String, ends: WallTime)] {
    signed.sorted { $0.key < $1.key }.map { ($0.key, $0.value.site.ends) }
  }

  /// What to tell the operator now.
  func warnings(at now: WallTime) -> [String] {
    unserved.map { "'signed' names '\($0)', but that host is not served" } + endings(at: now)
  }

  private func endings(at now: WallTime) -> [String] {
    signed.sorted { $0.key < $1.key }.flatMap { host, signed in
      signed.site.warnings(at: now).map { "\(host): the signed file: \($0.message)" }
    }
  }

  private func form(of plain: [UInt8], _ signer: FileSigner, at now: WallTime) throws(LinkspanError)
    -> [UInt8]
  {
    guard plain.first != 0x30 else {
      throw LinkspanError("is to be signed, and its file is signed already", at: signer.host)
    }
    var digests = ""
    for file in signer.files {
      var bytes = try read(file)
      defer { Passphrase.wipe(&bytes) }
      digests += SHA256.hexDigest(of: bytes)
    }
    if let before = signed[signer.host], before.plain == plain, before.signer == digests,
      now <= before.site.ends
    {
      return before.site.bytes
    }
    let identity = try identity(signer)
    do throws(SignedSite.Refusal) {
      let site = try SignedSite(host: signer.host, file: plain, identity: identity, at: now)
      signed[signer.host] = Signed(plain: plain, signer: digests, site: site)
      return site.bytes
    } catch {
      switch error {
      case .certificate(let problem): throw LinkspanError("the file is not signed: \(problem.message)")
      case .identity(let problem): throw LinkspanError("the file is not signed: \(problem.message)")
      }
    }
  }

  private func identity(_ signer: FileSigner) throws(LinkspanError) -> SigningIdentity {
    if let key = signer.key, files == nil { try SecretFile.refuseOpen(key, holding: "a private key") }
    let passphrase = try signer.passphraseFile.map { file throws(LinkspanError) in
      try PassphraseReader.read(file: file)
    }
    do throws(IdentityError) {
      if let p12 = signer.p12 {
        var bytes = try bytes(p12)
        defer { Passphrase.wipe(&bytes) }
        return try SigningIdentity(pkcs12: bytes, passphrase: passphrase)
      }
      var key = try bytes(signer.key ?? "")
      defer { Passphrase.wipe(&key) }
      return try SigningIdentity(
        certificatePEM: try bytes(signer.certificate ?? ""), keyPEM: key,
        chainPEM: try signer.chain.map { chain throws(IdentityError) in try bytes(chain) },
        passphrase: passphrase)
    } catch {
      let broken: String? =
        switch error {
        case .noCertificate: signer.certificate
        case .unreadableChain: signer.chain
        default: nil
        }
      throw LinkspanError(
        "cannot sign with '\(broken ?? signer.p12 ?? signer.key ?? "")': \(error.message)",
        help: broken.flatMap { try? read($0) }.map(PEMHelp.certificate) ?? error.help)
    }
  }

  /// The file was there a moment ago, when its digest was taken.
  private func bytes(_ file: String) throws(IdentityError) -> [UInt8] {
    do throws(LinkspanError) { return try read(file) } catch { throw .library(error.message) }
  }

  private func read(_ file: String) throws(LinkspanError) -> [UInt8] {
    guard let files else { return try SecretFile.bytes(file) }
    return try files(file)
  }
}
