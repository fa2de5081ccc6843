internal import LinkspanCore

/// What is contradictory or unknown about Apple's CDN, as switches.
package struct CDNSwitches: Hashable, Sendable {
  /// After a 404 at `.well-known` the root is asked (F5: observations contradict each other).
  package var asksRootAfterNotFound = true
  /// A redirect inside one registrable domain is followed (T3: observed indirectly).
  package var followsRedirectInsideDomain = false
  /// Files longer than this are refused (H12). nil: no ceiling is known, and a file of 27 MB was told of (R4).
  package var largestFileBytes: Int?
  /// How long a good answer is kept, in seconds (C5: observed in 2026; 3600 in 2023).
  package var positiveLife_s = CrawlResult.positiveLife_s
  /// How long a bad answer is kept, in seconds (C6: observed in 2026; 1800 in 2023).
  package var negativeLife_s = CrawlResult.negativeLife_s
  /// How long the crawler waits for an origin, in seconds (T8: not documented; reports speak of 5).
  package var crawlTimeout_s = 5
  /// A good copy goes on being answered when a later crawl fails (C11: observed that it may).
  package var keepsOldCopy = false
  /// A query behind the host forces a crawl (C7: one report).
  package var crawlsAnewForQuery = false
  /// Where the crawler asks from. A guess: Apple publishes no addresses (T5).
  package var crawlerRegion = "US"

  package init() {}

  /// How long an answer is kept, in seconds.
  func life_s(_ answer: HTTPResponse) -> Int { answer.status == 200 ? positiveLife_s : negativeLife_s }
}
