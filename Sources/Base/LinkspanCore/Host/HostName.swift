/// The form of a host name: RFC 1123 labels, as a certificate and the domain name system carry them.
package enum HostName {
  /// RFC 1035, section 2.3.4: the bytes of one label.
  package static let labelBytes = 63
  /// RFC 1035, section 2.3.4: 255 bytes on the wire are 253 as text without the final dot.
  package static let totalBytes = 253

  /// `example.com.` is `example.com`, spelled to its end; a dot alone stays.
  package static func withoutFinalDot(_ host: String) -> String {
    host.utf8.last == UInt8(ascii: ".") && host.utf8.count > 1 ? String(host.dropLast()) : host
  }

  /// By which hosts are compared: in lower case, without a final dot.
  package static func key(_ host: String) -> String { withoutFinalDot(ASCII.lowercased(host)) }

  package struct Fault: Hashable {
    package let range: Range<Int>
    /// Goes on after "The host ".
    package let text: String
  }

  /// The first thing that keeps ASCII text from being a host name; an underscore is let through.
  package static func fault(in host: [UInt8]) -> Fault? {
    var start = 0
    for label in host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      let range = start..<start + label.count
      start = range.upperBound + 1
      if label.isEmpty {
        let dot = min(range.lowerBound, host.count - 1)
        return Fault(range: dot..<dot + 1, text: "has an empty part between its dots")
      }
      if let index = label.firstIndex(where: { !isAllowed($0) }) {
        let shown = shown(label[index])
        return Fault(range: index..<index + 1, text: "contains \(shown), which is not allowed in host names")
      }
      if label.count > labelBytes {
        return Fault(
          range: range, text: "has a label of \(label.count) characters; the limit is \(labelBytes)")
      }
      if label.first == UInt8(ascii: "-") || label.last == UInt8(ascii: "-") {
        return Fault(
          range: range,
          text: "has the label '\(String(decoding: label, as: UTF8.self))' which begins or ends with a hyphen"
        )
      }
    }
    if host.count > totalBytes {
      return Fault(
        range: 0..<host.count, text: "has \(host.count) characters; the limit is \(totalBytes)")
    }
    return nil
  }

  /// Four decimal numbers, or only one: no name of a host ends in a label of digits.
  package static func isIPv4(_ host: [UInt8]) -> Bool {
    host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  private static func shown(_ byte: UInt8) -> String {
    byte > 0x20 && byte < 0x7F
      ? "'\(Character(UnicodeScalar(byte)))'" : "the byte 0x\(String(byte, radix: 16, uppercase: true))"
  }
}
