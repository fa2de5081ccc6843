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

extension CDNSwitches {
  /// The switches by the names that stories and commands call them.
  package enum Key: String, Hashable, Sendable, CaseIterable {
    case asksRoot = "cdn_asks_root"
    case followsRedirect = "cdn_follows_redirect"
    case largestFile = "cdn_largest_file_bytes"
    case positiveLife = "cdn_positive_life_s"
    case negativeLife = "cdn_negative_life_s"
    case crawlTimeout = "cdn_crawl_timeout_s"
    case keepsOldCopy = "cdn_keeps_old_copy"
    case crawlsAnewForQuery = "cdn_crawls_anew_for_query"
    case crawlerRegion = "cdn_crawler_region"
  }

  /// Where a switch is kept, which tells what it may be set to.
  package enum Place {
    case flag(WritableKeyPath<CDNSwitches, Bool>)
    case number(WritableKeyPath<CDNSwitches, Int>, in: ClosedRange<Int>)
    case size(WritableKeyPath<CDNSwitches, Int?>, in: ClosedRange<Int>)
    case word(WritableKeyPath<CDNSwitches, String>)
  }

  package static func place(of key: Key) -> Place {
    switch key {
    case .asksRoot: .flag(\.asksRootAfterNotFound)
    case .followsRedirect: .flag(\.followsRedirectInsideDomain)
    case .largestFile: .size(\.largestFileBytes, in: 1...1 << 30)
    case .positiveLife: .number(\.positiveLife_s, in: 1...31_536_000)
    case .negativeLife: .number(\.negativeLife_s, in: 1...31_536_000)
    case .crawlTimeout: .number(\.crawlTimeout_s, in: 1...600)
    case .keepsOldCopy: .flag(\.keepsOldCopy)
    case .crawlsAnewForQuery: .flag(\.crawlsAnewForQuery)
    case .crawlerRegion: .word(\.crawlerRegion)
    }
  }

  /// Sets a switch from text, as a command has it.
  ///
  /// - Returns: What it may be set to, when the text is none of that; nil when it was set.
  package mutating func set(_ key: Key, to text: String) -> String? {
    switch Self.place(of: key) {
    case .flag(let path):
      guard let flag = ["true": true, "false": false][text] else { return "true or false" }
      self[keyPath: path] = flag
    case .number(let path, let range):
      guard let number = Int(text), range.contains(number) else { return Self.words(range) }
      self[keyPath: path] = number
    case .size(let path, let range):
      guard let number = Int(text), range.contains(number) else { return Self.words(range) }
      self[keyPath: path] = number
    case .word(let path):
      guard !text.isEmpty else { return "a word" }
      self[keyPath: path] = text
    }
    return nil
  }

  private static func words(_ range: ClosedRange<Int>) -> String {
    "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }
}
