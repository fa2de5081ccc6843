package import LinkspanCore

extension BundleDocument {
  /// The answer of `linkspan inspect --json`.
  package var json: JSON {
    var members: [(String, JSON)] = [
      ("type", .string("inspect")), ("kind", .string(kind.rawValue)), ("archive_bytes", .init(archiveBytes)),
    ]
    members += main.members
    members.append(("findings", .array(findings.map(\.json))))
    members.append(("summary", findings.summaryJSON))
    return .object(members)
  }
}

extension BundleInspection {
  /// The same for an embedded bundle, which says what kind it is by itself.
  private var json: JSON { .object([("kind", .string(kind.rawValue))] + members) }

  fileprivate var members: [(String, JSON)] {
    let slice = program?.mainSlice
    func strings(_ values: [String]) -> JSON { .array(values.map(JSON.string)) }
    return [
      ("path", .string(path)),
      ("bundle_identifier", .init(bundleIdentifier)),
      ("version", .init(infoPlist?.version?.value)),
      ("build", .init(infoPlist?.build?.value)),
      ("minimum_os", .init(minimumOS)),
      ("is_app_clip", .bool(isAppClip)),
      ("team", .init(teamIdentifier)),
      ("entitlements", entitlements?.json.withoutUserInformation ?? .null),
      ("associated_domains", strings(associatedDomains.map(\.withoutUserInformation))),
      ("user_activity_types", strings((infoPlist?.userActivityTypes ?? []).map(\.value))),
      ("url_schemes", strings((infoPlist?.urlSchemes ?? []).map(\.value))),
      ("linked_frameworks", strings((slice?.libraries ?? []).map(\.name))),
      ("architectures", strings((program?.slices ?? []).map(\.architecture.description))),
      ("is_encrypted", slice.map { .bool($0.isEncrypted) } ?? .null),
      ("signature", signature?.json ?? .null),
      ("profile", profile.map { $0.json(profileSignature) } ?? .null),
      ("clips", .array(clips.map(\.json))),
      ("extensions", .array(extensions.map(\.json))),
      ("watch_apps", .array(watchApps.map(\.json))),
      ("frameworks", .array(frameworks.map(\.frameworkJSON))),
      ("file_count", .int(fileCount)),
      ("size_bytes", .int(sizeBytes)),
    ]
  }

  private var frameworkJSON: JSON {
    .object([
      ("path", .string(path)), ("bundle_identifier", .init(infoPlist?.bundleIdentifier?.value)),
      ("architectures", .array((program?.slices ?? []).map { .string($0.architecture.description) })),
      ("size_bytes", .int(sizeBytes)),
    ])
  }
}

extension CodeSignature {
  fileprivate var json: JSON {
    .object([
      ("identifier", .string(identifier)), ("team", .init(teamIdentifier)),
      ("flags", .array(flags.names.map(JSON.string))), ("flags_value", .int(Int(flags.rawValue))),
      ("has_certificate", .bool(hasCertificate)),
    ])
  }
}

extension ProvisioningProfile {
  fileprivate func json(_ signature: ProfileSignature?) -> JSON {
    .object([
      ("name", .init(title)), ("uuid", .init(uuid)), ("team", .init(teamIdentifier)),
      ("bundle_identifier", .init(bundleIdentifier)),
      ("expires", expires.flatMap { PropertyListNode.time($0) } ?? .null),
      ("device_count", .init(deviceCount)),
      ("entitlements", entitlements?.json.withoutUserInformation ?? .null),
      ("signature", signature?.json ?? .null),
    ])
  }
}

extension PropertyListNode {
  /// Data as hexadecimal digits, dates as RFC 3339 has them.
  package var json: JSON {
    switch value {
    case .string(let text): .string(text)
    case .integer(let number): .int(Int(number))
    case .unsigned(let number), .uid(let number): .number(String(number))
    case .real(let number): number.isFinite ? .number(String(number)) : .null
    case .bool(let flag): .bool(flag)
    case .date(let seconds): Self.time(seconds) ?? .null
    case .data(let bytes): .string(ASCII.hexText(bytes))
    case .array(let elements): .array(elements.map(\.json))
    case .dictionary(let members): .object(members.map { ($0.key, $0.value.json) })
    }
  }

  fileprivate static func time(_ seconds: Double) -> JSON? {
    wallTime(seconds).map { .string($0.description) }
  }

  /// - Parameter seconds: Since 2001.
  /// - Returns: nil for years that RFC 3339 does not have.
  static func wallTime(_ seconds: Double) -> WallTime? {
    let milliseconds = (seconds + 978_307_200) * 1000
    guard milliseconds > -62_135_596_800_000, milliseconds < 253_402_300_800_000 else { return nil }
    return WallTime(milliseconds: Int64(milliseconds))
  }
}

extension JSON {
  /// The value with each string as ``Swift/String/withoutUserInformation`` shows it.
  fileprivate var withoutUserInformation: JSON {
    switch self {
    case .string(let text): .string(text.withoutUserInformation)
    case .array(let values): .array(values.map { $0.withoutUserInformation })
    case .object(let members): .object(members.map { ($0.0, $0.1.withoutUserInformation) })
    case .null, .bool, .int, .number: self
    }
  }
}
