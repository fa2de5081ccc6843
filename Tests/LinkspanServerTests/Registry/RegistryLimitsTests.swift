import LinkspanCore
import PushTerms
import Testing

@testable import LinkspanServer
@testable import RegistryServer

/// The limit of clients without a credential: counted by network, and proof against floods and changes of the clock.
@Suite("Registry limits", .timeLimit(.minutes(15)))
struct RegistryLimitsTests {
  /// An API that lets clients of 2013 in, and its clock.
  private final class OpenAPI: Sendable {
    let clock = LockedState(WallTime("2026-09-14T08:00:00Z")!)
    private let store: APIUnderTest
    private let api: RegistryAPI

    init() throws {
      store = try APIUnderTest()
      var options = RegistryAPI.Options()
      options.legacy = .init(topic: "com.example.app", environment: .production, isOpen: true)
      api = RegistryAPI(store.registry, options, now: { [clock] in clock.withLock { $0 } })
    }

    /// Sends a registration that is refused for its body, so that nothing waits for the store.
    ///
    /// - Returns: 400 where the limit lets it through.
    func register(from address: String) throws -> HTTPResponse {
      let token = String(repeating: "a1", count: 32)
      var request = HTTPRequest(method: "PUT", authority: "registry.example", target: "/devices/\(token)")
      request.fields["Content-Type"] = "application/json"
      request.body = Array("[".utf8)
      let origin = RequestOrigin(peer: SocketAddress(address, port: 1))
      let answer = LockedState<HTTPResponse?>(nil)
      if case .afterBody(_, let next) = api.reply(to: request, from: origin),
        case .later(let begin) = next(request)
      {
        begin { response in answer.withLock { $0 = response } }
      }
      return try #require(answer.withLock { $0 })
    }

    /// Whether a registration from an address is refused, as it has made too many.
    func isLimited(_ address: String) throws -> Bool { try register(from: address).status == 429 }
  }

  /// Found: 700 addresses of one /64 had 700 times the limit.
  @Test func theAddressesOfOneNetworkShareALimit() throws {
    let api = try OpenAPI()
    for index in 0..<600 {
      #expect(try api.register(from: "2001:db8:1:2::\(String(index, radix: 16))").status == 400)
    }
    let refused = try api.register(from: "2001:db8:1:2:ffff::1")
    #expect(refused.status == 429)
    #expect(refused.fields["Retry-After"] == "60")
    #expect(refused.fields["RateLimit"] == "\"default\";r=0;t=60")
    #expect(try !api.isLimited("2001:db8:1:3::1"))
    #expect(try !api.isLimited("192.0.2.1"))
  }

  /// Found: 19,500 further addresses reset everybody's window.
  @Test func fortyThousandAddressesResetNobodysWindow() throws {
    let api = try OpenAPI()
    let limited = ["192.0.2.1", "2001:db8:1:2::1"]
    for address in limited { for _ in 0..<600 { _ = try api.register(from: address) } }
    for index in 0..<20_000 {
      _ = try api.register(from: "10.1.\(index / 256).\(index % 256)")
      _ = try api.register(from: "2001:db8:7:7::\(String(index, radix: 16))")
    }
    for address in limited { #expect(try api.isLimited(address)) }
    #expect(try api.isLimited("2001:db8:7:7::ffff:1"))
    #expect(try !api.isLimited("192.0.2.2"))
  }

  @Test func aClockThatIsSetBackOpensNothing() throws {
    let api = try OpenAPI()
    for _ in 0..<600 { _ = try api.register(from: "192.0.2.1") }
    for seconds: Int64 in [-1, -3_600, 3_600] {
      api.clock.withLock { $0 = $0.advanced(by: .seconds(seconds)) }
      #expect(try api.isLimited("192.0.2.1"))
    }
    api.clock.withLock { $0 = $0.advanced(by: .seconds(61)) }
    #expect(try !api.isLimited("192.0.2.1"))
  }
}
