import LinkspanCore
import Testing

@testable import SimulatedStores

/// A disk in memory: what it keeps when the power is cut, and what it refuses.
@Suite struct VirtualDiskTests {
  private static func write(
    _ bytes: [UInt8], to disk: VirtualDisk, at offset: Int = 0
  ) throws -> VirtualFile {
    let file = try #require(disk.file("a", makes: true))
    try bytes.withUnsafeBytes { try disk.write($0, to: file, at: offset) }
    return file
  }

  /// What is there after a power cut, with one seed after the other.
  private static func found(_ change: (VirtualDisk) throws -> Void) throws -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    for seed in UInt64(1)...80 {
      let disk = VirtualDisk(SeededGenerator(seed: seed))
      try change(disk)
      disk.crash()
      found.insert(disk.file("a", makes: false)?.bytes ?? [])
    }
    return found
  }

  @Test func aWriteIsKeptOrLostOrTornAtASector() throws {
    let bytes = (0..<1_100).map { UInt8($0 % 251) }
    let lengths = try Self.found { _ = try Self.write(bytes, to: $0) }.map { found in
      #expect(found == Array(bytes.prefix(found.count)))
      return found.count
    }
    #expect(lengths.sorted() == [0, 512, 1_024, 1_100])
  }

  @Test func whatIsWrittenOverMayComeBack() throws {
    let found = try Self.found { disk in
      try disk.sync(Self.write([1, 2, 3, 4], to: disk))
      _ = try Self.write([7, 8, 9], to: disk, at: 2)
    }
    #expect(found == [[1, 2, 3, 4], [1, 2, 7, 8, 9]])
  }

  @Test func whatIsSynchronisedStays() throws {
    let found = try Self.found { disk in
      let file = try Self.write([1, 2, 3, 4], to: disk)
      disk.truncate(file, to: 3)
      try disk.sync(file)
    }
    #expect(found == [[1, 2, 3]])
  }

  @Test func whatIsCutOffMayComeBack() throws {
    let found = try Self.found { disk in
      let file = try Self.write([1, 2, 3, 4], to: disk)
      try disk.sync(file)
      disk.truncate(file, to: 4)
      disk.truncate(file, to: 9)
      #expect(file.bytes.count == 4)
      disk.truncate(file, to: 1)
      #expect(file.bytes == [1])
    }
    #expect(found == [[1], [1, 2, 3, 4]])
  }

  @Test func aFileThatIsRemovedIsGone() throws {
    let disk = VirtualDisk(SeededGenerator(seed: 1))
    _ = try Self.write([0x61, 0x62], to: disk)
    #expect(disk.holds("ab") && !disk.holds("ba"))
    #expect(disk.remove("a") && !disk.remove("a"))
    disk.crash()
    #expect(disk.files.isEmpty && disk.file("a", makes: false) == nil && !disk.holds("ab"))
  }

  @Test func aFullDiskWritesOverWhatIsThere() throws {
    let disk = VirtualDisk(SeededGenerator(seed: 1))
    let file = try Self.write([1, 2, 3, 4], to: disk)
    disk.faults.isFull = true
    _ = try Self.write([9, 9], to: disk, at: 2)
    #expect(file.bytes == [1, 2, 9, 9] && disk.faultCount == 0)
    #expect(throws: VirtualDisk.Failure.full) { try Self.write([9, 9], to: disk, at: 3) }
    #expect(file.bytes == [1, 2, 9, 9] && disk.faultCount == 1 && disk.writeCount == 3)
  }

  @Test func aFaultThatNeverComesDoesNotAndOneThatAlwaysComesDoes() throws {
    let disk = VirtualDisk(SeededGenerator(seed: 1))
    #expect(!disk.fails(0) && disk.faultCount == 0)
    let file = try Self.write([1], to: disk)
    disk.faults = .init(write: 1, sync: 1)
    #expect(throws: VirtualDisk.Failure.broken) { try Self.write([2], to: disk) }
    #expect(throws: VirtualDisk.Failure.broken) { try disk.sync(file) }
    #expect(file.bytes == [1] && disk.faultCount == 2 && disk.syncCount == 1)
  }

  @Test func aProcessLivesUntilItIsKilledOrThePowerIsCut() {
    let disk = VirtualDisk(SeededGenerator(seed: 1))
    let (one, other) = (disk.beginProcess(), disk.beginProcess())
    #expect(one != other && disk.running == other && disk.isLiving(one) && disk.isLiving(other))
    disk.kill(one)
    #expect(!disk.isLiving(one) && disk.isLiving(other))
    disk.crash()
    #expect(!disk.isLiving(other))
    #expect(![one, other].contains(disk.beginProcess()))
  }

  /// What processes share in memory ends with the last of them.
  @Test func sharedMemoryEndsWithTheLastProcess() {
    let disk = VirtualDisk(SeededGenerator(seed: 1))
    let (one, other) = (disk.beginProcess(), disk.beginProcess())
    let file = disk.file("a", makes: true)
    #expect(file?.sharedPage(0, bytes: 64, makes: false) == nil)
    let page = file?.sharedPage(1, bytes: 64, makes: true)
    #expect(
      page != nil && file?.sharedPage(1, bytes: 64, makes: false) == page && file?.sharedMemory.count == 2)
    disk.kill(one)
    #expect(file?.sharedMemory.count == 2)
    disk.kill(other)
    #expect(file?.sharedMemory.isEmpty == true)
  }
}
