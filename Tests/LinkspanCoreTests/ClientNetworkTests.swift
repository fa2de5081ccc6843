import LinkspanCore
import Testing

@Suite struct ClientNetworkTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
    ("192.0.2.1", "::ffff:192.0.2.1", true), ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
    ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true),
    ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
    // The first 32 bits of one are the address of the other.
    ("192.0.2.1", "c000:201::", false), ("0.0.0.0", "::", false), ("0.0.0.1", "::1", false),
  ])
  func isAnAddressOfIPv4OrSixtyFourBitsOfIPv6(first: String, second: String, isSame: Bool) throws {
    let networks = try [first, second].map { ClientNetwork(try #require(SocketAddress($0, port: 0))) }
    #expect((networks[0] == networks[1]) == isSame)
    #expect((networks[0].octets == networks[1].octets) == isSame)
  }
}
