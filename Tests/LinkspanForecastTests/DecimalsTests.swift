import LinkspanForecast
import Testing

/// Numbers as people write them.
@Suite struct DecimalsTests {
  @Test(arguments: [
    (0, "0"), (0.1, "0.1"), (0.34, "0.3"), (52.26, "52.3"), (-0.26, "-0.3"), (0.0999, "0.1"), (0.05, "0.05"),
    (0.0123, "0.012"), (0.002_36, "0.0024"), (0.000_999, "0.001"), (-0.0201, "-0.02"), (1e-12, "0"),
  ])
  func roughNumbersAreNotRoundedAway(_ value: Double, _ text: String) {
    #expect(Decimals.rough(value) == text)
  }
}
