import Foundation
import Testing

/// Every command that opens a registry opens ours or refuses, and root opens it as the owner of its folder.
@Suite("Registry owner", .timeLimit(.minutes(15)))
struct RegistryOwnerTests {
  private static let canBecomeOthers = getuid() == 0 && Tool.installed("setpriv") != nil
  private static let needsRoot: Comment = "needs root and setpriv (Debian: util-linux)"
  private static let hasSQLite = Tool.installed("sqlite3") != nil
  private static let needsSQLite: Comment = "needs sqlite3 (Debian: sqlite3)"

  /// One of each kind that opens `--registry`.
  static let commands: [[String]] = [
    ["token", "create", "--scope", "devices:read"],
    ["token", "list"],
    ["token", "revoke", "0123456789abcdef"],
    ["registry", "count"],
    ["registry", "export"],
    ["registry", "import", "devices.jsonl"],
    ["registry", "erase", "ann"],
    ["registry", "audit"],
    ["registry", "doctor"],
    ["registry", "backup", "copy.db"],
    ["push", "campaign", "list"],
    ["serve", "--plain", "--listen", "127.0.0.1:0", "--dry-run"],
    ["serve", "--plain", "--listen", "127.0.0.1:0"],
  ]

  /// Every file below the folder but the streams of the program, with its bytes.
  private func files(_ tool: Tool) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
    where !name.hasPrefix(".std") {
      files[name] = try Data(contentsOf: tool.folder.appending(path: name))
    }
    return files
  }

  private func foreign(_ tool: Tool, _ name: String) throws {
    try tool.write("", to: "devices.jsonl")
    let outcome = try tool.program(
      Tool.installed("sqlite3")!,
      [name, "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine');"])
    #expect(outcome.status == 0)
  }

  @Test(.enabled(if: hasSQLite, needsSQLite), arguments: commands)
  func anotherProgramsDatabaseStaysAsItIs(_ command: [String]) throws {
    let tool = try Tool()
    try foreign(tool, "other.db")
    let before = try files(tool)
    let outcome = try tool.run(command + ["--registry", "sqlite:other.db"])
    #expect(outcome.status == 2, "\(outcome)")
    #expect(
      outcome.errors.contains("'other.db' is another program's database, not a registry: it has a table"),
      "\(outcome.errors)")
    #expect(try files(tool) == before)
  }

  @Test(.enabled(if: hasSQLite, needsSQLite), arguments: commands)
  func aPlantedLinkIsNotFollowed(_ command: [String]) throws {
    let tool = try Tool()
    try foreign(tool, "other.db")
    try FileManager.default.createSymbolicLink(
      at: tool.folder.appending(path: "registry.db"),
      withDestinationURL: tool.folder.appending(path: "other.db"))
    let before = try files(tool)
    let outcome = try tool.run(command + ["--registry", "sqlite:registry.db"])
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.errors.contains("'registry.db' is a symbolic link"), "\(outcome.errors)")
    #expect(try files(tool) == before)
  }

  // MARK: - Root

  private let user = "54321"

  private func owner(_ tool: Tool, _ name: String) throws -> String {
    try tool.program("/usr/bin/stat", ["-c", "%u %a", name]).output
  }

  @Test(.enabled(if: canBecomeOthers, needsRoot)) func rootMakesARegistryAsTheOwnerOfItsFolder() throws {
    let tool = try Tool()
    try FileManager.default.createDirectory(
      at: tool.folder.appending(path: "data"), withIntermediateDirectories: false)
    _ = try tool.program("/usr/bin/chown", ["\(user):\(user)", "data"])
    _ = try tool.program("/usr/bin/chmod", ["755", "."])
    let store = ["--registry", "sqlite:data/registry.db"]
    let made = try tool.run(["token", "create", "--scope", "devices:read"] + store)
    #expect(made.status == 0, "\(made.errors)")
    #expect(try owner(tool, "data/registry.db") == "\(user) 600\n")
    // The service's user goes on with it.
    let list = try tool.program(
      Tool.installed("setpriv")!,
      ["--reuid", user, "--regid", user, "--clear-groups", Tool.binary.path, "token", "list"] + store)
    #expect(list.status == 0)
    #expect(list.output.contains("devices:read"))
    // A copy belongs to the owner of the folder where it is put.
    #expect(try tool.run(["registry", "backup", "data/copy.db"] + store).status == 0)
    #expect(try owner(tool, "data/copy.db") == "\(user) 600\n")
    #expect(try tool.run(["registry", "backup", "copy.db"] + store).status == 0)
    #expect(try owner(tool, "copy.db") == "0 600\n")
  }

  /// What only root may open stays closed, whatever the folder's owner puts there.
  @Test(.enabled(if: canBecomeOthers, needsRoot)) func theOwnerOfTheFolderPlantsInVain() throws {
    let tool = try Tool()
    for name in ["data", "private"] {
      try FileManager.default.createDirectory(
        at: tool.folder.appending(path: name), withIntermediateDirectories: false)
    }
    _ = try tool.program("/usr/bin/chown", ["\(user):\(user)", "data"])
    let store = ["--registry", "sqlite:private/registry.db"]
    #expect(try tool.run(["token", "create", "--scope", "devices:read"] + store).status == 0)
    let before = try tool.program("/usr/bin/sha256sum", ["private/registry.db"]).output
    for planted in [
      "ln -s ../private/registry.db data/registry.db", "ln private/registry.db data/registry.db",
    ] {
      #expect(try tool.program("/bin/sh", ["-c", planted]).status == 0)
      let outcome = try tool.run(
        ["token", "create", "--scope", "devices:read", "--registry", "sqlite:data/registry.db"])
      #expect(outcome.status == 2, "\(outcome)")
      #expect(try tool.program("/usr/bin/sha256sum", ["private/registry.db"]).output == before)
      try FileManager.default.removeItem(at: tool.folder.appending(path: "data/registry.db"))
    }
    #expect(
      try tool.program("/bin/ls", ["-A", "private", "data"]).output == "data:\n\nprivate:\nregistry.db\n")
  }

  /// Root made it before: what to do is said.
  @Test(.enabled(if: canBecomeOthers, needsRoot)) func aFileOfRootInAnothersFolderIsRefused() throws {
    let tool = try Tool()
    try FileManager.default.createDirectory(
      at: tool.folder.appending(path: "data"), withIntermediateDirectories: false)
    let arguments = ["token", "create", "--scope", "devices:read", "--registry", "sqlite:data/registry.db"]
    #expect(try tool.run(arguments).status == 0)
    _ = try tool.program("/usr/bin/chown", ["\(user):\(user)", "data"])
    _ = try tool.program("/usr/bin/chmod", ["755", "."])
    let outcome = try tool.run(arguments)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("chown \(user) data/registry.db"), "\(outcome.errors)")
  }
}
