internal import CSQLite
internal import DeviceRegistry
internal import RegistryDatabases

/// A file that one connection of SQLite has opened.
final class OpenVirtualFile {
  /// What SQLite allocates for it.
  struct Handle {
    var base: sqlite3_file
    var file: Unmanaged<OpenVirtualFile>?
  }

  let disk: VirtualDisk
  let file: VirtualFile
  let isDatabase: Bool
  private let isTemporary: Bool
  private let process: Int

  private init(_ disk: VirtualDisk, _ file: VirtualFile, _ flags: CInt) {
    self.disk = disk
    self.file = file
    isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
    isTemporary = flags & SQLITE_OPEN_DELETEONCLOSE != 0
    process = disk.running
  }

  /// Whether the process that opened it has not ended.
  var isAlive: Bool { disk.isLiving(process) }

  private var holder: VirtualFile.Holder { .init(process: process, handle: ObjectIdentifier(self)) }

  static func open(
    _ path: UnsafePointer<CChar>?, _ handle: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt,
    _ opened: UnsafeMutablePointer<CInt>?
  ) -> CInt {
    guard let handle else { return SQLITE_CANTOPEN }
    handle.pointee.pMethods = nil
    // Every file of a registry has a name: temporary ones are in memory (`temp_store`).
    guard let path = VirtualFileSystem.text(path), let disk = VirtualFileSystem.disk(of: path),
      let file = disk.file(path, makes: flags & SQLITE_OPEN_CREATE != 0)
    else { return SQLITE_CANTOPEN }
    let open = OpenVirtualFile(disk, file, flags)
    handle.withMemoryRebound(to: Handle.self, capacity: 1) {
      $0.pointee.file = Unmanaged.passRetained(open)
      $0.pointee.base.pMethods = methods
    }
    opened?.pointee = flags
    return SQLITE_OK
  }

  static func of(_ handle: UnsafeMutablePointer<sqlite3_file>?) -> OpenVirtualFile? {
    handle?.withMemoryRebound(to: Handle.self, capacity: 1) { $0.pointee.file?.takeUnretainedValue() }
  }

  private static func close(_ handle: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    guard let open = of(handle) else { return SQLITE_OK }
    open.unlock(SQLITE_LOCK_NONE)
    for index in open.file.sharedLocks.indices { open.file.sharedLocks[index][open.holder] = nil }
    if open.isTemporary { _ = open.disk.remove(open.file.name) }
    handle?.withMemoryRebound(to: Handle.self, capacity: 1) {
      $0.pointee.file?.release()
      $0.pointee.file = nil
    }
    return SQLITE_OK
  }

  // MARK: - Bytes

  private static func error(_ detail: CInt) -> CInt { SQLITE_IOERR | detail << 8 }
  private static let (readError, shortRead, writeError, syncError) = (error(1), error(2), error(3), error(4))

