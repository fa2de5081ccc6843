package import HTTPTransport
package import PushProvider

/// Who sends pushes, and where: APNs binds a connection to one team, so each account has connections of its own (push
/// notes, 1.18).
package struct PushAccount: Sendable {
  /// What tells accounts apart: team and key, or a certificate's name, and the server.
  package struct Name: Hashable, Sendable {
    var sender: String
    var scheme: String
    var authority: String
  }

  package let name: Name
  package let credential: PushClient.Credential
  package let identity: TLSIdentity?
  package let trust: TLSTrust
  package var scheme: String { name.scheme }
  package var authority: String { name.authority }

  /// - Parameters:
  ///   - scheme: `https`; `http` for a stand-in without TLS.
  ///   - authority: Host and, where it is not the scheme's own, port.
  package init(_ signer: ProviderTokenSigner, scheme: String, authority: String, trust: TLSTrust) {
    let sender = "\(signer.identity.team)/\(signer.identity.key)"
    name = Name(sender: sender, scheme: scheme, authority: authority)
    credential = .token(signer)
    identity = nil
    self.trust = trust
  }

  /// - Parameter sender: Names the certificate among those of this process, such as by its file.
  package init(
    certificate identity: TLSIdentity, named sender: String, scheme: String, authority: String,
    trust: TLSTrust
  ) {
    name = Name(sender: "certificate/\(sender)", scheme: scheme, authority: authority)
    credential = .certificate
    self.identity = identity
    self.trust = trust
  }
}
