internal import Glibc

/// Gives up root, for good.
enum Privileges {
  /// From now on this process is the user, with the user's group and no other.
  ///
  /// - Throws: That there is no such user, that this process isn't root, or that it could become root again.
  static func drop(to name: String) throws(CommandError) {
    guard let entry = getpwnam(name) else {
      throw CommandError(
        "there is no user '\(name)', and --user names it.", help: "Make it with adduser --system.")
    }
    let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    guard user != 0 else {
      throw CommandError(
        "'\(name)' is root, and --user is there to be somebody else.", help: "Name a user without rights.")
    }
    if getuid() == user, geteuid() == user { return }
    guard geteuid() == 0 else {
      throw CommandError(
        "only root can become '\(name)'.", help: "Start as root, or leave --user out and start as '\(name)'.")
    }
    var groups = [group]
    guard setgroups(1, &groups) == 0, setgid(group) == 0, setuid(user) == 0 else {
      throw CommandError("this process cannot become '\(name)': \(String(cString: strerror(errno))).")
    }
    guard getuid() == user, geteuid() == user, getgid() == group, getegid() == group, setuid(0) != 0,
      seteuid(0) != 0, setgid(0) != 0
    else {
      throw CommandError(
        "this process became '\(name)' and could become root again.",
        help: "Take its capabilities away (CapabilityBoundingSet=, no keep-caps), or start it as '\(name)'.")
    }
  }
}
