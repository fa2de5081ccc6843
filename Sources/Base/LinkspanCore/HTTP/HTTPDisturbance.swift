/// What a stand-in does to a connection of HTTP/2 beside answering, so that a client can be tested against it.
package struct HTTPDisturbance: Hashable, Sendable {
  /// What becomes of a request that is not answered.
  package enum Ending: Hashable, Sendable {
    /// RST_STREAM with a code of RFC 9113, 7.
    case resetStream(code: UInt32)
    /// The connection ends without a word, and everything under way on it.
    case dropConnection
  }

  /// SETTINGS_MAX_CONCURRENT_STREAMS from now on.
  package var concurrentStreams: Int?
  /// GOAWAY: its code and its debug data. Every request so far is answered still.
  package var goAway: (code: UInt32, debugData: [UInt8])? {
    get { goAwayCode.map { ($0, goAwayData) } }
    set { (goAwayCode, goAwayData) = (newValue?.code, newValue?.debugData ?? []) }
  }
  package var ending: Ending?

  private var goAwayCode: UInt32?
  private var goAwayData: [UInt8] = []

  package init() {}
}
