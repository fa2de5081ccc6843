package import LinkspanCore

/// Why a bundle, an archive, a program or a size report could not be read.
package struct BundleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The raw value ends the rule identifier of a finding: `bundle.<raw value>`.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The system did not give the bytes.
    case unreadable
    /// The bytes are of another format; the message says which, where it is known.
    case otherFormat = "other-format"
    /// The file ends too early.
    case truncated
    /// The parts of the file contradict one another.
    case damaged
    case encrypted
    /// A path that leads out of the archive, or that no file system takes.
    case unsafePath = "unsafe-path"
    /// A symbolic link or a device in an archive.
    case link
    case duplicateEntry = "duplicate-entry"
    case overlappingEntries = "overlapping-entries"
    /// An entry that the archive's directory does not list.
    case hiddenEntry = "hidden-entry"
    case unsupportedCompression = "unsupported-compression"
    /// It would unpack to far more than its own size.
    case bomb
    /// More than the named limits allow.
    case tooLarge = "too-large"
    case brokenProgram = "broken-program"
    case brokenSignature = "broken-signature"
    case brokenEntitlements = "broken-entitlements"
    /// There is no app where one was expected, or there are several.
    case noApp = "no-app"
    case brokenReport = "broken-report"
  }

  package let kind: Kind
  package let location: Finding.Location
  /// What is wrong, in one sentence.
  package let message: String
  /// The consequence, and what to do about it.
  package let help: String

  package init(_ kind: Kind, at location: Finding.Location, message: String, help: String) {
    self.kind = kind
    self.location = location
    self.message = message
    self.help = help
  }

  package init(_ kind: Kind, in file: String, _ message: String, help: String) {
    self.init(kind, at: Finding.Location(file: file), message: message, help: help)
  }

  /// The same for a list of findings.
  package var finding: Finding {
    Finding(rule: "bundle.\(kind.rawValue)", severity: .error, at: location, message: message, help: help)
  }

  package var description: String { finding.text() }
}
