import Foundation
import LinkspanCore
import LinkspanCrypto
import Testing

@testable import PushStandIn

/// A stand-in on a clock, a connection to it, and the base request B of the push notes' test table (11).
struct Exchange {
  /// Made by openssl for these tests.
  static let key = pem(
    """
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0qj5lmOzFPBQi42J
    KbMdFdNFne7ujAqlO2Tu0XS3Si6hRANCAAQJM3cVMH3HlwOC3P0d6cPgSrv4/nSq
    i5zhAw1JFxSEfqcaYzVflIqCpZQMdjz1giGcl0LPBT8HSHuk2KE3EYob
    """)
  static let otherKey = Result { () throws(IdentityError) in try P256PrivateKey.generate() }
  static let start = WallTime(milliseconds: 1_800_000_000_000)
  /// T1 of the table.
  static let token = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

  var service: APNsService
  var connection: APNsConnection
  var now = start
  private var connections = 1

  /// - Parameter change: What the stand-in is told beyond T1, key K1 of team X1 and two topics.
  init(
    certificate: ProviderCertificate? = nil, _ change: (inout APNsConfiguration) throws -> Void = { _ in }
  ) throws {
    var configuration = APNsConfiguration()
    configuration.keys = [
      ProviderKey(identifier: "K1K1K1K1K1", team: "X1X1X1X1X1", publicKey: try Self.key.get().publicKey),
      ProviderKey(identifier: "K2K2K2K2K2", team: "X1X1X1X1X1", publicKey: try Self.otherKey.get().publicKey),
      ProviderKey(identifier: "K3K3K3K3K3", team: "X3X3X3X3X3", publicKey: try Self.otherKey.get().publicKey),
    ]
    configuration.topics = ["com.example.app", "com.other.app"]
    configuration.tokens.set(.init(topic: "com.example.app"), for: Self.token)
    try change(&configuration)
    service = APNsService(configuration, start: Self.start)
    connection = APNsConnection(number: 1, certificate: certificate)
  }

  private static func pem(_ base64: String) -> Result<P256PrivateKey, IdentityError> {
    let text = "-----BEGIN PRIVATE KEY-----\n\(base64)\n-----END PRIVATE KEY-----\n"
    return Result { () throws(IdentityError) in try P256PrivateKey(Array(text.utf8)) }
  }

  mutating func reconnect() {
    connections += 1
    connection = APNsConnection(number: connections, certificate: connection.certificate)
  }

  mutating func send(_ request: HTTPRequest) -> APNsReply {
    service.reply(to: request, over: &connection, at: now)
  }

  /// Sends B with changes.
  mutating func push(_ change: (inout HTTPRequest) throws -> Void = { _ in }) throws -> APNsReply {
    var request = try base
    try change(&request)
    return send(request)
  }

  /// The moment, so many seconds from now, as `iat` has it.
  func seconds(_ offset: Int) -> String { String(now.milliseconds / 1000 + Int64(offset)) }

  var base: HTTPRequest {
    get throws {
      HTTPRequest(
        method: "POST", authority: "api.sandbox.push.apple.com", target: "/3/device/\(Self.token)",
        fields: [
          "authorization": "bearer \(try Self.usualToken(issued: seconds(-60)))",
          "apns-topic": "com.example.app",
          "apns-push-type": "alert", "apns-priority": "10",
        ], body: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
    }
  }

  private static let usualTokens = LockedState<[String: String]>([:])

  /// One token for each moment, as a sender has: signing again would make another.
  private static func usualToken(issued: String) throws -> String {
    try usualTokens.withLock { tokens in
      if let token = tokens[issued] { return token }
      let token = try jwt(issued: issued)
      tokens[issued] = token
      return token
    }
  }

  static func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// A token by another encoder than the program's.
  static func jwt(
    issued: String, key: String = "K1K1K1K1K1", team: String = "X1X1X1X1X1", algorithm: String = "ES256",
    signedBy signer: P256PrivateKey? = nil
  ) throws -> String {
    let header = #"{"alg":"\#(algorithm)","kid":"\#(key)","typ":"JWT"}"#
    let claims = #"{"iss":"\#(team)","iat":\#(issued)}"#
    let signed = base64URL(Data(header.utf8)) + "." + base64URL(Data(claims.utf8))
    let signer = try signer ?? Self.key.get()
    return signed + "." + base64URL(Data(try signer.signature(over: Array(signed.utf8))))
  }
}

extension APNsReply {
  /// `200`, or `400 BadTopic`.
  var verdict: String {
    ([String(response.status)] + (reason.map { [$0] } ?? [])).joined(separator: " ")
  }

  /// As a client reads it.
  var reason: String? { JSONParser.parse(response.body).root?["reason"]?.string }

  var timestamp: Int? { JSONParser.parse(response.body).root?["timestamp"]?.int }
}
