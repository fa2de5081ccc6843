internal import LinkspanCore
internal import PushProvider
internal import RegistryDatabases
internal import RegistryRequests

/// Campaigns with conditions or options of a newer build. They pause, also when a person resumes them, until a build that
/// understands all of it runs: a condition that is passed over would let a campaign go to devices that it leaves out.
extension RegistryStore {
  /// Campaigns that are remembered to be understood. Ours.
  private static let unreadCount = 500

  /// Pauses those of some campaigns that this build does not understand.
  ///
  /// - Returns: The others.
  func understood(_ campaigns: [Int64], at now: WallTime) throws(RegistryError) -> [Int64] {
    if knownUnread.count + campaigns.count > Self.unreadCount { knownUnread = [:] }
    let new = campaigns.filter { knownUnread[$0] == nil }
    if !new.isEmpty {
      let details = try campaignDetails(ofEach: new)
      for message in try messages(Set(new)) {
        knownUnread[message.identifier] = message.unread(details[message.identifier])
      }
    }
    var understood: [Int64] = []
    for campaign in campaigns {
      if knownUnread[campaign]?.isEmpty ?? true {
        understood.append(campaign)
      } else if let message = try message(campaign) {
        try pauseMisunderstood(message, at: now)
      }
    }
    return understood
  }

  /// Pauses a campaign that this build does not understand, with a line in the audit log.
  func pauseMisunderstood(_ message: Message, at now: WallTime) throws(RegistryError) {
    // Its deliveries are held as they are claimed and put back: locking all of them could meet another sender that does.
    let paused = try database.run(
      "UPDATE messages SET state = 'paused' WHERE id = $1 AND state IN ('running', 'scheduled') RETURNING id",
      [.int(message.identifier)])
    guard !paused.isEmpty else { return }
    try audit([
      AuditEntry(
        time: now, actor: "schedule", action: "campaign.misunderstood", subject: "\(message.identifier)")
    ])
    misunderstood.append(
      MisunderstoodCampaign(
        identifier: message.identifier, topic: message.content.topic.text,
        unread: message.unread(try campaignDetails(of: message.identifier))))
  }

  /// The campaigns that were paused since the last time because this build does not understand them.
  package func takeMisunderstood() -> [MisunderstoodCampaign] {
    defer { misunderstood = [] }
    return misunderstood
  }
}
