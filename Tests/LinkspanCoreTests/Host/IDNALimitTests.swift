import LinkspanCore
import Testing

/// Hosts with letters beyond ASCII, at the limits of what is read of them.
@Suite struct IDNALimitTests {
  private static func reason(_ host: String) -> String? {
    do throws(IDNA.Fault) {
      _ = try IDNA.ascii(host)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func aHostHasALength() {
    let label = "\u{E9}." + String(repeating: "a.", count: 2_046)
    #expect(Self.reason(label + "a") == nil && (label + "a").utf8.count == 4_096)
    #expect(Self.reason(label + "aa") == "has more than 4096 bytes")
    // What has no such letter is not held to it.
    #expect(Self.reason(String(repeating: "a", count: 5_000)) == nil)
  }

  /// The first letter beyond ASCII is one.
  @Test func aControlBeyondASCIIIsNoName() {
    #expect((try? IDNA.ascii("a\u{80}")) != "a\u{80}")
    #expect((try? IDNA.ascii("\u{E9}.B")) == "xn--9ca.b")
  }
}
