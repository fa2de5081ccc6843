/// A pattern of literals, single characters and stars, cut at its stars.
///
/// What stands before the first star must begin the text, what stands behind the last must end it, and each
/// part between them is looked for from the left: taking the first place leaves the most for the rest. A part
/// that is one literal is found in time linear in the text (Knuth, Morris, Pratt); one with `?` or a set costs
/// at most (text × part).
struct Glob: Sendable {
  private struct Part: Sendable {
    var tokens: [Pattern.Token]
    /// For a part that is one literal: how far a failed comparison falls back.
    var literal: [UInt8]?
    var fallback: [Int] = []

    init(_ tokens: [Pattern.Token]) {
      self.tokens = tokens
      guard tokens.count == 1, case .literal(let bytes) = tokens[0] else { return }
      literal = bytes
      fallback = Self.fallback(of: bytes)
    }

    /// For each prefix the length of its longest proper border.
    private static func fallback(of bytes: [UInt8]) -> [Int] {
      var table = [Int](repeating: 0, count: bytes.count)
      var length = 0
      for index in bytes.indices.dropFirst() {
        while length > 0, bytes[index] != bytes[length] { length = table[length - 1] }
        if bytes[index] == bytes[length] { length += 1 }
        table[index] = length
      }
      return table
    }
  }

  private let first: Part
  private let middle: [Part]
  /// nil when there is no star.
  private let last: Part?

  init(_ tokens: [Pattern.Token]) {
    var parts = tokens.split(separator: .anyRun, omittingEmptySubsequences: false).map { Part(Array($0)) }
    first = parts.removeFirst()
    last = parts.popLast()
    middle = parts
  }

  func covers(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard var low = Self.end(of: first.tokens, at: 0, in: text) else { return false }
    guard let last else { return low == text.count }
    guard let high = Self.start(of: last.tokens, endingAt: text.count, in: text), low <= high else {
      return false
    }
    for part in middle {
      guard let end = Self.find(part, from: low, to: high, in: text) else { return false }
      low = end
    }
    return true
  }

  /// Where the tokens end when they begin at the offset.
  private static func end(
    of tokens: [Pattern.Token], at offset: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    var offset = offset
    for token in tokens {
      guard let end = Pattern.end(of: token, at: offset, in: text) else { return nil }
      offset = end
    }
    return offset
  }

  /// Where the tokens begin when they end at the offset.
  private static func start(
    of tokens: [Pattern.Token], endingAt end: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    var offset = end
    for token in tokens.reversed() {
      switch token {
      case .literal(let bytes):
        offset -= bytes.count
        guard offset >= 0, Pattern.begins(text, at: offset, with: bytes) else { return nil }
      case .anyOne:
        guard offset > 0 else { return nil }
        offset -= 1
        while offset > 0, text[offset] & 0xC0 == 0x80 { offset -= 1 }
      case .oneCharacter(let set):
        guard offset > 0, set.contains(text[offset - 1]) else { return nil }
        offset -= 1
      case .anyRun, .oneOf: return nil
      }
    }
    return offset
  }

  /// The end of the first place between two offsets where the part stands.
  private static func find(
    _ part: Part, from low: Int, to high: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    if let literal = part.literal { return find(literal, part.fallback, from: low, to: high, in: text) }
    var offset = low
    while offset <= high {
      if let end = end(of: part.tokens, at: offset, in: text), end <= high { return end }
      guard offset < high else { return nil }
      offset = Pattern.nextCharacter(after: offset, in: text)
    }
    return nil
  }

  private static func find(
    _ literal: [UInt8], _ fallback: [Int], from low: Int, to high: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    literal.withUnsafeBufferPointer { literal in
      var matched = 0
      var offset = low
      while offset < high {
        while matched > 0, text[offset] != literal[matched] { matched = fallback[matched - 1] }
        if text[offset] == literal[matched] { matched += 1 }
        offset += 1
        if matched == literal.count { return offset }
      }
      return nil
    }
  }
}
