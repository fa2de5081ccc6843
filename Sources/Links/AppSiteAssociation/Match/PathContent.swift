/// The bytes, and the pairs of neighbouring bytes, that a text holds, folded into some bits: what lacks a bit of a pattern's
/// literals is not covered.
struct PathContent: Sendable {
  private var bytes: UInt64 = 0
  private var pairs: UInt64 = 0

  static let nothing = PathContent(bytes: 0, pairs: 0)
  private static let everything = PathContent(bytes: ~0, pairs: ~0)

  private init(bytes: UInt64, pairs: UInt64) {
    self.bytes = bytes
    self.pairs = pairs
  }

  /// What every path holds that the rule covers.
  init(_ path: PathPattern) {
    self = path.forms.map(PathContent.init).reduce(.everything) { $0.intersection($1) }
  }

  /// - Parameter path: Without its trailing slashes; an empty one counts as `/`.
  init(ofPath path: UnsafeBufferPointer<UInt8>) {
    self = path.isEmpty ? PathPattern.root.withUnsafeBufferPointer { PathContent($0) } : PathContent(path)
  }

  init(_ text: UnsafeBufferPointer<UInt8>) {
    for byte in text { bytes |= 1 << UInt64(byte & 63) }
    pairs = Pattern.neighbours(in: text)
  }

  /// What every text has that the pattern covers.
  init(_ pattern: Pattern) {
    for case .literal(let literal) in pattern.tokens ?? [] {
      for byte in literal { bytes |= 1 << UInt64(byte & 63) }
    }
    pairs = pattern.neighbours
  }

  private func intersection(_ other: PathContent) -> PathContent {
    PathContent(bytes: bytes & other.bytes, pairs: pairs & other.pairs)
  }

  @inline(__always)
  func isWithin(_ text: PathContent) -> Bool { bytes & ~text.bytes == 0 && pairs & ~text.pairs == 0 }
}
