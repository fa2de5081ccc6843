import CGnuTLS
import Dispatch
import LinkspanCore
import Testing

@testable import HTTPEngine

/// What a hostile or broken client does below HTTP, in the records of TLS.
@Suite("TLS abuse")
struct TLSAbuseTests {
  /// Plain first, for looking at the server, then TLS; no deadline ever passes.
  let configuration: HTTPServerConfiguration

  init() throws {
    let credentials = try TLSCredentials([TLSIdentity(Certificates.make(["one.example"]))])
    var configuration = HTTPServerConfiguration(listeners: [.init(), .init(credentials: credentials)])
    configuration.clock = ManualClock().clock
    configuration.loops = 1
    self.configuration = configuration
  }

  /// Has bytes and the end of a connection come while the loop is busy, so that they are one piece of news.
  private func expectTheStart(_ bytes: [UInt8], _ begin: (HTTPServer) throws -> RawConnection) throws {
    let (isBusy, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let handler: HTTPHandler = { request in
      if request.target == "/busy" {
        isBusy.signal()
        mayGoOn.wait()
      }
      return Conversation.echo(request)
    }
    try withServer(configuration, handler: handler) { server in
      let client = try begin(server)
      let busy = try RawConnection(port: server.port)
      busy.send("GET /busy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      isBusy.wait()
      client.send(bytes)
      client.endSending()
      mayGoOn.signal()
      _ = try busy.read()
      try ServerMetricsTests.expectTheStart(server)
    }
  }

  @Test func closesWhereTheHandshakeEndsInTheMiddleOfARecord() throws {
    try expectTheStart([3, 1]) { server in
      let client = try RawConnection(port: server.addresses[1].port)
      client.send([0x16])
      let other = try RawConnection(port: server.port)
      while server.metrics.handshakesNow == 0 {
        other.send(HTTPServerTests.get)
        _ = try other.read(until: "\r\n\r\n")
      }
      return client
    }
  }

  @Test func closesWhereTheConnectionEndsInTheMiddleOfARecord() throws {
    var client: TLSClient?
    try expectTheStart([0x17, 3, 3]) { server in
      let begun = try TLSClient(port: server.addresses[1].port)
      #expect(begun.answer(to: "/") == "HTTP/1.1 200")
      client = begun
      return begun.connection
    }
    withExtendedLifetime(client) {}
  }

  @Test func endsWithTooManyRecordsWithoutContent() throws {
    try withServer(configuration) { server in
      let port = server.addresses[1].port
      let patient = try TLSClient(port: port)
      for _ in 0..<2 {
        patient.sendEmptyRecords(TLSTransport.emptyRecordLimitCount)
        #expect(patient.answer(to: "/") == "HTTP/1.1 200")
      }
      let other = try TLSClient(port: port)
      other.sendEmptyRecords(TLSTransport.emptyRecordLimitCount + 1)
      #expect(other.answer(to: "/") == nil)
    }
  }
}

/// A client of TLS 1.3 that sends what no client of ours would.
private final class TLSClient {
  let connection: RawConnection
  private var session: gnutls_session_t?
  private var credentials: gnutls_certificate_credentials_t?

  init(port: UInt16) throws {
    connection = try RawConnection(port: port)
    try check(gnutls_init(&session, UInt32(GNUTLS_CLIENT.rawValue | GNUTLS_NO_SIGNAL.rawValue)))
    try check(gnutls_priority_set_direct(session, "NORMAL:-VERS-ALL:+VERS-TLS1.3", nil))
    try check(gnutls_certificate_allocate_credentials(&credentials))
    try check(gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials.map { .init($0) }))
    gnutls_transport_set_int2(session, connection.descriptor, connection.descriptor)
    try check(gnutls_handshake(session))
  }

  deinit {
    gnutls_deinit(session)
    gnutls_certificate_free_credentials(credentials)
  }

  private func check(_ code: CInt) throws {
    guard code < 0 else { return }
    throw RawConnection.Failure(reason: String(cString: gnutls_strerror(code)))
  }

  /// Records with a byte of padding and nothing else (RFC 8446, 5.4).
  func sendEmptyRecords(_ count: Int) {
    // Without a pointer it would be an earlier record's rest.
    for _ in 0..<count { _ = gnutls_record_send2(session, [0], 0, 1, 0) }
  }

  /// The beginning of what comes for a request; nil at the end of the connection.
  func answer(to target: String) -> String? {
    let request = Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    _ = gnutls_record_send(session, request, request.count)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = gnutls_record_recv(session, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count].prefix(12), as: UTF8.self) : nil
  }
}
