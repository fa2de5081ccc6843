internal import Glibc

/// The room on the disk that a file is on.
package enum DiskRoom {
  /// Bytes that this user can still write there; nil where the system does not say.
  package static func bytes(of path: String) -> UInt64? {
    var disk = statvfs()
    guard statvfs(path, &disk) == 0 else { return nil }
    // Some blocks are for root alone.
    let blocks = UInt64(geteuid() == 0 ? disk.f_bfree : disk.f_bavail)
    return blocks * UInt64(disk.f_frsize)
  }
}
