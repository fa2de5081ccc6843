/// One element of Apple's Continuity messages: a type, a length and so many bytes.
///
/// - Source: rule B.6, observed.
package struct ContinuityElement: Hashable, Sendable {
  package static let handoffType: UInt8 = 0x0C

  package var type: UInt8
  package var value: [UInt8]

  package init(type: UInt8, value: [UInt8]) {
    precondition(value.count <= Int(UInt8.max), "the length is one byte")
    self.type = type
    self.value = value
  }

  /// nil for a type that nobody has named.
  package var name: String? { Self.names[type]?.name }

  /// Whether the value has a length that the type is known to have.
  package var hasKnownLength: Bool {
    guard let lengths = Self.names[type]?.lengths else { return true }
    return lengths.contains(value.count)
  }

  private static let names: [UInt8: (name: String, lengths: [Int]?)] = [
    0x01: ("iOS", nil), 0x02: ("iBeacon", [0x15]), 0x03: ("AirPrint", [0x16]), 0x05: ("AirDrop", [0x12]),
    0x06: ("HomeKit", [0x0D]), 0x07: ("Proximity pairing", nil), 0x08: ("Hey Siri", [7, 8]),
    0x09: ("AirPlay target", [6]), 0x0A: ("AirPlay source", [1]), 0x0B: ("Magic Switch", [3]),
    0x0C: ("Handoff", [0x0E]), 0x0D: ("Tethering target", [4]), 0x0E: ("Tethering source", [6]),
    0x0F: ("Nearby Action", nil), 0x10: ("Nearby Info", [5, 6]), 0x12: ("Find My", [0x19]),
  ]
}
