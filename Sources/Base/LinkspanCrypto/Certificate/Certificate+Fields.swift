internal import CGnuTLS
internal import LinkspanCore

/// Fields of a certificate that only some readers ask for.
extension Certificate {
  /// The UID of the subject (RFC 4519, 2.39), which in Apple's push certificates is an app's bundle identifier.
  package var subjectUserIdentifier: String? {
    Self.field {
      gnutls_x509_crt_get_dn_by_oid(handle, "0.9.2342.19200300.100.1.1", 0, 0, $0.baseAddress, &$1)
    }.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The value of an extension; nil without it.
  ///
  /// - Parameter identifier: In digits and dots.
  package func extensionValue(_ identifier: String) -> [UInt8]? {
    Self.field { gnutls_x509_crt_get_extension_by_oid(handle, identifier, 0, $0.baseAddress, &$1, nil) }
  }

  /// The DNS names among the subject's alternative names, in lower case; the common name counts no more (RFC 9110, 4.3.4).
  package var hostNames: [String] {
    var names: [String] = []
    for index in UInt32(0)... {
      var name = [UInt8](repeating: 0, count: 1_024)
      var size = name.count
      let kind = gnutls_x509_crt_get_subject_alt_name(handle, index, &name, &size, nil)
      // No host's name is longer.
      if kind < 0, kind != GNUTLS_E_SHORT_MEMORY_BUFFER { break }
      if kind == CInt(GNUTLS_SAN_DNSNAME.rawValue) {
        names.append(ASCII.lowercased(String(decoding: name[..<size], as: UTF8.self)))
      }
    }
    return names
  }

  /// Ours: the most that a field may have.
  private static let limitBytes = 16_384

  private static func field(
    _ read: (UnsafeMutableRawBufferPointer, inout Int) -> CInt
  ) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limitBytes)
    var count = limitBytes
    let code = bytes.withUnsafeMutableBytes { read($0, &count) }
    return code >= 0 ? Array(bytes.prefix(count)) : nil
  }
}
