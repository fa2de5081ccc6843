internal import Glibc
internal import LinkspanCore
package import RegistryDatabases
package import RegistryRequests

extension RegistryStore {
  /// Writes a consistent copy of an SQLite store to a file that must not exist, while others read and write. An empty
  /// file counts as none and is replaced.
  ///
  /// - Throws: That the store is on PostgreSQL, or why the file cannot be written.
  package func backUp(to place: RegistryPlace) throws(RegistryError) {
    let path = place.name
    guard !database.dialect.isRemote else {
      throw RegistryError(
        .refused, "A registry on PostgreSQL is copied by PostgreSQL's own tools.",
        help: "Run pg_dump -Fc, or set up continuous archiving; the guide has both.")
    }
    guard !PrivateFile.isTaken(place.path) else { throw Self.noCopy(path, "it exists already.") }
    // What did not get finished must not look like a copy.
    let temporary = "\(place.path).\(getpid()).partial"
    // Of a process that was killed, and had the same number.
    unlink(temporary)
    defer {
      unlink(temporary)
      unlink(temporary + "-journal")
    }
    // A reader's connection refuses everything that writes, and this writes elsewhere only.
    try database.runScript("PRAGMA query_only = OFF")
    // SQLite takes an empty file for none.
    PrivateFile.make(temporary)
    do throws(RegistryError) {
      try database.run("VACUUM INTO $1", [.text(temporary)])
    } catch {
      try database.runScript("PRAGMA query_only = ON")
      // It is not the registry that cannot be written; what else is wrong with it is told as it is.
      guard let start = error.message.firstRange(of: "' cannot be written: ")?.upperBound else { throw error }
      throw Self.noCopy(path, String(error.message[start...]))
    }
    try database.runScript("PRAGMA query_only = ON")
    if let reason = PrivateFile.publish(temporary, as: place.path) { throw Self.noCopy(path, reason + ".") }
  }

  private static func noCopy(_ path: String, _ reason: String) -> RegistryError {
    RegistryError(
      .refused, "The copy '\(path)' cannot be written: \(reason)",
      help: "The file must not exist, this user must be able to write in its folder, and its disk needs room "
        + "for the whole registry.")
  }
}
