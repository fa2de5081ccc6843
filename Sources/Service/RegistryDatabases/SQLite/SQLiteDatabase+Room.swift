internal import Glibc

extension SQLiteDatabase {
  /// Whether the log cannot grow to the size that the writer copies it at: it would fill the disk with pages that are in the file.
  var isShortOfRoom: Bool {
    var disk = statvfs()
    guard statvfs(path, &disk) == 0 else { return false }
    let room = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
    return room < UInt64(SQLiteCheckpoints.Sizes().copiedByWriter) * 4_096
  }
}
