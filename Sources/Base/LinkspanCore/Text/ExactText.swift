/// A text as a key: two are equal if their bytes are.
///
/// Swift's strings are equal if Unicode calls them equivalent: `K` and U+212A KELVIN SIGN, é as one scalar and as two. Apple's
/// tools compare application identifiers, hosts and names by their bytes.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // In no UTF-8.
    hasher.combine(UInt8(0xFF))
  }
}

extension StringProtocol {
  /// Whether another text has the same bytes.
  package func isExactly(_ other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// Whether the bytes end with those of another text.
  package func hasExactSuffix(_ suffix: some StringProtocol) -> Bool {
    utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }
}

extension Sequence where Element: StringProtocol {
  /// Whether one of them has the same bytes as a text.
  package func contains(exactly text: some StringProtocol) -> Bool { contains { $0.isExactly(text) } }
}
