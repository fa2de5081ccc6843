import Foundation
import Testing

/// Decision 0007 rests on the dynamic linker's preference for a program's own definition.
@Suite struct KeyExchangeBindingTests {
  @Test func gnuTLSTakesTheProgramsKeyExchange() throws {
    let outcome = try Tool().run("--version", environment: ["LD_DEBUG": "bindings", "LD_BIND_NOW": "1"])
    let binding = try #require(
      outcome.errors.split(separator: "\n").first {
        $0.contains("libgnutls") && $0.contains("`nettle_curve25519_mul'")
      })
    #expect(binding.contains("to \(Tool.binary.path) "))
  }
}
