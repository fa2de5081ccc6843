internal import Foundation

/// A PostgreSQL server of the tests' own, on a socket in a temporary folder. It starts with the first use and ends with
/// the process.
package enum PostgresServer {
  /// The server's address without a database, or nil and a printed reason where there is no PostgreSQL 15.
  package static let folder: String? = {
    do {
      return try start()
    } catch {
      print("skipped: PostgreSQL does not start here: \(error)")
      return nil
    }
  }()

  /// Its processor, for tests that stop and start it.
  package static func control(_ words: [String]) throws {
    guard let folder else { return }
    try run("pg_ctl", ["-D", folder + "/data", "-w", "-s", "-l", folder + "/log"] + words)
  }

  /// The address of a database on the server.
  package static func address(_ database: String) -> String? {
    folder.map { "postgres:///\(database)?host=\($0)&user=tests" }
  }

  private struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private static let programs = ["/usr/lib/postgresql/15/bin", "/usr/local/bin", "/usr/bin"]

  private static func program(_ name: String) throws -> String {
    for folder in programs where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
      return "\(folder)/\(name)"
    }
    throw Problem(description: "there is no '\(name)'; 'Scripts/setup test' installs postgresql-15")
  }

  private static func start() throws -> String {
    // `Scripts/test` names a folder in memory, and removes it.
    let parent = ProcessInfo.processInfo.environment["LINKSPAN_TEST_MEMORY"].map { URL(filePath: $0) }
    let folder = (parent ?? FileManager.default.temporaryDirectory)
      .appending(path: "linkspan-pg-\(UUID().uuidString)").path
    _ = try program("initdb")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // The server refuses to run as root, so the folder goes to a user without rights.
    if geteuid() == 0, chown(folder, nobody, nobody) != 0 { throw Problem(description: "chown failed") }
    try run(
      "initdb", ["-D", folder + "/data", "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"])
    // Tests wait for each other with their registries open, each with three or four connections.
    let options =
      "-c listen_addresses='' -c unix_socket_directories=\(folder) -c fsync=off -c max_connections=1000"
      + " -c wal_recycle=off -c min_wal_size=32MB"
    try run("pg_ctl", ["-D", folder + "/data", "-w", "-s", "-l", folder + "/log", "-o", options, "start"])
    atexit {
      if let folder = PostgresServer.folder {
        try? PostgresServer.control(["-m", "immediate", "stop"])
        try? FileManager.default.removeItem(atPath: folder)
      }
    }
    return folder
  }

  private static let nobody: UInt32 = 65_534

  /// Waits for a program's end. `Process` would wait for the server's end, too, which inherits a descriptor from it.
  private static func run(_ name: String, _ arguments: [String]) throws {
    var words = [try program(name)] + arguments
    if geteuid() == 0 {
      words = ["/usr/bin/setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"] + words
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [0, 1, 2] as [CInt] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // The server would keep open what the tests hold at this moment, such as locks, and the socket by which `Process`
    // hears of a child's end: whoever waits for that child would wait for the server.
    let closing = """
      for path in /proc/$$/fd/*; do number=${path##*/}; ((number < 3)) || eval "exec $number>&-"; done
      cd /; exec "$@"
      """
    words = ["/bin/bash", "-c", closing, "bash"] + words
    var pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var child = pid_t()
    guard posix_spawn(&child, words[0], &actions, nil, &pointers, environ) == 0 else {
      throw Problem(description: "'\(words[0])' cannot be started")
    }
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw Problem(description: "'\(name)' ended with status \(status)") }
  }
}
