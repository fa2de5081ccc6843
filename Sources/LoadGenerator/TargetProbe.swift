internal import CGnuTLS
internal import CLinkspanPlatform
internal import Glibc

/// One connection and one request before a load: which host the server is for, and whether it has the file at all.
package struct TargetProbe {
  /// The first name of the server's certificate that is a host of its own; nil in clear text and where there is none.
  package let certificateHost: String?
  /// The status of the answer; nil where none came: the load then counts what becomes of its connections.
  package let status: Int?

  /// Ours: a server that takes longer is left to the load, which counts it.
  private static let patienceSeconds = 5

  /// - Parameter usesCertificateHost: Whether the request is for ``certificateHost`` where there is one.
  /// - Throws: That this machine has no socket, or no TLS.
  package init(_ target: LoadTarget, usesCertificateHost: Bool) throws(LoadError) {
    let descriptor = socket(target.address.isIPv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw .system("socket") }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    guard target.address.with(port: target.port, { connect(descriptor, $0, $1) }) == 0 else {
      certificateHost = nil
      status = nil
      return
    }
    var target = target
    guard target.tls else {
      certificateHost = nil
      let request = target.request(closes: true)
      guard Glibc.send(descriptor, request, request.count, CInt(MSG_NOSIGNAL)) == request.count
      else {
        status = nil
        return
      }
      status = Self.status { recv(descriptor, $0, $1, 0) }
      return
    }
    let settings = try TLSClientSettings(verify: nil, offersMore: target.offersMoreTLS)
    guard let session = settings.blockingSession(descriptor, host: target.host) else {
      certificateHost = nil
      status = nil
      return
    }
    defer { gnutls_deinit(session) }
    certificateHost = Self.host(in: session)
    if usesCertificateHost, let certificateHost { target.host = certificateHost }
    let request = target.request(closes: true)
    guard gnutls_record_send(session, request, request.count) == request.count else {
      status = nil
      return
    }
    status = Self.status { gnutls_record_recv(session, $0, $1) }
  }

  /// Reads up to the end of the status line: `HTTP/1.1 200 OK`.
  private static func status(_ read: (UnsafeMutableRawPointer, Int) -> Int) -> Int? {
    var line: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 1_024)
    while line.count < bytes.count, !line.contains(0x0A) {
      let count = bytes.withUnsafeMutableBytes { read($0.baseAddress!, $0.count) }
      if CInt(clamping: count) == GNUTLS_E_AGAIN || CInt(clamping: count) == GNUTLS_E_INTERRUPTED {
        return nil
      }
      guard count > 0 else { return nil }
      line += bytes.prefix(count)
    }
    let words = line.prefix { $0 != 0x0D && $0 != 0x0A }.split(separator: 0x20)
    return words.count >= 2 ? Int(String(decoding: words[1], as: UTF8.self)) : nil
  }

  /// The first DNS name that is neither a wildcard nor this machine's own (RFC 6125, 6.4).
  private static func host(in session: gnutls_session_t) -> String? {
    var count: UInt32 = 0
    guard let chain = gnutls_certificate_get_peers(session, &count), count > 0 else { return nil }
    var certificate: gnutls_x509_crt_t?
    guard gnutls_x509_crt_init(&certificate) == 0, let certificate else { return nil }
    defer { gnutls_x509_crt_deinit(certificate) }
    guard gnutls_x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER) == 0 else { return nil }
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
