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
    // Most are spelled like this already, and nothing has to be made.
    let isHost = text.withUTF8 { bytes in
      bytes.allSatisfy { $0 != UInt8(ascii: ":") && ASCII.lowercased($0) == $0 }
    }
    if isHost { return text }
    var host = text.utf8[...]
    if let colon = host.lastIndex(of: UInt8(ascii: ":")), !host[colon...].contains(UInt8(ascii: "]")) {
      host = host[..<colon]
    }
    return String(decoding: host.map(ASCII.lowercased), as: UTF8.self)
  }
}
