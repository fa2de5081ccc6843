/// What goes wrong by chance in a story, besides what its script says. Everything is off without it.
///
/// All of it is drawn from the seed, by generators that nothing else draws from: a fault that is switched on changes
/// no delay and no moment of a run it does not strike. The figures are ours; where a rule says that
/// something of the kind was seen, its number stands at the knob.
package struct FaultOptions: Hashable, Sendable {
  /// A question or its answer is lost, so that the client waits until its patience ends.
  package var loss = Likelihood.never
  /// The time on the way doubles, and doubles again as long as this comes up, at most ``doublingLimit`` times: most
  /// answers are quick, and a few are very late.
  package var latencyTail = Likelihood.never
  /// An answer is held back, by up to ``reorderLimit_ms``, so that later ones overtake it.
  package var reorder = Likelihood.never
  /// A device's clock runs fast or slow, by at most this many millionths; drawn once for each device.
  package var clockDrift_ppm: Int64 = 0
  /// A device's clock is set, forward or back, by up to ``clockStepLimit_s``; drawn when a `wait` begins.
  package var clockStep = Likelihood.never
  /// Apple's CDN keeps an answer beyond its time, by up to ``staleLimit_s`` (C8, C11).
  package var staleCopy = Likelihood.never
  /// Of an answer only the beginning comes; half of the time the client can tell, and half of the time it can't.
  package var partialAnswer = Likelihood.never
  /// The daemon dies after an answer came and before it is stored; it asks again when it is back.
  package var crashBeforeStore = Likelihood.never
  /// The daemon dies right after it stored an answer; what is stored survives.
  package var crashAfterStore = Likelihood.never
  /// The CDN forgets all its copies once during a `wait`.
  package var edgeRestart = Likelihood.never
  /// An origin answers something else for once: an error, a redirect or a page.
  package var originFlap = Likelihood.never
  /// A name has no address for once.
  package var lookupFailure = Likelihood.never

  /// How often the time on the way may double.
  package static let doublingLimit = 12
  /// The longest time an answer is held back, in milliseconds.
  package static let reorderLimit_ms: Int64 = 4000
  /// The furthest a clock is set, in seconds, either way.
  package static let clockStepLimit_s: Int64 = 21_600
  /// C8: 3 days in complaints, besides minutes to a day usually.
  package static let staleLimit_s: Int64 = 259_200
  /// How long a daemon is away after it died, in milliseconds.
  package static let restart_ms: ClosedRange<Int64> = 1000...30_000
  /// How often a daemon dies over one check; the next attempt is left alone.
  package static let crashLimit = 3

  package init() {}

  /// No faults.
  package static let none = FaultOptions()
}
