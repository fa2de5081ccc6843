internal import Glibc

/// The words for an `errno`.
package enum SystemError {
  package static func text(_ code: CInt) -> String { String(cString: strerror(code)) }
}
