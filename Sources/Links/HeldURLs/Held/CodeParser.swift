internal import LinkspanCore

/// What `NSURL` makes of text in an app's code. It changes nothing but what no URL holds: no dot segments, no ports, no case.
///
/// - Source: Apple, `NSURL`: since iOS 17 an app that is built with its SDK has the parser of RFC 3986, which percent-encodes,
///   and encodes hosts by IDNA; before, `init(string:)` gives nil for text with other characters than RFC 2396 and RFC 2732
///   allow (CoreFoundation's published sources). What becomes of a `%` that begins no escape is inferred.
struct CodeParser {
  private static let unreserved = "-._~"
  private static let delimiters = "!$&'()*+,;="
  private static let path = PercentEncodeSet(keeping: unreserved + delimiters + ":@/")
  private static let query = PercentEncodeSet(keeping: unreserved + delimiters + ":@/?")
  private static let credentials = PercentEncodeSet(keeping: unreserved + delimiters + ":")
  private static let host = PercentEncodeSet(keeping: unreserved + delimiters + ":[]")
  /// RFC 2396, and the brackets of RFC 2732; the number sign once.
  private static let legal = PercentEncodeSet(keeping: unreserved + "!*'();/?:@&=+$,[]#")

  private var steps: Set<HeldURL.Step> = []
  private var fault: String?

  static func read(_ text: String, encodes: Bool) -> HeldURL {
    let bytes = Array(text.utf8)
    guard encodes else {
      let fault = illegal(in: bytes).map { "NSURL makes no URL of it before iOS 17: \($0)" }
      return HeldURL(.code, text, text: text, fault: fault)
    }
    var parser = CodeParser()
    let url = parser.url(bytes)
    if let fault = parser.fault {
      return HeldURL(.code, text, text: text, fault: "NSURL makes no URL of it: \(fault)")
    }
    let steps = HeldURL.Step.allCases.filter(parser.steps.contains)
    return HeldURL(.code, text, text: String(decoding: url, as: UTF8.self), steps: steps)
  }

  /// The first character that keeps the text from being a URL before iOS 17.
  private static func illegal(in bytes: [UInt8]) -> String? {
    var hasNumberSign = false
    for (place, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "%") {
        if !PercentEncodeSet.isEscape(bytes[place...]) { return "it has a '%' that begins no escape" }
      } else if byte == UInt8(ascii: "#"), hasNumberSign {
        return "it has a second '#'"
      } else if legal.contains(byte) {
        if byte <= 0x20 || byte == 0x7F { return "it contains a blank or a control character" }
        let scalars = String(decoding: bytes[place...].prefix(4), as: UTF8.self).unicodeScalars
        return "it contains '\(scalars.first.map { String($0) } ?? "")'"
      }
      hasNumberSign = hasNumberSign || byte == UInt8(ascii: "#")
    }
    return nil
  }

  private mutating func url(_ bytes: [UInt8]) -> [UInt8] {
    let mark = bytes.firstIndex { ":/?#".utf8.contains($0) } ?? bytes.endIndex
    let hasScheme = mark > 0 && mark < bytes.endIndex && bytes[mark] == UInt8(ascii: ":")
    var rest = bytes[(hasScheme ? mark + 1 : 0)...]
    var url = Array(bytes[..<rest.startIndex])
    if rest.starts(with: "//".utf8) {
      let end = rest.dropFirst(2).firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
      url += "//".utf8
      url += authority(rest[(rest.startIndex + 2)..<end])
      rest = rest[end...]
    }
    let pathEnd = rest.firstIndex { "?#".utf8.contains($0) } ?? rest.endIndex
    let queryEnd = rest[pathEnd...].firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
    url += encoded(rest[..<pathEnd], Self.path)
    if pathEnd < queryEnd { url += [UInt8(ascii: "?")] + encoded(rest[(pathEnd + 1)..<queryEnd], Self.query) }
    if queryEnd < rest.endIndex { url += [UInt8(ascii: "#")] + encoded(rest[(queryEnd + 1)...], Self.query) }
    return url
  }

  private mutating func encoded(_ bytes: ArraySlice<UInt8>, _ set: PercentEncodeSet) -> [UInt8] {
    let text = set.encode(bytes)
    if text.count != bytes.count { steps.insert(.encoding) }
    return text
  }

  private mutating func authority(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var rest = bytes
    var result: [UInt8] = []
    if let at = bytes.lastIndex(of: UInt8(ascii: "@")) {
      result = encoded(bytes[..<at], Self.credentials) + [UInt8(ascii: "@")]
      rest = bytes[(at + 1)...]
    }
    let name = rest.first == UInt8(ascii: "[") ? rest : rest.prefix { $0 != UInt8(ascii: ":") }
    let port = rest[name.endIndex...]
    if !port.dropFirst().allSatisfy(ASCII.isDigit) { fault = "its port is not a number" }
    if name.allSatisfy({ $0 < 0x80 }) { return result + encoded(name, Self.host) + port }
    do throws(IDNA.Fault) {
      result += try IDNA.ascii(String(decoding: name, as: UTF8.self)).utf8
      steps.insert(.host)
    } catch {
      fault = "the host \(error.reason)"
    }
    return result + port
  }
}
