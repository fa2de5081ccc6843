import Foundation
import Glibc
import LinkspanCore
import LinkspanFiles
import TestSupport
import Testing

@testable import LinkspanDaemon

/// Two servers on one state: both say so, and the second one leaves orders to the first.
@Suite struct ServerPresenceTests {
  private static let words = ServerPresence.Words(
    first: "one came later", later: "one was first", gone: "the file is gone")
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(inMemory: true) }

  @Test func bothServersAreToldAndTheFirstTakesOrders() throws {
    let state = folder.path("state")
    var first: OrderFiles? = try OrderFiles(state: state)
    let second = try OrderFiles(state: state)
    let words =
      "another server has the state '\(state)': both keep each publication there, and orders such as a rollback reach"
    #expect(second.presence.neighbour?.hasPrefix("\(words) that one only.") == true)
    #expect(first?.presence.neighbour?.hasPrefix("\(words) this one only.") == true)
    try folder.write(#"{"order":"release","hosts":["a.example"]}"#, to: "state/orders/1.order")
    #expect(second.take().isEmpty)
    #expect(first?.take().count == 1)
    first = nil
    #expect(second.presence.neighbour == nil)
    try folder.write(#"{"order":"release","hosts":["a.example"]}"#, to: "state/orders/2.order")
    #expect(second.take().count == 1)
  }

  @Test func whatCannotBeToldIsNoNeighbour() {
    let presence = ServerPresence(-1, "file", Self.words)
    #expect(presence.isFirst && presence.neighbour == nil)
  }

  /// Else a start by root would keep the service's user from ever noticing a second server.
  @Test(.enabled(if: geteuid() == 0, "only root can act as another user"))
  func rootMakesTheFilesWithTheRightsOfTheFoldersOwner() throws {
    let owner: uid_t = 65_534
    try folder.write("", to: "shared/registry.db")
    #expect(chown(folder.path("shared"), owner, owner) == 0)
    let registry = ServerPresence(beside: folder.path("shared/registry.db"), Self.words)
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
    let first = ServerPresence(beside: folder.path("shared/registry.db"), Self.words)
    let second = ServerPresence(beside: folder.path("shared/registry.db"), Self.words)
    #expect(first.problem == nil && second.problem == nil)
    #expect(first.neighbour == "one came later" && second.neighbour == "one was first")
    #expect(chmod(path, 0o600) == 0)
    let third = ServerPresence(beside: folder.path("shared/registry.db"), Self.words)
    #expect(third.problem?.contains("Permission denied") == true, "\(third.problem ?? "-")")
  }

  /// Each in the order in which they came, however they end.
  @Test func everyServerOnARegistryIsTold() throws {
    try folder.write("", to: "registry.db")
    var servers = (0..<3).map { _ in ServerPresence(beside: folder.path("registry.db"), Self.words) }
    #expect(servers.map(\.neighbour) == ["one came later", "one was first", "one was first"])
    servers.removeFirst()
    #expect(servers[0].isFirst)
    #expect(servers.map(\.neighbour) == ["one came later", "one was first"])
    servers.removeLast()
    #expect(servers.map(\.neighbour) == [nil])
  }

  /// The server goes on, and the command line would wait for a start.
  @Test func aStateThatIsRemovedOrReplacedIsTold() throws {
    let state = folder.path("state")
    let orders = try OrderFiles(state: state)
    #expect(orders.presence.problem == nil)
    try FileManager.default.moveItem(atPath: state, toPath: folder.path("moved"))
    let gone =
      "the state '\(state)' was removed or replaced while this server uses it: orders of the command line"
    #expect(orders.presence.problem?.hasPrefix(gone) == true, "\(orders.presence.problem ?? "-")")
    // As the next publication makes it again.
    let other = try OrderFiles(state: state)
    #expect(orders.presence.problem?.hasPrefix(gone) == true)
    #expect(other.presence.problem == nil && other.presence.neighbour == nil)
    try FileManager.default.removeItem(atPath: state)
    try FileManager.default.moveItem(atPath: folder.path("moved"), toPath: state)
    #expect(orders.presence.problem == nil)
    #expect(other.presence.problem?.hasPrefix(gone) == true)
  }

  @Test func aLockFileThatIsRemovedIsTold() throws {
    try folder.write("", to: "registry.db")
    let presence = ServerPresence(beside: folder.path("registry.db"), Self.words)
    #expect(presence.problem == nil)
    try FileManager.default.removeItem(atPath: folder.path("registry.db-serving"))
    #expect(presence.problem == "the file is gone" && presence.neighbour == nil)
  }

  @Test func aFileThatCannotBeOpenedIsNamed() throws {
    let path = folder.path("registry.db-serving")
    try folder.write("", to: "registry.db-serving/file")
    let presence = ServerPresence(beside: folder.path("registry.db"), Self.words)
    #expect(presence.isFirst && presence.neighbour == nil)
    #expect(
      presence.problem
        == "whether another server has the same files cannot be told, because '\(path)' cannot be opened:"
        + " Is a directory. Stop all of them, remove that file, and start one.")
  }
}
