/// Whether APNs rejects more of a campaign than its operator wants: then something is wrong with the campaign, and not with
/// single devices.
///
/// A value. A device that is gone is nothing of the campaign's: `Unregistered` and `ExpiredToken` do not count.
struct CampaignGuard {
  /// What APNs answered so far.
  struct Counts: Equatable {
    var answers = 0
    /// Rejections that say something about the campaign.
    var rejections = 0
  }

  /// As the issue of operators says: less than that says nothing.
  static let leastAnswers = 500

  /// Of each hundred answers, so many may be rejections.
  let percent: Int
  /// So many answers have to be there.
  let leastAnswers: Int
  /// What counted when each campaign was last seen paused, by its identifier: a person who lets it go on knows of these.
  private var known: [String: Counts] = [:]

  init(percent: Int, leastAnswers: Int = Self.leastAnswers) {
    self.percent = percent
    self.leastAnswers = leastAnswers
  }

  /// Takes note of what came of a campaign.
  ///
  /// - Returns: The answers since the last pause, where too many of them are rejections.
  mutating func excess(_ identifier: String, _ counts: Counts) -> Counts? {
    let before = known[identifier] ?? Counts()
    let new = Counts(
      answers: counts.answers - before.answers, rejections: counts.rejections - before.rejections)
    guard new.answers >= leastAnswers, new.rejections * 100 > percent * new.answers else { return nil }
    known[identifier] = counts
    return new
  }

  /// Takes note of what had come of a campaign that is paused, whoever paused it: another server, or this one before its start.
  mutating func note(_ identifier: String, _ counts: Counts) { known[identifier] = counts }

  /// Forgets what has ended.
  mutating func keep(_ identifiers: Set<String>) { known = known.filter { identifiers.contains($0.key) } }
}
