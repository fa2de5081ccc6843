import CGnuTLS
import Dispatch
import Glibc
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

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
      #expect(other.alert == GNUTLS_A_UNEXPECTED_MESSAGE)
    }
  }

  /// Records that no peer may send after the handshake, and the alerts they end with (RFC 8446, 5 and 6.2).
  static let records: [(name: String, bytes: [UInt8], alert: gnutls_alert_description_t)] = [
    (
      "not encrypted with the keys agreed on", [0x17, 3, 3, 0, 32] + Array(repeating: 7, count: 32),
      GNUTLS_A_BAD_RECORD_MAC
    ),
    (
      "longer than 2^14 + 256", [0x17, 3, 3, 0x41, 0x01] + Array(repeating: 7, count: 16_641),
      GNUTLS_A_RECORD_OVERFLOW
    ),
    ("of an unknown type", [0x63, 3, 3, 0, 1, 0], GNUTLS_A_UNEXPECTED_MESSAGE),
    ("changing the cipher", [0x14, 3, 3, 0, 1, 1], GNUTLS_A_UNEXPECTED_MESSAGE),
  ]

  @Test(arguments: records)
  func isToldWhyTLSEnds(_ name: String, _ bytes: [UInt8], _ alert: gnutls_alert_description_t) throws {
    try withServer(configuration) { server in
      let client = try TLSClient(port: server.addresses[1].port)
      #expect(client.answer(to: "/") == "HTTP/1.1 200")
      // More behind it than one read takes: a reset would discard the alert.
      client.connection.send(bytes + [UInt8](repeating: 0, count: 100_000))
      #expect(client.answer() == nil)
      #expect(client.alert == alert, "\(name)")
      client.connection.endSending()
      #expect(try ServerMetricsTests.settled(server)[.failed] == 1)
    }
  }

  /// The library wants the head of a handshake message, four bytes, in one record.
  @Test(arguments: [4, 5, 16])
  func readsAClientHelloInManySmallRecords(_ recordBytes: Int) throws {
    try withServer(configuration) { server in
      let client = try TLSClient(port: server.addresses[1].port, helloRecordBytes: recordBytes)
      #expect(client.answer(to: "/") == "HTTP/1.1 200")
    }
  }

  @Test func boundsTheBytesOfAHandshake() throws {
    try withServer(configuration) { server in
      let client = try RawConnection(port: server.addresses[1].port)
      // A ClientHello of 100,000 bytes in records of one byte each, but the first.
      client.send([0x16, 3, 1, 0, 4, 1, 1, 0x86, 0xA0])
      let records = [UInt8]((0..<1_000).flatMap { _ in [0x16, 3, 1, 0, 1, 0] as [UInt8] })
      for _ in 0..<100 { client.send(records) }
      client.endSending()
      #expect(try client.receive().first == 0x15)
      #expect(try ServerMetricsTests.settled(server)[.handshakeFailed] == 1)
    }
  }
}

/// A client of TLS 1.3 that sends what no client of ours would.
private final class TLSClient {
  let connection: RawConnection
  private var session: gnutls_session_t?
  private var credentials: gnutls_certificate_credentials_t?

  /// - Parameter helloRecordBytes: Sends the ClientHello in records of this size, 4...16.
  init(port: UInt16, helloRecordBytes: Int? = nil) throws {
    connection = try RawConnection(port: port)
    try check(gnutls_init(&session, UInt32(GNUTLS_CLIENT.rawValue | GNUTLS_NO_SIGNAL.rawValue)))
    try check(gnutls_priority_set_direct(session, "NORMAL:-VERS-ALL:+VERS-TLS1.3", nil))
    try check(gnutls_certificate_allocate_credentials(&credentials))
    try check(gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials.map { .init($0) }))
    gnutls_transport_set_int2(session, connection.descriptor, connection.descriptor)
    if let helloRecordBytes {
      // What a function that C calls may not capture stands beside the descriptor.
      let pointer = UnsafeMutableRawPointer(bitPattern: Int(connection.descriptor) | helloRecordBytes << 32)
      let descriptor = UnsafeMutableRawPointer(bitPattern: Int(connection.descriptor))
      gnutls_transport_set_ptr2(session, descriptor, pointer)
      gnutls_transport_set_push_function(session) { pointer, bytes, count in
        let descriptor = Int32(truncatingIfNeeded: Int(bitPattern: pointer))
        let size = Int(bitPattern: pointer) >> 32
        let record = Array(UnsafeRawBufferPointer(start: bytes, count: count))
        guard record[0] == 0x16, record[5] == 1 else { return Glibc.send(descriptor, bytes, count, 0) }
        var split: [UInt8] = []
        for start in stride(from: 5, to: record.count, by: size) {
          let piece = record[start...].prefix(size)
          split += [0x16, 3, 1, 0, UInt8(piece.count)] + piece
        }
        return Glibc.send(descriptor, split, split.count, 0) == split.count ? count : -1
      }
    }
    try check(gnutls_handshake(session))
  }

  /// The alert that ended the connection, once ``answer()`` has said so.
  private(set) var alert: gnutls_alert_description_t?

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
    return answer()
  }

  func answer() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = gnutls_record_recv(session, &bytes, bytes.count)
    if count == Int(GNUTLS_E_FATAL_ALERT_RECEIVED) { alert = gnutls_alert_get(session) }
    return count > 0 ? String(decoding: bytes[..<count].prefix(12), as: UTF8.self) : nil
  }
}
