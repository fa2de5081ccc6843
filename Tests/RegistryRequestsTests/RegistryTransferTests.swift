import LinkspanCore
import RegistryRequests
import Testing

/// Lines of an export that something else has written.
@Suite("Registry transfer")
struct RegistryTransferTests {
  static let start = #"{"token":"a1a1a1a1a1a1a1a1","topic":"com.example.app","environment":"sandbox""#

  static let refused: [(line: String, message: String)] = [
    ("", "It is not JSON at byte 1."),
    ("[]", "Expected an object."),
    (#"{"topic":"com.example.app"}"#, "'token' is not a device token: it has 0 digits; expected 16 to 512."),
    (start + #","last_seen_at":"yesterday"}"#, "'last_seen_at' is not a time such as 2026-09-14T08:00:00Z."),
    (start + #","ip_address":"a\u0000b"}"#, "'ip_address' is not a text without control characters."),
    (
      start + #","unregistered_reason":7}"#, "'unregistered_reason' is not a text without control characters."
    ),
    (start + #","colour":"red"}"#, "'colour' is not a key of a device."),
    (start + #","badge":2147483648}"#, "Expected an integer from 0 to 2147483647."),
  ]

  @Test(arguments: refused.indices)
  func saysWhatIsWrong(_ index: Int) {
    let row = Self.refused[index]
    let error = #expect(throws: InputProblem.self) { try RegistryTransfer.device(Array(row.line.utf8)) }
    #expect(error?.message == row.message)
  }

  @Test func readsAMinimalLine() throws {
    let device = try RegistryTransfer.device(Array((Self.start + "}").utf8))
    #expect(device.token == "a1a1a1a1a1a1a1a1")
    #expect(device.lastSeenAt.milliseconds == 0)
  }

  @Test func aLineHasALimit() throws {
    let line = Self.start + "," + String(repeating: " ", count: RegistryTransfer.lineLimitBytes) + "}"
    let error = #expect(throws: InputProblem.self) { try RegistryTransfer.device(Array(line.utf8)) }
    #expect(error?.message == "The line is longer than 65536 bytes.")
  }
}
