package import LinkspanCore

/// Whether APNs takes the pushes of one environment and one key: a circuit breaker as a value, without a clock.
///
/// While APNs fails, nothing goes out but one push from time to time, the probe. When APNs takes it, the others follow,
/// a few at first and more with each answer. An answer about one device token, such as `TooManyRequests`, says that APNs
/// works; a lone 5xx says nothing about other pushes.
package struct PushHealth: Sendable {
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    /// APNs answers 5xx, or something in front of it answers in its place.
    case service
    /// APNs refuses the key or the certificate.
    case credential
  }

  /// A time during which pushes wait.
  package struct Outage: Hashable, Sendable {
    package var cause: Cause
    /// What APNs says.
    package var reason: String
    /// What a person has to do; empty where waiting is all.
    package var advice: String
    package var since: WallTime
    /// When one push tries whether APNs works again.
    package var probeAt: WallTime
  }

  /// What an operator should know.
  package enum Change: Hashable, Sendable {
    case began(Outage)
    case ended(Outage)
  }

  /// What an answer says of the service.
  enum Sign: Hashable, Sendable {
    case works
    case fails(reason: String, retryAfter: Duration?)
    case refusesCredential(reason: String, advice: String)
    /// No answer came, which decides nothing unless the push was the probe.
    case isSilent
    /// The push was not acted upon.
    case isUndecided
  }

  /// Failures of different pushes, one after the other, that begin an outage. Ours: what a busy sender wastes at most
  /// besides what is under way.
  private static let failuresInRow = 8
  /// The same where nothing was accepted for ``quiet``. Ours: one failure may be about one push, two are about APNs.
  private static let failuresInQuiet = 2
  private static let quiet = Duration.seconds(1)
  /// Ours: and the failures among as many answers.
  private static let window = 32
  private static let failuresInWindow = 16
  /// A probe waits a quarter of the time that the outage has lasted, so recovery is noticed late by that part at most.
  private static let share: Int64 = 4
  /// Ours: the shortest and the longest wait for a probe.
  private static let serviceWait = Duration.seconds(1)...Duration.seconds(30)
  private static let credentialWait = Duration.seconds(10)...Duration.seconds(900)
  /// A `Retry-After` delays the probe by no more than what Apple asks for after 5xx.
  static let longestAsked = Duration.seconds(900)
  /// Ours: pushes under way at which nothing is held back any more after an outage, and below which another failure
  /// belongs to the same outage.
  private static let fullRamp = 1_024
  private static let earlyRamp = 16

  /// nil while pushes go out.
  package private(set) var outage: Outage?
  /// The push that tries whether APNs works again, while it is under way.
  private var probe: Int?
  /// Pushes under way at most after an outage; it grows with each answer.
  private var ramp: Int?
  private var endedOutage: Outage?
  private var failures = 0
  private var lastFailed: String?
  private var lastSuccess = WallTime(milliseconds: .min)
  private var recent: UInt32 = 0
  private var recentCount = 0

  package init() {}

  /// How many more pushes may go out now.
  ///
  /// - Parameter underWay: How many are under way.
  func room(underWay: Int, at now: WallTime) -> Int {
    if let outage { return probe == nil && now >= outage.probeAt ? 1 : 0 }
    return ramp.map { max(0, $0 - underWay) } ?? .max
  }

  /// When the next push may go out; nil where none is held back, or the probe's answer decides.
  package var wakeUp: WallTime? { probe == nil ? outage?.probeAt : nil }

  /// Has the next probe wait no longer.
  mutating func endWait(at now: WallTime) {
    if let probeAt = outage?.probeAt { outage?.probeAt = min(probeAt, now) }
  }

  /// Takes note that a push goes out.
  mutating func noteSent(_ ticket: Int) { if outage != nil { probe = ticket } }

  /// Takes note of what an attempt says of the service.
  ///
  /// - Parameters:
  ///   - message: The same for every attempt of a push.
  ///   - generator: Spreads the probes of senders that failed together.
  /// - Returns: What has changed by it.
  mutating func note(
    _ sign: Sign, of ticket: Int, _ message: String, at now: WallTime, using generator: inout SeededGenerator
  ) -> Change? {
    let isProbe = probe == ticket
    if isProbe { probe = nil }
    switch sign {
    case .works: return noteSuccess(isProbe: isProbe, at: now)
    case .fails(let reason, let retryAfter):
      return noteFailure(reason, retryAfter, message, isProbe: isProbe, at: now, using: &generator)
    case .refusesCredential(let reason, let advice):
      if outage?.cause == .credential {
        if isProbe { postponeProbe(at: now, using: &generator) }
        return nil
      }
      return begin(.credential, reason, advice, nil, at: now, using: &generator)
    case .isSilent:
      if isProbe { postponeProbe(at: now, using: &generator) }
      return nil
    case .isUndecided: return nil
    }
  }

  private mutating func noteSuccess(isProbe: Bool, at now: WallTime) -> Change? {
    if let outage {
      // What was sent before says nothing of now.
      guard isProbe else { return nil }
      self.outage = nil
      endedOutage = outage
      ramp = 2
      (failures, lastFailed, lastSuccess) = (0, nil, now)
      (recent, recentCount) = (0, 0)
      return .ended(outage)
    }
    (failures, lastFailed, lastSuccess) = (0, nil, now)
    remember(isFailure: false)
    if let limit = ramp { ramp = limit + 1 < Self.fullRamp ? limit + 1 : nil }
    return nil
  }

  private mutating func noteFailure(
    _ reason: String, _ retryAfter: Duration?, _ message: String, isProbe: Bool, at now: WallTime,
    using generator: inout SeededGenerator
  ) -> Change? {
    if outage != nil {
      if isProbe { postponeProbe(at: now, using: &generator) }
      obey(retryAfter, at: now)
      return nil
    }
    // One push that fails again and again says nothing of others.
    if lastFailed != message {
      failures += 1
      remember(isFailure: true)
    }
    lastFailed = message
    let isQuiet =
      ramp != nil || lastSuccess.milliseconds == .min || lastSuccess.advanced(by: Self.quiet) <= now
    guard
      failures >= Self.failuresInRow || isQuiet && failures >= Self.failuresInQuiet
        || recentCount == Self.window && recent.nonzeroBitCount >= Self.failuresInWindow
    else { return nil }
    return begin(.service, reason, "", retryAfter, at: now, using: &generator)
  }

  private mutating func remember(isFailure: Bool) {
    recent = recent << 1 | (isFailure ? 1 : 0)
    recentCount = min(recentCount + 1, Self.window)
  }

  private mutating func begin(
    _ cause: Cause, _ reason: String, _ advice: String, _ retryAfter: Duration?, at now: WallTime,
    using generator: inout SeededGenerator
  ) -> Change {
    var outage = Outage(cause: cause, reason: reason, advice: advice, since: now, probeAt: now)
    if let ramp, ramp < Self.earlyRamp, let endedOutage, endedOutage.cause == cause {
      outage.since = endedOutage.since
    }
    self.outage = outage
    (failures, lastFailed, probe, ramp, recent, recentCount) = (0, nil, nil, nil, 0, 0)
    postponeProbe(at: now, using: &generator)
    obey(retryAfter, at: now)
    return .began(self.outage ?? outage)
  }

  private mutating func postponeProbe(at now: WallTime, using generator: inout SeededGenerator) {
    guard let outage else { return }
    let bounds = outage.cause == .service ? Self.serviceWait : Self.credentialWait
    let (least, most) = (bounds.lowerBound.wholeMilliseconds, bounds.upperBound.wholeMilliseconds)
    let wait = min(max((now.milliseconds - outage.since.milliseconds) / Self.share, least), most)
    self.outage?.probeAt = now.advanced(by: .milliseconds(wait + generator.draw(0...wait / Self.share)))
  }

  private mutating func obey(_ retryAfter: Duration?, at now: WallTime) {
    guard let retryAfter, let outage else { return }
    self.outage?.probeAt = max(outage.probeAt, now.advanced(by: min(retryAfter, Self.longestAsked)))
  }
}
