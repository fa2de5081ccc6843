package import CGnuTLS

/// Bytes passed to and from GnuTLS.
package enum Datum {
  /// Lends bytes for the length of a call, which only reads them.
  package static func with<Result>(
    _ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
      var datum = gnutls_datum_t(
        data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(buffer.count))
      return withUnsafePointer(to: &datum, body)
    }
  }

  /// Copies what the library allocated, and frees it.
  package static func take(_ datum: gnutls_datum_t) -> [UInt8] {
    defer { linkspan_gnutls_free(datum.data) }
    return Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
  }

  static func takeText(_ datum: gnutls_datum_t) -> String { String(decoding: take(datum), as: UTF8.self) }
}
