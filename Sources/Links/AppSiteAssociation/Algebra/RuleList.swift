internal import LinkspanCore

/// The rules of one application in one file, in their order, as sets of URLs; those that hold for none are left out.
struct RuleList {
  struct Element: Hashable {
    /// Of the URLs it holds for, in a ``RuleLanguages``.
    var language: Int
    var isExclusion: Bool
  }

  let rules: [CompiledRule]
  let elements: [Element]
  /// What the path of every URL that a rule holds for begins with, decoded and without case, as far as that is known.
  let prefixes: [[UInt8]]
  /// The rules with each beginning, and the beginnings in order.
  private let places: [[UInt8]: [Int]]
  private let sorted: [[UInt8]]
  /// For each beginning the place of the longest other one that it begins with; -1 where there is none.
  private let shorter: [Int]

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
    let prefixes = rules.map { Self.prefix(of: $0) }
    self.prefixes = prefixes
    places = Dictionary(grouping: prefixes.indices, by: { prefixes[$0] })
    sorted = places.keys.sorted { $0.lexicographicallyPrecedes($1) }
    var shorter: [Int] = []
    for beginning in sorted {
      var place = shorter.count - 1
      while place >= 0, !beginning.starts(with: sorted[place]) { place = shorter[place] }
      shorter.append(place)
    }
    self.shorter = shorter
  }

  /// Text before an escape or a character beyond ASCII is the same in every reading but for its case.
  private static func prefix(of rule: CompiledRule) -> [UInt8] {
    if rule.path.coversEverything { return [] }
    return rule.path.literalPrefix.prefix { $0 < 0x80 && $0 != UInt8(ascii: "%") }.map(ASCII.lowercased)
  }

  /// The rules that may hold for a URL that a rule with this beginning holds for, in their order.
  func meeting(_ prefix: [UInt8]) -> [Int] {
    var found: [Int] = []
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].lexicographicallyPrecedes(prefix) { low = middle + 1 } else { high = middle }
    }
    // Shorter beginnings: what stands between one and this in the order begins with it as well. Then those that go on from this.
    var place = low - 1
    while place >= 0, !prefix.starts(with: sorted[place]) { place = shorter[place] }
    while place >= 0 {
      found += places[sorted[place]] ?? []
      place = shorter[place]
    }
    while low < sorted.count, sorted[low].starts(with: prefix) {
      found += places[sorted[low]] ?? []
      low += 1
    }
    return found.sorted()
  }

  /// The rules with neighbours of the same effect in an order of their own, each once: that changes no decision.
  private var inRuns: [(element: Element, place: Int)] {
    var result: [(element: Element, place: Int)] = []
    var start = 0
    while start < elements.count {
      var end = start
      while end < elements.count, elements[end].isExclusion == elements[start].isExclusion { end += 1 }
      let run = (start..<end).sorted {
        (elements[$0].language, $0) < (elements[$1].language, $1)
      }
      for place in run where result.last.map({ $0.element != elements[place] }) ?? true {
        result.append((elements[place], place))
      }
      start = end
    }
    return result
  }

  /// Which rules of two lists have no counterpart in the other in the same order: only a URL that one of these holds
  /// for can be decided differently.
  static func changed(_ old: RuleList, _ new: RuleList) -> (old: [Int], new: [Int]) {
    let (old, new) = (old.inRuns, new.inRuns)
    var low = 0
    var oldEnd = old.count
    var newEnd = new.count
    while low < oldEnd, low < newEnd, old[low].element == new[low].element { low += 1 }
    while oldEnd > low, newEnd > low, old[oldEnd - 1].element == new[newEnd - 1].element {
      oldEnd -= 1
      newEnd -= 1
    }
    // The n-th rule of a kind is paired with the other list's n-th; of the pairs the longest row in both orders stays.
    var places: [Element: [Int]] = [:]
    for index in (low..<newEnd).reversed() { places[new[index].element, default: []].append(index) }
    var pairs: [(old: Int, new: Int)] = []
    for index in low..<oldEnd {
      if let place = places[old[index].element]?.popLast() { pairs.append((index, place)) }
    }
    let kept = pairs.map { $0.new }.longestRise.map { pairs[$0] }
    let keptOld = Set(kept.map { $0.old })
    let keptNew = Set(kept.map { $0.new })
    return (
      (low..<oldEnd).filter { !keptOld.contains($0) }.map { old[$0].place },
      (low..<newEnd).filter { !keptNew.contains($0) }.map { new[$0].place }
    )
  }
}
