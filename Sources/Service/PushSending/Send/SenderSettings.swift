package import DeviceRegistry
package import HTTPTransport
package import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
package import PushProvider
package import PushTerms
package import ServiceConfiguration

/// What proves the senders to APNs, and where APNs is.
package struct SenderSettings: Hashable, Sendable {
  /// No two of them are for the same topic of an environment.
  package var keys: [SenderKey]
  /// Another server than Apple's, for both environments; nil for Apple's.
  package var server: ServiceAddress?
  /// The authorities that vouch for it, in PEM form; nil for the system's.
  package var authorities: String?
  /// After which a sender that says nothing counts as dead.
  package var leaseSeconds = 20
  /// The first pause after APNs' 5xx; it doubles.
  package var retrySeconds = 900
  /// To each environment.
  package var connections = 1

  package init(keys: [SenderKey], server: ServiceAddress? = nil, authorities: String? = nil) {
    self.keys = keys
    self.server = server
    self.authorities = authorities
  }

  /// Everything that sending takes, read from the files: for each key and each of its environments.
  ///
  /// - Throws: What is wrong with a key, its identifiers, the server or the authorities.
  package func accounts() throws(LinkspanError) -> [SenderPlace: SenderAccount] {
    let (trust, server) = (try trust(), try place())
    var accounts: [SenderPlace: SenderAccount] = [:]
    for key in keys {
      let signer = try signer(key)
      for environment in PushEnvironment.allCases where key.isFor(environment) {
        accounts[SenderPlace(key.name, environment)] = SenderAccount(
          signer: signer, trust: trust, place: server, topics: topics(of: key, in: environment))
      }
    }
    return accounts
  }

  /// What a key's sender takes from the store.
  package func topics(of key: SenderKey, in environment: PushEnvironment) -> TopicChoice {
    guard key.topics.isEmpty else { return .only(key.topics.flatMap(\.family)) }
    let others = keys.filter { $0.isFor(environment) }.flatMap(\.topics)
    return others.isEmpty ? .all : .except(others.flatMap(\.family))
  }

  /// The key whose sender takes a topic; nil where none does.
  func key(for topic: PushTopic, _ environment: PushEnvironment) -> SenderKey? {
    keys.first { $0.isFor(environment) && topics(of: $0, in: environment).takes(topic.text) }
  }

  private func signer(_ key: SenderKey) throws(LinkspanError) -> ProviderTokenSigner {
    let authKey = key.file
    try SecretFile.refuseOpen(authKey, holding: "a key for provider tokens")
    let identity: ProviderKeyIdentity
    do throws(ProviderTokenError) {
      identity = try ProviderKeyIdentity(team: key.team, key: key.identifier)
    } catch {
      throw LinkspanError(
        error.message + ".", help: "Both identifiers stand in the developer account, beside key and team.")
    }
    var bytes = try SecretFile.bytes(authKey)
    defer { Passphrase.wipe(&bytes) }
    do throws(IdentityError) {
      return ProviderTokenSigner(identity, key: try P256PrivateKey(bytes))
    } catch {
      throw LinkspanError(
        "'\(authKey)' cannot sign provider tokens: \(error.message).",
        help: "Give the .p8 file from the Keys page of the developer account; it holds a key on P-256.")
    }
  }

  private func trust() throws(LinkspanError) -> TLSTrust {
    guard let authorities else { return .system }
    let bytes = try FileReader.bytes(authorities)
    let trust = TLSTrust.authoritiesPEM(bytes)
    do throws(TLSError) {
      try trust.check()
    } catch {
      throw LinkspanError(
        "'\(authorities)' contains no readable certificate.", help: PEMHelp.certificate(bytes))
    }
    return trust
  }

  /// - Throws: That the address of ``server`` is none.
  package func refuseUnfit() throws(LinkspanError) { _ = try place() }

  private func place() throws(LinkspanError) -> SenderAccount.Place? {
    guard let server else { return nil }
    let named = try LinkspanError.server(server, of: "--apns", example: "https://127.0.0.1:2197")
    return SenderAccount.Place(scheme: named.scheme, authority: named.authority)
  }
}

/// Whose sender it is: a key by its ``SenderKey/name``, and the environment.
package struct SenderPlace: Hashable, Sendable {
  package var key: String
  package var environment: PushEnvironment

  package init(_ key: String, _ environment: PushEnvironment) {
    self.key = key
    self.environment = environment
  }
}

/// A team's key and the servers that it is for.
package struct SenderAccount: Sendable {
  struct Place: Hashable, Sendable {
    var scheme: String
    /// Host and, where it is not the scheme's own, port.
    var authority: String
  }

  package var signer: ProviderTokenSigner
  package var trust: TLSTrust
  /// nil for Apple's.
  var place: Place?
  /// What it sends.
  package var topics = TopicChoice.all

  func place(for environment: PushEnvironment) -> Place {
    place ?? Place(scheme: "https", authority: environment.host)
  }
}
