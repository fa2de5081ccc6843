/// An exact condition as a number; two conditions may share one, since the rule is compared in full afterwards.
enum ConditionNumber {
  @inline(__always)
  static func item(name: some Sequence<UInt8>, value: some Sequence<UInt8>) -> UInt64 {
    var number = number(name, from: 0xCBF2_9CE4_8422_2325)
    number = Self.number(CollectionOfOne(UInt8(ascii: "=")), from: number)
    return Self.number(value, from: number)
  }

  static func query(_ text: some Sequence<UInt8>) -> UInt64 { number(text, from: 0x84_2223_25CB_F29C) }

  static func fragment(_ text: some Sequence<UInt8>) -> UInt64 { number(text, from: 0x9E37_79B9_7F4A_7C15) }

  /// Fowler, Noll and Vo's hash.
  @inline(__always)
  private static func number(_ bytes: some Sequence<UInt8>, from start: UInt64) -> UInt64 {
    var number = start
    for byte in bytes { number = (number ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return number
  }
}

extension CompiledRule {
  /// A condition that every URL meets for which the rule holds: an item, the query or the fragment with one exact text.
  var exactCondition: UInt64? {
    switch query {
    case .anything: break
    case .whole(let pattern):
      if let text = pattern.onlyText { return ConditionNumber.query(text) }
    case .items(let items):
      for item in items.list {
        guard let text = item.pattern.onlyText, !text.isEmpty else { continue }
        return ConditionNumber.item(name: item.name, value: text)
      }
    }
    return fragment?.onlyText.map { ConditionNumber.fragment($0) }
  }
}
