/// Literal text that every path has which a rule covers: what it begins with, what it ends with, and what stands between
/// the two, in this order and without overlap. A path that has all of it may still not be covered.
struct PathKeys {
  var prefix: ArraySlice<UInt8> = []
  var suffix: ArraySlice<UInt8> = []
  var parts: [ArraySlice<UInt8>] = []

  /// Our choice: so many parts tell rules apart; a hostile pattern has thousands.
  private static let partLimit = 32

  /// - Parameter path: Of a rule that covers something.
  init(_ path: PathPattern) {
    // Whatever `/a/*` covers begins with what `/a` covers.
    let hasParent = path.forms.count > 1
    let tokens = (hasParent ? path.forms[1] : path.forms[0]).tokens ?? []
    for (place, token) in tokens.enumerated() {
      guard case .literal(let bytes) = token else { continue }
      if place == 0 {
        prefix = bytes[...]
      } else if place == tokens.count - 1, !hasParent {
        suffix = bytes[...]
      } else if parts.count < Self.partLimit {
        parts.append(bytes[...])
      }
    }
  }
}
