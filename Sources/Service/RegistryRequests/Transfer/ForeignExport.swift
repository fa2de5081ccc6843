internal import LinkspanCore
internal import PushCampaigns
internal import PushProvider
package import PushTerms

/// Devices as other services export them, by the names that they give their columns.
///
/// - Sources: Parse Platform, `_Installation`, as the dashboard or `mongoexport` writes it; Firebase, the answer of
///   `iid/v1:batchImport`; Amazon SNS, `list-endpoints-by-platform-application`; OneSignal, `players/csv_export`.
package enum ForeignExport: String, Hashable, Sendable, CaseIterable {
  case parse, firebase, sns, onesignal

  /// The column with the device token, or for SNS with what tells the platform.
  var tokenColumn: String {
    switch self {
    case .parse: "deviceToken"
    case .firebase: "apns_token"
    case .sns: "EndpointArn"
    case .onesignal: "identifier"
    }
  }

  /// Whether its rows say which app they are of, or which of Apple's environments.
  package var namesTopic: Bool { self == .parse }
  package var namesEnvironment: Bool { self == .sns }

  /// What a row is.
  package enum Row: Hashable, Sendable {
    case device(Device)
    /// Of a platform that has no APNs token.
    case otherPlatform
    /// The service does not send to it any more.
    case disabled
  }

  /// What an export does not say of its devices.
  package struct Place: Hashable, Sendable {
    package var topic: String?
    package var environment: PushEnvironment?

    package init(topic: String?, environment: PushEnvironment?) {
      self.topic = topic
      self.environment = environment
    }
  }

  /// A row as the service's names and values.
  struct Fields {
    var values: [String: JSON] = [:]

    func text(_ name: String) -> String? {
      switch values[name] {
      case .string(let text): text.isEmpty ? nil : text
      case .number(let text): text
      // MongoDB's numbers with a type: {"$numberInt":"4"}.
      case .object(let members): Self.number(members)
      default: nil
      }
    }

    static func number(_ members: [(String, JSON)]) -> String? {
      guard members.count == 1, ["$numberInt", "$numberLong"].contains(members[0].0),
        case .string(let text) = members[0].1
      else { return nil }
      return text
    }

    func isTrue(_ name: String) -> Bool? {
      if case .bool(let flag) = values[name] { return flag }
      return text(name).map { ["t", "true", "1"].contains($0.lowercased()) }
    }
  }

  /// Reads one object of an export in JSON.
  ///
  /// - Throws: What is wrong with it, in one sentence.
  func row(_ bytes: [UInt8], _ place: Place) throws(InputProblem) -> Row {
    guard bytes.count <= RegistryTransfer.lineLimitBytes else {
      throw InputProblem("", "The object is longer than \(RegistryTransfer.lineLimitBytes) bytes.")
    }
    let document = JSONParser.parse(bytes)
    if let error = document.errors.first {
      throw InputProblem("", "It is not JSON at byte \(error.range.lowerBound + 1) of the object.")
    }
    guard let members = document.root?.object else { throw InputProblem("", "Expected an object.") }
    var fields = Fields()
    for member in members { fields.values[member.name] = member.value.json }
    return try row(fields, place)
  }

  /// Reads a row by its names.
  func row(_ fields: Fields, _ place: Place) throws(InputProblem) -> Row {
    switch self {
    case .parse: try parse(fields, place)
    case .firebase: try firebase(fields, place)
    case .sns: try sns(fields, place)
    case .onesignal: try onesignal(fields, place)
    }
  }

  // MARK: - Services

  private func parse(_ fields: Fields, _ place: Place) throws(InputProblem) -> Row {
    guard let type = fields.text("deviceType")?.lowercased() else {
      throw InputProblem("/deviceType", Self.missing("deviceType"))
    }
    guard type == "ios" || type == "osx" || type == "tvos" || type == "macos" else { return .otherPlatform }
    // Pushes of that kind go through Google's service.
    if let kind = fields.text("pushType"), kind != "apn", kind != "apns" { return .otherPlatform }
    // An installation that never registered for pushes.
    guard fields.text("deviceToken") != nil else { return .disabled }
    var place = place
    place.topic = place.topic ?? fields.text("appIdentifier")
    var device = try device(fields.text("deviceToken"), "deviceToken", place)
    device.attributes.appVersion = storable(fields.text("appVersion"))
    device.attributes.badge = badge(fields.text("badge"))
    let locale = storable(fields.text("localeIdentifier"))
    device.attributes.locale = locale.map { $0.replacing("-", with: "_") }
    device.attributes.timeZone = fields.text("timeZone").flatMap { TimeZoneRules.isName($0) ? $0 : nil }
    if case .array(let channels) = fields.values["channels"] {
      device.attributes.tags = tags(channels.compactMap(Self.string))
    } else {
      let list = try embedded(fields, "channels")?.array ?? []
      device.attributes.tags = tags(list.compactMap(\.string))
    }
    if case .object(let pointer) = fields.values["user"],
      case .string(let identifier)? = pointer.first(where: { $0.0 == "objectId" })?.1
    {
      device.attributes.alias = try alias(identifier, "user")
    }
    // CSV has the identifier alone, or the pointer as JSON.
    if case .string(let text) = fields.values["user"], !text.isEmpty {
      let pointer = text.hasPrefix("{") ? try embedded(fields, "user") : nil
      device.attributes.alias = try alias(pointer?["objectId"]?.string ?? text, "user")
    }
    // What mongoexport calls its references.
    if let reference = fields.text("_p_user") {
      device.attributes.alias = try alias(reference.split(separator: "$").last.map(String.init), "_p_user")
    }
    let updated = time(fields.values["updatedAt"] ?? fields.values["_updated_at"])
    let created = time(fields.values["createdAt"] ?? fields.values["_created_at"])
    return dated(device, created: created, seen: updated)
  }

  private func firebase(_ fields: Fields, _ place: Place) throws(InputProblem) -> Row {
    if let status = fields.text("status"), status != "OK" {
      throw InputProblem("/status", "Firebase refused the token: \(status).")
    }
    return .device(try device(fields.text("apns_token"), "apns_token", place))
  }

  private func sns(_ fields: Fields, _ place: Place) throws(InputProblem) -> Row {
    // arn:aws:sns:REGION:ACCOUNT:endpoint/PLATFORM/APPLICATION/UUID
    let parts = (fields.text("EndpointArn") ?? "").split(separator: "/")
    guard parts.count == 4 else {
      throw InputProblem("/EndpointArn", "'EndpointArn' is missing, or is not that of an endpoint.")
    }
    guard parts[1].hasPrefix("APNS") || parts[1].hasPrefix("MACOS") else { return .otherPlatform }
    guard case .object(let members) = fields.values["Attributes"] else {
      throw InputProblem("/Attributes", "'Attributes' is missing, or is not an object.")
    }
    let attributes = Fields(values: Dictionary(members) { _, last in last })
    if attributes.isTrue("Enabled") == false { return .disabled }
    var place = place
    place.environment = parts[1].hasSuffix("SANDBOX") ? .sandbox : .production
    // PushKit's tokens belong to a topic of their own: APNS_VOIP, APNS_VOIP_SANDBOX.
    if parts[1].hasPrefix("APNS_VOIP"), let topic = place.topic, !topic.hasSuffix(".voip") {
      place.topic = topic + ".voip"
    }
    var device = try device(attributes.text("Token"), "Token", place)
    device.attributes.alias = try alias(attributes.text("CustomUserData"), "CustomUserData")
    return .device(device)
  }

  private func onesignal(_ fields: Fields, _ place: Place) throws(InputProblem) -> Row {
    // 0 is iOS; others are Android, browsers, mail and telephone numbers.
    guard fields.text("device_type") == "0" else {
      if fields.text("device_type") == nil { throw InputProblem("/device_type", Self.missing("device_type")) }
      return .otherPlatform
    }
    if fields.isTrue("invalid_identifier") == true || fields.text("identifier") == nil { return .disabled }
    // Positive for what the person allows, -2 for who has unsubscribed, other negative ones for errors.
    if fields.text("notification_types")?.hasPrefix("-") == true { return .disabled }
    var device = try device(fields.text("identifier"), "identifier", place)
    device.attributes.alias = try alias(fields.text("external_user_id"), "external_user_id")
    device.attributes.language = storable(fields.text("language"))
    device.attributes.timeZone = fields.text("timezone_id").flatMap { TimeZoneRules.isName($0) ? $0 : nil }
    device.attributes.appVersion = storable(fields.text("game_version"))
    device.attributes.badge = badge(fields.text("badge_count"))
    let members = try embedded(fields, "tags")?.object ?? []
    device.attributes.tags = tags(members.map { "\($0.name):\($0.value.string ?? $0.value.json.text)" })
    return dated(
      device, created: time(fields.values["created_at"]), seen: time(fields.values["last_active"]))
  }

  // MARK: - Values

  private static func missing(_ name: String) -> String {
    "'\(name)' is missing; is this an export of another service?"
  }

  private func device(_ text: String?, _ name: String, _ place: Place) throws(InputProblem) -> Device {
    guard let text else {
      throw InputProblem("/\(name)", Self.missing(name))
    }
    let token: DeviceToken
    do throws(DeviceTokenError) {
      token = try DeviceToken(text)
    } catch {
      throw InputProblem("/\(name)", "'\(name)' is not a device token: \(error.message).")
    }
    guard let topic = place.topic.flatMap({ PushTopic($0) }) else {
      throw InputProblem(
        "",
        place.topic == nil
          ? "The export names no app; add '--topic'." : "'\(place.topic ?? "")' is not a bundle identifier.")
    }
    guard let environment = place.environment else {
      throw InputProblem(
        "", "The export does not say which of Apple's environments it is for; add '--environment'.")
    }
    let never = WallTime(milliseconds: 0)
    return Device(
      identifier: 0, token: token.text, topic: topic.text, environment: environment, createdAt: never,
      lastSeenAt: never, pushKind: (topic.impliedType ?? .alert).rawValue, revision: 1)
  }

  private func dated(_ device: Device, created: WallTime?, seen: WallTime?) -> Row {
    var device = device
    device.lastSeenAt = seen ?? created ?? device.lastSeenAt
    device.createdAt = created ?? device.lastSeenAt
    return .device(device)
  }

  /// A text that the registry takes; others are left out, since the device can do without.
  private func storable(_ text: String?) -> String? {
    guard let text, DeviceReader.isPlain(text, limit: DeviceReader.textLimit), DeviceReader.isStorable(text)
    else {
      return nil
    }
    return text
  }

  /// Who has the device.
  ///
  /// - Throws: That the registry does not take it: a device without its person would be neither found nor erased with them.
  private func alias(_ text: String?, _ name: String) throws(InputProblem) -> String? {
    guard let text else { return nil }
    guard let alias = storable(text) else {
      throw InputProblem(
        "/\(name)",
        "'\(name)' is no alias: expected 1 to \(DeviceReader.textLimit) characters without \(DeviceReader.unstorable)."
      )
    }
    return alias
  }

  private static func string(_ value: JSON) -> String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// JSON inside a text, as CSV has it.
  ///
  /// - Throws: That it is not whole: what was cut would be missing from the tags without a word.
  private func embedded(_ fields: Fields, _ name: String) throws(InputProblem) -> JSONNode? {
    guard let text = fields.text(name) else { return nil }
    let document = JSONParser.parse(Array(text.utf8))
    if let error = document.errors.first {
      throw InputProblem("/\(name)", "'\(name)' is not JSON at byte \(error.range.lowerBound + 1) of it.")
    }
    return document.root
  }

  private func tags(_ texts: [String]) -> [String] {
    let tags = texts.filter {
      DeviceReader.isPlain($0, limit: DeviceReader.tagLimit) && DeviceReader.isStorable($0)
    }
    return Array(tags.eachOnce.prefix(DeviceReader.tagLimit))
  }

  private func badge(_ text: String?) -> Int64 {
    guard let text, let badge = Int64(text), (0...DeviceReader.badgeLimit).contains(badge) else { return 0 }
    return badge
  }

  /// RFC 3339, seconds since 1970, a browser's date, or MongoDB's `{"$date":…}` in milliseconds.
  private func time(_ value: JSON?) -> WallTime? {
    switch value {
    case .string(let text):
      if let seconds = Int64(text) { return Self.time(seconds, of: 1_000) }
      return WallTime(text) ?? WallTime(text.replacing(" ", with: "T").replacing("TUTC", with: "") + "Z")
        ?? WallTime(browser: text)
    case .number(let text): return Int64(text).flatMap { Self.time($0, of: 1_000) }
    case .object(let members):
      let inner = members.first { $0.0 == "$date" || $0.0 == "iso" }?.1
      if case .number(let text)? = inner { return Int64(text).flatMap { Self.time($0, of: 1) } }
      if case .object(let number)? = inner {
        return Fields.number(number).flatMap { Int64($0) }.flatMap { Self.time($0, of: 1) }
      }
      return inner.flatMap(time)
    default: return nil
    }
  }
  /// - Parameter unit: In milliseconds.
  /// - Returns: nil for a moment that a device cannot have been seen at, or that RFC 3339 cannot write.
  private static func time(_ count: Int64, of unit: Int64) -> WallTime? {
    guard (0...WallTime.last.milliseconds / unit).contains(count) else { return nil }
    return WallTime(milliseconds: count * unit)
  }
}
