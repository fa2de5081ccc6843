internal import LinkspanCore

/// What a plain reader of the API's documents believes after each answer; shares no code with the service.
struct ServiceModel {
  /// A message that somebody asked for.
  struct Note: Hashable {
    /// What stands in its payload, and in no other.
    var word: String
    /// nil for a campaign.
    var person: Int?
    /// The alias that the person had; nil for a campaign.
    var alias: String?
    var credential: Int
    var key: Int?
    /// The earliest that a clock has shown since it was asked for.
    var earliest: WallTime
    /// nil until it is acknowledged.
    var identifier: String?
    /// Deliveries that the answer told of.
    var deliveries: Int?
    /// Whether it names a token, which need not be registered.
    var isByToken = false
    /// Whether its person was erased, so that it must not go out any more, and what it says must not be found.
    var isErased = false
    /// Devices that fit the query of a campaign; nil for every device.
    var audience: Set<Int>?
    /// Whether its journal may have been removed.
    var mayBeGone = false
    /// Pushes of it that APNs accepted, by device.
    var accepted: [Int: Int] = [:]
    /// Pushes of it that APNs rejected.
    var refused = 0
  }

  /// Whose requests are counted together.
  struct Counted: Hashable {
    var process: Int
    var credential: Int
  }

  var devices: [DeviceBelief]
  /// When the belief about a device has changed last, in milliseconds of uptime.
  var changedAt: [Int64]
  /// Whose a device was before it was erased.
  var lastOwner: [Int?]
  /// When the disk's state has changed last, in milliseconds of uptime.
  var disturbedAt: Int64 = 0
  /// Changes whose answer said that nobody knows whether they are stored: an `fsync` had failed. A read may not show one, and a
  /// start finds it all the same, as no one has acknowledged that it is not there, until something else is stored in its place.
  private var open: [(change: DeviceChange, device: Int?)] = []
  /// What devices may be again when a power cut takes away what a start has found.
  private var returning: [Int: DeviceBelief] = [:]
  /// Devices that APNs may have called dead, so that they may get nothing.
  var mayBeDead: Set<Int> = []
  var notes: [String: Note] = [:]
  /// Devices whose tokens stand in messages, registered or not.
  var namedDevices: Set<Int> = []
  var channels = ChannelModel()
  /// Numbers of the page of metrics that only grow, by process and series.
  var counted: [Int: [String: Double]] = [:]
  /// The last list that somebody wanted kept.
  var listed: JSONNode?
  /// Lines of the audit log that must be there, and that may be there as well.
  var audited: [String: (certain: Int, possible: Int)] = [:]
  /// When requests were answered that a limiter may have counted, in milliseconds of uptime.
  var answered: [Counted: [Int64]] = [:]

  init(deviceCount: Int) {
    devices = Array(repeating: DeviceBelief(), count: deviceCount)
    changedAt = Array(repeating: 0, count: deviceCount)
    lastOwner = Array(repeating: nil, count: deviceCount)
  }

  // MARK: - Changes

  mutating func take(_ change: DeviceChange, of device: Int?, at uptime: Int64) {
    update(device, at: uptime) { $0.take(change) }
  }

  mutating func mayTake(_ change: DeviceChange, of device: Int?, at uptime: Int64) {
    update(device, at: uptime) { $0.mayTake(change) }
  }

  /// An answer said that nobody knows whether a change is stored.
  mutating func leaveOpen(_ change: DeviceChange, of device: Int?) {
    open.append((change, device))
    for index in devices.indices where device == nil || device == index {
      returning[index, default: devices[index]].mayBe(as: devices[index])
    }
  }

  /// Something was acknowledged, and so is stored in the place of what was not.
  mutating func noteStored() {
    open = []
    returning = [:]
  }

  /// A server has started.
  mutating func noteStart(at uptime: Int64) {
    for (change, device) in open { mayTake(change, of: device, at: uptime) }
  }

  mutating func notePowerCut() {
    for (index, belief) in returning { devices[index].mayBe(as: belief) }
  }

  private mutating func update(_ device: Int?, at uptime: Int64, _ change: (inout DeviceBelief) -> Void) {
    for index in devices.indices where device == nil || device == index {
      let before = devices[index]
      change(&devices[index])
      guard devices[index] != before else { continue }
      changedAt[index] = uptime
      lastOwner[index] = before.certain ?? nil
    }
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

  /// Any number of lines may be there.
  mutating func leaveAuditOpen(_ line: String) {
    audited[line] = (audited[line]?.certain ?? 0, .max / 2)
  }

  /// Somebody has set the clock.
  mutating func noteTime(_ now: WallTime) {
    for (word, note) in notes where now < note.earliest { notes[word]?.earliest = now }
  }
}
