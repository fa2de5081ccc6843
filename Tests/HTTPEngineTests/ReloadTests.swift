import Foundation
import LinkspanCore
import Synchronization
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("Certificate reload")
struct ReloadTests {
  let old: ThrowawayCertificate
  let new: ThrowawayCertificate

  init() throws {
    old = try Certificates.make(["one.example"])
    new = try Certificates.make(["one.example"])
  }

  func fetch(_ server: HTTPServer, _ certificate: ThrowawayCertificate) throws(HTTPClientError) -> Int {
    try HTTPClient(
      connectTo: server.addresses[0], trust: .authoritiesPEM(certificate.certificatePEM),
      deadline: .seconds(30)
    ).send(HTTPRequest(authority: "one.example", target: "/")).status
  }

  @Test func showsTheNewCertificateToNewConnectionsOnly() throws {
    let credentials = try TLSCredentials([TLSIdentity(old)])
    try withServer(HTTPServerConfiguration(listeners: [.init(credentials: credentials)])) { server in
      #expect(try fetch(server, old) == 200)
      server.replaceCredentials(try TLSCredentials([TLSIdentity(new)]))
      #expect(try fetch(server, new) == 200)
      #expect(throws: HTTPClientError.self) { try fetch(server, old) }
    }
  }

  @Test func keepsTheOldCredentialsForAHandshakeInFlightAndFreesThemAfterwards() throws {
    let clientTrust = try TLSClientTrust(.authoritiesPEM(old.certificatePEM))
    let configuration = HTTPServerConfiguration(
      listeners: [.init(credentials: try TLSCredentials([TLSIdentity(new)]))])
    try withServer(configuration) { server in
      weak let shown = try show(old, on: server)
      let connection = try RawConnection(port: server.port)
      // The transport closes its own copy of the descriptor.
      let socket = Socket(dup(connection.descriptor))
      let client = try TLSTransport(
        client: socket, host: "one.example", clientTrust, applicationProtocols: ["h2"], readAhead: ReadAhead()
      )
      // The ClientHello is on its way, and the server has accepted for the sake of it.
      _ = client.handshake()
      #expect(try fetch(server, old) == 200)
      server.replaceCredentials(try TLSCredentials([TLSIdentity(new)]))
      #expect(try fetch(server, new) == 200)
      var step = client.handshake()
      while step == .wouldBlock { step = client.handshake() }
      #expect(step == .done)
      #expect(client.applicationProtocol == "h2")
      #expect(shown != nil)
      client.close(reset: false)
      connection.endSending()
      // The server sees the end of that connection before it accepts this one.
      #expect(try fetch(server, new) == 200)
      #expect(shown == nil)
    }
  }

  private func show(_ certificate: ThrowawayCertificate, on server: HTTPServer) throws -> TLSCredentials {
    let credentials = try TLSCredentials([TLSIdentity(certificate)])
    server.replaceCredentials(credentials)
    return credentials
  }

  @Test func dropsNothingUnderConcurrentRequests() throws {
    let credentials = try TLSCredentials([TLSIdentity(old)])
    try withServer(HTTPServerConfiguration(listeners: [.init(credentials: credentials)])) { server in
      let failures = LockedState<[HTTPClientError]>([])
      let answers = Atomic(0)
      let trust = TLSTrust.authoritiesPEM(old.certificatePEM + new.certificatePEM)
      let address = server.addresses[0]
      let clients = DispatchGroup()
      for _ in 0..<3 {
        let thread = Thread {
          for _ in 0..<60 {
            do throws(HTTPClientError) {
              _ = try HTTPClient(connectTo: address, trust: trust, deadline: .seconds(30))
                .send(HTTPRequest(authority: "one.example", target: "/"))
              answers.add(1, ordering: .relaxed)
            } catch {
              failures.withLock { $0.append(error) }
            }
          }
          clients.leave()
        }
        clients.enter()
        thread.start()
      }
      let pair = try [TLSCredentials([TLSIdentity(new)]), TLSCredentials([TLSIdentity(old)])]
      for round in 0..<50 {
        server.replaceCredentials(pair[round % 2])
        _ = try HTTPClient(connectTo: address, trust: trust, deadline: .seconds(30))
          .send(HTTPRequest(authority: "one.example", target: "/"))
      }
      clients.wait()
      #expect(failures.withLock { $0 } == [])
      #expect(answers.load(ordering: .relaxed) == 180)
    }
  }
}
