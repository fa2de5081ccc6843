import Glibc

/// Peers that ask rule by rule.
struct PlainWalk {
  private let paths: [[UInt8]]
  private let rules: [[UInt8]]

  init(_ workload: Workload, limit: Int) {
    paths = workload.urls.prefix(limit).map {
      Array($0.dropFirst("https://example.com".count).prefix { $0 != "?" }.utf8)
    }
    rules = workload.paths.map { Array($0.utf8) }
  }

  var count: Int { paths.count }

  /// The usual way: one way back, to the last star.
  func matches() -> Int {
    var matches = 0
    for path in paths where rules.contains(where: { Self.covers($0, path) }) { matches += 1 }
    return matches
  }

  /// glibc's fnmatch(3).
  func fnmatches() -> Int {
    // Converted beforehand: only the matching counts.
    let paths = paths.map { strdup(String(decoding: $0, as: UTF8.self))! }
    let rules = rules.map { strdup(String(decoding: $0, as: UTF8.self))! }
    defer { for text in paths + rules { free(text) } }
    var matches = 0
    for path in paths where rules.contains(where: { fnmatch($0, path, FNM_NOESCAPE) == 0 }) { matches += 1 }
    return matches
  }

  private static func covers(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var place = 0
    var offset = 0
    var star = -1
    var resume = 0
    while offset < text.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        star = place
        resume = offset
        place += 1
      } else if place < pattern.count, pattern[place] == UInt8(ascii: "?") || pattern[place] == text[offset] {
        place += 1
        offset += 1
      } else if star >= 0 {
        place = star + 1
        resume += 1
        offset = resume
      } else {
        return false
      }
    }
    while place < pattern.count, pattern[place] == UInt8(ascii: "*") { place += 1 }
    return place == pattern.count
  }
}
