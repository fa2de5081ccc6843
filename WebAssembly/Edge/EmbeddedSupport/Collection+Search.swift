// What the standard library keeps in its module for regular expressions, which WebAssembly cannot have: searches for a
// sequence of elements. They compare as that module does, elements of texts as characters.

extension Collection where Element: Equatable {
  /// The place of the first occurrence; nil without one.
  public func firstRange<Other: Collection>(of other: Other) -> Range<Index>?
  where Other.Element == Element {
    guard let first = other.first else { return startIndex..<startIndex }
    var start = startIndex
    while start != endIndex {
      if self[start] == first, let end = end(of: other, from: start) { return start..<end }
      formIndex(after: &start)
    }
    return nil
  }

  /// The end of the occurrence that begins at an index; nil where none begins.
  private func end<Other: Collection>(of other: Other, from start: Index) -> Index?
  where Other.Element == Element {
    var place = start
    for element in other {
      guard place != endIndex, self[place] == element else { return nil }
      formIndex(after: &place)
    }
    return place
  }

  /// The places of all occurrences that do not overlap.
  public func ranges<Other: Collection>(of other: Other) -> [Range<Index>] where Other.Element == Element {
    var ranges: [Range<Index>] = []
    var rest = self[startIndex...]
    while let range = rest.firstRange(of: other), !range.isEmpty {
      ranges.append(range)
      rest = self[range.upperBound...]
    }
    return ranges
  }

  /// Whether a sequence of elements occurs.
  public func contains<Other: Collection>(_ other: Other) -> Bool where Other.Element == Element {
    firstRange(of: other) != nil
  }

  /// The parts between the occurrences of a separator.
  public func split<Other: Collection>(
    separator: Other, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] where Other.Element == Element {
    var parts: [SubSequence] = []
    var rest = self[startIndex...]
    while parts.count < maxSplits, let range = rest.firstRange(of: separator), !range.isEmpty {
      let part = self[rest.startIndex..<range.lowerBound]
      if !(part.isEmpty && omittingEmptySubsequences) { parts.append(part) }
      rest = self[range.upperBound...]
    }
    if !(rest.isEmpty && omittingEmptySubsequences) { parts.append(rest) }
    return parts
  }
}

extension StringProtocol {
  /// Whether a text occurs.
  public func contains(_ other: String) -> Bool { firstRange(of: other) != nil }
  /// Whether a text occurs.
  public func contains(_ other: Substring) -> Bool { firstRange(of: other) != nil }
}

extension RangeReplaceableCollection where Element: Equatable {
  /// The same with every occurrence replaced.
  public func replacing<Other: Collection, Replacement: Collection>(
    _ other: Other, with replacement: Replacement
  ) -> Self where Other.Element == Element, Replacement.Element == Element {
    var result = Self()
    var rest = self[startIndex...]
    while let range = rest.firstRange(of: other), !range.isEmpty {
      result.append(contentsOf: self[rest.startIndex..<range.lowerBound])
      result.append(contentsOf: replacement)
      rest = self[range.upperBound...]
    }
    result.append(contentsOf: rest)
    return result
  }
}

extension RangeReplaceableCollection where Element: Equatable {
  /// Replaces every occurrence.
  public mutating func replace<Other: Collection, Replacement: Collection>(
    _ other: Other, with replacement: Replacement
  ) where Other.Element == Element, Replacement.Element == Element {
    self = replacing(other, with: replacement)
  }
}
