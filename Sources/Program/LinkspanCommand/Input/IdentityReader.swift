package import LinkspanCore
package import LinkspanCrypto
internal import LinkspanFiles
internal import LinkspanServer

/// Reads the certificate and the key that a person names.
package enum IdentityReader {
  package static let flags =
    [
      Flag("--p12", "FILE", "A PKCS#12 file with the certificate, its chain and the key"),
      Flag("--cert", "FILE", "The certificate in PEM form; further ones in the file are its chain"),
      Flag("--key", "FILE", "Its private key in PEM form"),
      Flag("--chain", "FILE", "The intermediate certificates in PEM form"),
    ] + PassphraseReader.flags

  /// - Parameter isKeyInCertificate: Whether the file of the certificate holds the key as well where `--key` names none.
  /// - Returns: Also warnings about its files that hold a secret and that every user of this machine can read.
  /// - Throws: Which file is at fault, why, and what to do; nothing of a key or a passphrase.
  package static func read(
    _ arguments: Arguments, isKeyInCertificate: Bool = false
  ) throws(LinkspanError) -> (identity: SigningIdentity, warnings: [String]) {
    let keyFile = arguments.value("--key") ?? (isKeyInCertificate ? arguments.value("--cert") : nil)
    let warnings = [
      (arguments.value("--p12") ?? keyFile).flatMap { SecretFile.warning($0, secret: "key") },
      PassphraseReader.warning(arguments),
    ]
    return (try identity(arguments, keyFile), warnings.compactMap { $0 })
  }

  private static func identity(
    _ arguments: Arguments, _ keyFile: String?
  ) throws(LinkspanError) -> SigningIdentity {
    switch (arguments.value("--p12"), arguments.value("--cert"), keyFile) {
    case (let file?, nil, nil):
      if arguments.has("--chain") {
        throw arguments.usage("'--chain' goes with '--cert' and '--key'; a PKCS#12 file has its own")
      }
      var bytes = try SecretFile.bytes(file)
      defer { Passphrase.wipe(&bytes) }
      return try read(file, arguments) { passphrase throws(IdentityError) in
        try SigningIdentity(pkcs12: bytes, passphrase: passphrase)
      }
    case (nil, let certificate?, let key?):
      let certificatePEM = try SecretFile.bytes(certificate)
      var chainPEM: [UInt8]?
      if let chain = arguments.value("--chain") {
        chainPEM = try SecretFile.bytes(chain)
      }
      var keyPEM = try SecretFile.bytes(key)
      defer { Passphrase.wipe(&keyPEM) }
      return try read(key, arguments) { passphrase throws(IdentityError) in
        try SigningIdentity(
          certificatePEM: certificatePEM, keyPEM: keyPEM, chainPEM: chainPEM, passphrase: passphrase)
      }
    case (.some, _, _):
      throw arguments.usage("'--p12' already has certificate and key; remove '--cert' and '--key'")
    default: throw arguments.usage("a signer is missing; give '--p12', or '--cert' and '--key'")
    }
  }

  /// Asks at the terminal when a passphrase turns out to be needed and no flag says where it is.
  private static func read(
    _ keyFile: String, _ arguments: Arguments,
    _ make: (Passphrase?) throws(IdentityError) -> SigningIdentity
  ) throws(LinkspanError) -> SigningIdentity {
    let named = try PassphraseReader.named(arguments)
    do throws(IdentityError) {
      return try make(named)
    } catch .passphraseNeeded {
      let asked = try PassphraseReader.ask(for: keyFile)
      do throws(IdentityError) {
        return try make(asked)
      } catch {
        throw explained(error, keyFile, arguments)
      }
    } catch {
      throw explained(error, keyFile, arguments)
    }
  }

  private static func explained(
    _ error: IdentityError, _ keyFile: String, _ arguments: Arguments
  ) -> LinkspanError {
    let file: String? =
      switch error {
      case .noCertificate: arguments.value("--cert")
      case .unreadableChain: arguments.value("--chain")
      default: nil
      }
    return LinkspanError(
      "cannot sign with '\(file ?? keyFile)': \(error.message).",
      help: file.flatMap { try? FileReader.bytes($0) }.map(PEMHelp.certificate) ?? error.help)
  }
}
