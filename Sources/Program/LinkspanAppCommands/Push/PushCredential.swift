internal import HTTPTransport
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import PushConnections
internal import PushProvider

/// What proves the sender of a push: a key for provider tokens, or a certificate that the connection shows.
struct PushCredential {
  static let flags =
    AuthKeyReader.flags + [
      Flag("--p12", "FILE", "A PKCS#12 file with a push certificate and its key, instead of an auth key"),
      Flag("--cert", short: "-c", "FILE", "A push certificate in PEM form, with its key unless --key has it"),
      Flag("--key", "FILE", "The certificate's private key in PEM form"),
      Flag("--chain", "FILE", "The intermediate certificates in PEM form"),
    ] + PassphraseReader.flags

  private enum Proof {
    case key(ProviderTokenSigner)
    case certificate(TLSIdentity, file: String)
  }

  private let proof: Proof
  /// The app that the certificate is for; nil where it does not say, and with an auth key.
  let bundle: String?

  /// Whether a flag names something of it. A dry run needs no credential, and reads one that it is given, as sending does.
  static func isNamed(_ arguments: Arguments) -> Bool { flags.contains { arguments.has($0.name) } }

  init(_ arguments: Arguments) throws(LinkspanError) {
    guard arguments.has("--p12") || arguments.has("--cert") else {
      guard arguments.has("--auth-key") else {
        throw arguments.usage(
          "nothing proves who sends; give '--auth-key', '--auth-key-id' and '--team-id', or '--p12', or '--cert'"
        )
      }
      proof = .key(try AuthKeyReader.signer(arguments))
      bundle = nil
      return
    }
    if arguments.has("--auth-key") {
      throw arguments.usage("a push is proved by '--auth-key' or by a certificate, not by both")
    }
    let (signing, warnings) = try IdentityReader.read(arguments, isKeyInCertificate: true)
    for warning in warnings { Console.tell("linkspan: warning: \(warning)") }
    let file = arguments.value("--p12") ?? arguments.value("--cert") ?? ""
    bundle = signing.certificate.subjectUserIdentifier
    proof = .certificate(try Self.identity(signing, file), file: file)
  }

  /// What sends over the connections to a server.
  func account(scheme: String, authority: String, trust: TLSTrust) -> PushAccount {
    switch proof {
    case .key(let signer): PushAccount(signer, scheme: scheme, authority: authority, trust: trust)
    case .certificate(let identity, let file):
      PushAccount(certificate: identity, named: file, scheme: scheme, authority: authority, trust: trust)
    }
  }

  private static func identity(_ signing: SigningIdentity, _ file: String) throws(LinkspanError)
    -> TLSIdentity
  {
    let made: Result<TLSIdentity, TLSError>
    do throws(IdentityError) {
      made = try signing.withPEM { certificates, key in
        Result { () throws(TLSError) in try TLSIdentity(certificatePEM: certificates, keyPEM: key) }
      }
    } catch {
      throw unusable(file, error.message)
    }
    do throws(TLSError) { return try made.get() } catch {
      guard error.kind == .unusableCertificate else { throw unusable(file, error.reason) }
      throw LinkspanError(
        "'\(file)' cannot prove the sender: its key is of a kind that no connection is signed with.",
        help: "Ask Apple for a push certificate with an RSA key, as Keychain Access makes it.")
    }
  }

  private static func unusable(_ file: String, _ reason: String) -> LinkspanError {
    LinkspanError(
      "'\(file)' cannot prove the sender: \(reason).",
      help: "Export the push certificate together with its private key.")
  }
}
