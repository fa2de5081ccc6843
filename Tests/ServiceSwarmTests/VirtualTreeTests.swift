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
