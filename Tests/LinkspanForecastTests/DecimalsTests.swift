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

  @Test(arguments: [
    (9.94, "9.9"), (9.99, "10"), (10, "10"), (10.4, "10"), (10.5, "11"), (-10.4, "-10"),
    (1e-9, "0.000000001"),
    (0.99e-9, "0"), (1e15, "1000000000000000"),
  ])
  func headlinesHaveWholeNumbersFromTen(_ value: Double, _ text: String) {
    #expect(Decimals.brief(value) == text)
  }

  @Test(arguments: [
    (0, "0"), (1.2346, "1.235"), (-0.0004, "0"), (-0.0005, "-0.001"), (100, "100"), (0.05, "0.05"),
    (1e15, "0"),
    (-Double.infinity, "0"),
  ])
  func numbersHaveThreeDigitsAtMost(_ value: Double, _ text: String) {
    #expect(Decimals.text(value) == text)
  }
}
