package import LinkspanCore

/// A push that starts, updates or ends a Live Activity.
///
/// - Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications"; the two ways of a started
///   activity to hear more (iOS 18) are read in senders (notes, 5.1).
package struct LiveActivityPush: Sendable {
  package var event: Aps.ActivityEvent
  /// Unix seconds; a device passes over what is older than what it has.
  package var timestamp: Int
  /// As the app's type decodes it; an end may go without.
  package var contentState: JSON?
  /// Of a start: the name of the app's type, and its value.
  package var attributesType: String?
  package var attributes: JSON?
  /// Title and body, each a text or a key of the app's texts, and a sound (notes, 5.1).
  package var alert: PushAlert.Parts?
  /// Unix seconds.
  package var staleDate: Int?
  /// Of an end: until when it stays on the lock screen, in Unix seconds.
  package var dismissalDate: Int?
  package var relevanceScore: Double?
  /// Of a start: the channel that the activity subscribes to.
  package var channel: String?
  /// Of a start: whether the app is to get a token for updates.
  package var asksForToken = false

  package init(_ event: Aps.ActivityEvent, timestamp: Int) {
    self.event = event
    self.timestamp = timestamp
  }

  package var payload: PushPayload {
    var aps = Aps()
    aps.event = event
    aps.timestamp = timestamp
    aps.contentState = contentState
    aps.attributesType = attributesType
    aps.attributes = attributes
    aps.staleDate = staleDate
    aps.dismissalDate = dismissalDate
    aps.relevanceScore = relevanceScore
    aps.channel = channel
    aps.asksForToken = asksForToken
    aps.alert = alert.map(PushAlert.parts)
    return PushPayload(aps: aps)
  }
}
