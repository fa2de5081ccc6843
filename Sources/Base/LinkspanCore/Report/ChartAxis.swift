/// Round numbers up to the first at or above the highest: at most seven lines, so that the curve fills the picture.
package struct ChartAxis: Hashable, Sendable {
  package let step: Int
  package let highest: Int

  /// - Parameter value: The highest that is drawn; at least 1.
  package init(_ value: Int) {
    var power = 1
    while power * 10 < value { power *= 10 }
    // Of a power of ten: 1, 2 or 5 of the next smaller one, but at least 1.
    let steps = [power / 10, power / 5, power / 2, power, power * 2].filter { $0 > 0 }
    step = steps.first { (value + $0 - 1) / $0 <= 6 } ?? power * 2
    highest = (value + step - 1) / step * step
  }
}