  private func read(_ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: Int) -> CInt {
    guard isAlive, !disk.fails(disk.faults.read) else { return Self.readError }
    let target = UnsafeMutableRawBufferPointer(start: bytes, count: count)
    let found = max(0, min(count, file.bytes.count - offset))
    if found > 0 {
      file.bytes.withUnsafeBytes { source in
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<(offset + found)]))
      }
    }
    guard found < count else { return SQLITE_OK }
    for index in found..<count { target[index] = 0 }
    return Self.shortRead
  }

  private func write(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int) -> CInt {
    guard isAlive else { return Self.writeError }
    do throws(VirtualDisk.Failure) {
      guard isDatabase, SQLiteCleanPages.isPage(count, at: offset) else {
        try disk.write(UnsafeRawBufferPointer(start: bytes, count: count), to: file, at: offset)
        return SQLITE_OK
      }
      var page = [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
      page.withUnsafeMutableBytes { SQLiteCleanPages.clean($0, at: Int64(offset)) }
      // A closure would lose the type of the error.
      let result = page.withUnsafeBytes { page in
        Result { () throws(VirtualDisk.Failure) in try disk.write(page, to: file, at: offset) }
      }
      try result.get()
      return SQLITE_OK
    } catch {
      return error == .full ? SQLITE_FULL : Self.writeError
    }
  }

  private func sync() -> CInt {
    guard isAlive else { return Self.syncError }
    do throws(VirtualDisk.Failure) {
      try disk.sync(file)
      return SQLITE_OK
    } catch {
      return Self.syncError
    }
  }

  // MARK: - Locks

  /// SQLite's levels: many may read, one of them may be about to write, and whoever writes is alone.
  private func lock(_ level: CInt) -> CInt {
    guard isAlive else { return SQLITE_IOERR }
    let own = holder
    let others = file.locks.filter { $0.key != own }.values
    let isBusy =
      switch level {
      case SQLITE_LOCK_SHARED: others.contains { $0 >= SQLITE_LOCK_PENDING }
      case SQLITE_LOCK_RESERVED: others.contains { $0 >= SQLITE_LOCK_RESERVED }
      default: !others.isEmpty
      }
    guard !isBusy else { return SQLITE_BUSY }
    file.locks[own] = max(level, file.locks[own] ?? SQLITE_LOCK_NONE)
    return SQLITE_OK
  }

  private func unlock(_ level: CInt) {
    file.locks[holder] = level == SQLITE_LOCK_NONE ? nil : level
  }

  private var isReserved: Bool { file.locks.values.contains { $0 >= SQLITE_LOCK_RESERVED } }

  private func lockShared(_ offset: Int, _ count: Int, _ flags: CInt) -> CInt {
    let own = holder
    let range = offset..<(offset + count)
    if flags & SQLITE_SHM_UNLOCK != 0 {
      for index in range { file.sharedLocks[index][own] = nil }
      return SQLITE_OK
    }
    let isAlone = flags & SQLITE_SHM_EXCLUSIVE != 0
    for index in range {
      let others = file.sharedLocks[index].filter { $0.key != own }
      if isAlone ? !others.isEmpty : others.values.contains(true) { return SQLITE_BUSY }
    }
    for index in range { file.sharedLocks[index][own] = isAlone }
    return SQLITE_OK
  }

  // MARK: - Methods

  private nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { OpenVirtualFile.close($0) }
    methods.pointee.xRead = { file, bytes, count, offset in
      guard let open = OpenVirtualFile.of(file), let bytes else { return SQLITE_IOERR }
      return open.read(bytes, Int(count), Int(offset))
    }
    methods.pointee.xWrite = { file, bytes, count, offset in
      guard let open = OpenVirtualFile.of(file), let bytes else { return SQLITE_IOERR }
      return open.write(bytes, Int(count), Int(offset))
    }
    methods.pointee.xTruncate = { file, size in
      guard let open = OpenVirtualFile.of(file), open.isAlive else { return SQLITE_IOERR }
      open.disk.truncate(open.file, to: Int(size))
      return SQLITE_OK
    }
    methods.pointee.xSync = { file, _ in OpenVirtualFile.of(file)?.sync() ?? SQLITE_IOERR }
    methods.pointee.xFileSize = { file, size in
      guard let open = OpenVirtualFile.of(file) else { return SQLITE_IOERR }
      size?.pointee = sqlite3_int64(open.file.bytes.count)
      return SQLITE_OK
    }
    methods.pointee.xLock = { file, level in OpenVirtualFile.of(file)?.lock(level) ?? SQLITE_IOERR }
    methods.pointee.xUnlock = { file, level in
      OpenVirtualFile.of(file)?.unlock(level)
      return SQLITE_OK
    }
    methods.pointee.xCheckReservedLock = { file, answer in
      answer?.pointee = OpenVirtualFile.of(file)?.isReserved ?? false ? 1 : 0
      return SQLITE_OK
    }
    methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.pointee.xSectorSize = { _ in 512 }
    // As SQLite's own for Unix: a torn write damages nothing outside itself.
    methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    methods.pointee.xShmMap = { file, index, count, makes, answer in
      guard let open = OpenVirtualFile.of(file), open.isAlive else { return SQLITE_IOERR }
      let page = open.file.sharedPage(Int(index), bytes: Int(count), makes: makes != 0)
      // Swift reads SQLite's declaration as a pointer that is never null.
      if let answer {
        UnsafeMutableRawPointer(answer).storeBytes(of: page, as: UnsafeMutableRawPointer?.self)
      }
      return SQLITE_OK
    }
    methods.pointee.xShmLock = { file, offset, count, flags in
      guard let open = OpenVirtualFile.of(file), open.isAlive else { return SQLITE_IOERR }
      return open.lockShared(Int(offset), Int(count), flags)
    }
    methods.pointee.xShmBarrier = { _ in }
    methods.pointee.xShmUnmap = { _, _ in SQLITE_OK }
    return UnsafePointer(methods)
  }()
}
