/// What a push is part of. A lane is a push's for life, so that one-time codes never queue behind a campaign's retries.
package enum PushLane: String, Hashable, Sendable, CaseIterable {
  /// Somebody waits for it: a notification to the devices of one person.
  case transactional
  /// Part of a campaign.
  case campaign
}
