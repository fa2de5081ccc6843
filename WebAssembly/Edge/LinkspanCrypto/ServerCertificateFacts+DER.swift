internal import LinkspanCore

extension ServerCertificateFacts {
  /// Reads a certificate that the module's host believes, in DER.
  ///
  /// - Returns: nil when the bytes are no certificate.
  /// - Source: RFC 5280, section 4.1.
  package init?(der: [UInt8]) {
    var outer = DERReader(der[...])
    guard var certificate = outer.inside(0x30), var body = certificate.inside(0x30) else { return nil }
    // Of the first version, which has no extensions, the version is left out.
    _ = body.inside(0xA0)
    guard body.skip(0x02), body.skip(0x30), body.skip(0x30), var validity = body.inside(0x30),
      let begins = validity.time(), let ends = validity.time(), body.skip(0x30),
      var key = body.inside(0x30)
    else { return nil }
    var (namesHosts, hasExtendedKeyUsage) = (false, false)
    while let (tag, content) = body.next() {
      var wrapped = DERReader(content)
      guard tag == 0xA3, var list = wrapped.inside(0x30) else { continue }
      while var one = list.inside(0x30), let identifier = one.content(0x06) {
        _ = one.content(0x01)
        guard let value = one.content(0x04) else { continue }
        // 2.5.29.37 and 2.5.29.17.
        if identifier.elementsEqual([0x55, 0x1D, 0x25]) { hasExtendedKeyUsage = true }
        if identifier.elementsEqual([0x55, 0x1D, 0x11]) { namesHosts = Self.hasName(value) }
      }
    }
    self.init(
      namesHosts: namesHosts, rsaBits: Self.rsaBits(&key), begins: begins, ends: ends,
      hasExtendedKeyUsage: hasExtendedKeyUsage)
  }

  private static func hasName(_ value: ArraySlice<UInt8>) -> Bool {
    var outer = DERReader(value)
    guard var names = outer.inside(0x30) else { return false }
    while let (tag, _) = names.next() {
      if tag == 0x82 { return true }
    }
    return false
  }

  private static func rsaBits(_ key: inout DERReader) -> Int? {
    // 1.2.840.113549.1.1.1
    let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    guard var algorithm = key.inside(0x30), algorithm.content(0x06)?.elementsEqual(rsa) == true,
      let bits = key.content(0x03)
    else { return nil }
    // A bit string begins with the number of its unused bits.
    var string = DERReader(bits.dropFirst())
    guard var pair = string.inside(0x30), let modulus = pair.content(0x02)?.drop(while: { $0 == 0 }),
      let first = modulus.first
    else { return nil }
    return modulus.count * 8 - first.leadingZeroBitCount
  }
}

/// Reads elements one after the other.
private struct DERReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next element; nil at the end, and where the bytes are none.
  mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    guard rest.count >= 2 else { return nil }
    let tag = rest.removeFirst()
    var count = Int(rest.removeFirst())
    if count >= 0x80 {
      let digits = count - 0x80
      guard (1...3).contains(digits), rest.count >= digits else { return nil }
      count = 0
      for _ in 0..<digits { count = count << 8 | Int(rest.removeFirst()) }
    }
    guard rest.count >= count else { return nil }
    let content = rest.prefix(count)
    rest = rest.dropFirst(count)
    return (tag, content)
  }

  /// The content of the next element, if it has that tag; else nothing is read.
  mutating func content(_ tag: UInt8) -> ArraySlice<UInt8>? {
    guard rest.first == tag else { return nil }
    return next()?.content
  }

  mutating func inside(_ tag: UInt8) -> DERReader? { content(tag).map { DERReader($0) } }

  mutating func skip(_ tag: UInt8) -> Bool { content(tag) != nil }

  /// UTCTime, whose years are 1950 to 2049, or GeneralizedTime.
  mutating func time() -> WallTime? {
    guard let (tag, content) = next(), tag == 0x17 || tag == 0x18 else { return nil }
    var text = String(decoding: content, as: UTF8.self)
    if tag == 0x17 { text = (text < "50" ? "20" : "19") + text }
    let digits = Array(text.utf8)
    guard digits.count == 15 else { return nil }
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    let day = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
    return WallTime("\(day)T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z")
  }
}
