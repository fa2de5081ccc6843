package import LinkspanCore

/// How long Apple's CDN keeps an answer.
package struct CopyLife: Sendable {
  var faults = FaultOptions.none
  var plant: PlantedBug?
  var chance = SeededGenerator(seed: 0)

  package init(
    faults: FaultOptions = FaultOptions.none, plant: PlantedBug? = nil,
    chance: SeededGenerator = SeededGenerator(seed: 0)
  ) {
    self.faults = faults
    self.plant = plant
    self.chance = chance
  }

  /// - Parameters:
  ///   - life_s: Its documented time.
  ///   - crawl: How often the host has been crawled, this time included.
  func life(_ response: HTTPResponse, life_s: Int, host: String, crawl: Int) -> Duration {
    // Those who wait for this crawl still get its answer.
    if plant == .negativeCacheIgnored, response.status != 200 { return .milliseconds(1) }
    var chance = chance.fork("\(host) \(crawl)")
    let isStale = chance.happens(faults.staleCopy)
    return .seconds(Int64(life_s) + (isStale ? chance.draw(1...FaultOptions.staleLimit_s) : 0))
  }
}
