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
    "an integer from \(range.lowerBound) to \(range.upperBound)"
  }
}
