import Foundation
import Testing

/// An erasure whose bytes cannot be overwritten, as on a full disk.
@Suite("Unfinished erasure", .timeLimit(.minutes(5)))
struct UnfinishedErasureTests {
  private static let store = ["--registry", "sqlite:r.db"]

  /// The devices are gone by then: "nothing was changed" would be wrong, and whoever does not erase again leaves their bytes.
  @Test func isNotToldAsARefusal() throws {
    let tool = try Tool()
    let lines = (0..<8_000).map {
      let token = String(format: "%064x", $0)
      return
        #"{"token":"\#(token)","topic":"com.example.app","environment":"production","alias":"user\#($0)","#
        + #""last_seen_at":"2026-01-01T00:00:00Z"}"#
    }
    try tool.write(lines.joined(separator: "\n"), to: "devices.jsonl")
    #expect(try tool.run(["registry", "import", "devices.jsonl"] + Self.store).status == 0)
    // What lies beyond a megabyte in the file cannot be written.
    let failed = try tool.program(
      "/bin/sh",
      [
        "-c", "trap '' XFSZ; ulimit -f 1000; exec \"$0\" registry erase user7999 --registry sqlite:r.db",
        Tool.binary.path,
      ])
    #expect(failed.status == 2)
    #expect(
      failed.output.contains("The devices are erased, but their bytes are still on the disk."),
      "\(failed.output)")
    #expect(failed.output.contains("Then erase again."))
    #expect(try tool.run(["registry", "count"] + Self.store).output == "7999\n")
    #expect(try tool.run(["registry", "erase", "user7999"] + Self.store).status == 1)
    #expect(try Data(contentsOf: tool.folder.appending(path: "r.db")).range(of: Data("user7999".utf8)) == nil)
  }
}
