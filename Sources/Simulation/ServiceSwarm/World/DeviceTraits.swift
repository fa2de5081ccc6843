internal import LinkspanCore

/// What the app on a device says of it at each registration.
struct DeviceTraits {
  var locale, zone, version, parity: String

  private static let locales = ["de", "en_GB", "pt-BR"]
  private static let zones = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"]

  /// - Parameter device: Its place.
  init(_ device: Int) {
    locale = Self.locales[device % Self.locales.count]
    zone = Self.zones[device % Self.zones.count]
    version = "1.\(device)"
    parity = device.isMultiple(of: 2) ? "even" : "odd"
  }

  /// Of a registration's body.
  var members: [(String, JSON)] {
    [
      ("locale", .string(locale)), ("time_zone", .string(zone)), ("app_version", .string(version)),
      ("tags", .array([.string(parity), .string("of-a-swarm")])), ("badge", .int(3)),
      ("latitude", .number("48.2")), ("longitude", .number("16.37")),
    ]
  }
}

/// What a campaign asks of devices, and which of them may fit.
struct DeviceQuery: Sendable {
  var json: JSON
  /// A device that somebody imported has other traits, and fits none of these.
  var mayFit: @Sendable (DeviceTraits) -> Bool

  private init(
    _ name: String, _ value: JSON, _ others: [(String, JSON)] = [],
    _ mayFit: @escaping @Sendable (DeviceTraits) -> Bool
  ) {
    json = .object([(name, value)] + others)
    self.mayFit = mayFit
  }

  private static func list(_ texts: String...) -> JSON { .array(texts.map(JSON.string)) }

  static let all: [DeviceQuery] = [
    DeviceQuery("tags", list("even", "of-a-swarm")) { $0.parity == "even" },
    DeviceQuery("any_tags", list("even", "red"), [("without_tags", list("odd"))]) { $0.parity == "even" },
    DeviceQuery("locales", list("de")) { $0.locale == "de" },
    DeviceQuery("time_zones", list("UTC", "Asia/Kolkata")) { ["UTC", "Asia/Kolkata"].contains($0.zone) },
    DeviceQuery("from_version", .string("1.4")) { $0.version >= "1.4" },
    DeviceQuery("below_version", .string("1.4"), [("seen_within_s", .int(86_400))]) { $0.version < "1.4" },
  ]
}
