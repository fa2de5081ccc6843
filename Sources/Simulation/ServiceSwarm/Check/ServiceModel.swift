/// What a plain reader of the API's documents believes after each answer; shares no code with the service.
struct ServiceModel {
  /// A message that somebody asked for.
  struct Note: Hashable {
    /// What stands in its payload, and in no other.
    var word: String
    /// nil for a campaign.
    var person: Int?
    var credential: Int
    var key: Int?
    /// nil until it is acknowledged.
    var identifier: String?
    /// Whether its person was erased, so that it must not go out any more, and what it says must not be found.
    var isErased = false
    /// Pushes of it that APNs accepted, by device.
    var accepted: [Int: Int] = [:]
  }

  var devices: [DeviceBelief]
  /// Devices that APNs may have called dead, so that they may get nothing.
  var mayBeDead: Set<Int> = []
  var notes: [String: Note] = [:]
  /// Lines of the audit log that must be there, and that may be there as well.
  var audited: [String: (certain: Int, possible: Int)] = [:]

  init(deviceCount: Int) { devices = Array(repeating: DeviceBelief(), count: deviceCount) }

  // MARK: - Changes

  mutating func take(_ change: DeviceChange, of device: Int?) {
    for index in devices.indices where device == nil || device == index { devices[index].take(change) }
  }

  mutating func mayTake(_ change: DeviceChange, of device: Int?) {
    for index in devices.indices where device == nil || device == index { devices[index].mayTake(change) }
  }

  /// How many devices of a person there are at least and at most.
  func deviceCount(of person: Int) -> ClosedRange<Int> {
    let certain = devices.indices.count { devices[$0].owners == [person] && !mayBeDead.contains($0) }
    let possible = devices.count { $0.mayBe(person) }
    return certain...possible
  }

  /// Notes an acknowledged change for the audit log, or one that may have been made.
  mutating func audit(_ line: String, isCertain: Bool) {
    let before = audited[line] ?? (0, 0)
    audited[line] = (before.certain + (isCertain ? 1 : 0), before.possible + 1)
  }
}
