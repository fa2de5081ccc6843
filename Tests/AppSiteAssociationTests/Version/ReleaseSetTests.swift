import AppSiteAssociation
import LinkspanCore
import Testing

/// Releases, ranges of them and lists, as `--os` takes them.
@Suite struct ReleaseSetTests {
  static let read: [(texts: [String], name: String, periods: [String])] = [
    (["ios:17.4"], "iOS 17.4", ["iOS 17.4"]), (["17.4"], "iOS 17.4", ["iOS 17.4"]),
    (["ios:13"], "iOS 13.0", ["iOS 13.0"]), (["ios:15..26"], "iOS 15.0–26", ["iOS 15.0–26"]),
    (["ios:13..13"], "iOS 13.0–13.7", ["iOS 13.0–13.4", "iOS 13.5–13.7"]),
    (["ios:13..13.4"], "iOS 13.0–13.4", ["iOS 13.0–13.4"]),
    (
      ["ios:12.1.."], "iOS 12.1 and later",
      ["iOS 12.1–12.5", "iOS 13.0–13.4", "iOS 13.5–13.7", "iOS 14.0 and later"]
    ),
    (["ipados:15..ios:16.2"], "iOS 15.0–16.2", ["iOS 15.0–16.2"]),
    (
      ["ios:15,macos:10.15.5..11"], "iOS 15.0, macOS 10.15.5–11",
      ["iOS 15.0", "macOS 10.15.5", "macOS 10.15.6–10.15.7", "macOS 11.0–11"]
    ),
    (["ios:17", "ios:15.2"], "iOS 15.2–17.0", ["iOS 15.2–17.0"]),
    (["ios:12.5.7"], "iOS 12.5.7", ["iOS 12.5.7"]), (["ios:8.4"], "iOS 8.4", ["iOS 8.4"]),
    (["visionos:1..26"], "visionOS 1.0–26", ["visionOS 1.0–26"]),
  ]

  @Test(arguments: read) func isRead(texts: [String], name: String, periods: [String]) throws {
    let set = try ReleaseSet(texts)
    #expect(set.name == name)
    #expect(set.periods.map(\.name) == periods)
  }

  static let refused: [(text: String, reason: String)] = [
    ("ios:26..15", "the range ends before it begins"), ("ios:", "the version is missing"),
    ("macos:..", "the range names no first release"), ("..", "the range names no first release"),
    ("ios:..26", "the range names no first release"), ("ios:15..macos:26", "a range has one platform"),
    ("ios:15..x", "'x' is not a version number"), ("", "the version is missing"),
    ("ios:15,", "the version is missing"), ("ios:15..20", "iOS 26 followed iOS 18"),
    ("ios:15..16..17", "expected one release, got a range"),
    ("windows:11", "the platform must be one of ios, macos, tvos, watchos, visionos"),
  ]

  @Test(arguments: refused) func isRefused(text: String, reason: String) {
    #expect {
      try ReleaseSet([text])
    } throws: {
      let message = ($0 as? OSVersionError)?.description ?? ""
      return message.contains("is not a release or a range of releases: \(reason).")
        && message.hasSuffix("such as ios:17.4 or ios:15..26.")
    }
  }

  /// Law: a range answers as each of its releases does.
  @Test func aRangeHoldsItsReleases() throws {
    let releases = ["9.0", "12.5", "13.0", "13.4", "13.5", "13.7", "14.0", "17.4", "26.0"]
    for (place, first) in releases.enumerated() {
      for last in releases[place...] {
        let range = try ReleaseSet(["ios:\(first)..\(last)"])
        for (own, release) in releases.enumerated() {
          let single = try OSVersion("ios:\(release)")
          let isInside = range.periods.contains { period in
            period.first <= single && period.last.map { single <= $0 } ?? true
          }
          #expect(
            isInside == (own >= place && own <= releases.firstIndex(of: last)!),
            "\(first)..\(last) \(release)")
        }
      }
    }
  }
}
