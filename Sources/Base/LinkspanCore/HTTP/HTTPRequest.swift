/// A request as a value: what a handler gets, whether it came over a socket, from the simulator or from a test.
package struct HTTPRequest: Hashable, Sendable {
  package var method: String

  /// `http` or `https`.
  package var scheme: String

  /// The host asked for, with its port when one was named, as in the Host field or `:authority`.
  package var authority: String

  /// The origin form of the target: path and query as written, beginning with `/`.
  package var target: String

  package var fields: HTTPFields
  package var body: [UInt8]

  package init(
    method: String = "GET", scheme: String = "https", authority: String, target: String,
    fields: HTTPFields = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.scheme = scheme
    self.authority = authority
    self.target = target
    self.fields = fields
    self.body = body
  }

  /// The target without its query.
  package var path: Substring {
    var text = target
    guard text.withUTF8({ $0.contains(UInt8(ascii: "?")) }) else { return text[...] }
    return text.utf8.firstIndex(of: UInt8(ascii: "?")).map { text[..<$0] } ?? text[...]
  }

  /// The authority without its port, lower-cased; an IPv6 literal keeps its brackets.
  package var host: String {
    var text = authority
    let host: String? = text.withUTF8 { bytes in
      var (end, isLowercased) = (bytes.count, true)
      for index in bytes.indices {
        switch bytes[index] {
        case UInt8(ascii: ":"): end = index
        case UInt8(ascii: "]"): end = bytes.count
        case let byte: if ASCII.lowercased(byte) != byte { isLowercased = false }
        }
      }
      // Most are spelled like this already, and nothing has to be made.
      if end == bytes.count, isLowercased { return nil }
      let host = UnsafeBufferPointer(rebasing: bytes[..<end])
      return isLowercased
        ? String(decoding: host, as: UTF8.self) : String(decoding: host.map(ASCII.lowercased), as: UTF8.self)
    }
    return host ?? text
  }
}
