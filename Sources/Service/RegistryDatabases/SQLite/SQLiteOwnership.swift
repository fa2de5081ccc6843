internal import CSQLite
package import RegistryRequests

/// Whose an SQLite file is. Asked before anything is written to it or beside it: WAL mode alone changes a file, also
/// another program's.
package enum SQLiteOwnership {
  /// What a registry's file has in its header (SQLite's file format, 1.3.14), "LNKS" in ASCII. Ours; it never changes.
  package static let applicationID: UInt32 = 0x4C4E_4B53

  case empty
  /// A registry by its ``applicationID``.
  case stamped
  /// A registry by its tables, of a version that set no ``applicationID``.
  case unstamped

  /// The start of every SQLite file, and where in its header the application identifier is.
  private static let magic = Array("SQLite format 3\0".utf8)
  private static let headerBytes = 100
  private static let identifierOffset = 68

  /// - Parameter handle: A connection that has run no statement.
  /// - Throws: That the file is no database, or another program's. Nothing was written then, neither to it nor beside it.
  package init(of handle: OpaquePointer?, at place: RegistryPlace) throws(RegistryError) {
    var header = [UInt8](repeating: 0, count: Self.headerBytes)
    let size = linkspan_sqlite_file_start(handle, &header, CInt(header.count))
    guard size != 0 else {
      self = .empty
      return
    }
    guard size >= header.count, header.starts(with: Self.magic) else { throw Self.noDatabase(place) }
    let identifier = header[Self.identifierOffset...].prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if identifier == Self.applicationID {
      self = .stamped
    } else if identifier == 0 {
      self = try Self.byTables(place)
    } else {
      throw Self.foreign(place, Self.marked(identifier))
    }
  }

  /// Looks at the tables over a connection that takes no lock, makes no file and writes nothing.
  private static func byTables(_ place: RegistryPlace) throws(RegistryError) -> SQLiteOwnership {
    let database: SQLiteDatabase
    let identity: StoreIdentity
    let identifier: UInt32
    do throws(RegistryError) {
      database = try SQLiteDatabase(looksOnlyAt: place)
      identifier = try database.applicationID()
      identity = try database.identity()
    } catch {
      throw error.kind == .damaged ? noDatabase(place) : error
    }
    // Set by another process, and still in the log.
    if identifier == applicationID { return .stamped }
    guard identifier == 0 else { throw foreign(place, marked(identifier)) }
    switch identity {
    case .empty: return .empty
    case .registry: return .unstamped
    case .foreign(let reason): throw foreign(place, reason)
    }
  }

  private static func marked(_ identifier: UInt32) -> String {
    "another program has marked it (application_id \(identifier))"
  }

  private static func noDatabase(_ place: RegistryPlace) -> RegistryError {
    RegistryError(
      .cannotOpen, "'\(place.name)' is not an SQLite database, or it is damaged.",
      help: RegistryPlace.otherFile)
  }

  package static func foreign(_ place: RegistryPlace, _ reason: String) -> RegistryError {
    RegistryError(
      .cannotOpen, "'\(place.name)' is another program's database, not a registry: \(reason).",
      help: RegistryPlace.otherFile)
  }
}
