// The standard library keeps these searches in its module for regular expressions. That adds 2 MB to a program, WebAssembly
// cannot have it, and its generic types are made at run time: the first search of a process took as long as checking a small
// file. Where this module is imported, the compiler takes these instead. They compare as those do, texts by characters: no
// line feed is found in "\r\n", and no e in an é of two scalars.

extension Collection where Element: Equatable {
  /// The place of the first occurrence; nil without one.
  @inlinable
  package func firstRange<Other: Collection>(of other: Other) -> Range<Index>?
  where Other.Element == Element { place(of: other) }

  @inlinable
  func place<Other: Collection>(of other: Other) -> Range<Index>? where Other.Element == Element {
    guard let first = other.first else { return startIndex..<startIndex }
    var start = startIndex
    while start != endIndex {
      if self[start] == first, self[start...].starts(with: other) {
        return start..<index(start, offsetBy: other.count)
      }
      formIndex(after: &start)
    }
    return nil
  }

  /// Whether the elements occur.
  @inlinable
  package func contains<Other: Collection>(_ other: Other) -> Bool where Other.Element == Element {
    place(of: other) != nil
  }

  /// The places of all occurrences that do not overlap; none of no elements.
  @inlinable
  package func ranges<Other: Collection>(of other: Other) -> [Range<Index>] where Other.Element == Element {
    ranges { $0.place(of: other) }
  }

  @inlinable
  func ranges(_ next: (SubSequence) -> Range<Index>?) -> [Range<Index>] {
    var ranges: [Range<Index>] = []
    var rest = self[startIndex...]
    while let range = next(rest), !range.isEmpty {
      ranges.append(range)
      rest = self[range.upperBound...]
    }
    return ranges
  }

  /// The parts between the occurrences of a separator.
  @inlinable
  package func split<Other: Collection>(
    separator: Other, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] where Other.Element == Element {
    parts(between: ranges(of: separator), maxSplits, isOmitted: omittingEmptySubsequences)
  }

  @inlinable
  func parts(between ranges: [Range<Index>], _ maxSplits: Int, isOmitted: Bool) -> [SubSequence] {
    var parts: [SubSequence] = []
    var start = startIndex
    for range in ranges where parts.count < maxSplits {
      if start != range.lowerBound || !isOmitted { parts.append(self[start..<range.lowerBound]) }
      start = range.upperBound
    }
    if start != endIndex || !isOmitted { parts.append(self[start...]) }
    return parts
  }
}

extension BidirectionalCollection where Element: Comparable {
  /// The place of the first occurrence; nil without one. The standard library has one of its own for these.
  @inlinable
  package func firstRange<Other: Collection>(of other: Other) -> Range<Index>?
  where Other.Element == Element { place(of: other) }
}

extension RangeReplaceableCollection where Element: Equatable {
  /// The same with every occurrence replaced.
  @inlinable
  package func replacing<Other: Collection, Replacement: Collection>(
    _ other: Other, with replacement: Replacement
  ) -> Self where Other.Element == Element, Replacement.Element == Element {
    replacing(ranges(of: other), with: replacement)
  }

  @inlinable
  func replacing<Replacement: Collection>(
    _ ranges: [Range<Index>], with replacement: Replacement
  ) -> Self where Replacement.Element == Element {
    var result = Self()
    var start = startIndex
    for range in ranges {
      result.append(contentsOf: self[start..<range.lowerBound])
      result.append(contentsOf: replacement)
      start = range.upperBound
    }
    result.append(contentsOf: self[start...])
    return result
  }
}

extension StringProtocol {
  /// Whether a text occurs.
  @inlinable package func contains(_ other: String) -> Bool { firstRange(of: other) != nil }
  /// Whether a text occurs.
  @inlinable package func contains(_ other: Substring) -> Bool { firstRange(of: other) != nil }

  /// The place of the first occurrence; nil without one.
  @inlinable
  package func firstRange(of other: some StringProtocol) -> Range<Index>? {
    let found = utf8.withContiguousStorageIfAvailable { text in
      other.utf8.withContiguousStorageIfAvailable { PlainSearch($0, in: text) }
    }
    switch (found ?? nil) ?? .isUnknown {
    case .isNowhere: return nil
    case .isUnknown: return place(of: other)
    case .begins(let offset):
      let start = utf8.index(startIndex, offsetBy: offset)
      return start..<utf8.index(start, offsetBy: other.utf8.count)
    }
  }

  /// The places of all occurrences that do not overlap; none of an empty text.
  @inlinable
  package func ranges(of other: some StringProtocol) -> [Range<Index>] {
    ranges { $0.firstRange(of: other) }
  }

  /// The parts between the occurrences of a separator.
  @inlinable
  package func split(
    separator: some StringProtocol, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] {
    parts(between: ranges(of: separator), maxSplits, isOmitted: omittingEmptySubsequences)
  }
}

extension StringProtocol where Self: RangeReplaceableCollection {
  /// The same with every occurrence replaced.
  @inlinable
  package func replacing(_ other: some StringProtocol, with replacement: some StringProtocol) -> Self {
    replacing(ranges(of: other), with: replacement)
  }
}

/// A search by bytes, which counts only in ASCII without carriage returns, where each byte is a character.
@usableFromInline
enum PlainSearch {
  case begins(Int)
  case isNowhere
  /// The texts have other characters, so that only a search by characters can tell.
  case isUnknown

  @usableFromInline
  init(_ wanted: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) {
    guard wanted.allSatisfy(Self.isPlain) else {
      self = .isUnknown
      return
    }
    for offset in 0..<text.count + 1 {
      // What follows may be a part of the last character.
      let end = offset + wanted.count
      if text.holds(wanted, at: offset) {
        self = end == text.count || text[end] < 0x80 ? .begins(offset) : .isUnknown
        return
      }
      if offset < text.count, !Self.isPlain(text[offset]) {
        self = .isUnknown
        return
      }
    }
    self = .isNowhere
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 && byte != 0x0D }
}
