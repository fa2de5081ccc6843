/// A service that an association file grants and an entitlement claims.
///
/// - Source: spec associated-domains E1, J2; no newer service is known.
package enum Service: String, CaseIterable, Hashable, Sendable {
  case applinks
  case webcredentials
  case appclips
  case activitycontinuation
}
