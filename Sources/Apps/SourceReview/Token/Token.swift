/// A word, a literal or a mark of a source text; comments and spaces are left out.
struct Token: Sendable {
  enum Kind: Sendable {
    /// A keyword or a name; a name in backticks comes without them.
    case word
    case number
    /// A string literal; its text is what stands between the quotes.
    case text
    /// A bracket, an operator or another sign.
    case mark
  }

  let kind: Kind
  let text: String
  /// Bytes of the source.
  let range: Range<Int>
  /// The index of the bracket that belongs to this one; nil where there is none.
  var partner: Int?

  init(_ kind: Kind, _ text: String, _ range: Range<Int>) {
    self.kind = kind
    self.text = text
    self.range = range
  }

  func isWord(_ word: String) -> Bool { kind == .word && text == word }
  func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }
}
