internal import LinkspanCore
internal import PushProvider

/// What APNs remembers of one connection.
package struct APNsConnection: Sendable {
  package let number: Int
  /// Nil under token authentication.
  package let certificate: ProviderCertificate?
  /// The last SETTINGS_MAX_CONCURRENT_STREAMS.
  var concurrentStreams: Int
  /// A rule has set ``concurrentStreams``, which stays until another rule does.
  var followsRules = false
  /// Of the first accepted token: a connection belongs to one team, and to keys that are related to its first one.
  var firstKey: ProviderKey?
  /// The token in use, and when it was first seen here.
  var token: (token: ProviderTokens.Token, since: WallTime)?
  /// Errors so far, `BadDeviceToken` weighing more.
  var errorCount = 0
  /// It has been told to go.
  var isLeaving = false
  /// Of the fields read last: an engine hands the very same ones on for requests that are alike.
  private var lastHead = SharedHead(HTTPFields())
  /// What was found of those fields; nil when they, or whoever sends them, are others.
  var judged: JudgedHead?

  /// By reference, as ``SharedHead``.
  final class JudgedHead: Sendable {
    let refusal: APNsRefusal?
    /// The topic that the push goes to.
    let topic: String?
    /// With that topic.
    let headers: PushHeaders

    init(refusal: APNsRefusal?, topic: String?, headers: PushHeaders) {
      self.refusal = refusal
      self.topic = topic
      self.headers = headers
    }
  }

  /// - Parameter initialStreams: What the server's first SETTINGS said.
  package init(number: Int, certificate: ProviderCertificate? = nil, initialStreams: Int = 1) {
    self.number = number
    self.certificate = certificate
    concurrentStreams = initialStreams
  }

  mutating func head(of fields: HTTPFields) -> SharedHead {
    if fields != lastHead.fields {
      lastHead = SharedHead(fields)
      judged = nil
    }
    return lastHead
  }
}
