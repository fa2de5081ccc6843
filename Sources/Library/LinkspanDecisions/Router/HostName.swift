/// Host names in the one form in which they are compared: lower case, and Punycode for what is not ASCII (RFC 3492).
enum HostName {
  /// Our limit in bytes. A host has at most 253 in Punycode, and encoding takes time in the square of the letters.
  private static let longest = 4_096

  /// `Bücher.example` and `xn--bcher-kva.example` fold to the same. A longer text is no host and stays as it is, in lower case.
  static func folded(_ host: String) -> String {
    let lower = host.lowercased()
    if lower.utf8.count > longest || lower.utf8.allSatisfy({ $0 < 0x80 }) { return lower }
    // The other full stops that browsers read as one (UTS 46).
    let labels = lower.split(omittingEmptySubsequences: false) { ".\u{3002}\u{FF0E}\u{FF61}".contains($0) }
    return labels.map { label in
      label.utf8.allSatisfy { $0 < 0x80 } ? String(label) : "xn--" + punycode(label)
    }.joined(separator: ".")
  }

  // RFC 3492, section 5.
  private static let (base, tMin, tMax, skew, damp) = (36, 1, 26, 38, 700)
  private static let (initialBias, initialN) = (72, 0x80)

  private static func punycode(_ label: Substring) -> String {
    let scalars = composed(label)
    var output = scalars.filter { $0 < 0x80 }.compactMap { UnicodeScalar(UInt32($0)) }.map(String.init)
      .joined()
    let basicCount = scalars.count { $0 < 0x80 }
    var handled = basicCount
    if basicCount > 0 { output += "-" }
    var (n, delta, bias) = (initialN, 0, initialBias)
    while handled < scalars.count, let next = scalars.filter({ $0 >= n }).min() {
      delta += (next - n) * (handled + 1)
      n = next
      for scalar in scalars {
        if scalar < n { delta += 1 }
        guard scalar == n else { continue }
        output += variableLength(delta, bias)
        bias = adapted(delta, handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      n += 1
    }
    return output
  }

  private static func variableLength(_ delta: Int, _ bias: Int) -> String {
    var (text, rest, k) = ("", delta, base)
    while true {
      let threshold = min(max(k - bias, tMin), tMax)
      guard rest >= threshold else { return text + digit(rest) }
      text += digit(threshold + (rest - threshold) % (base - threshold))
      rest = (rest - threshold) / (base - threshold)
      k += base
    }
  }

  private static func digit(_ value: Int) -> String {
    String(UnicodeScalar(UInt8(value < 26 ? value + 97 : value + 22)))
  }

  private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var k = 0
    while delta > (base - tMin) * tMax / 2 {
      delta /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * delta / (delta + skew)
  }

  /// The scalars of the label, with the usual letters and their marks as one.
  private static func composed(_ label: Substring) -> [Int] {
    label.unicodeScalars.reduce(into: [Int]()) { scalars, scalar in
      let isMark = (0x300..<0x370).contains(scalar.value)
      let letter = isMark ? scalars.last.flatMap { UnicodeScalar(UInt32($0)) } : nil
      let pair = letter.map { String($0) + String(scalar) }
      // A letter and its mark equal the one scalar that stands for both.
      let whole = pair.flatMap { pair in
        (0xC0...0x17F).first { UnicodeScalar(UInt32($0)).map { String($0) } == pair }
      }
      if let whole {
        scalars[scalars.count - 1] = whole
      } else {
        scalars.append(Int(scalar.value))
      }
    }
  }
}
