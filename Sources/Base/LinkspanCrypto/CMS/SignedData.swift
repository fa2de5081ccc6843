internal import LinkspanCore

/// A CMS SignedData structure with its content inside and one signer (RFC 5652, 5), taken apart.
struct SignedData: Sendable {
  /// Our choice: what is signed here, association files and provisioning profiles, has far less.
  static let sizeLimitBytes = 4 << 20

  /// Our choice: a chain has two to four certificates.
  static let certificateLimitCount = 16

  /// What was signed.
  var content: [UInt8]
  /// Each in DER form, in the order of the structure, which means nothing.
  var certificates: [[UInt8]]
  var signer: Signer

  struct Signer: Sendable {
    /// Which certificate is the signer's.
    enum Identifier: Hashable, Sendable {
      /// The issuer's whole name element, and the content of the serial number.
      case issuerAndSerial(issuer: [UInt8], serial: [UInt8])
      case subjectKey([UInt8])

      /// Of a signer named so, and of the structure around it (RFC 5652, 5.1 and 5.3).
      var version: UInt8 {
        switch self {
        case .issuerAndSerial: 1
        case .subjectKey: 3
        }
      }
    }

    var identifier: Identifier
    var digest: DigestAlgorithm
    var key: KeyAlgorithm
    /// nil when the signature is over the content itself (`openssl smime -noattr`).
    var attributes: Attributes?
    var signature: [UInt8]
  }

  /// What is signed in the place of the content: a digest of it among other things (RFC 5652, 5.4).
  struct Attributes: Sendable {
    /// What the signature is over: the attributes as a SET.
    var signedBytes: [UInt8]
    var messageDigest: [UInt8]
  }
}
