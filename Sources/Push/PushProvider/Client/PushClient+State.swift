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
    var attempts = 0
    /// Attempts that the peer has certainly not acted upon, which cost nothing.
    var unprocessed = 0
    var isPossibleDuplicate = false
    var hasRenewedToken = false
    /// When the provider token of the last attempt was issued.
    var issuedAt: WallTime?
    /// Under way there.
    var connection: Int?
    var lastReason = "it was not sent in time"
    var lastStatus: Int?
  }

  /// A connection that is open, or is opened with its first request.
  struct Connection: Sendable {
    var number: Int
    var isOpen = false
    /// Whether an answer has come, so that the peer knows a valid token.
    var isProven = false
    var streamLimit: Int
    var underWay: Set<Ticket> = []
    var lastUse: WallTime
  }
}
