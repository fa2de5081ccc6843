package import LinkspanCore

/// Why a file could not be read as a property list.
package struct PropertyListError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The raw value ends the rule identifier of a finding: `plist.<raw value>`.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Nothing, or only blanks.
    case empty
    /// Another format; the message says which.
    case otherFormat = "other-format"
    case tooLarge = "too-large"
    case tooDeep = "too-deep"
    case tooManyValues = "too-many-values"
    /// The file ends too early.
    case truncated
    /// The XML itself is broken.
    case notWellFormed = "not-well-formed"
    case mismatchedTag = "mismatched-tag"
    /// A document type with declarations, or an undeclared entity.
    case entity
    case unknownTag = "unknown-tag"
    case unexpectedTag = "unexpected-tag"
    case unexpectedText = "unexpected-text"
    case keyWithoutValue = "key-without-value"
    case valueWithoutKey = "value-without-key"
    case noValue = "no-value"
    case severalValues = "several-values"
    case invalidValue = "invalid-value"
    /// The tables of a binary property list contradict one another.
    case brokenTable = "broken-table"
    case unknownObject = "unknown-object"
    case cycle
    case outOfMemory = "out-of-memory"
    /// It is a property list, of another shape than the file's purpose asks for.
    case wrongRoot = "wrong-root"
  }

  package let kind: Kind
  package let location: Finding.Location
  /// What is wrong, in one sentence.
  package let message: String
  /// The consequence, and what to do about it.
  package let help: String

  package var description: String { finding.text() }

  /// The same for a list of findings: a file that cannot be read claims nothing.
  package var finding: Finding {
    Finding(rule: "plist.\(kind.rawValue)", severity: .error, at: location, message: message, help: help)
  }

  package init(_ kind: Kind, at location: Finding.Location, message: String, help: String) {
    self.kind = kind
    self.location = location
    self.message = message
    self.help = help
  }
}

/// An error that knows bytes and not yet the file they are in.
struct PropertyListFault: Error {
  let kind: PropertyListError.Kind
  let range: Range<Int>
  let message: String
  let help: String

  init(_ kind: PropertyListError.Kind, _ range: Range<Int>, _ message: String, _ help: String) {
    self.kind = kind
    self.range = range
    self.message = message
    self.help = help
  }
}
