internal import Glibc

/// Why nothing was measured.
package struct LoadError: Error {
  package let reason: String
  /// The command line is at fault.
  package let isUsage: Bool

  package init(_ reason: String, isUsage: Bool = false) {
    self.reason = reason
    self.isUsage = isUsage
  }

  package static func system(_ what: String) -> LoadError {
    LoadError("\(what): \(String(cString: strerror(errno)))")
  }
}
