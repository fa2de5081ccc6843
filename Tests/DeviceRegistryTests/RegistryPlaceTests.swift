import Foundation
import LinkspanCore
import LinkspanFiles
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Which files and which paths a registry is opened at.
@Suite("Registry place", .timeLimit(.minutes(15)))
struct RegistryPlaceTests {
  private static let isRoot = geteuid() == 0
  private static let needsRoot: Comment = "needs root"
  /// Numbers that no list of users has.
  private static let (ann, bob): (uid_t, uid_t) = (54_321, 54_322)

  private func refusal(_ path: String) -> String? {
    let error = #expect(throws: RegistryError.self) { try Registry(.sqlite(path: path)) }
    return error?.message
  }

  private func give(_ path: String, to user: uid_t) { #expect(lchown(path, user, user) == 0) }

  @Test(arguments: ["", "-wal", "-shm", "-journal"]) func noFileIsOpenedThroughALink(_ suffix: String) throws
  {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    if !suffix.isEmpty { try folder.write("", to: "registry.db") }
    try folder.write("mine", to: "other")
    try folder.link("registry.db" + suffix, to: folder.path("other"))
    #expect(
      refusal(path)
        == "'\(path)\(suffix)' is a symbolic link, and a registry's files are not opened through links.")
    #expect(try folder.text("other") == "mine")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.count == (suffix.isEmpty ? 2 : 3), "\(names)")
  }

  /// A link to nothing, too: SQLite would make the file there.
  @Test func noFileIsMadeThroughALink() throws {
    let folder = try ScratchFolder()
    try folder.link("registry.db", to: folder.path("elsewhere.db"))
    #expect(refusal(folder.path("registry.db"))?.contains("is a symbolic link") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["registry.db"])
  }

  @Test func aFileWithTwoNamesIsRefused() throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    try Registry(.sqlite(path: path)).stop()
    try FileManager.default.linkItem(atPath: path, toPath: folder.path("second.db"))
    #expect(
      refusal(path) == "'\(path)' has 2 names (hard links), and SQLite's log belongs to one of them only.")
  }

  @Test func whatIsNoFileIsRefused() throws {
    let folder = try ScratchFolder()
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(
      refusal(folder.path("pipe"))
        == "'\(folder.path("pipe"))' is not a regular file; expected an SQLite registry.")
    #expect(refusal("/dev/null") == "'/dev/null' is not a regular file; expected an SQLite registry.")
    #expect(refusal(folder.url.path) == "'\(folder.url.path)' is a directory; expected an SQLite registry.")
    #expect(refusal(folder.url.path + "/") == "'\(folder.url.path)/' names a folder; expected a file.")
  }

  @Test func linksOnTheWayAreResolved() throws {
    let folder = try ScratchFolder()
    try folder.write("", to: "releases/1/registry.db")
    try folder.link("releases/current", to: "./../releases/1")
    try folder.link("data", to: folder.path("releases/current"))
    let real = try #require(realpath(folder.url.path, nil).map { String(cString: $0) })
    let place = try RegistryPlace(folder.path("data/../1//registry.db"))
    #expect(place.path == real + "/releases/1/registry.db")
    let registry = try Registry(.sqlite(path: folder.path("data/registry.db")))
    registry.stop()
    try folder.link("loop", to: "loop")
    #expect(refusal(folder.path("loop/registry.db"))?.contains("Too many levels of symbolic links") == true)
  }

  @Test(.enabled(if: isRoot, needsRoot)) func aStrangersLinkOnTheWayIsRefused() throws {
    let folder = try ScratchFolder()
    try folder.write("", to: "private/note")
    try folder.link("data", to: folder.path("private"))
    give(folder.path("data"), to: Self.ann)
    let path = folder.path("data/registry.db")
    let link = try #require(realpath(folder.url.path, nil).map { String(cString: $0) }) + "/data"
    #expect(
      refusal(path) == """
        The registry '\(path)' cannot be opened: '\(folder.path("data"))' leads over the symbolic link '\(link)' of user 54321, \
        to a directory of another user.
        """)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("private")) == ["note"])
    // In the words, and by the walk, of every folder that a person names.
    let named = #expect(throws: LinkspanError.self) { try OpenFolder(folder.path("data")) }
    #expect(named.map { refusal(path)?.hasSuffix($0.message) } == true)
    // Into a folder of the link's owner it leads no further than that user gets.
    give(folder.path("private"), to: Self.ann)
    #expect(try RegistryPlace(path).owner == Self.ann)
  }

  /// A group may write the folder, and one of its users has put a file there. The service's user is none of the two.
  @Test(.enabled(if: isRoot, needsRoot), arguments: [(0o755, false), (0o775, true), (0o757, true)])
  func aStrangersFileInASharedFolderIsRefused(_ mode: mode_t, _ isRefused: Bool) throws {
    let folder = try ScratchFolder()
    let path = folder.path("data/registry.db")
    try folder.write("", to: "data/registry.db")
    give(path, to: Self.bob)
    give(folder.path("data"), to: Self.ann)
    #expect(chmod(folder.path("data"), mode) == 0)
    let place = try RegistryPlace(path, user: 54_323)
    if isRefused {
      let error = #expect(throws: RegistryError.self) { try place.check() }
      #expect(error?.message.contains("belongs to user 54322") == true)
    } else {
      #expect(try place.check())
    }
  }

  /// Whoever may not use the service's registry hears whose it is, and not that its folder is missing.
  @Test(.enabled(if: isRoot, needsRoot), arguments: ["", "-wal", nil])
  func aRegistryOfAnotherUserNamesItsOwner(_ suffix: String?) throws {
    let folder = try ScratchFolder()
    let path = folder.path("data/registry.db")
    for name in ["", "-wal", "-shm"] { try folder.write("", to: "data/registry.db" + name) }
    let refused = suffix.map { path + $0 } ?? folder.path("data")
    for name in ["data", "data/registry.db", "data/registry.db-wal", "data/registry.db-shm"] {
      let isRefused = folder.path(name) == refused
      #expect(
        chmod(folder.path(name), name == "data" ? (isRefused ? 0o755 : 0o777) : (isRefused ? 0o600 : 0o666))
          == 0)
      give(folder.path(name), to: Self.ann)
    }
    #expect(chmod(folder.url.path, 0o755) == 0)
    let remedy = try Privileges.asUser(Self.bob, of: "bob's") { () throws(LinkspanError) in
      RegistryPlace.remedy(for: path)
    }
    #expect(
      remedy
        == "'\(refused)' belongs to '54321', and this runs as '54322'. Run it as '54321', or give the file to '54322':"
        + " chown 54322 \(refused)")
  }

  @Test(.enabled(if: isRoot, needsRoot), arguments: ["", "-wal"]) func rootAdoptsNoStrangersFile(
    _ suffix: String
  ) throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    try Registry(.sqlite(path: path)).stop()
    try folder.write("", to: "registry.db" + suffix)
    give(path + suffix, to: Self.bob)
    #expect(
      refusal(path) == """
        '\(path)\(suffix)' belongs to user 54322, and its folder to user 0: a file of another user is not taken for a registry.
        """)
    give(path + suffix, to: 0)
    try Registry(.sqlite(path: path)).stop()
  }
}
