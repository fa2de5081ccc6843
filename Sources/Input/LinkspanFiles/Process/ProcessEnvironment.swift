internal import Glibc

/// The environment variables of this process.
package enum ProcessEnvironment {
  /// - Parameter isNotEmpty: Whether an empty value counts as none.
  /// - Returns: The value, or nil where the variable is not set.
  package static func value(_ name: String, isNotEmpty: Bool = false) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !(isNotEmpty && value.isEmpty) else {
      return nil
    }
    return value
  }
}
