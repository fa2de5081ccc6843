internal import Glibc

/// The words for an `errno`.
enum SystemError {
  static func text(_ code: CInt) -> String { String(cString: strerror(code)) }
}
