package import RegistryRequests

/// What PostgreSQL's refusals mean for a registry.
package enum PostgresAnswer {
  /// - Parameters:
  ///   - state: An SQLSTATE (PostgreSQL, appendix A).
  ///   - reason: What the server says.
  package static func error(state: String, reason: String) -> RegistryError {
    switch state {
    case "55P03":  // lock_not_available
      return RegistryError(
        .unavailable, "Another program holds a lock in the registry's PostgreSQL: \(reason).",
        help: "pg_blocking_pids() names it: a migration, or a transaction that somebody left open.",
        isLocked: true)
    case "42501":  // insufficient_privilege
      return RegistryError(
        .unavailable, "The role lacks a right in the registry's PostgreSQL: \(reason).",
        help:
          "The role of the address has to own the registry's tables, as after ALTER TABLE … OWNER TO, or have all rights on"
          + " them, and it has to be allowed to use their schema.",
        isPartial: true)
    case "25006":  // read_only_sql_transaction
      return RegistryError(
        .unavailable, "The registry's PostgreSQL takes no changes: \(reason).",
        help: "It is a standby, or default_transaction_read_only is on. With several hosts in the address"
          + " 'target_session_attrs=read-write' finds the primary.",
        isPartial: true)
    case "42P01", "42703":  // undefined_table, undefined_column
      return RegistryError(
        .damaged, "The registry's tables in PostgreSQL are not whole: \(reason).",
        help: "Restore the database from a backup.", isPartial: true)
    case "3F000":  // invalid_schema_name
      return RegistryError(
        .cannotOpen, "There is no schema for the registry in PostgreSQL: \(reason).",
        help: "Make one that the role's search_path names, with CREATE SCHEMA.")
    default: break
    }
    switch state.prefix(2) {
    case "23", "22":
      // untranslatable_character, character_not_in_repertoire
      let isText = ["22P05", "22021"].contains(state)
      return RegistryError(
        .refused, "The registry refuses the change: \(reason).",
        help: isText
          ? "The database cannot hold one of the texts. Send the request with another text, or move the registry to a"
            + " database with the encoding UTF8." : RegistryError.contradicted)
    // A deadlock or another conflict with another transaction.
    case "40":
      return RegistryError(
        .unavailable, "The registry's PostgreSQL cannot do it now: \(reason).",
        help: "Send the request again.",
        isConflict: true)
    // Out of disk, memory or connections; the server stops.
    case "53", "57", "55":
      return RegistryError(
        .unavailable, "The registry's PostgreSQL cannot do it now: \(reason).",
        help: "It is out of disk, memory or connections, or it stops. Its own log says more.")
    // Of its files, and of what is in them.
    case "58", "XX":
      return RegistryError(
        .damaged, "The registry's PostgreSQL fails: \(reason).",
        help: "Its own log says more. Check its disk; where it finds damaged data, restore a backup.")
    default:
      return RegistryError(
        .damaged,
        "The registry's PostgreSQL refuses a statement (SQLSTATE \(state)): \(reason).",
        help: "Check that it is PostgreSQL 15 or later, that no other program changed its tables, and that"
          + " no pooler shares connections between transactions. Its own log has the statement.")
    }
  }

  /// What libpq says, in one line: why each host of an address let nobody in, or the first line of anything else.
  ///
  /// - Parameter text: Its message; behind a tab stands advice.
  package static func reason(_ text: String) -> String {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("\t") }
    let hosts = lines.prefix { $0.hasPrefix("connection to server") }.prefix(mostHosts)
    let told = hosts.isEmpty ? lines.prefix(1) : hosts
    return told.isEmpty ? "no reason given" : told.joined(separator: "; ")
  }

  /// Ours: hosts in one line.
  private static let mostHosts = 4
}
