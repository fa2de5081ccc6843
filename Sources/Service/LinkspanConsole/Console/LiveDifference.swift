internal import LinkspanCore

/// What changes from one version of a part of a page to the next: the smallest elements that differ.
///
/// A step says where it begins, as places among siblings from the part down, when all steps before it are done. It changes the
/// content of the element there (`inner`), or takes away so many elements from there on (`cut`) and puts others there (`html`).
/// Elements are taken for the same whose start tags are written alike: a `data-key` has a row found again wherever it is.
struct LiveDifference {
  /// An element is sent piece by piece above this. Ours: several steps make an event.
  private static let pieceLimitBytes = 768
  /// Pairs of elements that are compared with each other. Ours: a page of a list has a hundred rows.
  private static let pairLimit = 40_000

  private(set) var steps: [JSON] = []

  /// - Returns: The steps, none for the same text.
  static func steps(from old: String, to new: String) -> [JSON] {
    guard let before = LiveElement(old), let after = LiveElement(new) else { return whole(new) }
    var difference = LiveDifference()
    difference.change(before, to: after, at: [])
    return difference.steps
  }

  /// Everything of a part, where nobody knows what a page shows of it.
  static func whole(_ text: String) -> [JSON] {
    guard let element = LiveElement(text), element.hasElementsOnly else {
      return [.object([("at", .array([])), ("inner", .string(text))])]
    }
    var difference = LiveDifference()
    difference.set([], inner: "")
    difference.fill(element, at: [])
    return difference.steps
  }

  private mutating func set(_ path: [Int], inner: String) {
    steps.append(.object([("at", .array(path.map(JSON.int))), ("inner", .string(inner))]))
  }

  private mutating func splice(_ path: [Int], cut: Int, html: String?) {
    var members: [(String, JSON)] = [("at", .array(path.map(JSON.int)))]
    if cut > 0 { members.append(("cut", .int(cut))) }
    if let html { members.append(("html", .string(html))) }
    steps.append(.object(members))
  }

  /// Puts an element there.
  private mutating func insert(_ element: LiveElement, at path: [Int], cut: Int) {
    guard element.html.count > Self.pieceLimitBytes, element.hasElementsOnly, !element.elements.isEmpty else {
      return splice(path, cut: cut, html: String(decoding: element.html, as: UTF8.self))
    }
    splice(path, cut: cut, html: element.emptied)
    fill(element, at: path)
  }

  /// Puts the elements of one into its place, which is empty.
  private mutating func fill(_ element: LiveElement, at path: [Int]) {
    for (place, child) in element.elements.enumerated() { insert(child, at: path + [place], cut: 0) }
  }

  private mutating func change(_ old: LiveElement, to new: LiveElement, at path: [Int]) {
    if old.inner == new.inner { return }
    if old.hasElementsOnly, new.hasElementsOnly { return align(old.elements, new.elements, at: path) }
    let isAlike =
      old.texts == new.texts
      && zip(old.elements, new.elements).allSatisfy { Self.likeness($0, $1) > 0 }
    guard isAlike else { return set(path, inner: String(decoding: new.inner, as: UTF8.self)) }
    for (place, pair) in zip(old.elements, new.elements).enumerated() {
      change(pair.0, to: pair.1, at: path + [place])
    }
  }

  private mutating func align(_ old: [LiveElement], _ new: [LiveElement], at path: [Int]) {
    let shorter = min(old.count, new.count)
    let low = (0..<shorter).first { old[$0].html != new[$0].html } ?? shorter
    let high =
      (0..<(shorter - low)).first { old[old.count - 1 - $0].html != new[new.count - 1 - $0].html }
      ?? shorter - low
    let (before, after) = (Array(old[low..<(old.count - high)]), Array(new[low..<(new.count - high)]))
    var (place, done, made) = (low, 0, 0)
    for (last, next) in Self.pairs(before, after) + [(before.count, after.count)] {
      var cut = last - done
      for element in after[made..<next] {
        insert(element, at: path + [place], cut: cut)
        cut = 0
        place += 1
      }
      if cut > 0 { splice(path + [place], cut: cut, html: nil) }
      if last < before.count { change(before[last], to: after[next], at: path + [place]) }
      place += 1
      (done, made) = (last + 1, next + 1)
    }
  }

  /// How much is gained by taking one for the other; 0 where it has to be replaced.
  private static func likeness(_ old: LiveElement, _ new: LiveElement) -> Int32 {
    if old.tag != new.tag { return 0 }
    if old.html == new.html { return 3 }
    return old.isWhole ? 0 : 1
  }

  /// The elements that stay, by their places in both lists, in order.
  private static func pairs(_ old: [LiveElement], _ new: [LiveElement]) -> [(Int, Int)] {
    if old.count * new.count > pairLimit { return [] }
    let width = new.count + 1
    // The most that can be gained from here to the end.
    var gains = [Int32](repeating: 0, count: (old.count + 1) * width)
    for row in old.indices.reversed() {
      for column in new.indices.reversed() {
        let apart = max(gains[(row + 1) * width + column], gains[row * width + column + 1])
        let likeness = likeness(old[row], new[column])
        gains[row * width + column] =
          likeness == 0 ? apart : max(apart, gains[(row + 1) * width + column + 1] + likeness)
      }
    }
    var pairs: [(Int, Int)] = []
    var (row, column) = (0, 0)
    while row < old.count, column < new.count {
      let gain = gains[row * width + column]
      if gain == gains[(row + 1) * width + column] {
        row += 1
      } else if gain == gains[row * width + column + 1] {
        column += 1
      } else {
        pairs.append((row, column))
        (row, column) = (row + 1, column + 1)
      }
    }
    return pairs
  }
}
