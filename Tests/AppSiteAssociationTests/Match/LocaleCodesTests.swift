import Testing

@testable import AppSiteAssociation

/// The lists behind `$(region)` and `$(lang)` (S4).
@Suite struct LocaleCodesTests {
  @Test func regionsAndLanguagesAreComplete() {
    #expect(LocaleCodes.regions.count == 257 && Set(LocaleCodes.regions).count == 257)
    #expect(LocaleCodes.languages.count == 631 && Set(LocaleCodes.languages).count == 631)
    #expect(LocaleCodes.regions.allSatisfy { $0.utf8.count == 2 } && !LocaleCodes.regions.contains("UK"))
    #expect(LocaleCodes.languages.allSatisfy { (2...3).contains($0.utf8.count) })
  }
}
