/// A property list value that was read, with the bytes it stood on.
package struct PropertyListNode: Sendable {
  package enum Value: Sendable {
    case string(String)
    case integer(Int64)
    /// A whole number above `Int64.max`.
    case unsigned(UInt64)
    case real(Double)
    case bool(Bool)
    /// Seconds since 2001-01-01T00:00:00Z, as the binary form counts.
    case date(Double)
    case data([UInt8])
    /// A keyed archive's reference; it has no form of its own in XML.
    case uid(UInt64)
    case array([PropertyListNode])
    case dictionary([PropertyListMember])
  }

  package let value: Value
  /// Byte offsets in the source: the whole element with its tags, or the whole binary object.
  package let range: Range<Int>
  /// Byte offsets of the content between the tags; in the binary form, of the object's body.
  package let contentRange: Range<Int>

  package init(_ value: Value, at range: Range<Int>, content: Range<Int>? = nil) {
    self.value = value
    self.range = range
    self.contentRange = content ?? range
  }

  package var string: String? {
    if case .string(let text) = value { text } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let flag) = value { flag } else { nil }
  }

  package var array: [PropertyListNode]? {
    if case .array(let elements) = value { elements } else { nil }
  }

  package var dictionary: [PropertyListMember]? {
    if case .dictionary(let members) = value { members } else { nil }
  }

  /// The value of a key; of a key that occurs twice the last one counts here. What a device does with such a
  /// file is documented nowhere, so the document carries a finding about it.
  package subscript(_ key: String) -> PropertyListNode? { member(key)?.value }

  package func member(_ key: String) -> PropertyListMember? { dictionary?.last { $0.key == key } }

  /// The type as a person calls it: "a dictionary", "a string", …
  package var typeName: String {
    switch value {
    case .string: "a string"
    case .integer, .unsigned: "an integer"
    case .real: "a real number"
    case .bool: "a boolean"
    case .date: "a date"
    case .data: "data"
    case .uid: "a reference"
    case .array: "an array"
    case .dictionary: "a dictionary"
    }
  }
}

/// One key and its value.
package struct PropertyListMember: Sendable {
  package let key: String
  /// The bytes of the key, with its tags.
  package let keyRange: Range<Int>
  package let value: PropertyListNode

  package init(key: String, keyRange: Range<Int>, value: PropertyListNode) {
    self.key = key
    self.keyRange = keyRange
    self.value = value
  }
}
