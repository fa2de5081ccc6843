/// What may be stored about one device token, given what was asked and what was acknowledged.
struct DeviceBelief: Hashable {
  /// nil for a device that is not registered.
  private(set) var owners: Set<Int?> = [nil]

  /// A change that was acknowledged: it is stored, and whatever may have been before is over.
  mutating func take(_ change: DeviceChange) { owners = Set(owners.map(change.result)) }

  /// A change of which nobody knows whether it was stored.
  mutating func mayTake(_ change: DeviceChange) { owners.formUnion(owners.map(change.result)) }

  /// Nobody knows whether it is as it was then.
  mutating func mayBe(as other: DeviceBelief) { owners.formUnion(other.owners) }

  /// What a read has shown, while no change is under way.
  mutating func see(_ owner: Int?) { owners = [owner] }

  func mayBe(_ owner: Int?) -> Bool { owners.contains(owner) }

  /// nil where it is not known.
  var certain: Int?? { owners.count == 1 ? owners.first : nil }
}

/// A change of one device.
enum DeviceChange: Hashable {
  case register(person: Int)
  case delete
  /// Takes the device of that person alone.
  case erase(person: Int)

  func result(_ owner: Int?) -> Int? {
    switch self {
    case .register(let person): person
    case .delete: nil
    case .erase(let person): owner == person ? nil : owner
    }
  }
}
