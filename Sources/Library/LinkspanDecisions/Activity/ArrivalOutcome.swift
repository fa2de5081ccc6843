/// What became of an arrival that could not be shown at once.
public enum ArrivalNotice<Destination: Sendable>: Sendable {
  /// It waits at a closed gate: the app shows the log-in, or whatever opens it.
  case waits(Arrival<Destination>, at: ArrivalGate)
  /// It waited at the gate until the gate's expiry, and is given up.
  case expired(Arrival<Destination>, at: ArrivalGate)
  /// The app said that the person refused the gate; the arrival is given up.
  case refused(Arrival<Destination>, at: ArrivalGate)
  /// More arrivals wait than ``ActivityContinuation/queueLimit``; the oldest is given up.
  case displaced(Arrival<Destination>)
}

extension ArrivalNotice: Equatable where Destination: Equatable {}

/// Whose a link or an activity is; an adapter returns `true` to the system for all but ``foreign``.
public enum ArrivalOutcome: Int, Sendable, Comparable {
  /// Not of this app: nothing is done, and the system may look for another app.
  case foreign
  /// Of this app, but without a place in it: the browser gets a web link.
  ///
  /// The system is still answered `true`; after `false` it would open the browser as well.
  case unknown
  /// Of this app, with a place.
  case mine

  /// In the order foreign, unknown, mine.
  public static func < (first: ArrivalOutcome, second: ArrivalOutcome) -> Bool {
    first.rawValue < second.rawValue
  }
}
