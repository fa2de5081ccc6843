internal import CSQLite
internal import Glibc
internal import LinkspanCore

/// SQLite's way to the disk, with one addition: the unused middle of a page is overwritten with zeros when the page goes
/// into the database's file.
///
/// `secure_delete` overwrites what is deleted. When a page is full, SQLite moves rows to another page and deletes nothing:
/// copies stay in the first page's unused middle, and outlive the rows (of 18,000 deleted tokens and aliases 8 were found
/// in a file of 7 MB). The layout is SQLite's documented file format (https://sqlite.org/fileformat2.html, 1.6). A file with
/// pointer maps is left as it is, because their pages may look like pages of rows; a registry is rewritten without them.
package enum SQLiteCleanPages {
  /// Opened with that name, a file has clean pages; nil where the system's way cannot be found.
  package static let name: String? = registered()

  /// Whether ``methods`` and ``original`` have their values.
  private static let hasMethods = LockedState(false)
  private nonisolated(unsafe) static var system: UnsafeMutablePointer<sqlite3_vfs>?
  /// The system's methods, with ``write``. It is written once, before the first file is opened with it.
  private nonisolated(unsafe) static var methods: UnsafeMutablePointer<sqlite3_io_methods>?
  /// Whose copy ``methods`` is.
  private nonisolated(unsafe) static var original: UnsafePointer<sqlite3_io_methods>?

  private static func registered() -> String? {
    let name = "linkspan"
    guard let system = sqlite3_vfs_find(nil) else { return nil }
    self.system = system
    // Both live as long as the process, as SQLite expects.
    let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    copy.initialize(to: system.pointee)
    copy.pointee.pNext = nil
    copy.pointee.zName = UnsafePointer(strdup(name))
    copy.pointee.xOpen = { _, path, file, flags, opened in SQLiteCleanPages.open(path, file, flags, opened) }
    methods = .allocate(capacity: 1)
    return sqlite3_vfs_register(copy, 0) == SQLITE_OK ? name : nil
  }

  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt,
    _ opened: UnsafeMutablePointer<CInt>?
  ) -> CInt {
    guard let system, let file else { return SQLITE_CANTOPEN }
    let code = system.pointee.xOpen(system, path, file, flags, opened)
    guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let own = file.pointee.pMethods, let methods
    else { return code }
    hasMethods.withLock { hasMethods in
      if !hasMethods {
        hasMethods = true
        original = own
        methods.initialize(to: own.pointee)
        methods.pointee.xWrite = { SQLiteCleanPages.write($0, $1, $2, $3) }
      }
      // One table of methods serves all files on local disks; others keep their own.
      if own == original { file.pointee.pMethods = UnsafePointer(methods) }
    }
    return code
  }

  private static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: CInt,
    _ offset: sqlite3_int64
  ) -> CInt {
    guard let original, let bytes else { return SQLITE_IOERR }
    let size = Int(count)
    guard isPage(file, size, offset), !hasPointerMaps(file, bytes, offset) else {
      return original.pointee.xWrite(file, bytes, count, offset)
    }
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { page in
      page.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: size))
      clean(page, at: offset)
      return original.pointee.xWrite(file, page.baseAddress, count, offset)
    }
  }

  /// Above that size the first byte of an overflow page may look like a row page's type: it is the highest byte of a page
  /// number, and stays 0 or 1 below 2²⁵ pages. Half of them leaves room for what the log still holds.
  private static let pageLimit: sqlite3_int64 = 1 << 24

  /// Whether a write has the size and the place of a page.
  package static func isPage(_ size: Int, at offset: Int) -> Bool {
    (512...65_536).contains(size) && size & (size - 1) == 0 && offset.isMultiple(of: size)
  }

  private static func isPage(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ size: Int, _ offset: sqlite3_int64
  ) -> Bool {
    guard isPage(size, at: Int(offset)) else { return false }
    var bytes: sqlite3_int64 = 0
    guard original?.pointee.xFileSize(file, &bytes) == SQLITE_OK else { return false }
    return max(bytes, offset) < pageLimit * sqlite3_int64(size)
  }

  /// Where the file's header has a number that is 0 without pointer maps (1.3.12), and its length.
  private static let (mapsOffset, mapsBytes) = (52, 4)

  /// - Parameter bytes: Of the page that goes to the offset.
  private static func hasPointerMaps(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer, _ offset: sqlite3_int64
  ) -> Bool {
    var number: UInt32 = 0
    if offset == 0 {
      number = bytes.loadUnaligned(fromByteOffset: mapsOffset, as: UInt32.self)
    } else if let original {
      // What a file without a header does not have is read as zeros.
      _ = original.pointee.xRead(file, &number, CInt(mapsBytes), sqlite3_int64(mapsOffset))
    }
    return number != 0
  }

  /// Overwrites what lies between the list of a page's rows and the first of them.
  package static func clean(_ page: UnsafeMutableRawBufferPointer, at offset: Int64) {
    // The first page begins with the file's header.
    let header = offset == 0 ? 100 : 0
    let headerBytes: Int
    switch page[header] {
    case 2, 5: headerBytes = 12
    case 10, 13: headerBytes = 8
    default: return
    }
    func number(_ place: Int) -> Int { Int(page[place]) << 8 | Int(page[place + 1]) }
    let start = header + headerBytes + 2 * number(header + 3)
    let end = number(header + 5) == 0 ? 65_536 : number(header + 5)
    guard start <= end, end <= page.count else { return }
    for index in start..<end { page[index] = 0 }
  }
}
