import AppSiteAssociation
import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

/// E21: since iOS 13 the files of some top-level domains are downloaded before those of others.
@Suite struct DownloadPriorityTests {
  private static let common = ["a.com", "b.net", "c.org"]
  private static let ofLocale = ["d.de", "e.xn--fiqs8s"]
  private static let rest = ["f.app", "g.info"]

  private static func run(_ os: String, _ hosts: [String], seed: UInt64, script: String) throws
    -> SimulationResult
  {
    try Stories.run(
      sites: "", domains: hosts.map { "\"applinks:\($0)\"" }.joined(separator: ", "),
      devices: "iphone: { os: \"\(os)\" }", seed: seed, script: script)
  }

  /// The hosts in the order in which the device first asks for them, after its last reboot if there was one.
  private static func order(
    _ os: String, _ hosts: [String] = rest + ofLocale + common, seed: UInt64,
    script: String = "{ install: \"app\" }"
  ) throws -> [String] {
    let result = try run(os, hosts, seed: seed, script: script)
    let begun = result.events.last { $0.kind == "reboot" }?.time ?? .zero
    var order: [String] = []
    for exchange in result.exchanges.sorted(by: { $0.started < $1.started })
    where exchange.party == "iphone" && exchange.started >= begun {
      guard let host = hosts.first(where: { exchange.url.contains($0) }), !order.contains(host) else {
        continue
      }
      order.append(host)
    }
    return order
  }

  /// E21, documented: common ones, then those of countries and the internationalised ones, then the rest.
  @Test(arguments: ["ios:13.0", "ios:17.4"], 1...10 as ClosedRange<UInt64>)
  func theCommonDomainsGoFirst(os: String, seed: UInt64) throws {
    let order = try Self.order(os, seed: seed)
    #expect(Set(order.prefix(3)) == Set(Self.common))
    #expect(Set(order.dropFirst(3).prefix(2)) == Set(Self.ofLocale))
    #expect(Set(order.dropFirst(5)) == Set(Self.rest))
  }

  /// E21 holds whenever files are asked for together, as after a reboot (V1).
  @Test func theCommonDomainsGoFirstAfterAReboot() throws {
    let order = try Self.order(
      "ios:17.4", seed: 1, script: "{ install: \"app\" }, { wait: \"1h\" }, { reboot: \"all\" }")
    #expect(Set(order.prefix(3)) == Set(Self.common) && order.count == 7)
  }

  /// E21 is of iOS 13; before, chance alone decides.
  @Test func before13ChanceDecides() throws {
    let orders = try (1...10).map { try Self.order("ios:12.4", seed: $0) }
    #expect(orders.contains { Set($0.prefix(3)) != Set(Self.common) })
  }

  /// E21: hosts of one priority keep the order they would have without it.
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func amongEqualsTheOrderStays(seed: UInt64) throws {
    let before = try Self.order("ios:12.4", seed: seed)
    let since = try Self.order("ios:13.0", seed: seed)
    for equals in [Self.common, Self.ofLocale, Self.rest] {
      #expect(since.filter(equals.contains) == before.filter(equals.contains))
    }
  }

  /// E21: the trace names it where it decided; that a country's domain fits the locale is inferred.
  @Test(arguments: [
    (["a.com", "f.app"], Certainty.documented), (["a.com", "d.de"], .documented),
    (["d.de", "f.app"], .inferred),
    (["a.com", "b.net"], nil),
  ])
  func aCheckSaysThatItsTurnWasDecided(hosts: [String], certainty: Certainty?) throws {
    let result = try Self.run("ios:17.4", hosts, seed: 1, script: "{ install: \"app\" }")
    for check in result.events where check.kind == "check" {
      let provenance = try #require(check.provenance)
      #expect(provenance.rules.contains("E21") == (certainty != nil))
      if certainty == .inferred { #expect(provenance.certainty == .inferred) }
    }
  }

  /// E21: only that a country's domain goes before the rest depends on the locale, which is inferred.
  @Test(arguments: [
    (["a.com", "f.app"], Certainty.documented), (["a.com", "d.de"], .documented),
    (["a.com", "d.de", "f.app"], .inferred), (["d.de", "f.app"], .inferred),
    (["e.xn--fiqs8s", "g.info"], .inferred),
  ])
  func whatIsKnownOfTheOrderIsSaid(hosts: [String], certainty: Certainty) throws {
    let file =
      "{ applinks: { details: [{ appIDs: [\"\(Stories.app)\"], components: [{ \"/\": \"*\" }] }] } }"
    let result = try Stories.run(
      sites: hosts.map { "\"\($0)\": { file: \(file) }" }.joined(separator: ", "),
      domains: hosts.map { "\"applinks:\($0)\"" }.joined(separator: ", "),
      devices: "iphone: { os: \"ios:17.4\" }", script: "{ install: \"app\" }")
    let checks = result.events.filter { $0.kind == "check" }
    #expect(checks.count == hosts.count)
    for check in checks {
      let provenance = try #require(check.provenance)
      #expect(provenance.rules.contains("E21") && provenance.certainty == certainty, "\(hosts)")
    }
  }
}
