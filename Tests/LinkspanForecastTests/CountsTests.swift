import LinkspanCore
import Testing

@testable import LinkspanForecast

@Suite struct CountsTests {
  @Test(arguments: [0.3, 4.0, 12.0, 250.0, 40_000.0])
  func poissonHasItsMeanAndVariance(mean: Double) {
    var generator = SeededGenerator(seed: 7)
    let draws = (0..<20_000).map { _ in Double(generator.poisson(mean)) }
    let average = draws.reduce(0, +) / 20_000
    let variance = draws.reduce(0) { $0 + ($1 - average) * ($1 - average) } / 20_000
    // Five standard errors.
    #expect(abs(average - mean) < 5 * (mean / 20_000).squareRoot())
    #expect(abs(variance / mean - 1) < 0.06)
  }

  @Test(arguments: [(20, 0.1), (1_000, 0.003), (1_000, 0.4), (1_000_000, 0.02), (50, 0.93)])
  func binomialHasItsMeanAndVariance(count: Int, chance: Double) {
    var generator = SeededGenerator(seed: 11)
    let draws = (0..<20_000).map { _ in generator.binomial(count, chance) }
    #expect(draws.allSatisfy { (0...count).contains($0) })
    let mean = Double(count) * chance
    let variance = mean * (1 - chance)
    let average = Double(draws.reduce(0, +)) / 20_000
    let seen = draws.reduce(0.0) { $0 + (Double($1) - average) * (Double($1) - average) } / 20_000
    #expect(abs(average - mean) < 5 * (variance / 20_000).squareRoot())
    #expect(abs(seen / variance - 1) < 0.06)
  }

  /// What is certain takes no chance from what follows.
  @Test(arguments: [(0, 0.5, 0), (10, 0.0, 0), (10, 1.0, 10), (-1, 0.5, 0), (10, -0.1, 0), (10, 1.5, 10)])
  func aCertainCountDrawsNothing(count: Int, chance: Double, certain: Int) {
    var generator = SeededGenerator(seed: 5)
    var untouched = generator
    #expect(generator.binomial(count, chance) == certain)
    #expect(generator.next() == untouched.next())
  }

  /// A fleet as published: everybody asks the host, at midnight (V6, V11).
  static var incident: Fleet {
    var fleet = Fleet()
    fleet.routes = .init(belowIOS14: 1, developerMode: 0, managedMode: 0)
    return fleet
  }

  @Test func countsAndAgentsAgree() {
    var fleet = Self.incident
    fleet.zones = [.init(offsetSeconds: 32_400, share: 0.6), .init(offsetSeconds: -18_000, share: 0.4)]
    fleet.growthPerDay = 0
    fleet.site.requestsPerSecond = 0
    fleet.cdn.caches = 0
    let agents = Forecast(fleet, seed: 3).compareWithAgents()
    // Kolmogorov and Smirnov, at one in a thousand.
    #expect(agents.distance < agents.limit, "\(agents)")
    let high = Double(agents.peaks.counts)
    #expect(abs(high - Double(agents.peaks.agents)) < 6 * high.squareRoot())
  }

  @Test func phasedCountsAndAgentsAgree() {
    var fleet = Self.incident
    fleet.devices = 300_000
    fleet.update?.isPhased = true
    var counts = CountRun(fleet, wave: UpdateWave(fleet), seed: 3)
    var agents = AgentRun(fleet, seed: 4)
    fleet.growthPerDay = 0
    let (left, right) = (counts.run().devices, agents.run())
    for day in 0..<fleet.days {
      let range = day * 86_400..<(day + 1) * 86_400
      let (a, b) = (left[range].reduce(0) { $0 + Double($1) }, right[range].reduce(0) { $0 + Double($1) })
      #expect(abs(a / b - 1) < 0.02, "day \(day): \(a) and \(b)")
    }
  }

  /// In the night of the release each device looks once, before it or behind it.
  @Test(arguments: [(60, 1), (20, 300), (600, 300)])
  func aReleaseInsideTheWindowIsTheSameForCountsAndAgents(late: Int, burst: Int) {
    var fleet = Self.incident
    fleet.devices = 300_000
    fleet.growthPerDay = 0
    fleet.site.requestsPerSecond = 0
    fleet.cdn.caches = 0
    fleet.update?.released = fleet.start.advanced(by: .seconds(86_400 + late))
    fleet.update?.burstShare = 0.4
    fleet.update?.burstSeconds = burst
    let agents = Forecast(fleet, seed: 3).compareWithAgents()
    #expect(agents.distance < agents.limit, "\(agents)")
  }

  @Test func theWaveNeverMovesMoreDevicesThanThereAre() {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<40 {
      var fleet = Fleet()
      fleet.days = Int(generator.draw(1...9))
      fleet.update?.released = fleet.start.advanced(by: .seconds(Int(generator.draw(-90_000...86_399))))
      fleet.update?.isPhased = generator.chance(1, in: 2)
      fleet.update?.windowStartSeconds = Int(generator.draw(0...86_399))
      fleet.update?.windowLengthSeconds = Int(generator.draw(400...86_400))
      fleet.update?.burstSeconds = Int(generator.draw(1...300))
      fleet.zones = [.init(offsetSeconds: Int(generator.draw(-43_200...50_400)), share: 1)]
      let shares = UpdateWave(fleet, factor: 300).shares
      #expect(shares.allSatisfy { $0 >= 0 })
      #expect(shares.reduce(0, +) <= 0.9 + 1e-9)
    }
  }

  /// Devices ask in the first second of the forecast as in any other.
  @Test func agentsAskInTheFirstSecondToo() {
    var fleet = Self.incident
    fleet.devices = 2_000_000
    fleet.days = 1
    fleet.update = nil
    var agents = AgentRun(fleet, seed: 5)
    let counts = agents.run()
    #expect(counts.count == 86_400)
    // Five devices a second on average.
    #expect(counts[0] > 0 && counts[0] < 20, "\(counts[0])")
    #expect(counts[86_399] > 0)
  }
}
