import Testing

@testable import LinkspanCore

/// Addresses as `inet_pton` takes and `inet_ntop` writes them.
@Suite struct SocketAddressTests {
  @Test(
    arguments: [
      ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("1.20.255.0", "1.20.255.0"),
      ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("1::8", "1::8"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
      ("0001:0020:0300:4000:0:0:0:0", "1:20:300:4000::"), ("ABCD:ef01::", "abcd:ef01::"),
      ("ffff::9:a:f", "ffff::9:a:f"),
      ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("::1.2.3.4", "::1.2.3.4"),
      ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
      ("::ffff:102:304", "::ffff:1.2.3.4"), ("::fffe:1.2.3.4", "::fffe:102:304"),
      ("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
      ("1:0:0:4:0:0:0:8", "1:0:0:4::8"), ("1:0:0:4:5:0:0:8", "1::4:5:0:0:8"),
      ("1:0:3:0:5:0:7:0", "1:0:3:0:5:0:7:0"),
      ("0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"), ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"),
      ("0:2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
      ("1::3:4:5:6:7:8", "1:0:3:4:5:6:7:8"), ("0:0:0:0:0:0:7:8", "::0.7.0.8"), ("0:0:0:0:0:0:0:8", "::8"),
    ] as [(String, String)])
  func isReadAndWritten(text: String, written: String) throws {
    let address = try #require(SocketAddress(text, port: 80))
    #expect(address.host == written)
    #expect(SocketAddress(written, port: 80) == address)
    #expect(address.description == (address.isIPv6 ? "[\(written)]:80" : "\(written):80"))
  }

  @Test(
    arguments: [
      "", ".", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.1.1.256", "01.1.1.1", "1.1.1.00", "1..1.1", "1.1.1.",
      "1000.1.1.1", "a.1.1.1",
      "1.1.1.1 ", ":", ":1", "1:", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1::", ":::", "12345::", "g::",
      "1:2:3:4:5:6:7::8",
      "1::2:3:4:5:6:7:8", "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4::", "1:1.2.3.4:2:3:4:5:6:7", "::1.2.3.256",
      "[::1]",
      "::1%1",
    ] as [String])
  func whatIsNoneIsRefused(text: String) { #expect(SocketAddress(text, port: 0) == nil) }

  @Test(
    arguments: [
      ("9.255.255.255", true), ("10.0.0.0", false), ("10.255.255.255", false), ("11.0.0.0", true),
      ("0.255.0.1", false),
      ("1.0.0.0", true), ("100.63.255.255", true), ("100.64.0.0", false), ("100.127.255.255", false),
      ("100.128.0.0", true),
      ("127.0.0.1", false), ("169.253.255.255", true), ("169.254.0.1", false), ("172.15.255.255", true),
      ("172.16.0.0", false),
      ("172.31.255.255", false), ("172.32.0.0", true), ("192.0.0.255", false), ("192.0.1.0", true),
      ("192.0.2.1", false),
      ("192.167.255.255", true), ("192.168.0.1", false), ("198.17.255.255", true), ("198.18.0.0", false),
      ("198.19.255.255", false),
      ("198.20.0.0", true), ("223.255.255.255", true), ("224.0.0.0", false), ("255.255.255.255", false),
      ("8.8.8.8", true),
      ("::", false), ("::1", false), ("1fff::1", false), ("2000::1", true), ("2001:1ff::1", false),
      ("2001:200::1", true),
      ("2001:db8::1", false), ("2001:db9::1", true), ("2002::1", false), ("3ffe::1", true),
      ("3fff:fff::1", false),
      ("3fff:1000::1", true), ("4000::1", false), ("fe80::1", false), ("::ffff:8.8.8.8", true),
      ("::ffff:10.0.0.1", false),
      ("64:ff9b::8.8.8.8", true), ("64:ff9b::10.0.0.1", false), ("64:ff9b:1::8.8.8.8", false),
    ] as [(String, Bool)])
  func isPublicOutsideOfTheReservedBlocks(text: String, isPublic: Bool) throws {
    #expect(try #require(SocketAddress(text, port: 0)).isPublic == isPublic)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.255.255", true), ("128.0.0.0", false), ("::1", true), ("::2", false),
  ])
  func theLoopbackIsKnown(text: String, isLoopback: Bool) throws {
    #expect(try #require(SocketAddress(text, port: 0)).isLoopback == isLoopback)
  }

  @Test func aMappedAddressIsTheOneOfIPv4() throws {
    #expect(
      try #require(SocketAddress("::ffff:1.2.3.4", port: 5)).unmapped == SocketAddress("1.2.3.4", port: 5))
    for text in ["1.2.3.4", "::1.2.3.4", "::fffe:1.2.3.4"] {
      let address = try #require(SocketAddress(text, port: 5))
      #expect(address.unmapped == address)
    }
    #expect(
      SocketAddress.loopback().description == "127.0.0.1:0" && SocketAddress.loopback(port: 7).port == 7)
  }

  @Test(
    arguments: [
      ("a.example", nil), ("a_b-1.example", nil), (".example", "has an empty part between its dots"),
      ("a..b", "has an empty part between its dots"), ("a.", "has an empty part between its dots"),
      ("a b", "contains the byte 0x20, which is not allowed in host names"),
      ("a!b", "contains '!', which is not allowed in host names"),
      ("a~b", "contains '~', which is not allowed in host names"),
      ("a\u{7F}b", "contains the byte 0x7F, which is not allowed in host names"),
      ("-a.b", "has the label '-a' which begins or ends with a hyphen"),
      ("a-.b", "has the label 'a-' which begins or ends with a hyphen"),
    ] as [(String, String?)])
  func theFirstFaultOfAHostIsNamed(host: String, text: String?) {
    #expect(HostName.fault(in: Array(host.utf8))?.text == text)
  }

  @Test func aHostHasLimits() {
    func host(_ count: Int) -> [UInt8] {
      (0..<count).map { $0 % 64 == 63 ? UInt8(ascii: ".") : UInt8(ascii: "a") }
    }
    #expect(HostName.fault(in: [UInt8](repeating: 0x61, count: 63)) == nil)
    #expect(
      HostName.fault(in: [UInt8](repeating: 0x61, count: 64))?.text
        == "has a label of 64 characters; the limit is 63")
    #expect(HostName.fault(in: host(253)) == nil)
    #expect(
      HostName.fault(in: host(254))
        == HostName.Fault(range: 0..<254, text: "has 254 characters; the limit is 253"))
    #expect(
      HostName.fault(in: Array("a..".utf8))?.range == 2..<3
        && HostName.fault(in: Array("a.".utf8))?.range == 1..<2)
    #expect(HostName.fault(in: Array("ab.c-".utf8))?.range == 3..<5)
    #expect(
      HostName.isIPv4(Array("1.2".utf8)) && !HostName.isIPv4(Array("1.".utf8))
        && !HostName.isIPv4(Array("1.a".utf8)))
  }

  @Test(arguments: [
    ("/", "/"), ("/a?b", "/a"), ("/?", "/"), ("?a", ""), ("/a?b?c", "/a"), ("/é?x", "/é"),
  ])
  func aPathEndsAtTheQuery(target: String, path: String) {
    #expect(HTTPRequest(authority: "a", target: target).path == path)
  }

  @Test(arguments: [
    ("a:1", "a"), ("A:1", "a"), ("[::A]", "[::a]"), ("[::A]:1", "[::a]"), ("Z", "z"), ("a.b", "a.b"),
    ("", ""), (":1", ""),
  ])
  func aHostIsLowerCaseWithoutItsPort(authority: String, host: String) {
    #expect(HTTPRequest(authority: authority, target: "/").host == host)
  }
}
