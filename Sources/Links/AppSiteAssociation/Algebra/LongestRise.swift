extension [Int] {
  /// The places of a longest ascending row of different numbers.
  var longestRise: [Int] {
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: count)
    for (place, number) in enumerated() {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if self[tails[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[place] = tails[low - 1] }
      if low == tails.count { tails.append(place) } else { tails[low] = place }
    }
    var row: [Int] = []
    var place = tails.last ?? -1
    while place >= 0 {
      row.append(place)
      place = before[place]
    }
    return row.reversed()
  }
}
