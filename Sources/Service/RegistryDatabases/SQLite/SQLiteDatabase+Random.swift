internal import CSQLite
internal import LinkspanCore
internal import RegistryRequests

extension SQLiteDatabase {
  /// A generator that SQLite owns and asks.
  private final class Source {
    let next: @Sendable () -> UInt64
    init(_ next: @escaping @Sendable () -> UInt64) { self.next = next }
  }

  private static let free: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
    if let pointer { Unmanaged<Source>.fromOpaque(pointer).release() }
  }

  private static func source(_ context: OpaquePointer?) -> Source? {
    sqlite3_user_data(context).map { Unmanaged<Source>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Puts numbers of a simulation in the place of `random()` and `randomblob()`.
  func useRandom(_ random: @escaping @Sendable () -> UInt64) throws(RegistryError) {
    try addFunction("random", 0, random) { context, _, _ in
      guard let source = SQLiteDatabase.source(context) else { return }
      sqlite3_result_int64(context, sqlite3_int64(bitPattern: source.next()))
    }
    try addFunction("randomblob", 1, random) { context, _, values in
      guard let source = SQLiteDatabase.source(context) else { return }
      let count = max(1, Int(sqlite3_value_int(values?.pointee)))
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: source.next()) }
      linkspan_sqlite_result_blob(context, bytes, CInt(count))
    }
  }

  private func addFunction(
    _ name: String, _ parameters: CInt, _ random: @escaping @Sendable () -> UInt64,
    _ function:
      @convention(c) (
        OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?
      ) -> Void
  ) throws(RegistryError) {
    let source = Unmanaged.passRetained(Source(random)).toOpaque()
    try add(name, parameters, source, function, Self.free)
  }
}
