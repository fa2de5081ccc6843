/// Addresses as texts, in the forms that `inet_pton` takes and `inet_ntop` writes; nothing of the system is asked.
extension SocketAddress {
  /// The 4 or 16 bytes of an address's text; nil when it is none.
  static func octets(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    return ipv4(bytes[...]) ?? ipv6(bytes[...])
  }

  /// Four decimal numbers without leading zeros.
  private static func ipv4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var octets: [UInt8] = []
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy(ASCII.isDigit),
        part.count == 1 || part.first != UInt8(ascii: "0")
      else { return nil }
      let value = part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      guard value <= 255 else { return nil }
      octets.append(UInt8(value))
    }
    return octets
  }

  /// Eight groups of hexadecimal digits (RFC 4291, 2.2); `::` stands for the groups that are missing, and the last two may
  /// be written as IPv4.
  private static func ipv6(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let colon = UInt8(ascii: ":")
    guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon })
    else {
      return groups(text).flatMap { $0.count == 16 ? $0 : nil }
    }
    let (before, after) = (text[..<gap], text[(gap + 2)...])
    guard let head = before.isEmpty ? [] : groups(before, mayEndInIPv4: false),
      let tail = after.isEmpty ? [] : groups(after), head.count + tail.count < 16
    else { return nil }
    return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  /// The bytes of groups between single colons.
  private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool = true) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var octets: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if mayEndInIPv4, index == parts.count - 1, let last = ipv4(part) {
        octets += last
        continue
      }
      guard (1...4).contains(part.count) else { return nil }
      var value = 0
      for byte in part {
        guard let digit = ASCII.hexValue(byte) else { return nil }
        value = value * 16 + Int(digit)
      }
      octets += [UInt8(value >> 8), UInt8(value & 0xFF)]
    }
    return octets
  }

  /// The longest run of two or more groups of zero, of several the first, is `::`. An address that stands for one of IPv4 ends
  /// in its text.
  static func text(ofIPv6 octets: [UInt8]) -> String {
    let groups = stride(from: 0, to: 16, by: 2).map { Int(octets[$0]) << 8 | Int(octets[$0 + 1]) }
    var best = 0..<0
    var start = 0
    for place in 0...8 where place == 8 || groups[place] != 0 {
      if place - start > max(1, best.count) { best = start..<place }
      start = place + 1
    }
    let isIPv4 = best == 0..<6 || (best == 0..<5 && groups[5] == 0xFFFF)
    var last = groups[best.upperBound...].map { String($0, radix: 16) }
    if isIPv4 {
      last = last.dropLast(2) + [octets[12...].map { String($0) }.joined(separator: ".")]
    }
    if best.isEmpty { return last.joined(separator: ":") }
    let first = groups[..<best.lowerBound].map { String($0, radix: 16) }
    return first.joined(separator: ":") + "::" + last.joined(separator: ":")
  }
}
