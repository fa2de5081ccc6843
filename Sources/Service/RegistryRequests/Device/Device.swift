package import LinkspanCore
internal import PushProvider
package import PushTerms

/// A registered device.
package struct Device: Hashable, Sendable {
  /// Never used twice, so a position among devices stays valid when devices come and go.
  package var identifier: Int64
  /// Lower-case hexadecimal digits.
  package var token: String
  package var topic: String
  package var environment: PushEnvironment
  package var attributes = DeviceAttributes()
  package var createdAt: WallTime
  /// The last registration. APNs' word that a token is dead counts only if it is not older.
  package var lastSeenAt: WallTime
  /// Since when APNs calls the token dead; nil for a live one.
  package var unregisteredAt: WallTime?
  package var unregisteredReason: String?
  /// The push type that the topic's suffix stands for.
  package var pushKind: String
  /// How often it was registered, from 1.
  package var revision: Int64

  package init(
    identifier: Int64, token: String, topic: String, environment: PushEnvironment,
    attributes: DeviceAttributes = DeviceAttributes(), createdAt: WallTime, lastSeenAt: WallTime,
    unregisteredAt: WallTime? = nil, unregisteredReason: String? = nil, pushKind: String, revision: Int64
  ) {
    self.identifier = identifier
    self.token = token
    self.topic = topic
    self.environment = environment
    self.attributes = attributes
    self.createdAt = createdAt
    self.lastSeenAt = lastSeenAt
    self.unregisteredAt = unregisteredAt
    self.unregisteredReason = unregisteredReason
    self.pushKind = pushKind
    self.revision = revision
  }

  /// As the API and an export write it.
  package var json: JSON {
    .object([
      ("token", .string(token)), ("topic", .string(topic)), ("environment", .string(environment.rawValue)),
      ("alias", JSON(attributes.alias)), ("tags", .array(attributes.tags.map(JSON.string))),
      ("badge", .int(Int(attributes.badge))), ("locale", JSON(attributes.locale)),
      ("language", JSON(attributes.language)), ("time_zone", JSON(attributes.timeZone)),
      ("app_version", JSON(attributes.appVersion)), ("ip_address", JSON(attributes.ipAddress)),
      ("latitude", Self.json(attributes.latitude)), ("longitude", Self.json(attributes.longitude)),
      ("push_kind", .string(pushKind)), ("created_at", .string(createdAt.description)),
      ("last_seen_at", .string(lastSeenAt.description)),
      ("unregistered_at", JSON(unregisteredAt?.description)),
      ("unregistered_reason", JSON(unregisteredReason)),
    ])
  }

  package static func json(_ number: Double?) -> JSON { number.map { .number("\($0)") } ?? .null }
}

extension Device {
  /// What the first registration of a device makes.
  package init(new registration: DeviceRegistration, _ identifier: Int64) {
    self.init(
      identifier: identifier, token: registration.key.token.text, topic: registration.key.topic.text,
      environment: registration.key.environment, attributes: registration.attributes,
      createdAt: registration.time, lastSeenAt: registration.time, pushKind: registration.key.pushKind,
      revision: 1)
  }
}

/// What an app says about its device.
package struct DeviceAttributes: Hashable, Sendable {
  /// Whom the device belongs to, in the words of the app's server.
  package var alias: String?
  package var badge: Int64 = 0
  package var locale: String?
  package var language: String?
  /// An IANA name.
  package var timeZone: String?
  package var appVersion: String?
  package var ipAddress: String?
  /// Degrees.
  package var latitude: Double?
  package var longitude: Double?
  package var tags: [String] = []

  package init() {}
}

/// Names an attribute, so that a registration can say which ones it has something to say about.
package enum DeviceAttribute: Int, Hashable, Sendable, CaseIterable {
  case alias, badge, locale, language, timeZone, appVersion, ipAddress, latitude, longitude, tags

  package var bit: Int64 { 1 << Int64(rawValue) }

  /// A set of them, in one number: every registration has one.
  package struct Names: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// As a statement takes it.
    package private(set) var bits: Int64 = 0

    package static let all = Names(DeviceAttribute.allCases)

    package init(_ attributes: [DeviceAttribute]) {
      for attribute in attributes { insert(attribute) }
    }

    package init(arrayLiteral attributes: DeviceAttribute...) { self.init(attributes) }

    package func contains(_ attribute: DeviceAttribute) -> Bool { bits & attribute.bit != 0 }

    package mutating func insert(_ attribute: DeviceAttribute) { bits |= attribute.bit }
  }
}

/// A registration: a device and what is new about it.
package struct DeviceRegistration: Hashable, Sendable {
  package var key: DeviceKey
  package var attributes: DeviceAttributes
  /// The others keep the value they have.
  package var given: DeviceAttribute.Names
  package var time: WallTime

  package init(
    key: DeviceKey, attributes: DeviceAttributes = DeviceAttributes(), given: DeviceAttribute.Names = [],
    time: WallTime
  ) {
    self.key = key
    self.attributes = attributes
    self.given = given
    self.time = time
  }
}

/// What a registration came to.
package struct RegisteredDevice: Hashable, Sendable {
  package var device: Device

  package init(device: Device) { self.device = device }

  package var isNew: Bool { device.revision == 1 }
}
