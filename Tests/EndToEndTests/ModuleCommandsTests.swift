import Foundation
import TestSupport
import Testing

/// The WebAssembly module names every command of the program that it has not, also below `clip`, `push` and `swcutil`.
@Suite struct ModuleCommandsTests {
  private static let groups = ["clip", "push", "swcutil"]
  private static let below = ["clip url", "push lint", "swcutil verify", "swcutil match", "swcutil explain"]

  /// The elements of a list in the module's source, by the text that it begins with.
  private static func list(after start: String) throws -> Set<String> {
    let file = Fixtures.root.appending(path: "WebAssembly/Edge/LinkspanModule/Module.swift")
    let parts = try String(contentsOf: file, encoding: .utf8).split(separator: start)
    let elements = try #require(parts.last?.split(separator: "]").first).split(separator: ",")
    return Set(elements.map { $0.filter { $0.isLetter || " -".contains($0) }.trimmed }.filter { !$0.isEmpty })
  }

  @Test func everyCommandIsInTheModuleOrNamedAsMissing() throws {
    let tool = try Tool()
    let pages = try tool.run("manual").lines.filter { $0.hasPrefix("linkspan-") }
    var expected = Set(pages.map { String($0.dropFirst(9).dropLast(2)) })
    for group in Self.groups {
      let help = try tool.run(group, "--help").output
      let table = try #require(help.split(separator: "Commands:\n").last?.split(separator: "\n\n").first)
      let rows = table.matches(of: #/(?m)^  ([a-z]+)\s/#).map { "\(group) \($0.1)" }
      #expect(!rows.isEmpty, "\(help)")
      expected.formUnion(rows)
    }
    expected.subtract(Self.below)
    let here = try Self.list(after: "commands: [Command] = [")
    #expect(try Self.list(after: "elsewhere = [").union(here) == expected)
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
