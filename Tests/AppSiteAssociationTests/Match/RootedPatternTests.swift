import Testing

@testable import AppSiteAssociation

struct RootedPatternTests {
  @Test(arguments: [("/buy", "/buy"), ("buy", "/buy"), ("", "/"), ("*", "/*"), ("//x", "//x")])
  func aPatternHasOneSlashBeforeIt(_ pattern: String, _ rooted: String) {
    #expect(CompiledRule.rooted(pattern) == Array(rooted.utf8))
  }
}
