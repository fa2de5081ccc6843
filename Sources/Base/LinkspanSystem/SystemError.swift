internal import Glibc
package import LinkspanCore

/// The words for an `errno`.
package enum SystemError {
  package static func text(_ code: CInt) -> String { String(cString: strerror(code)) }
}

extension LinkspanError {
  /// What the system refused, for the reason that its error number says.
  ///
  /// - Parameter what: What is true of the place, without a full stop.
  package init(_ what: String, at place: String, errno code: CInt, help: String? = nil) {
    self.init(what, at: place, why: SystemError.text(code), code: code, help: help)
  }

  /// - Parameter what: Without a full stop.
  package init(_ what: String, errno code: CInt, help: String? = nil) {
    self.init(what, why: SystemError.text(code), code: code, help: help)
  }
}
