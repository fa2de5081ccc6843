package import LinkspanCore

/// Why one entry of the entitlement is not what its author meant it to be.
package struct AssociatedDomainProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The raw value ends the rule identifier of a finding: `entitlement.<raw value>`.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case empty
    case tooLong = "too-long"
    case blank
    case onlyStar = "only-star"
    case buildSetting = "build-setting"
    case missingService = "missing-service"
    case unknownService = "unknown-service"
    case scheme
    case placeholder
    case emptyHost = "empty-host"
    case path
    case trailingSlash = "trailing-slash"
    case query
    case fragment
    case mode
    case port
    case wildcardPlace = "wildcard-place"
    case wildcardAppClip = "wildcard-app-clip"
    case notPunycode = "not-punycode"
    case ipAddress = "ip-address"
    case trailingDot = "trailing-dot"
    case invalidHost = "invalid-host"
    case upperCase = "upper-case"
    case underscore
    case singleLabel = "single-label"
    case topLevelWildcard = "top-level-wildcard"
    case localHost = "local-host"
    case endedService = "ended-service"
  }

  package let kind: Kind
  package let severity: Finding.Severity
  /// What is wrong, in one sentence.
  package let message: String
  /// The consequence, and what to do about it.
  package let help: String
  /// The rule it rests on, such as `E3`.
  package let source: String
  /// The part at fault, as UTF-8 offsets inside the entry.
  package let range: Range<Int>

  package var description: String { "\(message) \(help)" }

  init(
    _ kind: Kind, _ severity: Finding.Severity = .error, at range: Range<Int>, source: String,
    _ message: String, help: String
  ) {
    self.kind = kind
    self.severity = severity
    self.message = message
    self.help = help
    self.source = source
    self.range = range
  }
}
