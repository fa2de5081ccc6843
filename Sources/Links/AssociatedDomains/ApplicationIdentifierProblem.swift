package import LinkspanCore

/// Why a text is not the identifier of an app.
package struct ApplicationIdentifierProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case empty
    case blank
    case buildSetting = "build-setting"
    case placeholder
    case missingPrefix = "missing-prefix"
    case prefixLength = "prefix-length"
    case prefixCharacters = "prefix-characters"
    case missingBundleIdentifier = "missing-bundle-identifier"
    case wildcard
    case bundleCharacters = "bundle-characters"
    case numericPrefix = "numeric-prefix"
    case emptyComponent = "empty-component"
  }

  package let kind: Kind
  package let severity: Finding.Severity
  /// What is wrong, in one sentence.
  package let message: String
  /// The consequence, and what to do about it.
  package let help: String
  /// The rule it rests on, such as `J5`.
  package var source: String { "J5" }
  /// The part at fault, as UTF-8 offsets inside the identifier.
  package let range: Range<Int>

  package var description: String { "\(message) \(help)" }

  init(
    _ kind: Kind, _ severity: Finding.Severity = .error, at range: Range<Int>, _ message: String, help: String
  ) {
    self.kind = kind
    self.severity = severity
    self.message = message
    self.help = help
    self.range = range
  }

  /// Whether the text has the form of an identifier, with a prefix that no team has: whether an app has it all the same is
  /// for the developer account to say. A bundle identifier alone has no prefix (J5).
  package var isOfPrefix: Bool {
    switch kind {
    case .prefixLength, .prefixCharacters, .placeholder, .buildSetting: true
    default: false
    }
  }
}
