package import LinkspanCore

/// What a sender asks of quiet hours.
extension QuietHours {
  /// A push takes that long to the device at most before it counts as late. Ours.
  package static let sendingTime = Duration.seconds(60)

  /// When a push may go out that is due now, so that it does not arrive in the quiet hours.
  ///
  /// - Returns: That moment itself, or the end of the quiet hours that it would be under way in.
  package func sendingTime(at time: WallTime, in zone: TimeZoneRules) -> WallTime {
    if contain(time, in: zone) { return nextAllowed(from: time, in: zone) }
    let arrival = time.advanced(by: Self.sendingTime)
    return contain(arrival, in: zone) ? nextAllowed(from: arrival, in: zone) : time
  }
}
