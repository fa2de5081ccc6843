internal import CLinkspanPlatform
internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// Gives up root: for good, or for one task.
package enum Privileges {
  /// Does something with the rights of a directory's owner when this process is root, so that nothing planted there
  /// reaches further than its owner does. Anybody else does it with their own rights.
  ///
  /// Only the calling thread changes its rights: others may do this for other owners meanwhile. A thread that `body`
  /// starts keeps the owner's rights for good.
  ///
  /// - Throws: What `body` throws, or that this process cannot become the owner.
  package static func asOwner<Result>(
    of folder: OpenFolder, _ body: () throws(LinkspanError) -> Result
  ) throws(LinkspanError) -> Result {
    try asUser(try folder.owner(), of: folder.path, body)
  }

  /// Does something with the rights of a user when this process is root; see ``asOwner(of:_:)``.
  ///
  /// - Parameter folder: The path of the folder that the user owns, for messages.
  package static func asUser<Result>(
    _ owner: UInt32, of folder: String, _ body: () throws(LinkspanError) -> Result
  ) throws(LinkspanError) -> Result {
    guard geteuid() == 0, owner != 0 else { return try body() }
    guard let groups = supplementaryGroups() else { throw cannotBecome(owner, of: folder) }
    let group = getegid()
    defer { becomeRoot(group, groups) }
    let others = UserEntry(owner)?.group ?? noGroup
    guard linkspan_thread_become(owner, others, [others], 1) == 0 else {
      throw cannotBecome(owner, of: folder)
    }
    return try body()
  }

  /// Gives the calling thread root's rights back. A thread that kept an owner's would do other work with them.
  private static func becomeRoot(_ group: UInt32, _ groups: [UInt32]) {
    if linkspan_thread_become(0, group, groups, Int32(groups.count)) == 0 { return }
    // Without the capability to change its groups, it has not become anybody either.
    precondition(
      geteuid() == 0 && getegid() == group && supplementaryGroups() == groups,
      "this thread acted as the owner of a folder, and cannot become root again")
  }

  /// Of the calling thread; nil and errno on failure.
  private static func supplementaryGroups() -> [UInt32]? {
    var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    return count < 0 ? nil : Array(groups.prefix(Int(count)))
  }

  private static func cannotBecome(_ owner: UInt32, of folder: String) -> LinkspanError {
    LinkspanError(
      "root cannot act as the owner of '\(folder)' (user \(owner)): \(SystemError.text(errno)).",
      help: "Run this as that user.")
  }

  /// Of a user that no list knows: it has no rights. `nogroup` of Debian.
  private static let noGroup: gid_t = 65_534

  /// From now on this process is the user, with the user's group and no other.
  ///
  /// - Throws: That there is no such user, that this process isn't root, or that it could become root again.
  package static func drop(to name: String) throws(LinkspanError) {
    guard let entry = getpwnam(name) else {
      throw LinkspanError(
        "there is no user '\(name)', and --user names it.", help: "Create it with adduser --system.")
    }
    let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    guard user != 0 else {
      throw LinkspanError(
        "is root; --user must name another user", at: name, help: "Name an unprivileged user.")
    }
    if getuid() == user, geteuid() == user { return }
    guard geteuid() == 0 else {
      throw LinkspanError(
        "only root can become '\(name)'.", help: "Start as root, or leave --user out and start as '\(name)'.")
    }
    var groups = [group]
    guard setgroups(1, &groups) == 0, setgid(group) == 0, setuid(user) == 0 else {
      throw LinkspanError("this process cannot become '\(name)': \(SystemError.text(errno)).")
    }
    guard getuid() == user, geteuid() == user, getgid() == group, getegid() == group, setuid(0) != 0,
      seteuid(0) != 0, setgid(0) != 0
    else {
      throw LinkspanError(
        "this process became '\(name)' but could become root again.",
        help: "Take its capabilities away (CapabilityBoundingSet=, no keep-caps), or start it as '\(name)'.")
    }
  }
}
