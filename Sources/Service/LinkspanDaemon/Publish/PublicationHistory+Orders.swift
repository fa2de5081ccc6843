internal import LinkspanCore
internal import LinkspanFiles

/// Which orders of a registry a state knows: by the number that the registry gives each, since the clocks of its servers differ.
extension PublicationHistory {
  /// Holds a registry's name and the number of its newest order that is in the state.
  private static let knownOrders = "known-orders.json"

  /// The number of the newest order that is in the state; 0 for a registry that it has not met last.
  ///
  /// - Parameter registry: The name of the registry.
  func knownOrder(of registry: String) throws(LinkspanError) -> Int64 {
    guard try place.isThere() else { return 0 }
    return try place.open { state throws(LinkspanError) in
      guard try state.kind(of: Self.knownOrders) == .file else { return 0 }
      let bytes = try state.bytes(of: Self.knownOrders, limitBytes: Self.recordLimitBytes)
      guard let root = JSONParser.parse(bytes).root, root["registry"]?.string == registry else { return 0 }
      return root["number"]?.int.map(Int64.init) ?? 0
    }
  }

  /// Keeps it, once everything up to that order is in the state.
  func keep(knownOrder number: Int64, of registry: String) throws(LinkspanError) {
    let record = JSON.object([("registry", .string(registry)), ("number", .int(Int(number)))])
    try writing { () throws(LinkspanError) in
      try place.openMade { state throws(LinkspanError) in
        try state.replace(Self.knownOrders, by: record.bytes + [0x0A])
      }
    }
  }
}
