/// Host names in the letters of the domain name system.
///
/// This is RFC 3492 after lower-casing, and not all of IDNA: nothing is normalised or mapped (`ß` stays, and
/// composed and decomposed letters give different names) and no code point is refused. It is good enough to
/// tell a person what to write; a registrar's converter has the last word on unusual scripts.
package enum Punycode {
  /// Each label with letters beyond ASCII as `xn--…`, the others lower-cased.
  ///
  /// - Returns: nil when a label is too long for the arithmetic of RFC 3492, section 6.4.
  package static func encodedHost(_ host: some StringProtocol) -> String? {
    var labels: [String] = []
    for label in String(host).unicodeScalars.split(separator: ".", omittingEmptySubsequences: false) {
      let label = String(Substring(label))
      if label.utf8.allSatisfy({ $0 < 0x80 }) {
        labels.append(ASCII.lowercased(label))
      } else if let encoded = encoded(label.lowercased()) {
        labels.append("xn--" + encoded)
      } else {
        return nil
      }
    }
    return labels.joined(separator: ".")
  }

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
    let scalars = label.unicodeScalars.map(\.value)
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
