import AssociatedDomains
import Testing

/// Which entry speaks for a URL's host: E8, E9, E10 and which host's file decides, as far as that needs no file.
@Suite struct AssociatedDomainCoverageTests {
  @Test(arguments: [
    ("W1, W4", "applinks:www.example.com", "www.example.com", true),
    ("W2, W3", "applinks:*.example.com", "www.example.com", true),
    ("W7", "applinks:example.com", "www.example.com", false),
    ("W8", "applinks:*.example.com", "example.com", false),
    ("W12", "applinks:xn--bcher-kva.example", "xn--bcher-kva.example", true),
    ("W13", "applinks:*.example.com", "emily.users.example.com", true),
    ("E8", "applinks:www.example.com", "example.com", false),
    ("dot", "applinks:*.example.com", ".example.com", false),
    ("suffix", "applinks:*.example.com", "badexample.com", false),
    ("suffix", "applinks:example.com", "badexample.com", false),
    ("case", "applinks:Example.com", "EXAMPLE.com", true),
    ("case", "applinks:*.Example.com", "WWW.EXAMPLE.com", true),
    ("empty", "applinks:*.example.com", "", false),
  ])
  func coversExactlyItsHosts(row: String, entry: String, host: String, expected: Bool) throws {
    #expect(try AssociatedDomain(entry).covers(host: host) == expected, "\(row)")
  }

  private static let entries = [
    "applinks:*.example.com", "applinks:www.users.example.com?mode=developer",
    "webcredentials:www.users.example.com", "applinks:*.users.example.com", "applinks:other.example",
    "applinks:www.users.example.com",
  ]

  @Test func asksTheExactHostThenTheLongestWildcard() throws {
    let order = try Self.entries.map { try AssociatedDomain($0) }.covering(host: "www.users.example.com")
    #expect(
      order.map(\.text) == [
        "applinks:www.users.example.com", "applinks:www.users.example.com?mode=developer",
        "applinks:*.users.example.com", "applinks:*.example.com",
      ])
  }

  /// E6, E7: a wildcard reads its parent's file, and no entry reads another host's.
  @Test(arguments: [
    ("example.com", ["applinks:*.example.com"]), ("users.example.com", ["applinks:*.users.example.com"]),
    ("emily.users.example.com", []),
    (
      "www.users.example.com",
      ["applinks:www.users.example.com?mode=developer", "applinks:www.users.example.com"]
    ),
  ])
  func anEntryReadsOneFile(host: String, entries: [String]) throws {
    let all = try Self.entries.map { try AssociatedDomain($0) }
    #expect(all.reading(fileOf: host).map(\.text) == entries)
  }

  @Test func orderInTheEntitlementMeansNothing() throws {
    let entries = try Self.entries.map { try AssociatedDomain($0) }
    let order = entries.covering(host: "www.users.example.com")
    for shift in entries.indices {
      let turned = entries[shift...] + entries[..<shift]
      #expect(turned.covering(host: "www.users.example.com") == order)
      #expect(Array(turned.reversed()).covering(host: "www.users.example.com") == order)
    }
  }

  @Test func answersForEachServiceAlone() throws {
    let entries = try Self.entries.map { try AssociatedDomain($0) }
    #expect(
      entries.covering(host: "www.users.example.com", service: .webcredentials).map(\.text)
        == ["webcredentials:www.users.example.com"])
    #expect(entries.covering(host: "www.users.example.com", service: .appclips).isEmpty)
  }
}
