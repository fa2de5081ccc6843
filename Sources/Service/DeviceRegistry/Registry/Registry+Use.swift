package import RegistryDatabases
package import RegistryRequests

extension Registry {
  /// What a process does with the registry that it opens.
  package enum Use: Sendable {
    /// Changes it. Tables of an earlier version are brought to this program's.
    case changes
    /// Asks it. Nothing at all is written, and tables of an earlier version are refused.
    case questions
    /// Copies it as it is. Nothing at all is written, and tables of an earlier version are copied, too.
    case copies

    var onlyReads: Bool { self != .changes }
  }

  /// Looks at a store as a start would, and changes nothing.
  ///
  /// - Parameter asOwner: With whose rights files are looked at.
  /// - Returns: The version of its tables; nil where a start would make a registry.
  /// - Throws: What a start would fail on.
  package static func foundVersion(
    _ address: RegistryAddress,
    asOwner: @Sendable (RegistryPlace, () -> Void) throws(RegistryError) -> Void = { $1() }
  ) throws(RegistryError) -> Int? {
    let place = try address.place()
    var found: Result<Int?, RegistryError>?
    let look = {
      found = Result { () throws(RegistryError) in
        if let place, try !place.checkIsWritable() { return nil }
        return try RegistryStore(address.open(at: place, isReader: true)).foundVersion()
      }
    }
    if let place { try asOwner(place, look) } else { look() }
    guard let found else { preconditionFailure("asOwner has not called its body") }
    return try found.get()
  }
}
