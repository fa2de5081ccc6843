internal import Glibc

/// A user as the system's lists have them.
struct UserEntry {
  let name: String
  /// The group of the user's own entry.
  let group: gid_t

  /// Ours: room for a line of /etc/passwd.
  private static let lineBytes = 1 << 16
  /// Linux allows that many (`NGROUPS_MAX`).
  private static let groupLimit = 65_536

  /// nil for a number that no list knows.
  init?(_ user: uid_t) {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var line = [CChar](repeating: 0, count: Self.lineBytes)
    guard getpwuid_r(user, &entry, &line, line.count, &found) == 0, found != nil else { return nil }
    name = String(cString: entry.pw_name)
    group = entry.pw_gid
  }

  /// Whether the user is in a group: the one of the user's entry, or one whose list names the user.
  func isMember(of other: gid_t) -> Bool {
    if other == group { return true }
    var count = CInt(Self.groupLimit)
    var groups = [gid_t](repeating: 0, count: Self.groupLimit)
    return getgrouplist(name, group, &groups, &count) >= 0 && groups.prefix(Int(count)).contains(other)
  }
}
