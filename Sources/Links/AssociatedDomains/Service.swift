/// A service that an association file grants and an entitlement claims.
///
/// - Source: rules E1, J2.
package enum Service: String, CaseIterable, Hashable, Sendable {
  case applinks
  case webcredentials
  case appclips
  case activitycontinuation
  /// What identity providers publish for sign-on extensions; shaped like `webcredentials` (J2, observed).
  case authsrv
}
