internal import LinkspanCore

/// Finds the URL in one line of a list or of an access log.
package enum LogLine {
  package enum Reading: Equatable {
    /// A URL, or a path that begins with `/`.
    case url(String)
    /// For the eye only: nothing, or a comment behind '#'.
    case blank
    case unreadable
  }

  /// What stands in a line.
  package static func read(_ line: ArraySlice<UInt8>) -> Reading {
    let line = line.drop { $0 == 0x20 || $0 == 0x09 }
    guard let first = line.first, first != UInt8(ascii: "#") else { return .blank }
    if first == UInt8(ascii: "{") { return json(line) }
    if first == UInt8(ascii: "/") || line.starts(with: "https://".utf8) || line.starts(with: "http://".utf8) {
      let url = line.prefix { $0 > 0x20 }
      // A list has nothing else on the line.
      return line.dropFirst(url.count).allSatisfy { $0 <= 0x20 } ? target(url, host: nil) : .unreadable
    }
    return combined(line)
  }

  /// `address - user [date] "GET /path HTTP/1.1" status bytes …`: the first quoted field that is a request line.
  private static func combined(_ line: ArraySlice<UInt8>) -> Reading {
    let quote = UInt8(ascii: "\"")
    guard let open = line.firstIndex(of: quote) else { return .unreadable }
    let rest = line[(open + 1)...]
    guard let close = rest.firstIndex(of: quote) else { return .unreadable }
    return request(rest[..<close], host: nil)
  }

  /// `GET /path HTTP/1.1`
  static func request(_ text: ArraySlice<UInt8>, host: String?) -> Reading {
    let space = UInt8(ascii: " ")
    guard let first = text.firstIndex(of: space), let last = text.lastIndex(of: space), first < last,
      text[..<first].allSatisfy({ (0x41...0x5A).contains($0) }), first > text.startIndex,
      text[(last + 1)...].starts(with: "HTTP/".utf8)
    else { return .unreadable }
    return target(text[(first + 1)..<last], host: host)
  }

  /// A URL or a path that stands by itself.
  package static func target(_ bytes: ArraySlice<UInt8>, host: String? = nil) -> Reading {
    guard let text = String(validating: bytes, as: UTF8.self), bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { return .unreadable }
    if bytes.first == UInt8(ascii: "/") { return .url(host.map { "https://\($0)" + text } ?? text) }
    return text.hasPrefix("https://") || text.hasPrefix("http://") ? .url(text) : .unreadable
  }

  /// The names under which servers write a URL, the more complete ones first.
  private static let urlNames = ["url", "uri", "request_uri", "path", "requestPath", "RequestPath"]

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
      return target(Array(text.utf8)[...], host: host)
    }
    return .unreadable
  }
}
