internal import LinkspanCore

/// The host of a URL as the URL standard reads it: a name by IDNA, or an IP address.
///
/// - Source: URL standard, "host parsing".
enum PageHost {
  struct Fault: Error {
    let reason: String
  }

  /// The host as it is serialised.
  static func read(_ bytes: ArraySlice<UInt8>) throws(Fault) -> String {
    guard !bytes.isEmpty else { throw Fault(reason: "it has no host") }
    if bytes.first == UInt8(ascii: "[") {
      guard bytes.last == UInt8(ascii: "]"), let address = IPv6(bytes.dropFirst().dropLast()) else {
        throw Fault(reason: "the address '\(String(decoding: bytes, as: UTF8.self))' is not IPv6")
      }
      return address.text
    }
    let name: String
    do throws(IDNA.Fault) {
      name = try IDNA.ascii(String(decoding: unescaped(bytes), as: UTF8.self))
    } catch {
      throw Fault(reason: "the host \(error.reason)")
    }
    guard !name.isEmpty else { throw Fault(reason: "it has no host") }
    if let byte = name.utf8.first(where: { $0 <= 0x20 || $0 >= 0x7F || "#/:<>?@[\\]^|%".utf8.contains($0) }) {
      let shown =
        byte > 0x20 && byte < 0x7F ? "'\(Character(UnicodeScalar(byte)))'" : "a control character or blank"
      throw Fault(reason: "the host contains \(shown), which is not allowed in host names")
    }
    return try IPv4.text(of: name) ?? name
  }

  static func isAddress(_ host: String) -> Bool {
    host.hasPrefix("[") || HostName.isIPv4(Array(host.utf8))
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(ASCII.hexValue),
        let low = rest.dropFirst().first.flatMap(ASCII.hexValue)
      {
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  // MARK: - IPv4

  private enum IPv4 {
    /// nil for a name, whose last label is no number.
    static func text(of name: String) throws(Fault) -> String? {
      var parts = name.split(separator: ".", omittingEmptySubsequences: false)
      if parts.count > 1, parts.last == "" { parts.removeLast() }
      guard let last = parts.last, last.utf8.allSatisfy(ASCII.isDigit) && !last.isEmpty || number(last) != nil
      else { return nil }
      let numbers = parts.compactMap(number)
      let room: UInt64 = 1 << (8 * UInt64(max(0, 5 - numbers.count)))
      guard parts.count <= 4, numbers.count == parts.count, numbers.dropLast().allSatisfy({ $0 < 256 }),
        let rest = numbers.last, rest < room
      else { throw Fault(reason: "the host '\(name)' ends in a number and is no IPv4 address") }
      let address = numbers.dropLast().enumerated().reduce(rest) {
        $0 + $1.element << (8 * UInt64(3 - $1.offset))
      }
      return [24, 16, 8, 0].map { "\(address >> $0 & 255)" }.joined(separator: ".")
    }

    /// Decimal, octal behind `0` or hexadecimal behind `0x`; the largest number for one that is larger.
    private static func number(_ part: Substring) -> UInt64? {
      if part.isEmpty { return nil }
      var digits = part
      var radix: UInt64 = 10
      if part.hasPrefix("0x") || part.hasPrefix("0X") {
        digits = part.dropFirst(2)
        radix = 16
      } else if part.hasPrefix("0") {
        digits = part.dropFirst()
        radix = 8
      }
      var value: UInt64 = 0
      for byte in digits.utf8 {
        guard let digit = ASCII.hexValue(byte), digit < radix else { return nil }
        value = min(value * radix + UInt64(digit), 1 << 32)
      }
      return value
    }
  }

  // MARK: - IPv6

  private struct IPv6 {
    private let pieces: [UInt16]

    init?(_ bytes: ArraySlice<UInt8>) {
      guard let address = SocketAddress(String(decoding: bytes, as: UTF8.self), port: 0), address.isIPv6
      else {
        return nil
      }
      pieces = stride(from: 0, to: 16, by: 2).map {
        UInt16(address.octets[$0]) << 8 | UInt16(address.octets[$0 + 1])
      }
    }

    /// The longest run of zeros as `::`, of several the first.
    var text: String {
      var best = 0..<0
      var start = 0
      for (place, piece) in (pieces + [1]).enumerated() where piece != 0 || place == pieces.count {
        if place - start > max(1, best.count) { best = start..<place }
        start = place + 1
      }
      func joined(_ range: Range<Int>) -> String {
        pieces[range].map { String($0, radix: 16) }.joined(separator: ":")
      }
      if best.isEmpty { return "[\(joined(0..<8))]" }
      return "[\(joined(0..<best.lowerBound))::\(joined(best.upperBound..<8))]"
    }
  }
}
