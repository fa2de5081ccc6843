/// Which devices: every condition that is given has to hold.
package struct DeviceFilter: Hashable, Sendable {
  /// The topics that may be seen at all; nil for every topic.
  package var visibleTopics: [String]?
  package var token: String?
  package var topic: String?
  package var environment: DeviceEnvironment?
  package var alias: String?
  /// Every one of them.
  package var tags: [String] = []
  /// At least one of them, if there is any.
  package var anyTags: [String] = []
  /// Each fits itself and its regions: `de` fits `de`, `de-AT` and `de_AT`. At least one must fit, if there is any.
  package var locales: [String] = []
  package var timeZones: [String] = []
  /// The lowest and the first version above.
  package var minimumVersion: String?
  package var belowVersion: String?
  /// Live ones only, dead ones only, or both.
  package var isActive: Bool?
  /// Words, each the beginning of a token, alias, locale or time zone, in any case.
  package var search: String?

  package init() {}
}

/// Versions as texts that sort like the versions.
package enum VersionKey {
  /// Each number with nine digits, so that 1.10 comes after 1.9 and 1.10.0 equals 1.10; at most six numbers.
  package static func key(of version: String) -> String {
    let parts = version.split(separator: ".", omittingEmptySubsequences: false).prefix(6).map { part in
      let digits = part.prefix { $0.isASCII && $0.isNumber }.suffix(9)
      return String(repeating: "0", count: 9 - digits.count) + digits
    }
    let used = parts.count - parts.reversed().prefix { $0.allSatisfy { $0 == "0" } }.count
    return parts.prefix(max(1, used)).joined(separator: ".")
  }
}
