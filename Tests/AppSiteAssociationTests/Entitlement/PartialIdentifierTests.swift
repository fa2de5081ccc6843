import AppSiteAssociation
import AssociatedDomains
import Testing

/// J5: which app of an association file an unsigned one can be.
@Suite struct PartialIdentifierTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var prefix: String?
    var bundle: String?
    let fits: [String]
    let not: [String]
    var testDescription: String { "\(prefix ?? "?").\(bundle ?? "?")" }
  }

  @Test(arguments: [
    Row(fits: ["ABCDE12345.a.b", "X.a"], not: ["ABCDE12345", "ABCDE12345."]),
    Row(prefix: "ABCDE12345", fits: ["ABCDE12345.a.b"], not: ["QWERT12345.a.b"]),
    Row(bundle: "a.b", fits: ["ABCDE12345.a.b"], not: ["ABCDE12345.a.bc", "ABCDE12345.a.B"]),
    Row(bundle: "$(PRODUCT_BUNDLE_IDENTIFIER)", fits: ["ABCDE12345.a.b"], not: []),
    Row(bundle: "${ID}.Clip", fits: ["ABCDE12345.a.Clip"], not: ["ABCDE12345.a", "ABCDE12345.Clip"]),
    Row(
      bundle: "a.$(X).b.$(Y)", fits: ["ABCDE12345.a.1.b.2", "ABCDE12345.a..b."],
      not: ["ABCDE12345.a.b", "ABCDE12345.c.1.b.2"]),
    Row(bundle: "a$(X)aa", fits: ["ABCDE12345.aaa"], not: ["ABCDE12345.aa"]),
    Row(bundle: "a.$(X", fits: ["ABCDE12345.a.$(X"], not: ["ABCDE12345.a.b"]),
  ])
  func fits(row: Row) {
    let partial = PartialIdentifier(prefix: row.prefix, bundle: row.bundle)
    for identifier in row.fits { #expect(partial.fits(identifier), "\(identifier)") }
    for identifier in row.not { #expect(!partial.fits(identifier), "\(identifier)") }
  }

  @Test func onlyOneThatFitsIsAssumed() {
    let apps = ["ABCDE12345.a.b", "QWERT12345.a.b", "ABCDE12345.a.b"]
    let known = PartialIdentifier(prefix: "ABCDE12345", bundle: "c.d")
    #expect(known.resolved(among: apps) == .known("ABCDE12345.c.d"))
    #expect(PartialIdentifier(prefix: "ABCDE12345").resolved(among: apps) == .assumed(apps[0]))
    #expect(PartialIdentifier(bundle: "a.b").resolved(among: apps) == .ambiguous([apps[0], apps[1]]))
    #expect(PartialIdentifier(bundle: "a.c").resolved(among: apps) == .unknown)
    #expect(PartialIdentifier(bundle: "a.c").standIn(named: "app") == "??????????.a.c")
    #expect(PartialIdentifier(prefix: "ABCDE12345", bundle: "$(X)").standIn(named: "app") == "ABCDE12345.app")
  }
}
