/// What a mistyped word was probably meant to be.
package enum Spelling {
  /// The nearest of the words, when it is near enough to be worth asking "did you mean": at most two slips,
  /// and less than half of the word.
  package static func nearest(to text: String, among words: [String]) -> String? {
    let length = text.utf8.count
    let nearest =
      words
      // A slip changes the length by one at most.
      .filter { abs($0.utf8.count - length) <= 2 }
      .map { (distance: distance(text, $0), word: $0) }
      .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
    guard let nearest, nearest.distance <= 2, nearest.distance * 2 < nearest.word.utf8.count else {
      return nil
    }
    return nearest.word
  }

  /// The nearest of the words, when it is near enough and no other is as near.
  package static func onlyNearest(to text: String, among words: [String]) -> String? {
    guard let nearest = nearest(to: text, among: words) else { return nil }
    let least = distance(text, nearest)
    return words.contains { $0 != nearest && distance(text, $0) == least } ? nil : nearest
  }

  /// How many bytes must be inserted, removed, replaced or swapped with their neighbour to get from one text
  /// to the other (optimal string alignment). Texts beyond 64 bytes are further apart than anybody asks.
  package static func distance(_ left: String, _ right: String) -> Int {
    let a = Array(left.utf8)
    let b = Array(right.utf8)
    guard a.count <= 64, b.count <= 64 else { return .max }
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i]
      for j in 1...b.count {
        var best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          best = min(best, beforeLast[j - 2] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
