internal import LinkLanguages

/// The rules of one application in one file, in their order, as sets of URLs; those that hold for none are left out.
struct RuleList {
  struct Element: Hashable {
    /// Of the URLs it holds for, in a ``RuleLanguages``.
    var language: Int
    var isExclusion: Bool
  }

  let rules: [CompiledRule]
  let elements: [Element]
  /// What the path of every URL that a rule holds for begins with, as far as that is known.
  let prefixes: [[UInt8]]

  init(_ compiled: [CompiledRule], _ languages: RuleLanguages) {
    var rules: [CompiledRule] = []
    var elements: [Element] = []
    for rule in compiled {
      guard let language = languages.number(of: rule) else { continue }
      rules.append(rule)
      elements.append(Element(language: language, isExclusion: rule.isExclusion))
    }
    self.rules = rules
    self.elements = elements
    prefixes = rules.map {
      $0.form.isAsWritten && !$0.path.coversEverything ? $0.path.literalPrefix : []
    }
  }

  /// The rules that may hold for a URL that a rule with this beginning holds for.
  func meeting(_ prefix: [UInt8]) -> [Int] {
    prefixes.indices.filter { index in
      let count = min(prefix.count, prefixes[index].count)
      return prefix.prefix(count) == prefixes[index].prefix(count)
    }
  }

  /// Which rules of two lists have no counterpart in the other in the same order: only a URL that one of these holds
  /// for can be decided differently.
  static func changed(_ old: RuleList, _ new: RuleList) -> (old: [Int], new: [Int]) {
    var low = 0
    var oldEnd = old.elements.count
    var newEnd = new.elements.count
    while low < oldEnd, low < newEnd, old.elements[low] == new.elements[low] { low += 1 }
    while oldEnd > low, newEnd > low, old.elements[oldEnd - 1] == new.elements[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    // The n-th rule of a kind is paired with the other list's n-th; of the pairs the longest row in both orders stays.
    var places: [Element: [Int]] = [:]
    for index in (low..<newEnd).reversed() { places[new.elements[index], default: []].append(index) }
    var pairs: [(old: Int, new: Int)] = []
    for index in low..<oldEnd {
      if let place = places[old.elements[index]]?.popLast() { pairs.append((index, place)) }
    }
    let kept = longestRise(pairs.map(\.new)).map { pairs[$0] }
    let keptOld = Set(kept.map(\.old))
    let keptNew = Set(kept.map(\.new))
    return (
      (low..<oldEnd).filter { !keptOld.contains($0) }, (low..<newEnd).filter { !keptNew.contains($0) }
    )
  }

  /// The places of a longest ascending row of different numbers.
  private static func longestRise(_ numbers: [Int]) -> [Int] {
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < number { low = middle + 1 } else { high = middle }
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
