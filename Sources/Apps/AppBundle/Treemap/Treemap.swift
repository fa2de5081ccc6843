/// Rectangles whose areas are to one another as numbers are, as square as they can be.
///
/// - Source: Bruls, Huizing, van Wijk, "Squarified Treemaps" (2000).
struct Treemap {
  struct Box: Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var area: Double { width * height }

    func inset(left: Double, top: Double, right: Double, bottom: Double) -> Box {
      Box(
        x: x + left, y: y + top, width: max(0, width - left - right), height: max(0, height - top - bottom))
    }
  }

  /// One rectangle for each number, in their order.
  ///
  /// - Parameter sizes: From the largest to the smallest, none below 0.
  static func boxes(_ sizes: [Int], in box: Box) -> [Box] {
    let total = Double(sizes.reduce(0, +))
    guard total > 0, box.area > 0 else {
      return sizes.map { _ in Box(x: box.x, y: box.y, width: 0, height: 0) }
    }
    let areas = sizes.map { Double($0) / total * box.area }
    var result: [Box] = []
    var rest = box
    var start = 0
    while start < areas.count {
      let side = min(rest.width, rest.height)
      var end = start + 1
      var sum = areas[start]
      // A row grows as long as its worst rectangle becomes no worse.
      while end < areas.count {
        let next = sum + areas[end]
        let before = worst(areas[start], areas[end - 1], sum, side)
        guard worst(areas[start], areas[end], next, side) <= before else { break }
        sum = next
        end += 1
      }
      lay(areas[start..<end], sum, in: &rest, into: &result)
      start = end
    }
    return result
  }

  /// How far from a square the worst rectangle of a row is.
  private static func worst(_ largest: Double, _ smallest: Double, _ sum: Double, _ side: Double) -> Double {
    guard smallest > 0, side > 0 else { return .infinity }
    let square = side * side
    return max(square * largest / (sum * sum), sum * sum / (square * smallest))
  }

  /// Puts a row along the shorter side of what is left.
  private static func lay(
    _ row: ArraySlice<Double>, _ sum: Double, in rest: inout Box, into result: inout [Box]
  ) {
    let stands = rest.width >= rest.height
    let side = stands ? rest.height : rest.width
    let depth = side > 0 ? sum / side : 0
    var offset = 0.0
    for area in row {
      let length = depth > 0 ? area / depth : 0
      result.append(
        stands
          ? Box(x: rest.x, y: rest.y + offset, width: depth, height: length)
          : Box(x: rest.x + offset, y: rest.y, width: length, height: depth))
      offset += length
    }
    rest =
      stands
      ? rest.inset(left: depth, top: 0, right: 0, bottom: 0)
      : rest.inset(left: 0, top: depth, right: 0, bottom: 0)
  }
}
