package import LinkspanCore
package import PushTerms

/// Which devices of the registry: every condition that is given has to hold.
package struct DeviceFilter: Hashable, Sendable {
  /// The topics that may be seen at all; nil for every topic.
  package var visibleTopics: [String]?
  package var token: String?
  package var topic: String?
  package var environment: PushEnvironment?
  package var alias: String?
  package var audience = Audience()
  /// The earliest last registration, and the first one that is too late.
  package private(set) var seenFrom: WallTime?
  package private(set) var seenBefore: WallTime?
  /// Live ones only, dead ones only, or both.
  package var isActive: Bool?
  /// Words, each the beginning of a token, alias, locale or time zone, in any case.
  package var search: String?
  /// No device with a later identifier; nil for every one.
  package var lastIdentifier: Int64?

  package init() {}

  /// Devices that an audience has now.
  package mutating func choose(_ audience: Audience, at now: WallTime) {
    self.audience = audience
    seenFrom = audience.seenWithin.map { now.advanced(by: .zero - .seconds($0)) }
    seenBefore = audience.notSeenFor.map { now.advanced(by: .zero - .seconds($0)) }
  }
}

/// Versions as texts that sort like the versions.
package enum VersionKey {
  /// Each number with nine digits, so that 1.10 comes after 1.9 and 1.10.0 equals 1.10; at most six numbers.
  package static func key(of version: String) -> String {
    let parts = version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).prefix(6)
    var key: [UInt8] = []
    // Numbers at the end that are zero do not count.
    var usedCount = digitCount
    for part in parts {
      if !key.isEmpty { key.append(UInt8(ascii: ".")) }
      let digits = part.prefix { ASCII.isDigit($0) }.suffix(digitCount)
      key.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: digitCount - digits.count))
      key.append(contentsOf: digits)
      if digits.contains(where: { $0 != UInt8(ascii: "0") }) { usedCount = key.count }
    }
    return String(decoding: key.prefix(usedCount), as: UTF8.self)
  }

  private static let digitCount = 9
}
