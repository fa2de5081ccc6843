import LinkspanCore
import SiteInput
import Testing

/// Addresses that a person gives for hosts.
@Suite struct FixedAddressTests {
  @Test(
    arguments: [
      ("example.com:443:127.0.0.1", "example.com", 443, ["127.0.0.1:443"]),
      ("EXAMPLE.com:1:127.0.0.1,::1", "example.com", 1, ["127.0.0.1:1", "[::1]:1"]),
      ("example.com:443:127.0.0.1:8443", "example.com", 443, ["127.0.0.1:8443"]),
      ("example.com:443:[::1]", "example.com", 443, ["[::1]:443"]),
      ("example.com:443:[::1]:8443", "example.com", 443, ["[::1]:8443"]),
      ("example.com:65535:2001:db8::1", "example.com", 65_535, ["[2001:db8::1]:65535"]),
      ("Bücher.example.:443:127.0.0.1", "xn--bcher-kva.example", 443, ["127.0.0.1:443"]),
    ] as [(String, String, UInt16, [String])])
  func anAddressIsResolved(text: String, host: String, port: UInt16, addresses: [String]) throws {
    let fixed = try FixedAddresses([text])
    #expect(fixed[host, port]?.map(\.description) == addresses)
    #expect(fixed[host, port &+ 1] == nil && fixed["other", port] == nil)
  }

  @Test func addressesOfOneHostAddUp() throws {
    let fixed = try FixedAddresses(["a:443:127.0.0.1", "b:443:127.0.0.2", "a:443:127.0.0.3"])
    #expect(fixed["a", 443]?.map(\.host) == ["127.0.0.1", "127.0.0.3"])
    #expect(FixedAddresses()["a", 443] == nil)
  }

  @Test(
    arguments: [
      "", "example.com", "example.com:443", ":443:127.0.0.1", "a:0:127.0.0.1", "a:65536:127.0.0.1",
      "a:x:127.0.0.1",
      "a:443:", "a:443:127.0.0.1,", "a:443:host", "a:443:[::1", "a:443:[::1]8443", "a:443:[::1]:",
      "a:443:[::1]:x",
      "a:443:127.0.0.1:x", "a:+443:127.0.0.1", "a:443:127.0.0.1:+80", "a:443:127.0.0.1:1:2", "a:443:[x]",
      "a:443:x]",
    ] as [String])
  func whatIsNoneIsRefused(text: String) {
    let error = #expect(throws: LinkspanError.self) { try FixedAddresses([text]) }
    #expect(error?.message.contains("'--resolve'") == true)
  }

  @Test func anOriginHasPort443() throws {
    let fixed = try FixedAddresses(origins: [
      "Example.com=127.0.0.1:8443", "b.example=localhost:1", "bücher.example=[::1]:1",
    ])
    #expect(fixed["example.com", 443]?.map(\.description) == ["127.0.0.1:8443"])
    #expect(fixed["b.example", 443]?.map(\.description) == ["127.0.0.1:1"])
    #expect(fixed["xn--bcher-kva.example", 443]?.map(\.description) == ["[::1]:1"])
    for text in ["", "example.com", "=127.0.0.1:8443", "a=127.0.0.1", "a=b=127.0.0.1:1"] {
      #expect(throws: LinkspanError.self) { try FixedAddresses(origins: [text]) }
    }
  }

  @Test(
    arguments: [
      ("127.0.0.1:8443", "127.0.0.1:8443"), ("[::1]:8443", "[::1]:8443"), ("::1:8443", "[::1]:8443"),
      ("localhost:1", "127.0.0.1:1"), ("127.0.0.1", nil), ("127.0.0.1:", nil), ("127.0.0.1:65536", nil),
      ("[::1:8443", nil), ("::1]:8443", nil), ("host:1", nil),
    ] as [(String, String?)])
  func anAddressAndPortAreRead(text: String, address: String?) {
    #expect((try? SocketAddress.read(text, of: "--origin"))?.description == address)
  }
}
