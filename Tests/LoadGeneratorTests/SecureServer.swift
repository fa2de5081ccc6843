import CGnuTLS
import Foundation

/// A server of TLS by GnuTLS, with a certificate of its own for P-256; one connection after the other in a thread.
final class SecureServer: @unchecked Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let priorities: gnutls_priority_t
  private let credentials: gnutls_certificate_credentials_t
  private let answer: [UInt8]
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - priorities: In the library's words.
  ///   - answer: Sent in pieces of at most 1000 bytes, each a record.
  init?(_ priorities: String, answer: String) {
    var made: gnutls_priority_t?
    guard gnutls_priority_init(&made, priorities, nil) == 0, let made, let credentials = Self.credentials()
    else { return nil }
    self.priorities = made
    self.credentials = credentials
    self.answer = Array(answer.utf8)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 4_096) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isBound else { return nil }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0 { break }
        serve(client)
        close(client)
      }
      ended.signal()
    }
  }

  func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    ended.wait()
    close(descriptor)
    gnutls_certificate_free_credentials(credentials)
    gnutls_priority_deinit(priorities)
  }

  private func serve(_ client: Int32) {
    var session: gnutls_session_t?
    guard gnutls_init(&session, UInt32(GNUTLS_SERVER.rawValue) | UInt32(GNUTLS_NO_SIGNAL)) == 0 else {
      return
    }
    defer { gnutls_deinit(session) }
    gnutls_priority_set(session, priorities)
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    gnutls_transport_set_int2(session, client, client)
    var code: Int32
    repeat { code = gnutls_handshake(session) } while code < 0 && gnutls_error_is_fatal(code) == 0
    var memory = [UInt8](repeating: 0, count: 4_096)
    guard code == 0, gnutls_record_recv(session, &memory, memory.count) > 0 else { return }
    var sent = 0
    while sent < answer.count {
      let piece = Array(answer[sent..<min(answer.count, sent + 1_000)])
      guard gnutls_record_send(session, piece, piece.count) == piece.count else { return }
      sent += piece.count
    }
    gnutls_bye(session, GNUTLS_SHUT_WR)
    shutdown(client, Int32(SHUT_WR))
    // Its end is waited for: a reset could overtake the answer.
    _ = recv(client, &memory, memory.count, 0)
  }

  private static func credentials() -> gnutls_certificate_credentials_t? {
    var credentials: gnutls_certificate_credentials_t?
    var key: gnutls_x509_privkey_t?
    var certificate: gnutls_x509_crt_t?
    gnutls_certificate_allocate_credentials(&credentials)
    gnutls_x509_privkey_init(&key)
    gnutls_x509_crt_init(&certificate)
    defer {
      gnutls_x509_privkey_deinit(key)
      gnutls_x509_crt_deinit(certificate)
    }
    // P-256, in the library's form for curves: its highest bit set.
    let curve = UInt32(1 << 31) | UInt32(GNUTLS_ECC_CURVE_SECP256R1.rawValue)
    gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, curve, 0)
    gnutls_x509_crt_set_version(certificate, 3)
    gnutls_x509_crt_set_serial(certificate, [1], 1)
    gnutls_x509_crt_set_activation_time(certificate, 0)
    gnutls_x509_crt_set_expiration_time(certificate, 4_000_000_000)
    gnutls_x509_crt_set_key(certificate, key)
    let name = "shop.example"
    gnutls_x509_crt_set_subject_alt_name(
      certificate, GNUTLS_SAN_DNSNAME, name, UInt32(name.utf8.count), UInt32(GNUTLS_FSAN_SET))
    gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0)
    var chain = [certificate]
    return gnutls_certificate_set_x509_key(credentials, &chain, 1, key) >= 0 ? credentials : nil
  }
}
