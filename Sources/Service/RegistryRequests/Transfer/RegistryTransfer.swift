internal import LinkspanCore
internal import PushProvider

/// A registry as JSON lines, one device a line: for moving to another store, and for looking at it with other tools.
package enum RegistryTransfer {
  /// Devices that are read or written at a time. Ours; bounds memory.
  package static let pageLength = 1_000
  /// Of a line that is read. Ours: a device has a few hundred bytes, with every tag about 20 KB.
  package static let lineLimitBytes = 65_536

  /// A device as a line of an export, without its line feed.
  package static func line(_ device: Device) -> [UInt8] {
    guard case .object(let members) = device.json else { return [] }
    return JSON.object([("type", .string("device"))] + members).bytes
  }

  /// Reads a line of an export.
  ///
  /// - Throws: What is wrong with it, in one sentence.
  package static func device(_ line: [UInt8]) throws(InputProblem) -> Device {
    guard line.count <= lineLimitBytes else {
      throw InputProblem("", "The line is longer than \(lineLimitBytes) bytes.")
    }
    let document = JSONParser.parse(line)
    if let error = document.errors.first {
      throw InputProblem("", "It is not JSON at byte \(error.range.lowerBound + 1).")
    }
    guard let node = document.root, let members = node.object else {
      throw InputProblem("", "Expected an object.")
    }
    let token: DeviceToken
    do throws(DeviceTokenError) {
      token = try DeviceToken(node["token"]?.string ?? "")
    } catch {
      throw InputProblem("/token", "'token' is not a device token: \(error.message).")
    }
    let created = try time(node, "created_at")
    let seen = try time(node, "last_seen_at")
    var reader = DeviceReader(keepsOldTexts: true)
    reader.reportRepeatedKeys(in: node)
    if let problem = reader.problems.first { throw problem }
    let ours = members.filter { !storeKeys.contains($0.name) }
    let registration = reader.registration(
      JSONNode(.object(ours), at: node.range), token: token, at: seen ?? WallTime(milliseconds: 0))
    guard let registration else {
      throw reader.problems.first ?? InputProblem("", "It is not a device.")
    }
    var device = Device(
      identifier: 0, token: token.text, topic: registration.key.topic.text,
      environment: registration.key.environment, attributes: registration.attributes,
      createdAt: created ?? registration.time, lastSeenAt: registration.time,
      unregisteredAt: try time(node, "unregistered_at"),
      unregisteredReason: try text(node, "unregistered_reason"),
      pushKind: (registration.key.topic.impliedType ?? .alert).rawValue, revision: 1)
    device.attributes.ipAddress = try text(node, "ip_address")
    return device
  }

  /// What a client does not say about its device.
  private static let storeKeys: Set<String> = [
    "type", "token", "ip_address", "push_kind", "created_at", "last_seen_at", "unregistered_at",
    "unregistered_reason",
  ]

  private static func text(_ node: JSONNode, _ name: String) throws(InputProblem) -> String? {
    guard let value = node[name] else { return nil }
    if case .null = value.value { return nil }
    if let text = value.string, DeviceReader.isPlain(text, limit: DeviceReader.textLimit) { return text }
    throw InputProblem("/\(name)", "'\(name)' is not a text without control characters.")
  }

  private static func time(_ node: JSONNode, _ name: String) throws(InputProblem) -> WallTime? {
    guard let value = node[name] else { return nil }
    if case .null = value.value { return nil }
    if let time = value.string.flatMap({ WallTime($0) }) { return time }
    throw InputProblem("/\(name)", "'\(name)' is not a time such as 2026-09-14T08:00:00Z.")
  }
}
