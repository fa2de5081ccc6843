internal import LinkspanFiles

extension SQLiteDatabase {
  /// Whether the log cannot grow to the size that the writer copies it at: it would fill the disk with pages that are in the file.
  var isShortOfRoom: Bool {
    guard let room = DiskRoom.bytes(of: path) else { return false }
    return room < UInt64(SQLiteCheckpoints.Sizes().copiedByWriter) * 4_096
  }
}
