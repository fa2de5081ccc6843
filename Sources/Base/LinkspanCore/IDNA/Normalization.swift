/// Unicode's form NFC of the scalars that labels of host names can hold.
package enum Normalization {
  /// Decomposed, ordered and composed. Linear but for the marks behind one letter.
  package static func composed(_ scalars: [UInt32]) -> [UInt32] {
    // Below U+0300 nothing combines, and every composite is itself.
    if scalars.allSatisfy({ $0 < 0x300 }) { return scalars }
    var decomposed: [UInt32] = []
    for scalar in scalars { decompose(scalar, into: &decomposed) }
    order(&decomposed)
    return compose(decomposed)
  }

  /// The Unicode Standard, 3.12: Hangul syllables are computed.
  private enum Hangul {
    static let syllables: UInt32 = 0xAC00
    static let leading: UInt32 = 0x1100
    static let vowels: UInt32 = 0x1161
    static let trailing: UInt32 = 0x11A7
    static let leadingCount: UInt32 = 19
    static let vowelCount: UInt32 = 21
    static let trailingCount: UInt32 = 28
    static let syllableCount = leadingCount * vowelCount * trailingCount

    static func composite(of first: UInt32, _ second: UInt32) -> UInt32? {
      if first &- leading < leadingCount, second &- vowels < vowelCount {
        return syllables + ((first - leading) * vowelCount + (second - vowels)) * trailingCount
      }
      if first &- syllables < syllableCount, (first - syllables) % trailingCount == 0, second > trailing,
        second < trailing + trailingCount
      {
        return first + (second - trailing)
      }
      return nil
    }
  }

  private static func decompose(_ scalar: UInt32, into result: inout [UInt32]) {
    let index = scalar &- Hangul.syllables
    if index < Hangul.syllableCount {
      let block = Hangul.vowelCount * Hangul.trailingCount
      result += [
        Hangul.leading + index / block, Hangul.vowels + index % block / Hangul.trailingCount,
      ]
      if index % Hangul.trailingCount > 0 { result.append(Hangul.trailing + index % Hangul.trailingCount) }
    } else if let parts = IDNATables.parts(of: scalar) {
      decompose(parts.first, into: &result)
      result.append(parts.second)
    } else {
      result.append(scalar)
    }
  }

  /// Marks in the order of their classes; those of one class stay as they are.
  private static func order(_ scalars: inout [UInt32]) {
    var start = 0
    while start < scalars.count {
      guard IDNATables.combiningClass(of: scalars[start]) > 0 else {
        start += 1
        continue
      }
      var end = start
      var marks: [(place: Int, combiningClass: UInt8, scalar: UInt32)] = []
      while end < scalars.count, case let combiningClass = IDNATables.combiningClass(of: scalars[end]),
        combiningClass > 0
      {
        marks.append((end, combiningClass, scalars[end]))
        end += 1
      }
      marks.sort { ($0.combiningClass, $0.place) < ($1.combiningClass, $1.place) }
      for (offset, mark) in marks.enumerated() { scalars[start + offset] = mark.scalar }
      start = end
    }
  }

  private static func compose(_ scalars: [UInt32]) -> [UInt32] {
    var result: [UInt32] = []
    var starter: Int?
    var lastClass: UInt8?
    for scalar in scalars {
      let combiningClass = IDNATables.combiningClass(of: scalar)
      // Blocked by what stands between, unless that is of a lower class.
      if let starter, lastClass.map({ $0 < combiningClass && $0 > 0 }) ?? true,
        let composite = Hangul.composite(of: result[starter], scalar)
          ?? IDNATables.composite(of: result[starter], scalar)
      {
        result[starter] = composite
        continue
      }
      if combiningClass == 0 {
        starter = result.count
        lastClass = nil
      } else {
        lastClass = combiningClass
      }
      result.append(scalar)
    }
    return result
  }
}
