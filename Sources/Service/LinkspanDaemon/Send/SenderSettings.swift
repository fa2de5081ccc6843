internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import PushProvider
internal import PushTerms

/// What proves the sender to APNs, and where APNs is.
struct SenderSettings: Hashable, Sendable {
  /// The .p8 file.
  var authKey: String
  var keyIdentifier: String
  var team: String
  /// Another server than Apple's, for both environments; nil for Apple's.
  var server: ServiceAddress?
  /// The authorities that vouch for it, in PEM form; nil for the system's.
  var authorities: String?
  /// After which a sender that says nothing counts as dead.
  var leaseSeconds = 20
  /// The first pause after APNs' 5xx; it doubles.
  var retrySeconds = 900
  /// To each environment.
  var connections = 1

  /// Everything that sending takes, read from the files.
  ///
  /// - Throws: What is wrong with the key, its identifiers, the server or the authorities.
  func account() throws(LinkspanError) -> SenderAccount {
    try SecretFile.refuseOpen(authKey, holding: "a key for provider tokens")
    let identity: ProviderKeyIdentity
    do throws(ProviderTokenError) {
      identity = try ProviderKeyIdentity(team: team, key: keyIdentifier)
    } catch {
      throw LinkspanError(
        error.message + ".", help: "Both identifiers stand in the developer account, beside key and team.")
    }
    var bytes = try FileReader.bytes(authKey)
    defer { Passphrase.wipe(&bytes) }
    let key: P256PrivateKey
    do throws(IdentityError) {
      key = try P256PrivateKey(bytes)
    } catch {
      throw LinkspanError(
        "'\(authKey)' cannot sign provider tokens: \(error.message).",
        help: "Give the .p8 file from the Keys page of the developer account; it holds a key on P-256.")
    }
    return SenderAccount(
      signer: ProviderTokenSigner(identity, key: key), trust: try trust(), place: try place())
  }

  private func trust() throws(LinkspanError) -> TLSTrust {
    guard let authorities else { return .system }
    let trust = TLSTrust.authoritiesPEM(try FileReader.bytes(authorities))
    do throws(TLSError) {
      try trust.check()
    } catch {
      throw LinkspanError(
        "'\(authorities)' contains no readable certificate.",
        help: "A PEM file begins a certificate with -----BEGIN CERTIFICATE-----.")
    }
    return trust
  }

  private func place() throws(LinkspanError) -> SenderAccount.Place? {
    guard let server else { return nil }
    let named = try LinkspanError.server(server, of: "--apns", example: "https://127.0.0.1:2197")
    return SenderAccount.Place(scheme: named.scheme, authority: named.authority)
  }
}

/// A team's key and the servers that it is for.
struct SenderAccount: Sendable {
  struct Place: Hashable, Sendable {
    var scheme: String
    /// Host and, where it is not the scheme's own, port.
    var authority: String
  }

  var signer: ProviderTokenSigner
  var trust: TLSTrust
  /// nil for Apple's.
  var place: Place?

  func place(for environment: PushEnvironment) -> Place {
    place ?? Place(scheme: "https", authority: environment.host)
  }
}
