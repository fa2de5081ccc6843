internal import CSQLite
internal import RegistryRequests

/// What SQLite's refusals mean for a registry.
enum SQLiteAnswer {
  /// Failures of the disk in which nothing was to be written (SQLite, "Result and Error Codes").
  private static let readFailures: [CInt] = [1, 2, 7].map { SQLITE_IOERR | $0 << 8 }
  private static let restore =
    "Stop the servers and restore a backup, as Documentation/registry.md shows."

  /// - Parameters:
  ///   - code: An extended result code.
  ///   - reason: What SQLite says.
  ///   - path: Of the file, as somebody wrote it.
  static func error(_ code: CInt, reason: String, at path: String) -> RegistryError {
    switch code & 0xFF {
    case SQLITE_IOERR where readFailures.contains(code):
      RegistryError(
        .unavailable, "The registry '\(path)' cannot be read: \(reason).",
        help: "Its disk fails: look into the system's log; nothing that was acknowledged is lost.")
    case SQLITE_FULL, SQLITE_IOERR:
      RegistryError(
        .unavailable, "The registry '\(path)' cannot be written: \(reason).",
        help: "Make room on its disk; nothing that was acknowledged is lost.")
    case SQLITE_BUSY, SQLITE_LOCKED:
      RegistryError(
        .unavailable, "Another process keeps the registry '\(path)' locked.",
        help: "Several processes share a registry on PostgreSQL; on SQLite one server writes.")
    case SQLITE_CONSTRAINT:
      RegistryError(
        .refused, "The registry refuses the change: \(reason).", help: RegistryError.contradicted)
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN:
      RegistryError(
        .cannotOpen, "The registry '\(path)' cannot be written: \(reason).",
        help: RegistryPlace.remedy(for: path))
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      RegistryError(.damaged, "The registry '\(path)' is damaged: \(reason).", help: restore)
    default:
      RegistryError(
        .damaged, "The registry '\(path)' refuses a statement: \(reason).",
        help: "Another program may have changed its tables. Where one is missing: \(restore)")
    }
  }
}
