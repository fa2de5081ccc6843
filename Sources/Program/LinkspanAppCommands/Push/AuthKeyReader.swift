internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import PushProvider

/// Reads the key that a person names for provider tokens. Nothing of it appears in an error.
enum AuthKeyReader {
  static let flags = [
    Flag("--auth-key", "FILE", "The .p8 file of the key, as Apple gives it"),
    Flag("--auth-key-id", "ID", "The key's identifier, ten characters"),
    Flag("--team-id", "ID", "The team's identifier, ten characters"),
  ]

  static func key(_ path: String) throws(LinkspanError) -> P256PrivateKey {
    var bytes = try SecretFile.bytes(path, warningOf: "key")
    defer { Passphrase.wipe(&bytes) }
    do throws(IdentityError) {
      return try P256PrivateKey(bytes)
    } catch {
      throw LinkspanError(
        "'\(path)' cannot sign provider tokens: \(error.message).",
        help: "Give the .p8 file from the Keys page of the developer account; it holds a key on P-256.")
    }
  }

  static func signer(_ arguments: Arguments) throws(LinkspanError) -> ProviderTokenSigner {
    guard let file = arguments.value("--auth-key"), let key = arguments.value("--auth-key-id"),
      let team = arguments.value("--team-id")
    else { throw arguments.usage("'--auth-key', '--auth-key-id' and '--team-id' are required") }
    let identity: ProviderKeyIdentity
    do throws(ProviderTokenError) {
      identity = try ProviderKeyIdentity(team: team, key: key)
    } catch {
      throw LinkspanError(
        error.message + ".", help: "Both identifiers stand in the developer account, beside key and team.")
    }
    return ProviderTokenSigner(identity, key: try Self.key(file))
  }
}
