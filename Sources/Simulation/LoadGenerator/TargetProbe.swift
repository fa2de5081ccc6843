internal import CGnuTLS
internal import Glibc

/// One connection and one request before a load: which host the server is for, and whether it has the file at all.
package struct TargetProbe {
  /// The first name of the server's certificate that is a host of its own; nil in clear text and where there is none.
  package private(set) var certificateHost: String?
  /// The status of the answer; nil where none came: the load then counts what becomes of its connections.
  package private(set) var status: Int?
  /// A lean connection gets an answer too (``LoadTarget/usesLeanTLS``).
  package private(set) var takesLeanTLS = false
  /// The port speaks TLS and the target is in clear text, or the other way round.
  package private(set) var speaksTheOther = false

  /// Ours: a server that takes longer is left to the load, which counts it.
  private static let patience: Int64 = 5_000_000_000

  /// - Parameter usesCertificateHost: Whether the request is for ``certificateHost`` where there is one.
  /// - Throws: That this machine has no socket, or no TLS.
  package init(_ target: LoadTarget, usesCertificateHost: Bool) throws(LoadError) {
    var target = target
    target.usesLeanTLS = false
    let connection = try LoadConnection(target, LoadSecurity(target), source: 1)
    status = Self.ask(connection) { connection in
      certificateHost = connection.certificate.flatMap(Self.host)
      if usesCertificateHost, let certificateHost { target.host = certificateHost }
      return target.request(closes: true)
    }
    // Servers that see clear text on a port for TLS answer 400, or nothing.
    if status == nil || status == 400 && !target.tls {
      var other = target
      other.tls.toggle()
      other.http2 = false
      other.offersMoreTLS = other.tls
      let connection = try LoadConnection(other, LoadSecurity(other), source: 1)
      let answer = Self.ask(connection) { _ in other.request(closes: true) }
      speaksTheOther = other.tls ? answer != nil : answer != nil && answer != 400
    }
    guard target.tls, !target.http2, status != nil else { return }
    target.usesLeanTLS = true
    let lean = try LoadConnection(target, LoadSecurity(target), source: 1)
    takesLeanTLS = Self.ask(lean) { _ in target.request(closes: true) } != nil
  }

  /// - Parameter request: Called when the connection is ready, for what to send.
  /// - Returns: The status of the answer; nil where none came.
  private static func ask(_ connection: LoadConnection, _ request: (LoadConnection) -> [UInt8]) -> Int? {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer {
      connection.end()
      memory.deallocate()
    }
    let end = LoadLoop.now() + patience
    var awaited = pollfd(fd: connection.descriptor, events: Int16(POLLOUT), revents: 0)
    while true {
      let left = (end - LoadLoop.now()) / 1_000_000
      guard left > 0 else { return nil }
      let count = poll(&awaited, 1, CInt(left))
      guard count > 0 || count < 0 && errno == EINTR else { return nil }
      // Room to write is news once: that it is connected.
      awaited.events = Int16(POLLIN)
      switch connection.go(memory) {
      case .none: continue
      case .ready:
        if case .failed = connection.send(request(connection)) { return nil }
      case .answered, .failed: return connection.status
      }
    }
  }

  /// The first DNS name that is neither a wildcard nor this machine's own (RFC 6125, 6.4).
  private static func host(in bytes: [UInt8]) -> String? {
    var certificate: gnutls_x509_crt_t?
    guard gnutls_x509_crt_init(&certificate) == 0, let certificate else { return nil }
    defer { gnutls_x509_crt_deinit(certificate) }
    var bytes = bytes
    let isRead = bytes.withUnsafeMutableBufferPointer { bytes in
      var datum = gnutls_datum_t(data: bytes.baseAddress, size: UInt32(bytes.count))
      return gnutls_x509_crt_import(certificate, &datum, GNUTLS_X509_FMT_DER) == 0
    }
    guard isRead else { return nil }
    for index in 0..<UInt32(64) {
      var name = [CChar](repeating: 0, count: 256)
      var size = name.count
      let kind = gnutls_x509_crt_get_subject_alt_name(certificate, index, &name, &size, nil)
      if kind == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { return nil }
      guard kind == CInt(GNUTLS_SAN_DNSNAME.rawValue), size < name.count else { continue }
      let text = String(decoding: name.prefix(size).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let isHost = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2A }
      if isHost, text.contains("."), text != "localhost" { return text }
    }
    return nil
  }
}
