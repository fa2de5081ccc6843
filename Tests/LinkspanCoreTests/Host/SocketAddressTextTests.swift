import Glibc
import LinkspanCore
import Testing

/// The texts of addresses are read and written without the system; the system's own functions are the measure.
@Suite struct SocketAddressTextTests {
  /// What the system reads: 4 or 16 bytes, or nil.
  private static func system(_ text: String) -> [UInt8]? {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
    if inet_pton(AF_INET6, text, &v6) == 1 { return withUnsafeBytes(of: v6) { Array($0) } }
    return nil
  }

  private static func systemText(_ octets: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = octets.withUnsafeBytes {
      inet_ntop(octets.count == 4 ? AF_INET : AF_INET6, $0.baseAddress, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test(arguments: [
    "127.0.0.1", "255.255.255.255", "256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.", "", ".", ":", "::", ":::",
    "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4::5:6:7:8", "1:2:3:4:5:6:7:8:9", "1::2::3",
    "::ffff:192.0.2.1", "::192.0.2.1", "1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:7:192.0.2.1", "192.0.2.1::", "::g", "12345::",
    "fe80::1%1", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:", "1:2:3:4:5:6:7:", "FE80::ABCD", " ::1", "::1.2.3", "::01.2.3.4",
  ])
  func textsAreReadAsTheSystemDoes(text: String) {
    #expect(SocketAddress(text, port: 0)?.octets == Self.system(text))
  }

  @Test func drawnAddressesAreReadAndWrittenAsTheSystemDoes() {
    var chance = SeededGenerator(seed: 6)
    for _ in 0..<2_000 {
      let octets = (0..<16).map { _ in [0, 0, 0, 0xFF, UInt8.random(in: 0...255, using: &chance)].randomElement(using: &chance)! }
      let address = SocketAddress(octets: octets, port: 1)
      #expect(address.host == Self.systemText(octets))
      #expect(SocketAddress(address.host, port: 1) == address)
      let short = SocketAddress(octets: Array(octets.prefix(4)), port: 1)
      #expect(short.host == Self.systemText(short.octets))
    }
    let alphabet = Array("0123:::.aF")
    for _ in 0..<20_000 {
      let text = String((0..<Int.random(in: 1...20, using: &chance)).map { _ in alphabet.randomElement(using: &chance)! })
      #expect(SocketAddress(text, port: 0)?.octets == Self.system(text), "\(text)")
    }
  }
}
