extension String {
  /// Whether a store takes both for the same text: it compares bytes. To Swift an "é" also equals an "e" with an accent of
  /// its own, which to a store is the alias of somebody else.
  package func isStored(as other: String?) -> Bool { other?.utf8.elementsEqual(utf8) ?? false }
}

extension [String] {
  /// Each text once, in their order, as a store tells them apart.
  package var eachOnce: [String] {
    guard count > 1 else { return self }
    var seen: Set<[UInt8]> = []
    return filter { seen.insert([UInt8]($0.utf8)).inserted }
  }
}
