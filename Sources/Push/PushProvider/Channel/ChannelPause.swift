package import LinkspanCore

/// Keeps requests about channels back for as long as APNs has asked for, as pushes are kept back: what is asked in between has
/// APNs' last answer, with the time that is left. A 429 is about one channel of an app, anything else about the server.
package struct ChannelPause: Sendable {
  /// Ours: channels that are remembered at a time; each for 15 minutes at most.
  private static let limit = 10_000

  private struct Place: Hashable {
    var authority: String
    /// Empty for all that a server is asked.
    var subject = ""
  }

  private var pauses: [Place: (end: WallTime, answer: PushAnswer)] = [:]

  package init() {}

  /// Takes an answer of APNs'.
  package mutating func note(
    _ answer: ChannelAnswer, to request: ChannelRequest, of app: String, from authority: String,
    at now: WallTime
  ) {
    guard case .refused(let refusal) = answer, let asked = refusal.retryAfter, asked > .zero else { return }
    pauses = pauses.filter { Self.isOn($0.value.end, at: now) }
    guard pauses.count < Self.limit else { return }
    let subject = refusal.status == 429 ? Self.subject(request, app) : ""
    pauses[Place(authority: authority, subject: subject)] = (
      now.advanced(by: min(asked, PushHealth.longestAsked)), refusal
    )
  }

  /// - Returns: What APNs said, where it has asked to be left alone until later.
  package func answer(
    to request: ChannelRequest, of app: String, from authority: String, at now: WallTime
  ) -> ChannelAnswer? {
    for subject in ["", Self.subject(request, app)] {
      let pause = pauses[Place(authority: authority, subject: subject)]
      guard let pause, Self.isOn(pause.end, at: now) else { continue }
      let seconds = (pause.end.milliseconds - now.milliseconds + 999) / 1_000
      return .refused(pause.answer.asking(for: .seconds(seconds)))
    }
    return nil
  }

  /// A clock that was set back ends a pause: how much is left is not known.
  private static func isOn(_ end: WallTime, at now: WallTime) -> Bool {
    now < end && end <= now.advanced(by: PushHealth.longestAsked)
  }

  private static func subject(_ request: ChannelRequest, _ app: String) -> String {
    switch request {
    case .create, .list: app
    case .read(let channel), .delete(let channel): "\(app) \(channel)"
    case .publish(let broadcast): "\(app) \(broadcast.channel)"
    }
  }
}
