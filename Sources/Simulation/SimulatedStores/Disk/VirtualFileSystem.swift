internal import CSQLite
internal import LinkspanCore

/// SQLite's way to the disks of simulations (https://sqlite.org/vfs.html). The first part of a path names the disk.
package enum VirtualFileSystem {
  /// Registers itself with SQLite when it is asked for the first time.
  package static let name: String = register()

  /// The disks by the first part of their paths.
  ///
  /// `@unchecked Sendable`: a disk is used by the thread of its simulation alone.
  private struct Disks: @unchecked Sendable {
    var byName: [String: VirtualDisk] = [:]
    var count = 0
  }

  private static let disks = LockedState(Disks())

  /// Puts a disk where SQLite finds it.
  ///
  /// - Returns: The first part of paths on it, such as `/7/`.
  package static func mount(_ disk: VirtualDisk) -> String {
    disks.withLock { disks in
      disks.count += 1
      let path = "/\(disks.count)/"
      disks.byName[path] = disk
      return path
    }
  }

  package static func unmount(_ path: String) { disks.withLock { _ = $0.byName.removeValue(forKey: path) } }

  package static func disk(of path: String) -> VirtualDisk? {
    guard let end = path.dropFirst().firstIndex(of: "/") else { return nil }
    let name = String(path[...end])
    return disks.withLock { $0.byName[name] }
  }

  /// Ours: more than any path here has.
  private static let pathBytes: CInt = 256

  private static func register() -> String {
    let name = "linkspan-simulated"
    // All of it lives as long as the process, as SQLite expects.
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    system.initialize(to: sqlite3_vfs())
    let copied = name.utf8CString
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: copied.count)
    for (index, byte) in copied.enumerated() { text[index] = byte }
    system.pointee.iVersion = 2
    system.pointee.szOsFile = CInt(MemoryLayout<OpenVirtualFile.Handle>.size)
    system.pointee.mxPathname = pathBytes
    system.pointee.zName = UnsafePointer(text)
    system.pointee.xOpen = { _, path, file, flags, opened in OpenVirtualFile.open(path, file, flags, opened) }
    system.pointee.xDelete = { _, path, _ in VirtualFileSystem.delete(path) }
    system.pointee.xAccess = { _, path, _, answer in VirtualFileSystem.look(for: path, answer) }
    system.pointee.xFullPathname = { _, path, count, answer in VirtualFileSystem.copy(path, count, answer) }
    system.pointee.xRandomness = { _, count, bytes in
      for index in 0..<Int(count) { bytes?[index] = 0 }
      return count
    }
    system.pointee.xSleep = { _, microseconds in microseconds }
    system.pointee.xCurrentTime = { _, day in
      day?.pointee = VirtualFileSystem.julianDay
      return SQLITE_OK
    }
    system.pointee.xCurrentTimeInt64 = { _, time in
      time?.pointee = sqlite3_int64(VirtualFileSystem.julianDay * 86_400_000)
      return SQLITE_OK
    }
    system.pointee.xGetLastError = { _, _, _ in 0 }
    // Stories are played on several threads, which have nothing in common but this.
    linkspan_sqlite_count_no_memory()
    precondition(sqlite3_vfs_register(system, 0) == SQLITE_OK, "SQLite takes a file system")
    return name
  }

  /// 1970. No statement of the registry asks SQLite for the time.
  private static let julianDay = 2_440_587.5

  package static func text(_ path: UnsafePointer<CChar>?) -> String? { path.map { String(cString: $0) } }

  private static func delete(_ path: UnsafePointer<CChar>?) -> CInt {
    guard let path = text(path), let disk = disk(of: path), disk.remove(path) else {
      return SQLITE_IOERR | 23 << 8  // SQLITE_IOERR_DELETE_NOENT
    }
    return SQLITE_OK
  }

  private static func look(for path: UnsafePointer<CChar>?, _ answer: UnsafeMutablePointer<CInt>?) -> CInt {
    let isThere = text(path).map { path in disk(of: path)?.files[path] != nil } ?? false
    answer?.pointee = isThere ? 1 : 0
    return SQLITE_OK
  }

  private static func copy(
    _ path: UnsafePointer<CChar>?, _ count: CInt, _ answer: UnsafeMutablePointer<CChar>?
  ) -> CInt {
    guard let path, let answer else { return SQLITE_CANTOPEN }
    for index in 0..<Int(count) {
      answer[index] = path[index]
      if path[index] == 0 { return SQLITE_OK }
    }
    return SQLITE_CANTOPEN
  }
}
