/// Letters beyond ASCII as letters of ASCII, one label at a time. ``IDNA`` is for whole host names.
package enum Punycode {
  /// RFC 3492, section 5: the parameters of Punycode.
  private static let base: UInt32 = 36
  private static let tMin: UInt32 = 1
  private static let tMax: UInt32 = 26
  private static let skew: UInt32 = 38
  private static let damp: UInt32 = 700
  private static let initialBias: UInt32 = 72
  private static let initialN: UInt32 = 0x80

  /// RFC 3492, section 6.3: one label, without the prefix `xn--`; letters keep their case.
  ///
  /// - Returns: nil when the arithmetic would overflow, which no label of 63 bytes can make happen.
  package static func encoded(_ label: some StringProtocol) -> String? {
    let scalars = label.unicodeScalars.map { $0.value }
    var output = scalars.filter { $0 < initialN }.map { UInt8($0) }
    let basicCount = UInt32(output.count)
    var handled = basicCount
    if basicCount > 0 { output.append(UInt8(ascii: "-")) }
    var n = initialN
    var delta: UInt32 = 0
    var bias = initialBias
    while handled < scalars.count {
      let next = scalars.lazy.filter { $0 >= n }.min()!
      let (step, stepOverflow) = (next - n).multipliedReportingOverflow(by: handled + 1)
      let (sum, sumOverflow) = delta.addingReportingOverflow(step)
      if stepOverflow || sumOverflow { return nil }
      delta = sum
      n = next
      for scalar in scalars {
        if scalar < n {
          if delta == .max { return nil }
          delta += 1
        } else if scalar == n {
          appendDigits(of: delta, bias: bias, to: &output)
          bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
          delta = 0
          handled += 1
        }
      }
      if delta == .max { return nil }
      delta += 1
      n += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// RFC 3492, section 6.2: one label, without the prefix `xn--`.
  ///
  /// - Returns: nil for what is no Punycode.
  package static func decoded(_ label: [UInt8]) -> [UInt32]? {
    let mark = label.lastIndex(of: UInt8(ascii: "-"))
    var output = label[..<(mark ?? 0)].map { UInt32($0) }
    var index = mark.map { $0 + 1 } ?? 0
    if mark == 0 { return nil }
    var n = initialN
    var place: UInt32 = 0
    var bias = initialBias
    while index < label.count {
      let previous = place
      var weight: UInt32 = 1
      var k = base
      while true {
        guard index < label.count, let digit = value(of: label[index]) else { return nil }
        index += 1
        let (step, stepOverflow) = digit.multipliedReportingOverflow(by: weight)
        let (sum, sumOverflow) = place.addingReportingOverflow(step)
        if stepOverflow || sumOverflow { return nil }
        place = sum
        let threshold = k <= bias ? tMin : min(k - bias, tMax)
        if digit < threshold { break }
        let (next, overflow) = weight.multipliedReportingOverflow(by: base - threshold)
        if overflow { return nil }
        weight = next
        k += base
      }
      let count = UInt32(output.count) + 1
      bias = adapted(place - previous, count: count, isFirst: previous == 0)
      let (sum, overflow) = n.addingReportingOverflow(place / count)
      if overflow { return nil }
      n = sum
      guard Unicode.Scalar(n) != nil else { return nil }
      place %= count
      output.insert(n, at: Int(place))
      place += 1
    }
    return output
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case 0x61...0x7A: UInt32(digit - 0x61)
    case 0x41...0x5A: UInt32(digit - 0x41)
    case 0x30...0x39: UInt32(digit - 0x30) + 26
    default: nil
    }
  }

  /// A whole number of variable length.
  private static func appendDigits(of delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
    var rest = delta
    var k = base
    while true {
      let threshold = k <= bias ? tMin : min(k - bias, tMax)
      if rest < threshold { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      k += base
    }
    output.append(digit(rest))
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }

  /// RFC 3492, section 6.1.
  private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var k: UInt32 = 0
    while delta > ((base - tMin) * tMax) / 2 {
      delta /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * delta / (delta + skew)
  }
}
