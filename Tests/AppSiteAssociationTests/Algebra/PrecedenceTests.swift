import LinkspanCore
import Testing

@testable import AppSiteAssociation

/// J12: of the apps of a device the one opens a link whose entry comes first. An order that changes who does is a change.
@Suite struct PrecedenceTests {
  private static let apps = ["a", "b", "c"].map { "ABCDE12345.com.example." + $0 }

  /// - Parameter entries: Each with the numbers of its apps and its rules; a path behind `!` is an exclusion.
  private static func file(_ entries: [(apps: [Int], paths: [String])]) throws -> AssociationFile {
    let details = entries.map { entry in
      let rules = entry.paths.map { path in
        path.first == "!" ? #"{"/":"\#(path.dropFirst())","exclude":true}"# : #"{"/":"\#(path)"}"#
      }
      let names = entry.apps.map { "\"\(apps[$0])\"" }
      return "{\"appIDs\":[\(names.joined(separator: ","))],\"components\":[\(rules.joined(separator: ","))]}"
    }
    let text = "{\"applinks\":{\"details\":[\(details.joined(separator: ","))]}}"
    return try #require(AssociationContent(Array(text.utf8)).file)
  }

  private static func comparison(_ old: AssociationFile, _ new: AssociationFile) -> FileComparison {
    FileComparison(old, new, host: "example.com")
  }

  @Test func entriesInAnotherOrderAreAChangeWhereTheyMeet() throws {
    let old = try Self.file([([0], ["/x/*"]), ([1], ["/x/y"])])
    let new = try Self.file([([1], ["/x/y"]), ([0], ["/x/*"])])
    let comparison = Self.comparison(old, new)
    #expect(comparison.changes.isEmpty && !comparison.isEqual)
    #expect(comparison.precedence.map(\.url) == ["https://example.com/x/y"])
    #expect(comparison.precedence.map(\.old) == [Self.apps[0]])
    #expect(comparison.precedence.map(\.new) == [Self.apps[1]])
    #expect(Self.comparison(old, old).isEqual)
  }

  @Test(
    arguments: [
      // Apart.
      ([([0], ["/x/*"]), ([1], ["/y"])], [([1], ["/y"]), ([0], ["/x/*"])]),
      // Where they would meet, one of them excludes it.
      ([([0], ["!/x/y", "/x/*"]), ([1], ["/x/y"])], [([1], ["/x/y"]), ([0], ["!/x/y", "/x/*"])]),
      // In one entry apps have no order.
      ([([0, 1], ["/x"])], [([1, 0], ["/x"])]),
      // Another entry before both, and one that has no app of theirs.
      ([([0], ["/x/*"]), ([1], ["/x/y"])], [([2], ["!/n"]), ([0], ["/x/*"]), ([1], ["/x/y"])]),
      // Of one app the order is that of its rules.
      ([([0], ["/x/*"]), ([0], ["/x/y"])], [([0], ["/x/y"]), ([0], ["/x/*"])]),
    ] as [([([Int], [String])], [([Int], [String])])])
  func anOrderThatChangesNothingIsNone(old: [([Int], [String])], new: [([Int], [String])]) throws {
    let comparison = Self.comparison(try Self.file(old), try Self.file(new))
    #expect(comparison.precedence.isEmpty && comparison.undecided.isEmpty)
  }

  /// What is found is so by the matcher, and where nothing is found, no URL of a list shows a change.
  @Test func agreesWithTheMatcher() throws {
    let paths = ["/a", "/a/*", "/*", "/b", "/?", "/a/b", "!/a", "!/a/*", "!/b"]
    let urls = ["/a", "/a/", "/a/b", "/a/c", "/b", "/c", "/b/a"].map { LinkURL("https://example.com" + $0) }
    func opener(_ file: AssociationFile, _ url: LinkURL, _ pair: [String]) -> String? {
      let matcher = AssociationMatcher(file)
      let entries = pair.map { app -> Int? in
        let decision = matcher.decide(url, app: app, host: .exactly("example.com"))
        return decision.verdict == .match ? decision.entry : nil
      }
      guard let first = entries[0], let second = entries[1], first != second else { return nil }
      return first < second ? pair[0] : pair[1]
    }
    var found = 0
    for seed in 0..<1_500 {
      var chance = SeededGenerator(seed: UInt64(seed))
      let entries = (0..<Int.random(in: 2...4, using: &chance)).map { _ in
        (
          apps: Array(Set((0..<2).map { _ in Int.random(in: 0..<3, using: &chance) })).sorted(),
          paths: (0..<2).map { _ in paths[Int.random(in: 0..<paths.count, using: &chance)] }
        )
      }
      let (old, new) = (try Self.file(entries), try Self.file(entries.shuffled(using: &chance)))
      let comparison = Self.comparison(old, new)
      for change in comparison.precedence {
        found += 1
        let (url, pair) = (LinkURL(change.url), [change.old, change.new])
        #expect(opener(old, url, pair) == change.old && opener(new, url, pair) == change.new, "seed \(seed)")
      }
      for first in 0..<3 {
        for second in 0..<first {
          let pair = [Self.apps[second], Self.apps[first]]
          // Apps with the same rules are told once.
          let isTold = comparison.precedence.contains { Set([$0.old, $0.new]) == Set(pair) }
          let isKnown = isTold || !comparison.precedence.isEmpty
          for url in urls where !isKnown {
            let (before, after) = (opener(old, url, pair), opener(new, url, pair))
            #expect(
              before == after || before == nil || after == nil, "seed \(seed): \(url.text) \(entries)")
          }
        }
      }
    }
    #expect(found > 100)
  }
}
