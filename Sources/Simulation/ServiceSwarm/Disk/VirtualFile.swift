/// A file of a ``VirtualDisk``, with the locks and the shared memory of those who have it open.
final class VirtualFile {
  let name: String
  var bytes: [UInt8] = []
  /// Lock levels of SQLite by whoever has the file open.
  var locks: [ObjectIdentifier: Int32] = [:]
  /// The pages that SQLite shares between connections: the index of its write-ahead log.
  private(set) var sharedMemory: [UnsafeMutableRawPointer] = []
  /// Who holds each of SQLite's eight locks on the shared memory, and whether alone.
  var sharedLocks: [[ObjectIdentifier: Bool]] = Array(repeating: [:], count: 8)

  init(_ name: String) { self.name = name }

  deinit { for page in sharedMemory + dropped { page.deallocate() } }

  func put(_ new: UnsafeRawBufferPointer, at offset: Int) {
    let end = offset + new.count
    if bytes.count < end { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
    guard let source = new.baseAddress else { return }
    bytes.withUnsafeMutableBytes { target in
      guard let start = target.baseAddress else { return }
      (start + offset).copyMemory(from: source, byteCount: new.count)
    }
  }

  /// - Returns: nil where there is no such page and none is to be made.
  func sharedPage(_ index: Int, bytes count: Int, makes: Bool) -> UnsafeMutableRawPointer? {
    while sharedMemory.count <= index {
      guard makes else { return nil }
      let page = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
      page.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      sharedMemory.append(page)
    }
    return sharedMemory[index]
  }

  private var dropped: [UnsafeMutableRawPointer] = []

  /// Forgets it, as the end of every process does. Connections of before may still point there, so it is freed with the file.
  func dropSharedMemory() {
    dropped += sharedMemory
    sharedMemory = []
    locks = [:]
    sharedLocks = Array(repeating: [:], count: 8)
  }

  func holds(_ text: [UInt8]) -> Bool {
    guard let first = text.first, bytes.count >= text.count else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      text.withUnsafeBufferPointer { text in
        var start = 0
        let last = bytes.count - text.count
        while start <= last {
          guard let next = bytes[start...last].firstIndex(of: first) else { return false }
          if bytes[next..<(next + text.count)].elementsEqual(text) { return true }
          start = next + 1
        }
        return false
      }
    }
  }
}
