import LinkspanCore
import Testing

@Suite struct AddressBlockTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("0.0.0.0/0", "8.8.8.8", true),
    ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
    ("192.0.2.0/24", "::ffff:192.0.2.9", true), ("::ffff:192.0.2.0/120", "192.0.2.9", true),
    ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
    ("0.0.0.0/0", "2001:db8::1", false),
  ])
  func networksAreCompared(network: String, address: String, expected: Bool) throws {
    let block = try #require(AddressBlock(network))
    #expect(try block.contains(#require(SocketAddress(address, port: 0))) == expected)
  }

  @Test(arguments: [
    "", "10.0.0.0/", "10.0.0.0/33", "10.0.0/8", "::/129", "host/8", "10.0.0.0/-1", "10.0.0.0/+8",
  ])
  func whatIsNoNetworkIsRefused(text: String) {
    #expect(AddressBlock(text) == nil)
  }
}
