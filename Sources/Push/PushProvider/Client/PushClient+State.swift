internal import LinkspanCore

extension PushClient {
  /// A push that was handed over and how far it is.
  struct Entry: Sendable {
    /// Whose place it is; an earlier or later one is not meant.
    var ticket: Ticket
    /// nil when it has ended.
    var push: PushNotification?
    var messageIdentifier: String
    var deadline: WallTime
    var lane = PushLane.transactional
    /// Of the caller's, before it was handed over.
    var attemptsBefore = 0
    var attempts = 0
    /// Attempts that the peer has certainly not acted upon, which cost nothing.
    var unprocessed = 0
    var isPossibleDuplicate = false
    /// When the provider token of the last attempt was issued.
    var issuedAt: WallTime?
    /// Under way there.
    var connection: Int?
    /// When it goes out again; nil while it is ready, under way or postponed.
    var dueAt: WallTime?
    /// When APNs should be asked again, for a push whose deadline is sooner: it ends unless an outage turns out to be why
    /// it failed.
    var doubtfulUntil: WallTime?
    var lastReason = "it was not sent in time"
    var lastStatus: Int?
  }

  /// A connection that is open, or is opened with its first request.
  struct Connection: Sendable {
    var number: Int
    var isOpen = false
    /// Whether the peer has said anything on it.
    var isEstablished = false
    /// Whether an answer has come, so that the peer knows a valid token.
    var isProven = false
    var streamLimit: Int
    var underWay: Set<Ticket> = []
    var lastUse: WallTime
    /// Since when requests are under way on it without any answer.
    var waitingSince: WallTime
  }
}
