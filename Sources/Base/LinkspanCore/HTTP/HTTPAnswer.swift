/// A response and how it came.
package struct HTTPAnswer: Hashable, Sendable {
  package enum Version: Hashable, Sendable {
    case http1
    case http2
  }

  package var response: HTTPResponse
  package var version: Version
  /// Whether the connection had carried another request before.
  package var isReused: Bool

  package init(response: HTTPResponse, version: Version, isReused: Bool) {
    self.response = response
    self.version = version
    self.isReused = isReused
  }
}

/// What a server says with GOAWAY when it takes no further request on a connection (RFC 9113, 6.8).
package struct HTTP2GoAway: Hashable, Sendable {
  /// Of the debug data, more than any reason needs. A guess.
  package static let debugLimitBytes = 1_024

  /// Of RFC 9113, 7; 0 means that nothing is wrong.
  package var code: UInt32
  /// Requests on streams above it were not acted upon.
  package var lastStream: Int32
  /// Apple's push service puts JSON with a `reason` here (push notes, 1.13). At most 1,024 bytes are kept.
  package var debugData: [UInt8]

  package init(code: UInt32, lastStream: Int32, debugData: [UInt8]) {
    self.code = code
    self.lastStream = lastStream
    self.debugData = debugData
  }

  /// What the debug data says to a person: a colon and its printable characters, or nothing.
  package var words: String {
    let text = debugData.filter { $0 >= 0x20 && $0 < 0x7F }
    return text.isEmpty ? "" : ": \(String(decoding: text, as: UTF8.self))"
  }
}
