internal import LinkspanCore

/// Finds the URL in one line of a list or of an access log.
package enum LogLine {
  package enum Reading: Equatable {
    /// A URL, or a path that begins with `/`.
    case url(String)
    /// For the eye only: nothing, or a comment behind '#'.
    case blank
    /// `OPTIONS *`, a request about the server as a whole, which has no URL (RFC 9112, 3.2.4).
    case server
    case unreadable
  }

  /// What stands in a line.
  package static func read(_ line: ArraySlice<UInt8>) -> Reading {
    let line = line.drop { $0 == 0x20 || $0 == 0x09 }
    guard let first = line.first, first != UInt8(ascii: "#") else { return .blank }
    if first == UInt8(ascii: "{") { return json(line) }
    if hasScheme(line) {
      // A list has nothing else on the line.
      return target(line.dropLast(line.reversed().prefix { $0 <= 0x20 }.count), holdsBlanks: true)
    }
    if first == UInt8(ascii: "/") {
      let url = line.prefix { $0 > 0x20 }
      guard line.dropFirst(url.count).allSatisfy({ $0 <= 0x20 }) else { return .unreadable }
      return target(namesHost(url) ? Array("https:".utf8)[...] + url : url, host: nil)
    }
    return combined(line)
  }

  /// Whether a line of a list is `//example.com/path`, a URL without its scheme (RFC 3986, 4.2). A name
  /// without a dot is more likely the first segment of a path, as servers log it.
  private static func namesHost(_ url: ArraySlice<UInt8>) -> Bool {
    guard url.starts(with: "//".utf8) else { return false }
    let name = url.dropFirst(2).prefix { !"/?#:".utf8.contains($0) }
    return name.contains(UInt8(ascii: ".")) && HostName.fault(in: Array(name)) == nil
  }

  /// Schemes ignore case (M1). What follows the colon is the reader's of URLs: a browser takes `https:/` and `https:\` too.
  private static func hasScheme(_ text: ArraySlice<UInt8>) -> Bool {
    schemes.contains { scheme in
      text.count >= scheme.count && zip(text, scheme).allSatisfy { ASCII.lowercased($0) == $1 }
    }
  }

  private static let schemes = ["https:", "http:"].map { Array($0.utf8) }

  /// `address - user [date] "GET /path HTTP/1.1" status bytes …`: the first quoted field that is a request line.
  private static func combined(_ line: ArraySlice<UInt8>) -> Reading {
    guard let field = quoted(in: line) else { return .unreadable }
    return request(logged: field, host: virtualHost(line[..<(field.startIndex - 1)]))
  }

  /// The first field between quotation marks, in which `\"` is none, without them.
  static func quoted(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let quote = UInt8(ascii: "\"")
    guard let open = line.firstIndex(of: quote) else { return nil }
    var end = open + 1
    while end < line.endIndex, line[end] != quote { end += line[end] == UInt8(ascii: "\\") ? 2 : 1 }
    return end < line.endIndex ? line[(open + 1)..<end] : nil
  }

  /// The request line of a combined log, in which servers escape what they do not print: nginx, Apache and `serve` as `\xC3`,
  /// Apache also as `\"` and `\\`. In the URL that a device holds each such byte is percent-encoded.
  static func request(logged text: ArraySlice<UInt8>, host: String?) -> Reading {
    let escape = UInt8(ascii: "\\")
    guard text.contains(escape) else { return request(text, host: host) }
    var plain: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == escape, let next = rest.first else {
        plain.append(byte)
        continue
      }
      let digits = rest.dropFirst().prefix(2).compactMap(ASCII.hexValue)
      if next == UInt8(ascii: "\"") || next == escape {
        plain += next == escape ? "%5C".utf8 : "%22".utf8
        rest.removeFirst()
      } else if next == UInt8(ascii: "x"), digits.count == 2 {
        plain.append(UInt8(ascii: "%"))
        ASCII.appendHex(digits[0] << 4 | digits[1], isUpperCase: true, to: &plain)
        rest.removeFirst(3)
      } else {
        plain.append(byte)
      }
    }
    return request(plain[...], host: host)
  }

  /// The host in front of the address, as in Apache's `vhost_combined`: `example.com:443 192.0.2.1 - user [date]`. Without
  /// one the second field is the client's identity, which is a hyphen.
  private static func virtualHost(_ start: ArraySlice<UInt8>) -> String? {
    let blank = UInt8(ascii: " ")
    guard let first = start.firstIndex(of: blank), start[(first + 1)...].first != UInt8(ascii: "-") else {
      return nil
    }
    let fields = start.prefix { $0 != UInt8(ascii: "[") }.split(separator: blank, maxSplits: 4)
    guard fields.count >= 4, fields[1].contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") })
    else { return nil }
    let name = fields[0].prefix { $0 != UInt8(ascii: ":") }
    let port = fields[0].dropFirst(name.count)
    let hasPort = port.count > 1 && port.dropFirst().allSatisfy(ASCII.isDigit)
    let isHost = name.contains { $0 != UInt8(ascii: ".") && !ASCII.isDigit($0) } && name.allSatisfy(isOfHost)
    return isHost && (hasPort || port.isEmpty) ? String(decoding: name, as: UTF8.self) : nil
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || ASCII.isLetter(byte) || "-._".utf8.contains(byte)
  }

  /// `GET /path HTTP/1.1`
  static func request(_ text: ArraySlice<UInt8>, host: String?) -> Reading {
    let space = UInt8(ascii: " ")
    guard let first = text.firstIndex(of: space), let last = text.lastIndex(of: space), first < last,
      text[..<first].allSatisfy({ (0x41...0x5A).contains($0) }), first > text.startIndex,
      text[(last + 1)...].starts(with: "HTTP/".utf8)
    else { return .unreadable }
    let wanted = text[(first + 1)..<last]
    if wanted.elementsEqual("*".utf8), text[..<first].elementsEqual("OPTIONS".utf8) { return .server }
    return target(wanted, host: host)
  }

  /// A URL or a path that stands by itself.
  ///
  /// - Parameter holdsBlanks: Whether blanks are part of it, as a person writes a URL; a log has none.
  package static func target(
    _ bytes: ArraySlice<UInt8>, host: String? = nil, holdsBlanks: Bool = false
  ) -> Reading {
    let least: UInt8 = holdsBlanks ? 0x20 : 0x21
    guard let text = String(validating: bytes, as: UTF8.self),
      bytes.allSatisfy({ $0 >= least && $0 != 0x7F })
    else { return .unreadable }
    if bytes.first == UInt8(ascii: "/") { return .url(host.map { "https://\($0)" + text } ?? text) }
    return hasScheme(bytes) ? .url(text) : .unreadable
  }

  /// The names under which servers write a URL, the more complete ones first.
  private static let urlNames = ["url", "uri", "request_uri", "path", "requestPath", "RequestPath"]

  /// The names under which servers write a query that their path does not have.
  private static let queryNames = [
    "query", "args", "query_string", "queryString", "querystring", "uri_query", "cs-uri-query",
  ]

  private static func json(_ line: ArraySlice<UInt8>) -> Reading {
    let document = JSONParser.parse(Array(line))
    guard document.errors.isEmpty, let root = document.root, root.object != nil else { return .unreadable }
    return json(root)
  }

  static func json(_ root: JSONNode) -> Reading {
    // Some servers write the request as an object of its own.
    let node = root["request"].flatMap { $0.object == nil ? nil : $0 } ?? root["httpRequest"] ?? root
    let host = (node["host"] ?? root["host"] ?? root["http_host"])?.string
    if let text = (node["request"] ?? node["requestLine"])?.string {
      return request(Array(text.utf8)[...], host: host)
    }
    for name in urlNames {
      guard let text = (node[name] ?? node["requestUrl"])?.string else { continue }
      // Only OPTIONS has this target.
      if text == "*" { return .server }
      return target(Array((text + query(of: node, beside: text)).utf8)[...], host: host)
    }
    return .unreadable
  }

  /// The query that stands in a field of its own, with its question mark; empty where there is none, or the URL has it.
  private static func query(of node: JSONNode, beside url: String) -> String {
    guard !url.contains("?"),
      let text = queryNames.lazy.compactMap({ node[$0]?.string }).first(where: { !$0.isEmpty && $0 != "-" })
    else { return "" }
    // Some servers write it decoded.
    return (text.hasPrefix("?") ? "" : "?") + text.replacing(" ", with: "%20")
  }
}
