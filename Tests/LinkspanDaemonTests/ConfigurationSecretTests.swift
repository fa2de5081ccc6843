import LinkspanCore
import Testing

@testable import LinkspanDaemon
@testable import ServiceConfiguration

/// Errors in a configuration say where and what, and quote nothing: an address in it may have a password.
@Suite struct ConfigurationSecretTests {
  /// Letters that no word of the configuration has.
  static let canary = "qzQZqz"

  /// A configuration with every key.
  static let whole: [UInt8] = {
    let lines = ConfigurationText.commented.split(separator: "\n").map { line in
      line.contains("// ") && line.contains(": ") && line.hasSuffix(",")
        ? String(line.filter { $0 != "/" || !line.hasPrefix("  // ") }) : String(line)
    }
    return Array(lines.joined(separator: "\n").utf8)
  }()

  private static func error(of bytes: [UInt8]) -> String? {
    do throws(LinkspanError) {
      _ = try ConfigurationFile(SourceText(name: "linkspan.json5", bytes: bytes))
      return nil
    } catch {
      return error.description
    }
  }

  @Test func noPositionIsQuoted() {
    var count = 0
    for piece in [
      Self.canary, "\"\(Self.canary)\"", "\(Self.canary):", " \(Self.canary): 1, ", "\"\(Self.canary)",
    ] {
      for offset in stride(from: piece.utf8.count % 7, through: Self.whole.count, by: 7) {
        var bytes = Self.whole
        bytes.insert(contentsOf: piece.utf8, at: offset)
        guard let error = Self.error(of: bytes) else { continue }
        count += 1
        #expect(!error.lowercased().contains("qz"), "\(error)")
      }
    }
    #expect(count > 300)
  }

  /// Every value in turn gives way to one of another type, and every key to an unknown one.
  @Test(arguments: ["\"\(canary)\"", "[\"\(canary)\"]", "{ \(canary): \"\(canary)\" }", "7"])
  func noValueIsQuoted(_ value: String) {
    for key in ConfigurationKey.server {
      for text in [
        "{ server: { \(key.name): \(value) } }",
        "{ server: { \(key.name): \(key.example), \(key.name): \(value) } }",
      ] {
        let error = Self.error(of: Array(text.utf8)) ?? ""
        #expect(!error.lowercased().contains("qz"), "\(error)")
      }
    }
  }

  @Test(arguments: [
    (#"{ server: { "sites": ["sites"] } }"#, "'sites' belongs beside 'server', not into it."),
    ("{ listen: '127.0.0.1:8443' }", "'listen' belongs into 'server'."),
    ("{ server: { certificates: [{ registry: '\(canary)' }] } }", "'registry' belongs into 'server'."),
  ])
  func saysWhereAKeyBelongs(_ text: String, _ help: String) {
    let error = Self.error(of: Array(text.utf8)) ?? ""
    #expect(error.contains("This is not a key of the configuration.\n  \(help)\n"), "\(error)")
  }

  @Test func saysWhereAndWhatToDo() {
    let text = "{\n  server: { regstry: \"postgres://u:\(Self.canary)@db/x\", listen: 7 },\n}"
    #expect(
      Self.error(of: Array(text.utf8)) == """
        'linkspan.json5' is not a configuration:
        linkspan.json5:2:13: error[configuration.unknown-key]: This is not a key of the configuration.
          Did you mean 'registry'?

        linkspan.json5:2:58: error[configuration.type]: 'listen' is a number; expected a string.
          For example: listen: "127.0.0.1:8443".

        """)
  }
}
