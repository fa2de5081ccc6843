/// A regular expression over the bytes of a URL as it is written.
indirect enum PathExpression: Hashable, Sendable {
  case set(ByteSet)
  case sequence([PathExpression])
  case choice([PathExpression])
  /// - most: Nil for any number.
  case repeated(PathExpression, least: Int, most: Int?)

  /// One or more characters of one segment: a parameter without a constraint.
  static let segment = PathExpression.repeated(.set(.inSegment), least: 1, most: nil)
  static let empty = PathExpression.sequence([])

  static func literal(_ text: String) -> PathExpression {
    .sequence(text.utf8.map { .set(ByteSet(CollectionOfOne($0))) })
  }

  /// The positions of an automaton for it: counted first, so that `(a{999}){999}` is refused before it is built.
  var size: Int {
    switch self {
    case .set: 1
    case .sequence(let parts), .choice(let parts):
      parts.reduce(1) { $0.addingClamped($1.size) }
    case .repeated(let part, let least, let most):
      part.size.multipliedClamped(by: max(1, most ?? least + 1)).addingClamped(1)
    }
  }

  var acceptsEmpty: Bool {
    switch self {
    case .set: false
    case .sequence(let parts): parts.allSatisfy(\.acceptsEmpty)
    case .choice(let parts): parts.contains(where: \.acceptsEmpty)
    case .repeated(let part, let least, _): least == 0 || part.acceptsEmpty
    }
  }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  fileprivate func multipliedClamped(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
