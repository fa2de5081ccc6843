/// One place where a text stops being JSON (RFC 8259), and how it was read all the same.
package struct JSONSyntaxError: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case byteOrderMark = "byte-order-mark"
    case notUTF8 = "not-utf-8"
    case empty = "empty"
    case html = "html"
    case notJSON = "not-json"
    case textBefore = "text-before"
    case textAfter = "text-after"
    case noOuterBrace = "no-outer-brace"
    case comment = "comment"
    case trailingComma = "trailing-comma"
    case extraComma = "extra-comma"
    case missingComma = "missing-comma"
    case missingColon = "missing-colon"
    case missingValue = "missing-value"
    case typographicQuotes = "typographic-quotes"
    case singleQuotes = "single-quotes"
    case unquoted = "unquoted"
    case unterminatedString = "unterminated-string"
    case invalidEscape = "invalid-escape"
    case controlCharacter = "control-character"
    case invalidNumber = "invalid-number"
    case unclosed = "unclosed"
    case unexpectedBracket = "unexpected-bracket"
    case unexpectedCharacter = "unexpected-character"
    case tooDeep = "too-deep"
    case tooLarge = "too-large"
    case tooManyErrors = "too-many-errors"
  }

  package let kind: Kind
  /// Byte offsets in the source.
  package let range: Range<Int>
  package let message: String
  /// What to change.
  package let help: String
  /// The one safe change, where there is one: the text then means what it was read as.
  package let edits: [Edit]
}

/// What a text held: the tree as far as it could be read, and everything that was wrong with it.
package struct JSONDocument: Sendable {
  /// nil when nothing in the text could be taken for a value.
  package let root: JSONNode?
  /// In the order of their places; empty exactly when the text is JSON.
  package let errors: [JSONSyntaxError]

  package init(root: JSONNode?, errors: [JSONSyntaxError]) {
    self.root = root
    self.errors = errors
  }

  package var isWellFormed: Bool { errors.isEmpty && root != nil }
}
