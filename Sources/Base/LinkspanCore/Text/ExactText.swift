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
  ///
  /// Inlined: called as it stands from another module it looks up each operation of both texts, for 2 µs.
  @inlinable
  package func isExactly(_ other: some StringProtocol) -> Bool {
    let (own, others) = (utf8, other.utf8)
    guard own.count == others.count else { return false }
    // Strings lie in one piece; only views of other stores do not.
    let answer = own.withContiguousStorageIfAvailable { own in
      others.withContiguousStorageIfAvailable { others in own.isExactly(others) }
    }
    return (answer ?? nil) ?? own.elementsEqual(others)
  }

  /// Whether the bytes end with those of another text.
  @inlinable
  package func hasExactSuffix(_ suffix: some StringProtocol) -> Bool {
    utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }
}

extension Sequence where Element: StringProtocol {
  /// Whether one of them has the same bytes as a text.
  @inlinable
  package func contains(exactly text: some StringProtocol) -> Bool { contains { $0.isExactly(text) } }
}
