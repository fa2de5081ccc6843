import Glibc
import LinkspanCore
import LinkspanFiles
import TestSupport
import Testing

@testable import LinkspanDaemon

/// Two servers on one state: the second one says so, and leaves orders to the first.
@Suite struct ServerPresenceTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(inMemory: true) }

  @Test func theSecondServerIsToldAndTakesNoOrders() throws {
    let state = folder.path("state")
    var first: OrderFiles? = try OrderFiles(state: state)
    let second = try OrderFiles(state: state)
    #expect(first?.presence.isAlone == true && !second.presence.isAlone)
    #expect(second.presence.words.hasPrefix("another server has the state '\(state)'"))
    try folder.write(#"{"order":"release","hosts":["a.example"]}"#, to: "state/orders/1.order")
    #expect(second.take().isEmpty)
    #expect(first?.take().count == 1)
    first = nil
    #expect(second.presence.isAlone)
    try folder.write(#"{"order":"release","hosts":["a.example"]}"#, to: "state/orders/2.order")
    #expect(second.take().count == 1)
  }

  @Test func whatCannotBeToldIsNoProblem() { #expect(ServerPresence(-1, "").isAlone) }

  /// Else a start by root would keep the service's user from ever noticing a second server.
  @Test(.enabled(if: geteuid() == 0, "only root can act as another user"))
  func rootMakesTheFilesWithTheRightsOfTheFoldersOwner() throws {
    let owner: uid_t = 65_534
    try folder.write("", to: "shared/registry.db")
    #expect(chown(folder.path("shared"), owner, owner) == 0)
    let registry = ServerPresence(beside: folder.path("shared/registry.db"), "")
    let orders = try OrderFiles(state: folder.path("shared/state"))
    #expect(registry.problem == nil && orders.presence.problem == nil)
    for file in ["shared/registry.db-serving", "shared/state/orders/.serving"] {
      var status = stat()
      #expect(lstat(folder.path(file), &status) == 0)
      #expect(status.st_uid == owner, "\(file)")
    }
  }

  /// As an earlier version's start by root left it in a state.
  @Test(.enabled(if: geteuid() == 0, "only root can act as another user"))
  func aFileThatMayOnlyBeReadIsLockedAllTheSame() throws {
    let path = folder.path("shared/registry.db-serving")
    try folder.write("", to: "shared/registry.db-serving")
    #expect(chmod(path, 0o644) == 0)
    #expect(chown(folder.path("shared"), 65_534, 65_534) == 0)
    let first = ServerPresence(beside: folder.path("shared/registry.db"), "")
    let second = ServerPresence(beside: folder.path("shared/registry.db"), "")
    #expect(first.problem == nil && second.problem == nil)
    #expect(first.isAlone && !second.isAlone)
    #expect(chmod(path, 0o600) == 0)
    let third = ServerPresence(beside: folder.path("shared/registry.db"), "")
    #expect(third.problem?.contains("Permission denied") == true, "\(third.problem ?? "-")")
  }

  @Test func theSecondServerOnARegistryIsTold() throws {
    try folder.write("", to: "registry.db")
    let (first, second) = (
      ServerPresence(beside: folder.path("registry.db"), ""),
      ServerPresence(beside: folder.path("registry.db"), "")
    )
    #expect(first.isAlone && !second.isAlone)
  }

  @Test func aFileThatCannotBeOpenedIsNamed() throws {
    let path = folder.path("registry.db-serving")
    try folder.write("", to: "registry.db-serving/file")
    let presence = ServerPresence(beside: folder.path("registry.db"), "")
    #expect(presence.isAlone)
    #expect(
      presence.problem
        == "whether another server has the same files cannot be told, because '\(path)' cannot be opened:"
        + " Is a directory. Stop all of them, remove that file, and start one.")
  }
}
