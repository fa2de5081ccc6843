package import LinkspanCore

/// A value of a file with its byte range.
///
/// Line and column are computed on demand: a file may contain many values on one long line.
package struct PlacedValue<Value: Sendable>: Sendable {
  package let value: Value
  /// Byte offsets in the source; ``PropertyListDocument/location(of:)`` makes a place of them.
  package let range: Range<Int>
  /// RFC 6901 pointer to the value.
  package let pointer: String

  init(_ value: Value, at range: Range<Int>, pointer: String) {
    self.value = value
    self.range = range
    self.pointer = pointer
  }
}

extension PlacedValue: Equatable where Value: Equatable {}

extension PropertyListDocument {
  /// The place of a value of this document.
  package func location(of placed: PlacedValue<some Sendable>) -> Finding.Location {
    location(of: placed.range, pointer: placed.pointer)
  }
}
