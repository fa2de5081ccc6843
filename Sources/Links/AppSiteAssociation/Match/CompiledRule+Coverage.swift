/// Whether one rule covers all that another can: sound and not complete, so a yes is certain.
extension CompiledRule {
  /// Whether a pattern of it can never match (S6).
  var coversNothing: Bool {
    if path.forms.allSatisfy({ $0.isNothing }) || fragment?.isNothing ?? false { return true }
    return switch query {
    case .anything: false
    case .whole(let pattern): pattern.isNothing
    case .items(let items): items.coversNothing
    }
  }

  package var coversEverything: Bool {
    path.coversEverything && query.coversEverything && (fragment?.coversEverything ?? true)
  }
}

extension CompiledQuery {
  var coversEverything: Bool {
    switch self {
    case .anything: true
    case .whole(let pattern): pattern.coversEverything
    case .items(let items): items.coversEverything
    }
  }
}

extension Pattern {
  /// Every two neighbouring literal bytes, folded into 64 bits: a pattern covers none that lacks one of its own.
  var neighbours: UInt64 {
    var bits: UInt64 = 0
    for case .literal(let bytes) in tokens ?? [] { bits |= Self.neighbours(in: bytes) }
    return bits
  }

  /// The same of a text.
  static func neighbours(in bytes: some RandomAccessCollection<UInt8>) -> UInt64 {
    var bits: UInt64 = 0
    for (left, right) in zip(bytes, bytes.dropFirst()) {
      let pair = UInt32(left) << 8 | UInt32(right)
      bits |= 1 << UInt64((pair &* 0x9E37_79B1) >> 26)
    }
    return bits
  }
}
