import LinkspanCore
import LinkspanFiles
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

@Suite struct VirtualTreeTests {
  private static func tree(seed: UInt64) -> VirtualTree {
    VirtualTree(VirtualDisk(SeededGenerator(seed: seed)), SeededGenerator(seed: seed))
  }

  @Test func aNameIsThereAfterItsFolderWasSynchronised() throws {
    for seed in UInt64(1)...20 {
      let tree = Self.tree(seed: seed)
      let home = try tree.root.madeInner("home")
      try tree.root.sync()
      try home.writeNew([1], to: "file")
      try home.sync()
      tree.crash()
      #expect(try home.bytes(of: "file", limitBytes: 10) == [1])
    }
  }

  @Test func aNameThatWasNotSynchronisedIsThereOrNot() throws {
    var found: Set<Bool> = []
    for seed in UInt64(1)...20 {
      let tree = Self.tree(seed: seed)
      try tree.root.writeNew([1], to: "file")
      tree.crash()
      found.insert(try tree.root.names().isEmpty)
    }
    #expect(found == [true, false])
  }

  @Test func aProcessDiesBetweenTwoChanges() throws {
    let tree = Self.tree(seed: 1)
    // The change and its fsync.
    tree.changesLeft = 2
    try tree.root.writeNew([1], to: "one")
    #expect(throws: LinkspanError.self) { try tree.root.writeNew([2], to: "two") }
    #expect(throws: LinkspanError.self) { try tree.root.names() }
    tree.restart()
    #expect(try tree.root.names() == ["one"])
  }

  @Test func whatANameStandsForIsTold() throws {
    let tree = Self.tree(seed: 1)
    _ = try tree.root.madeInner("folder")
    try tree.root.writeNew([1], to: "file")
    #expect(try tree.root.kind(of: "folder") == .folder)
    #expect(try tree.root.kind(of: "file") == .file)
    #expect(try tree.root.kind(of: "other") == .missing)
  }

  /// What frees room, and what takes none, a full disk does.
  @Test func aFullDiskRefusesWhatNeedsRoom() throws {
    let disk = VirtualDisk(SeededGenerator(seed: 1))
    let tree = VirtualTree(disk, SeededGenerator(seed: 1))
    for name in ["one", "two"] { try tree.root.writeNew([1], to: name) }
    disk.faults.isFull = true
    #expect(throws: LinkspanError.self) { try tree.root.writeNew([1], to: "new") }
    #expect(throws: LinkspanError.self) { try tree.root.replace("one", by: [2]) }
    #expect(throws: LinkspanError.self) { try tree.root.madeInner("folder") }
    #expect(throws: LinkspanError.self) { try tree.root.refuseUnwritable() }
    #expect(tree.refusals == 4)
    try tree.root.rename("one", to: "other")
    try tree.root.remove("two")
    try tree.root.remove("two")
    #expect(try tree.root.names() == ["other"] && tree.refusals == 4)
    disk.faults = .init()
    try tree.root.replace("other", by: [2])
    #expect(try tree.root.bytes(of: "other", limitBytes: 1) == [2])
    #expect(throws: LinkspanError.self) { try tree.root.bytes(of: "other", limitBytes: 0) }
    #expect(throws: LinkspanError.self) { try tree.root.writeNew([3], to: "other") }
    #expect(throws: LinkspanError.self) { try tree.root.inner("other") }
  }

  @Test func aFailedSynchronisationIsTold() throws {
    let disk = VirtualDisk(SeededGenerator(seed: 1))
    let tree = VirtualTree(disk, SeededGenerator(seed: 1))
    disk.faults.sync = 1
    #expect(throws: LinkspanError.self) { try tree.root.writeNew([1], to: "one") }
    #expect(throws: LinkspanError.self) { try tree.root.sync() }
    // The name is there all the same.
    #expect(try tree.refusals == 2 && tree.root.names() == ["one"])
  }

  @Test func aTreeIsThereUntilItsProcessIsDead() throws {
    let tree = Self.tree(seed: 1)
    #expect(try tree.isThere())
    tree.changesLeft = 0
    #expect(throws: LinkspanError.self) { try tree.root.writeNew([1], to: "one") }
    #expect(tree.isDead)
    #expect(throws: LinkspanError.self) { try tree.isThere() }
    tree.restart()
    #expect(try tree.isThere() && !tree.isDead)
  }

  @Test(arguments: [
    ("", "", true), ("", "a", true), ("a", "", false), ("a", "a", true), ("ab", "aab", true),
    ("ab", "ab", true), ("ab", "aba", true), ("ab", "ba", false), ("abc", "ab", false), ("aab", "aaab", true),
    ("aa", "abab", false), ("b", "aaab", true),
  ])
  func bytesAreFoundWhereverTheyStand(text: String, bytes: String, isFound: Bool) {
    let found = Array(bytes.utf8).withUnsafeBytes { Array(text.utf8).isFound(in: $0) }
    #expect(found == isFound)
  }
}
