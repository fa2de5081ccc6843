import HeldURLs
import LinkspanCore
import Testing

/// The hosts of pages, at the edges of what a browser takes (WHATWG URL, 3.5).
@Suite struct HostTests {
  /// Escapes in a host are read first.
  @Test func everyByteIsTakenOrNamed() {
    let refused = Set(" #/:<>?@[\\]^|%".utf8)
    for byte in UInt8.min..<0x80 {
      let digits = (byte < 16 ? "0" : "") + String(byte, radix: 16)
      let url = HeldURL("https://a%\(digits)b.example/")
      let isRefused = byte < 0x20 || byte == 0x7F || refused.contains(byte)
      #expect((url.fault != nil) == isRefused, "\(byte): \(url.text)")
    }
  }

  @Test(
    arguments: [
      ("1.2.3.4", "1.2.3.4"), ("1.2.3", "1.2.0.3"), ("1.2", "1.0.0.2"), ("1", "0.0.0.1"),
      ("0x7F.1", "127.0.0.1"),
      ("017.1", "15.0.0.1"), ("0x", "0.0.0.0"), ("4294967295", "255.255.255.255"),
      ("1.16777215", "1.255.255.255"),
      ("1.2.65535", "1.2.255.255"), ("255.255.255.255", "255.255.255.255"), ("1.2.3.4.", "1.2.3.4"),
      ("a.1b", "a.1b"), ("a.0xg", "a.0xg"), ("1.a", "1.a"),
    ] as [(String, String)])
  func anAddressHasOneForm(host: String, held: String) {
    let url = HeldURL("https://\(host)/")
    #expect(url.text == "https://\(held)/" && url.fault == nil, "\(url.text)")
  }

  @Test(
    arguments: [
      "4294967296", "1.16777216", "1.2.65536", "1.2.3.256", "256.1.1.1", "1.256.1", "1.2.3.4.5", "a.1",
      "1.2.08", "0x1g.1",
      "1..2", "[", "[::1", "[]", "[1]", "[::g]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[::1.2.3.256]",
      "[::1.2.3]",
      "[1:2:3:4:5:6:7:1.2.3.4]", "[12345::]",
    ] as [String])
  func anAddressOutsideIsRefused(host: String) { #expect(HeldURL("https://\(host)/").fault != nil) }

  @Test(
    arguments: [
      ("[::1]", "[::1]"), ("[1:0:0:0:0:0:0:8]", "[1::8]"), ("[A::B]", "[a::b]"),
      ("[::1.2.3.4]", "[::102:304]"),
      ("[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:102:304]"), ("[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"),
      ("[0:0:1:0:0:0:1:1]", "[0:0:1::1:1]"), ("[1:0:0:1:0:0:1:1]", "[1::1:0:0:1:1]"),
    ] as [(String, String)])
  func anAddressOfIPv6HasOneForm(host: String, held: String) {
    #expect(HeldURL("https://\(host)/").text == "https://\(held)/")
  }
}
