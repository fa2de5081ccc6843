internal import Glibc

/// How many files and sockets this process may have open.
package enum OpenFileLimit {
  /// Raises the soft limit to the hard one: the usual 1,024 is a server's limit of connections otherwise.
  ///
  /// - Returns: The limit in force now.
  package static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    var raised = limit
    raised.rlim_cur = limit.rlim_max
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    return Int(clamping: limit.rlim_cur)
  }
}
