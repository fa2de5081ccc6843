package import LinkspanCore

/// How the stand-in answers one request, and what it does to the connection with it.
package struct APNsReply: Sendable {
  /// What becomes of the request's stream.
  package enum Ending: Hashable, Sendable {
    case answered
    /// RST_STREAM with a code of RFC 9113, 7.
    case reset(code: UInt32)
    /// The connection dies before the request was acted upon.
    case requestLost
    /// The connection dies after the request was acted upon: the client never learns the answer.
    case answerLost
    /// No answer ever comes, and the connection stays.
    case silence
  }

  /// GOAWAY: a code of RFC 9113, 7 and, as debug data, the reason in JSON (push notes, 1.13).
  package struct GoAway: Hashable, Sendable {
    package var code: UInt32
    /// Nil for one without debug data, which was observed as well.
    package var reason: String?

    package init(code: UInt32 = 0, reason: String?) {
      self.code = code
      self.reason = reason
    }

    package var debugData: [UInt8] {
      reason.map { JSON.object([("reason", .string($0))]).bytes } ?? []
    }
  }

  package var response: HTTPResponse
  package var ending = Ending.answered
  /// How long the answer waits.
  package var delay: Duration?
  /// SETTINGS_MAX_CONCURRENT_STREAMS from now on; nil leaves it as it is.
  package var concurrentStreams: Int?
  package var goAway: GoAway?
  /// What was asked, for the record.
  package var facts: RequestFacts

  init(_ response: HTTPResponse, _ facts: RequestFacts) {
    self.response = response
    self.facts = facts
  }
}
