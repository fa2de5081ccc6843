import DeviceRegistry
import Dispatch
import Foundation
import HTTPEngine
import LinkspanCore
import LinkspanServer
import LinkspanSystem
import PushSending
import TestSupport
import Testing

@testable import LinkspanDaemon
@testable import LinkspanFiles

/// Root acts as the owner of a folder, and nobody else's work is done with these rights.
@Suite(.enabled(if: geteuid() == 0, "needs root, which acts as others"))
struct OwnersRightsTests {
  static let (alice, bob): (uid_t, uid_t) = (54_321, 54_322)
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func makeFolder(_ name: String, of user: uid_t, mode: mode_t = 0o755) {
    #expect(mkdir(folder.path(name), 0o755) == 0)
    #expect(chmod(folder.path(name), mode) == 0 && chown(folder.path(name), user, user) == 0)
  }

  private func owner(_ name: String) -> uid_t? {
    var status = stat()
    return lstat(folder.path(name), &status) == 0 ? status.st_uid : nil
  }

  // MARK: - The journal's files

  /// The kernel takes the set-user-ID bit of a file that somebody without root's capabilities writes.
  @Test func aFileOfTheJournalIsWrittenWithTheRightsOfItsFoldersOwner() throws {
    makeFolder("journal", of: Self.alice)
    let file = try CompressedFile("day.csv.gz", in: OpenFolder(folder.path("journal")), mode: 0o600)
    let name =
      "journal/"
      + (try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path("journal")).first))
    #expect(owner(name) == Self.alice)
    func isWrittenAsAlice(_ write: () throws -> Void) throws {
      #expect(chmod(folder.path(name), 0o4600) == 0)
      try write()
      var status = stat()
      #expect(lstat(folder.path(name), &status) == 0 && status.st_mode & 0o7777 == 0o600)
    }
    // More than the compressor holds back.
    let bytes = (0..<200_000).map { _ in UInt8.random(in: .min ... .max) }
    try isWrittenAsAlice { try file.write(bytes) }
    try isWrittenAsAlice { try file.end() }
  }

  @Test func aFileOfTheJournalThatIsNotPublishedIsRemovedByTheFoldersOwner() throws {
    makeFolder("journal", of: Self.alice)
    var file: CompressedFile? = try CompressedFile(
      "day.csv.gz", in: OpenFolder(folder.path("journal")), mode: 0o600)
    #expect(chmod(folder.path("journal"), 0o555) == 0)
    try file?.write([1])
    file = nil
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("journal"))
    #expect(left.count == 1, "alice cannot remove it, and root could")
    #expect(chmod(folder.path("journal"), 0o755) == 0)
    let next = try CompressedFile("day.csv.gz", in: OpenFolder(folder.path("journal")), mode: 0o600)
    try next.end()
    try next.publish()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("journal")) == ["day.csv.gz"])
  }

  // MARK: - Threads

  @Test func rightsAreThoseOfOneThread() throws {
    let (entered, mayGo, ended) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let seen = LockedState<[uid_t]>([])
    try DetachedThread.start {
      try? Privileges.asUser(Self.alice, of: "alice's") {
        entered.signal()
        mayGo.wait()
        seen.withLock { $0.append(geteuid()) }
      }
      seen.withLock { $0.append(geteuid()) }
      ended.signal()
    }
    entered.wait()
    #expect(geteuid() == 0 && getegid() == 0, "another thread acts as alice")
    try Privileges.asUser(Self.bob, of: "bob's") {
      #expect(geteuid() == Self.bob && getegid() != 0 && getgroups(0, nil) == 1)
      mayGo.signal()
      ended.wait()
      #expect(geteuid() == Self.bob, "the other thread has become root again")
    }
    #expect(seen.withLock { $0 } == [Self.alice, 0])
    #expect(geteuid() == 0 && getegid() == 0)
  }

  @Test func rootComesBackWithItsGroupsAfterAnError() throws {
    let groups = getgroups(0, nil)
    #expect(throws: LinkspanError.self) {
      try Privileges.asUser(Self.alice, of: "alice's") { () throws(LinkspanError) in
        throw LinkspanError("an error.")
      }
    }
    #expect(geteuid() == 0 && getegid() == 0 && getgroups(0, nil) == groups)
  }

  /// The last connection removes the log, on the thread that has it.
  @Test func theRegistrysThreadsCloseItAsTheFoldersOwner() throws {
    makeFolder("data", of: Self.alice)
    let registry = try Registry.open(ServiceAddress("sqlite:\(folder.path("data/registry.db"))"))
    #expect(owner("data/registry.db") == Self.alice && owner("data/registry.db-wal") == Self.alice)
    #expect(chmod(folder.path("data"), 0o555) == 0)
    registry.stop()
    #expect(owner("data/registry.db-wal") == Self.alice, "alice cannot remove it, and root could")
  }

  @Test func aBackupBelongsToTheOwnerOfItsFolder() throws {
    makeFolder("data", of: Self.alice)
    makeFolder("copies", of: Self.bob)
    let registry = try Registry.open(ServiceAddress("sqlite:\(folder.path("data/registry.db"))"))
    defer { registry.stop() }
    try registry.backUpNow(to: folder.path("copies/copy.db"))
    #expect(owner("copies/copy.db") == Self.bob)
  }

  // MARK: - The state

  private func publish() throws {
    let bytes = Array(PublicationChecksTests.good.utf8)
    try PublicationHistory(state: folder.path("home/state/deep")).add(
      AssociationSite(host: "example.com", associationFile: bytes), at: WallTime(milliseconds: 0))
  }

  @Test func theHistoryBelongsToTheOwnerOfTheState() throws {
    makeFolder("home", of: Self.alice)
    try publish()
    let home = "home/state/deep/publications/example.com"
    for name in ["home/state", "home/state/deep", home, "\(home)/00000001/publication.json"] {
      #expect(owner(name) == Self.alice, "\(name)")
    }
    try PublicationHistory(state: folder.path("home/state/deep")).withdraw(
      "example.com", at: WallTime(milliseconds: 0))
    #expect(owner("\(home)/.withdrawn") == Self.alice)
  }

  /// Nothing is made before the way there has been judged.
  @Test func noStateIsMadeOverAStrangersLink() throws {
    makeFolder("home", of: Self.alice)
    makeFolder("roots", of: 0, mode: 0o777)
    try folder.link("home/state", to: folder.path("roots"))
    #expect(lchown(folder.path("home/state"), Self.alice, Self.alice) == 0)
    #expect(throws: LinkspanError.self) { try publish() }
    let users = ConsoleUserFile(state: folder.path("home/state/console"))
    #expect(throws: LinkspanError.self) { try users.add("ada", password: Array("a long password".utf8)) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("roots")).isEmpty)
  }

  @Test func theConsolesUsersBelongToTheOwnerOfTheState() throws {
    makeFolder("home", of: Self.alice)
    let users = ConsoleUserFile(state: folder.path("home/state"))
    #expect(try users.add("ada", password: Array("a long password".utf8)))
    #expect(owner("home/state") == Self.alice && owner("home/state/console-users.json") == Self.alice)
    #expect(try users.users().count == 1)
    // What the owner of the state may not read, root does not read for them.
    #expect(chown(folder.path("home/state/console-users.json"), 0, 0) == 0)
    #expect(throws: LinkspanError.self) { try users.users() }
  }
}
