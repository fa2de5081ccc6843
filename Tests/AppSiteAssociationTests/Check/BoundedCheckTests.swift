import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import Testing

/// Files that are made to cost much: what is left open is said, and what is refused says its size and the limit.
@Suite struct BoundedCheckTests {
  static func check(_ text: String) -> AssociationChecker.Outcome {
    AssociationChecker.check(AssociationSource(SourceText(name: "file", text)))
  }

  static func file(components: String) -> String {
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.x"],"components":[\#(components)]}]}}"#
  }

  /// What is not read is no work that other files would lack.
  @Test func aFileBeyondTheLimitIsRefusedUnread() {
    let text = "{" + String(repeating: " ", count: 2_000_000) + ",,,}"
    let outcome = Self.check(text)
    #expect(
      outcome.findings.map(\.message) == [
        "The file has \(text.utf8.count) bytes; the limit is 131072 bytes."
      ])
    #expect(outcome.findings.map(\.rule) == ["aasa.size"])
    #expect(
      outcome.notChecked == [
        "the content of file: the file has \(text.utf8.count) bytes; the limit is "
          + "131072 bytes"
      ])
  }

  /// Thousands of patterns with one beginning are compared all the same, since their inner parts differ.
  @Test func patternsThatDifferInsideAreDecided() {
    let rules = (0..<1_500).map { #"{"/":"/p*/\#($0)/*"}"# } + [#"{"/":"/p*/7/x"}"#]
    let outcome = Self.check(Self.file(components: rules.joined(separator: ",")))
    #expect(outcome.notChecked == [])
    #expect(outcome.findings.map(\.rule) == ["aasa.unreachable"])
  }

  /// Patterns that look alike everywhere cost too much, and then only what stands behind a catch-all is told.
  @Test func whatCostsTooMuchIsLeftOpen() {
    let patterns = (0..<120).map { count in
      #"{"/":"/*\#(String(repeating: "a*", count: 100))\#(String(repeating: "?", count: count))b"}"#
    }
    let rules = patterns + [#"{"/":"*"}"#, #"{"/":"/x","exclude":true}"#]
    let outcome = Self.check(Self.file(components: rules.joined(separator: ",")))
    #expect(outcome.notChecked.count <= 1)
    #expect(outcome.findings.contains { $0.rule == "aasa.unreachable" && $0.severity == .error })
  }

  /// Patterns of which each nearly covers the next, so that every pair is compared to its end.
  static func nearlyCovering(_ lengths: [Int]) -> String {
    let patterns = lengths.map { #"{"/":"/*\#(String(repeating: "a", count: $0))b"}"# }
    return file(
      components: (patterns + [#"{"/":"*"}"#, #"{"/":"/x","exclude":true}"#]).joined(separator: ","))
  }

  @Test func beyondTheStepLimitOnlyRulesBehindACatchAllAreFound() {
    let outcome = Self.check(Self.nearlyCovering((301...400).reversed() + [500]))
    #expect(outcome.notChecked.count == 1)
    #expect(outcome.notChecked.first?.contains("20000000") == true)
    // The longest pattern is covered by all before it, and that is left open.
    #expect(outcome.findings.map { "\($0.rule) \($0.severity)" } == ["aasa.unreachable error"])
  }

  @Test func belowTheStepLimitEveryCoveredRuleIsFound() {
    let outcome = Self.check(Self.nearlyCovering((301...310).reversed() + [500]))
    #expect(outcome.notChecked == [])
    #expect(
      outcome.findings.map { "\($0.rule) \($0.severity)" } == [
        "aasa.unreachable note", "aasa.unreachable error",
      ])
  }

  /// Many apps with many entries share their rules.
  @Test func manyAppsAreDecidedAsFew() {
    let apps = (0..<300).map { "ABCDE12345.com.x\($0)" }
    let shared = apps.map { "\"\($0)\"" }.joined(separator: ",")
    let paths = (0..<300).map { #"{"/":"/\#($0)"}"# }.joined(separator: ",")
    let own = apps.map { #"{"appIDs":["\#($0)"],"components":[{"/":"/own"}]}"# }.joined(separator: ",")
    let text = #"{"applinks":{"details":[{"appIDs":[\#(shared)],"components":[\#(paths)]},\#(own)]}}"#
    let source = AssociationSource(SourceText(name: "file", text))
    #expect(AssociationChecker.findings(in: source).filter { $0.severity == .error } == [])
    let matcher = AssociationMatcher(source.content.file!)
    for path in ["/299", "/own"] {
      let url = LinkURL("https://example.com\(path)")
      for app in [apps[0], apps[299]] {
        #expect(matcher.decide(url, app: app, host: HostScope("example.com")).verdict == .match)
        #expect(matcher.trace(url, app: app, host: HostScope("example.com")).decision.verdict == .match)
      }
    }
  }

  @Test func identityProvidersFilesAreNoError() {
    let outcome = Self.check(#"{"authsrv":{"apps":["ABCDE12345.com.example.app"]}}"#)
    #expect(outcome.findings == [])
  }
}
