internal import Glibc

/// A file of a ``VirtualDisk``, with the locks and the shared memory of those who have it open.
package final class VirtualFile {
  /// Who has a file open: one connection of one process.
  package struct Holder: Hashable {
    let process: Int
    let handle: ObjectIdentifier
  }

  package let name: String
  package var bytes: [UInt8] = []
  /// Lock levels of SQLite by whoever has the file open.
  package var locks: [Holder: Int32] = [:]
  /// The pages that SQLite shares between connections: the index of its write-ahead log.
  package private(set) var sharedMemory: [UnsafeMutableRawPointer] = []
  /// Who holds each of SQLite's eight locks on the shared memory, and whether alone.
  package var sharedLocks: [[Holder: Bool]] = Array(repeating: [:], count: 8)

  package init(_ name: String) { self.name = name }

  deinit { for page in sharedMemory + dropped { page.deallocate() } }

  package func put(_ new: UnsafeRawBufferPointer, at offset: Int) {
    let end = offset + new.count
    if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    guard let source = new.baseAddress else { return }
    bytes.withUnsafeMutableBytes { target in
      guard let start = target.baseAddress else { return }
      (start + offset).copyMemory(from: source, byteCount: new.count)
    }
  }

  /// - Returns: nil where there is no such page and none is to be made.
  package func sharedPage(_ index: Int, bytes count: Int, makes: Bool) -> UnsafeMutableRawPointer? {
    while sharedMemory.count <= index {
      guard makes else { return nil }
      let page = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
      page.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      sharedMemory.append(page)
    }
    return sharedMemory[index]
  }

  private var dropped: [UnsafeMutableRawPointer] = []

  /// Ends what a process holds, as its own end does.
  package func release(_ process: Int) {
    locks = locks.filter { $0.key.process != process }
    for index in sharedLocks.indices {
      sharedLocks[index] = sharedLocks[index].filter { $0.key.process != process }
    }
  }

  /// Forgets it, as the end of every process does. Connections of before may still point there, so it is freed with the file.
  package func dropSharedMemory() {
    dropped += sharedMemory
    sharedMemory = []
    locks = [:]
    sharedLocks = Array(repeating: [:], count: 8)
  }

  package func holds(_ text: [UInt8]) -> Bool { bytes.withUnsafeBytes { text.isFound(in: $0) } }
}

extension [UInt8] {
  /// Whether these bytes stand somewhere in others.
  package func isFound(in bytes: UnsafeRawBufferPointer) -> Bool {
    withUnsafeBytes { text in
      guard let first = text.first, let start = bytes.baseAddress, let wanted = text.baseAddress else {
        return text.isEmpty
      }
      var place = 0
      while place + text.count <= bytes.count,
        let found = memchr(start + place, CInt(first), bytes.count - text.count - place + 1)
      {
        if memcmp(found, wanted, text.count) == 0 { return true }
        place = UnsafeRawPointer(found) - start + 1
      }
      return false
    }
  }
}
