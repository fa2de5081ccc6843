internal import Glibc
internal import LinkspanCore

/// Whose a file is, for whoever may not use it.
package enum FileOwner {
  /// What to do about the first of these files and directories that this user may not read and write; nil where there is none.
  package static func remedy(for paths: [String]) -> String? {
    for path in paths where faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) != 0 && errno == EACCES {
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      let (owner, user) = (name(of: status.st_uid), name(of: geteuid()))
      if owner == user { return "Let its owner read and write it: chmod u+rw \(ShellWord.quoted(path))" }
      return
        "'\(path)' belongs to '\(owner)', and this runs as '\(user)'. Run it as '\(owner)', or give the file to"
        + " '\(user)': chown \(user) \(ShellWord.quoted(path))"
    }
    return nil
  }

  private static func name(of user: uid_t) -> String { UserEntry(user)?.name ?? String(user) }
}
