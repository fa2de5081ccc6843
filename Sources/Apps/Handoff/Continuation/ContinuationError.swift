/// The errors of `NSUserActivity` with which a continuation fails.
///
/// - Source: rule HO3, documented: Foundation's error constants, range 4608 to 4863.
package enum ContinuationError: Int, Error, Hashable, Sendable, CaseIterable {
  case handoffFailed = 4608
  case connectionUnavailable = 4609
  case remoteApplicationTimedOut = 4610
  case userInfoTooLarge = 4611

  /// Foundation's name.
  package var name: String {
    switch self {
    case .handoffFailed: "NSUserActivityHandoffFailedError"
    case .connectionUnavailable: "NSUserActivityConnectionUnavailableError"
    case .remoteApplicationTimedOut: "NSUserActivityRemoteApplicationTimedOutError"
    case .userInfoTooLarge: "NSUserActivityHandoffUserInfoTooLargeError"
    }
  }
}
