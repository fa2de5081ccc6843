package import LinkspanCore

/// A disk in memory, which SQLite reads and writes through ``VirtualFileSystem``. A crash takes away what was not on it yet.
///
/// It belongs to one thread. What `fsync` permits happens to what was written since the last one: at a crash each write is
/// kept, lost or torn at the end of a sector, as the seed says. What was synchronised before stays. Faults are errors that a
/// real disk has, which the caller hears of: no room, a failed write, a failed read, a failed `fsync`.
package final class VirtualDisk {
  /// How often a disk fails, in one of so many calls; 0 for never.
  package struct Faults: Hashable, Sendable {
    package var write: Int64 = 0
    package var sync: Int64 = 0
    package var read: Int64 = 0
    /// Whether there is no room for a file to grow.
    package var isFull = false

    package init(write: Int64 = 0, sync: Int64 = 0, read: Int64 = 0, isFull: Bool = false) {
      (self.write, self.sync, self.read, self.isFull) = (write, sync, read, isFull)
    }
  }

  /// One write that no `fsync` has made durable.
  private struct Write {
    var file: VirtualFile
    var offset: Int
    /// What was there before, as far as the file went.
    var before: [UInt8]
    var sizeBefore: Int
    /// nil where the file was cut off at the offset.
    var bytes: [UInt8]?
  }

  /// Bytes that a disk writes at once, or not at all.
  private static let sectorBytes = 512

  package private(set) var files: [String: VirtualFile] = [:]
  private var writes: [Write] = []
  private var generator: SeededGenerator
  package var faults = Faults()
  /// Processes that have not ended; what another one has opened reads and writes nothing any more.
  private var living: Set<Int> = []
  private var processCount = 0
  /// The process that runs now, whose files are opened.
  package var running = 0
  package private(set) var writeCount = 0
  package private(set) var syncCount = 0
  package private(set) var faultCount = 0

  package init(_ generator: SeededGenerator) { self.generator = generator }

  // MARK: - Processes

  /// Begins a process, which runs from now on.
  package func beginProcess() -> Int {
    processCount += 1
    living.insert(processCount)
    running = processCount
    return processCount
  }

  package func isLiving(_ process: Int) -> Bool { living.contains(process) }

  /// Ends a process: the system still has what it wrote.
  package func kill(_ process: Int) {
    living.remove(process)
    for file in files.values {
      file.release(process)
      if living.isEmpty { file.dropSharedMemory() }
    }
  }

  // MARK: - Files

  package func file(_ name: String, makes: Bool) -> VirtualFile? {
    if let file = files[name] { return file }
    guard makes else { return nil }
    let file = VirtualFile(name)
    files[name] = file
    return file
  }

  /// - Returns: Whether there was such a file.
  package func remove(_ name: String) -> Bool {
    guard let file = files.removeValue(forKey: name) else { return false }
    writes.removeAll { $0.file === file }
    return true
  }

  /// Whether any file holds the text.
  package func holds(_ text: String) -> Bool {
    let text = Array(text.utf8)
    return files.values.contains { $0.holds(text) }
  }

  // MARK: - Writing

  package enum Failure: Error { case full, broken }

  /// Whether a call fails of which one in so many does.
  package func fails(_ oneOf: Int64) -> Bool {
    guard oneOf > 0, generator.chance(1, in: oneOf) else { return false }
    faultCount += 1
    return true
  }

  package func write(_ bytes: UnsafeRawBufferPointer, to file: VirtualFile, at offset: Int) throws(Failure) {
    writeCount += 1
    if faults.isFull, offset + bytes.count > file.bytes.count {
      faultCount += 1
      throw .full
    }
    if fails(faults.write) { throw .broken }
    let end = min(file.bytes.count, offset + bytes.count)
    writes.append(
      Write(
        file: file, offset: offset, before: offset < end ? Array(file.bytes[offset..<end]) : [],
        sizeBefore: file.bytes.count, bytes: Array(bytes)))
    file.put(bytes, at: offset)
  }

  package func truncate(_ file: VirtualFile, to size: Int) {
    guard size < file.bytes.count else { return }
    writes.append(
      Write(
        file: file, offset: size, before: Array(file.bytes[size...]), sizeBefore: file.bytes.count, bytes: nil
      ))
    file.bytes.removeSubrange(size...)
  }

  package func sync(_ file: VirtualFile) throws(Failure) {
    syncCount += 1
    if fails(faults.sync) { throw .broken }
    writes.removeAll { $0.file === file }
  }

  // MARK: - Crashing

  /// Cuts the power, which ends every process: of each write that was not synchronised the seed keeps all, nothing, or its first sectors.
  package func crash() {
    living = []
    for write in writes.reversed() { undo(write) }
    let open = writes
    writes = []
    for write in open {
      switch generator.draw(0...2) {
      case 0: continue
      case 1: redo(write, count: write.bytes?.count)
      default:
        let sectors = (write.bytes?.count ?? 0) / Self.sectorBytes
        let kept = Int(generator.draw(0...Int64(sectors))) * Self.sectorBytes
        redo(write, count: write.bytes.map { min($0.count, kept) })
      }
    }
    for file in files.values { file.dropSharedMemory() }
  }

  private func undo(_ write: Write) {
    let file = write.file
    if write.bytes == nil {
      file.bytes.removeSubrange(min(write.offset, file.bytes.count)...)
      file.bytes += write.before
    } else {
      write.before.withUnsafeBytes { file.put($0, at: write.offset) }
      if file.bytes.count > write.sizeBefore { file.bytes.removeSubrange(write.sizeBefore...) }
    }
  }

  private func redo(_ write: Write, count: Int?) {
    guard let count, let bytes = write.bytes else {
      if write.offset < write.file.bytes.count { write.file.bytes.removeSubrange(write.offset...) }
      return
    }
    guard count > 0 else { return }
    bytes.withUnsafeBytes {
      write.file.put(UnsafeRawBufferPointer(rebasing: $0[..<count]), at: write.offset)
    }
  }
}
