internal import LinkspanCore

/// The letters that tell the rules of one question apart, most plausible first: any other letter acts on all of them as
/// one of these does.
package final class Alphabet {
  /// One character to one, as a pattern without case is compared.
  package typealias Folding = (UInt32) -> UInt32

  private(set) var letters: [Letter] = []
  /// The letters that are escapes.
  private(set) var escapes: Range<Int> = 0..<0
  private(set) var decodes = false
  /// Whether some pattern names the dot, or the percent sign of its escape: without, another character serves as well, and no segment is all dots.
  let namesDots: Bool
  /// The characters beyond ASCII that some pattern names, by their bytes.
  private(set) var namedBytes: Set<Int32> = []

  private let fold: Folding
  private let names: [NamedScalars]
  private let isActive: [Bool]
  private let isNormalised: Bool

  /// No pattern names it; only escapes decode to it.
  private static let unnamed: UInt32 = 0xFF_FFFF

  /// - Parameters:
  ///   - isNormalised: Whether URLs are left out that are the same as another one but for escapes of letters, digits and
  ///     `-._~`, or for small hexadecimal digits (RFC 3986, 6.2.2), and those with an escaped slash.
  ///   - foldingTo: Every character that folds to one of a set of others.
  package init(
    of rules: [RuleLanguage], isNormalised: Bool = false, fold: @escaping Folding,
    foldingTo: (Set<UInt32>) -> Set<UInt32>
  ) {
    self.isNormalised = isNormalised
    self.fold = fold
    var names = [NamedScalars](repeating: NamedScalars(), count: TextReading.all.count)
    var isActive = [Bool](repeating: false, count: TextReading.all.count)
    for rule in rules {
      names[rule.readingIndex].formUnion(rule.names)
      isActive[rule.readingIndex] = true
    }
    self.names = names
    self.isActive = isActive
    namesDots = names.contains { $0.hasDot }
    decodes = isActive[2] || isActive[3]
    var beyond = names[0].beyondASCII.union(names[2].beyondASCII)
    if isActive[1] || isActive[3] {
      let folded = names[1].beyondASCII.union(names[3].beyondASCII)
      // The sign of Kelvin and the long s fold to letters of ASCII.
      beyond.formUnion(folded.union([0x212A, 0x17F]))
      if !folded.isEmpty { beyond.formUnion(foldingTo(folded)) }
    }
    let named = beyond.sorted()
    addWritten()
    if decodes {
      namedBytes = Set(named.map { Self.bytes(of: Self.utf8($0)) })
      addEscapes(named)
    }
  }

  // MARK: - As written

  private static let plain = Array("xyzabcdefghijklmnopqrstuvw0123456789/-_~XYZABCDEFGHIJKLMNOPQRSTUVW".utf8)
  private static let delimiters = Array("=&,;:+!()@'$*?#[]".utf8)

  /// Text beyond ASCII, controls and blanks are in no URL that a device holds (``HeldText``). The dot and `%` come last:
  /// they stand for other characters only where there is no other, because they are not free to follow any.
  private func addWritten() {
    func cost(_ byte: UInt8) -> Int32 {
      switch byte {
      case 0x61...0x7A, 0x30...0x39, 0x2F: 2
      case 0x41...0x5A, 0x2D, 0x2E, 0x5F, 0x7E: 3
      case 0x25: decodes ? 40 : 3
      default: byte == 0x5B || byte == 0x5D ? 60 : 4
      }
    }
    for byte in Self.plain + Self.delimiters + (namesDots ? [0x2E] : []) + [0x25] {
      append(.asWritten, [byte], UInt32(byte), cost: cost(byte))
    }
  }

  private func append(_ kind: Letter.Kind, _ text: [UInt8], _ scalar: UInt32, cost: Int32) {
    letters.append(Letter(kind, text: text, readings: readings(text, kind, scalar), cost: cost))
  }

  private func readings(_ text: [UInt8], _ kind: Letter.Kind, _ scalar: UInt32) -> [[UInt32]] {
    if case .asWritten = kind { return [[scalar], [fold(scalar)], [scalar], [fold(scalar)]] }
    let raw = text.map(UInt32.init)
    return [raw, raw.map(fold), [scalar], [fold(scalar)]]
  }

  static func utf8(_ scalar: UInt32) -> [UInt8] {
    Array(String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
  }

  private static func bytes(of utf8: [UInt8]) -> Int32 {
    utf8.reduce(0) { Int32(truncatingIfNeeded: Int64($0) << 8 | Int64($1)) }
  }

  // MARK: - Escapes

  /// Escapes that no active reading tells apart are one letter: the first.
  private func addEscapes(_ named: [UInt32]) {
    let start = letters.count
    var seen = Set<[Int]>()
    func add(_ kind: Letter.Kind, _ bytes: [UInt8], _ scalar: UInt32, role: Int) {
      for text in Self.spellings(bytes).prefix(isNormalised ? 1 : .max) {
        var readings = readings(text, kind, scalar)
        if case .decodedByte = kind {
          // The character counts once, with its first byte.
          let decoded = role < 0x100 ? [] : [Self.unnamed]
          readings[2] = decoded
          readings[3] = decoded
        }
        var signature = [role]
        for index in readings.indices where isActive[index] {
          signature += readings[index].map { classNumber($0, index) } + [-1]
        }
        guard seen.insert(signature).inserted else { continue }
        letters.append(Letter(kind, text: text, readings: readings, cost: Int32(9 * bytes.count)))
      }
    }
    let order = Self.plain + Array(0x21..<UInt8(0x7F)) + Array(0..<UInt8(0x80))
    var isDone = [Bool](repeating: false, count: 0x80)
    for byte in order where !isDone[Int(byte)] && !(isNormalised && Self.isNeedless(byte)) {
      isDone[Int(byte)] = true
      add(.decoded, [byte], UInt32(byte), role: -1)
    }
    for scalar in named { add(.decoded, Self.utf8(scalar), scalar, role: -1) }
    let namedLetters = Set(named.flatMap(Self.utf8))
    for byte in UInt8(0x80)...0xF4 {
      let lead = EscapeState.Expectation(lead: byte)
      let kind: Int
      if byte >= 0xC0 {
        guard lead != .nothing else { continue }
        kind = namedLetters.contains(byte) ? 0x200 + Int(byte) : 0x100 + Int(lead.rawValue)
      } else {
        kind = namedLetters.contains(byte) ? Int(byte) : byte < 0x90 ? 1 : byte < 0xA0 ? 2 : 3
      }
      add(.decodedByte(byte), [byte], UInt32(byte), role: kind)
    }
    escapes = start..<letters.count
  }

  private static func isNeedless(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~/".utf8.contains(byte)
  }

  /// Letters with the same number act alike on every pattern of a reading.
  private func classNumber(_ scalar: UInt32, _ reading: Int) -> Int {
    if scalar >= 0x80 { return Int(scalar) + 0x100 }
    if scalar == 0x2F || scalar == 0x25 || names[reading].ascii.contains(scalar) { return Int(scalar) }
    var hasher = Hasher()
    for set in names[reading].sets where set.contains(scalar) { hasher.combine(set) }
    return names[reading].sets.contains { $0.contains(scalar) } ? hasher.finalize() : 0x80
  }

  /// Every way to write bytes as escapes, capitals first.
  private static func spellings(_ bytes: [UInt8]) -> [[UInt8]] {
    var all: [[UInt8]] = [[]]
    for byte in bytes {
      let digits = [byte >> 4, byte & 15].map { digit -> [UInt8] in
        digit < 10 ? [0x30 + digit] : [0x37 + digit, 0x57 + digit]
      }
      all = all.flatMap { text in
        digits[0].flatMap { high in digits[1].map { low in text + [0x25, high, low] } }
      }
    }
    return all
  }

  /// What a letter at a place means to a scalar set of a reading.
  func isDistinguished(_ letter: Letter, by sets: [ScalarSet]) -> Bool {
    guard let single = letter.single else { return true }
    for index in 0..<4 where isActive[index] {
      if single[index] >= 0x80 || sets[index].contains(single[index]) { return true }
    }
    return false
  }
}
