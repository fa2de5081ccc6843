package import LinkspanCore
internal import PushProvider

/// What a request asked for and what came of it: one line of the record.
package struct RequestFacts: Sendable {
  package var time: WallTime
  package var connection: Int
  /// Nil for a request that is no push to a device.
  package var token: String?
  package var messageIdentifier: String?
  package var uniqueIdentifier: String?
  /// The topic that the push went to, which a certificate may have named in the header's place.
  package var topic: String?
  package var channelIdentifier: String?
  private let shared: SharedHead
  var type: String? { shared.head.type }
  package let payload: [UInt8]
  package let method: String
  package let target: String
  package var isByCertificate = false
  /// Whether it manages channels, and so carries no payload (push notes, 6).
  var isManagement = false
  package var status: Int?
  package var reason: APNsReason?
  package var ending = APNsReply.Ending.answered

  init(_ request: HTTPRequest, _ shared: SharedHead, over connection: Int, at time: WallTime) {
    self.time = time
    self.connection = connection
    self.shared = shared
    topic = shared.head.topic
    channelIdentifier = shared.head.channelIdentifier
    payload = request.body
    method = request.method
    target = request.target
  }

  /// One JSON object. The nine names of a push come first; what they are in the request's text stays as it was where it
  /// is no number.
  package var json: JSON {
    let head = shared.head
    var members: [(String, JSON)] = [
      ("type", .string(token == nil ? "request" : "push")), ("token", .init(token)),
      ("apns_id", .init(messageIdentifier)), ("topic", .init(topic)), ("push_type", .init(type)),
      ("priority", Self.number(head.priority)), ("expiration", Self.number(head.expiration)),
      ("collapse_id", .init(head.collapseIdentifier)), ("payload", payloadJSON), ("status", .init(status)),
      ("reason", .init(reason?.rawValue)), ("time", .string("\(time)")), ("connection", .int(connection)),
      ("method", .string(method)), ("path", .string(target)), ("payload_bytes", .int(payload.count)),
      ("authentication", .string(isByCertificate ? "certificate" : "token")),
    ]
    if let uniqueIdentifier { members.append(("apns_unique_id", .string(uniqueIdentifier))) }
    if let channelIdentifier { members.append(("channel_id", .string(channelIdentifier))) }
    if let lost { members.append(("lost", .string(lost))) }
    let warnings = warnings
    if !warnings.isEmpty { members.append(("warnings", .array(warnings.map(JSON.string)))) }
    return .object(members)
  }

  private var lost: String? {
    switch ending {
    case .answered: nil
    case .reset: "reset"
    case .requestLost: "request"
    case .answerLost: "answer"
    case .silence: "silence"
    }
  }

  private static func number(_ text: String?) -> JSON {
    text.flatMap { Int($0) }.map(JSON.int) ?? .init(text)
  }

  /// The payload's value where it is JSON, else its text; null for none.
  private var payloadJSON: JSON {
    if payload.isEmpty { return .null }
    let document = JSONParser.parse(payload)
    if document.isWellFormed, let root = document.root { return root.json }
    return .string(String(decoding: payload, as: UTF8.self))
  }

  /// What APNs accepts and a device would not do anything with (push notes, 11, 27, 32 and 78).
  private var warnings: [String] {
    guard status == 200, !isManagement else { return [] }
    var warnings: [String] = []
    let document = JSONParser.parse(payload)
    guard document.isWellFormed, let root = document.root, root.object != nil else {
      return ["the payload is not a JSON object; a device drops it"]
    }
    if type == nil { warnings.append("apns-push-type is missing; a watch drops the push") }
    let aps = root["aps"]
    if aps?.object == nil, root["mdm"] == nil { warnings.append("the payload has no 'aps' dictionary") }
    if type == "background" {
      let isShown = ["alert", "badge", "sound"].contains { aps?[$0] != nil }
      if isShown {
        warnings.append("mismatch: push type background with something to show; it may be dropped")
      }
      // `true` is read as 1 (5.2, inferred).
      let flag = aps?["content-available"]
      if flag?.wholeNumber != 1, flag?.bool != true {
        warnings.append("push type background without 'content-available': 1 in 'aps'; the app is not woken")
      }
    }
    if channelIdentifier != nil, aps?["event"]?.string == "start" {
      warnings.append("a broadcast cannot start an activity")
    }
    return warnings
  }
}
