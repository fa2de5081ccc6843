internal import Foundation

/// What a server is to know of a device.
public struct PushRegistration: Sendable, Hashable, Codable {
  /// Lower-case hexadecimal.
  public var token: String
  /// The bundle identifier, which is the topic of the app's pushes.
  public var topic: String
  /// Which APNs the token belongs to.
  public var environment: PushEnvironment
  /// Whose device it is, in the server's own words.
  public var alias: String?
  /// Such as `de_AT`.
  public var locale: String?
  /// Such as `Europe/Vienna`.
  public var timeZone: String?
  /// Groups that a campaign can select; in a fixed order, since a set has none.
  public var tags: [String]

  /// The registration of one device.
  public init(
    token: DeviceToken, topic: String, environment: PushEnvironment, alias: String? = nil,
    locale: String? = nil,
    timeZone: String? = nil, tags: [String] = []
  ) {
    self.token = token.hexadecimal
    self.topic = topic
    self.environment = environment
    self.alias = alias
    self.locale = locale
    self.timeZone = timeZone
    self.tags = tags.sorted()
  }

  /// A request for the server, as a value.
  public struct Request: Sendable, Equatable {
    /// `PUT` or `DELETE`.
    public var method: String
    /// Absolute.
    public var url: String
    /// By name.
    public var headers: [String: String]
    /// JSON; empty for `DELETE`.
    public var body: [UInt8]

    /// A request with these parts.
    public init(method: String, url: String, headers: [String: String], body: [UInt8]) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
    }
  }

  /// Which server registers devices.
  public enum Service: Sendable, Hashable {
    /// `PUT /v1/devices/TOKEN` of `linkspan serve`, with a credential that has the scope `devices:write`.
    case registry(base: String, credential: String)
    /// The API of 2013: `PUT /devices/TOKEN` below the base, without topic, environment and credential.
    case legacy(base: String)
  }

  /// The request that registers the device.
  public func request(to service: Service) -> Request {
    var members: [String: Any] = ["tags": tags]
    members["alias"] = alias
    members["locale"] = locale
    members["timezone"] = timeZone
    switch service {
    case .registry(let base, let credential):
      members["topic"] = topic
      members["environment"] = environment.rawValue
      // A value that is gone must be gone on the server too: an absent key keeps the old one.
      for key in ["alias", "locale", "timezone"] where members[key] == nil { members[key] = NSNull() }
      return Request(
        method: "PUT", url: Self.join(base, "v1/devices/" + token), headers: Self.headers(credential),
        body: Self.json(members))
    case .legacy(let base):
      return Request(
        method: "PUT", url: Self.join(base, "devices/" + token), headers: Self.headers(nil),
        body: Self.json(members))
    }
  }

  /// The request that forgets the device.
  public func removal(from service: Service) -> Request {
    switch service {
    case .registry(let base, let credential):
      let query =
        "?topic=\(URLText.encodedQueryValue(topic))&environment=\(environment.rawValue)"
      return Request(
        method: "DELETE", url: Self.join(base, "v1/devices/" + token) + query,
        headers: Self.headers(credential), body: [])
    case .legacy(let base):
      return Request(
        method: "DELETE", url: Self.join(base, "devices/" + token), headers: Self.headers(nil), body: [])
    }
  }

  private static func headers(_ credential: String?) -> [String: String] {
    var headers = ["Content-Type": "application/json", "Accept": "application/json"]
    if let credential { headers["Authorization"] = "Bearer " + credential }
    return headers
  }

  private static func join(_ base: String, _ path: String) -> String {
    base.hasSuffix("/") ? base + path : base + "/" + path
  }

  private static func json(_ members: [String: Any]) -> [UInt8] {
    // Texts, a list of texts and nulls always have a form.
    let data = try? JSONSerialization.data(
      withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
    return data.map(Array.init) ?? []
  }
}
