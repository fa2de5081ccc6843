internal import LinkspanCore
internal import PushProvider

/// The fields of a request that APNs looks at, read in one pass.
struct RequestHead: Sendable {
  private var authorization: String?
  /// The token of `authorization: bearer TOKEN`; nil without one.
  private(set) var bearerToken: String?
  var messageIdentifier: String?
  var requestIdentifier: String?
  var channelIdentifier: String?
  var type: String?
  var topic: String?
  var priority: String?
  var expiration: String?
  var collapseIdentifier: String?
  /// A field that APNs knows came twice.
  var hasDuplicates = false

  init(_ fields: HTTPFields) {
    for field in fields.list { take(field.name, field.value) }
    bearerToken = authorization.flatMap(Self.bearerToken)
  }

  private mutating func take(_ name: String, _ value: String) {
    switch name {
    case "authorization": Self.set(&authorization, value, &hasDuplicates)
    case "apns-id": Self.set(&messageIdentifier, value, &hasDuplicates)
    case "apns-push-type": Self.set(&type, value, &hasDuplicates)
    case "apns-topic": Self.set(&topic, value, &hasDuplicates)
    case "apns-priority": Self.set(&priority, value, &hasDuplicates)
    case "apns-expiration": Self.set(&expiration, value, &hasDuplicates)
    case "apns-collapse-id": Self.set(&collapseIdentifier, value, &hasDuplicates)
    case "apns-request-id": Self.set(&requestIdentifier, value, &hasDuplicates)
    case "apns-channel-id": Self.set(&channelIdentifier, value, &hasDuplicates)
    default:
      // HTTP/1.1 leaves names as they were written.
      let lowercased = ASCII.lowercased(name)
      if lowercased != name { take(lowercased, value) }
    }
  }

  private static func set(_ member: inout String?, _ value: String, _ hasDuplicates: inout Bool) {
    if member != nil { hasDuplicates = true }
    member = value
  }

  /// What is judged of them without a look at who sends them.
  var headers: PushHeaders {
    var headers = PushHeaders()
    headers.extent = .whole
    headers.messageIdentifier = messageIdentifier.map { .init($0) }
    headers.type = type.map { .init($0) }
    headers.topic = topic.map { .init($0) }
    headers.priority = priority.map { .init($0) }
    headers.expiration = expiration.map { .init($0) }
    headers.collapseIdentifier = collapseIdentifier.map { .init($0) }
    return headers
  }

  private static func bearerToken(_ authorization: String) -> String? {
    let scheme = "bearer "
    guard authorization.utf8.count > scheme.utf8.count,
      zip(authorization.utf8, scheme.utf8).allSatisfy({ ASCII.lowercased($0) == $1 })
    else { return nil }
    let token = authorization.utf8.dropFirst(scheme.utf8.count).drop { $0 == UInt8(ascii: " ") }
    return token.isEmpty ? nil : String(Substring(token))
  }
}

/// Fields, and what was read of them. By reference, for it is the same for thousands of requests.
final class SharedHead: Sendable {
  let fields: HTTPFields
  let head: RequestHead

  init(_ fields: HTTPFields) {
    self.fields = fields
    head = RequestHead(fields)
  }
}
