// What Embedded Swift leaves out of dictionaries, because it throws what a closure throws.

extension Dictionary {
  /// A dictionary of pairs, where the values of a key that occurs twice are combined.
  public init<Pairs: Sequence>(_ pairs: Pairs, uniquingKeysWith combine: (Value, Value) -> Value)
  where Pairs.Element == (Key, Value) {
    self.init()
    merge(pairs, uniquingKeysWith: combine)
  }

  /// Adds values; those of a key that is there are combined.
  public mutating func merge<Pairs: Sequence>(
    _ pairs: Pairs, uniquingKeysWith combine: (Value, Value) -> Value
  )
  where Pairs.Element == (Key, Value) {
    for (key, value) in pairs {
      if let known = self[key] { self[key] = combine(known, value) } else { self[key] = value }
    }
  }

  /// Adds values; those of a key that is there are combined.
  public mutating func merge(_ other: [Key: Value], uniquingKeysWith combine: (Value, Value) -> Value) {
    for (key, value) in other {
      if let known = self[key] { self[key] = combine(known, value) } else { self[key] = value }
    }
  }

  /// This dictionary with the values of another; those of a key that is there are combined.
  public func merging(_ other: [Key: Value], uniquingKeysWith combine: (Value, Value) -> Value) -> [Key:
    Value]
  {
    var copy = self
    copy.merge(other, uniquingKeysWith: combine)
    return copy
  }
}
