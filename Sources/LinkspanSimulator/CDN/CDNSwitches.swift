/// What is contradictory or unknown about Apple's CDN, as switches.
package struct CDNSwitches: Hashable, Sendable {
  /// After a 404 at `.well-known` the root is asked (F5: observations contradict each other).
  package var asksRootAfterNotFound = true
  /// A redirect inside one registrable domain is followed (T3: observed indirectly).
  package var followsRedirectInsideDomain = false
  /// Files longer than this are refused (H12). nil: no ceiling is known, and a file of 27 MB was told of (R4).
  package var largestFileBytes: Int?

  package init() {}
}
