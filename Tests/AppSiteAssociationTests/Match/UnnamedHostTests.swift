import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import Testing

/// E1: an entry names a fully qualified domain, so that no link to an address, or to a host with a dot at its end, has one.
@Suite struct UnnamedHostTests {
  private static let app = "ABCDE12345.com.example.app"

  @Test(
    arguments: [
      (
        "https://192.168.0.1/abc",
        "its host '192.168.0.1' is an IP address, and an associated domain is a name"
      ),
      ("https://[::1]/abc", "its host '[::1]' is an IP address, and an associated domain is a name"),
      ("https://0x7f.1/abc", "its host '127.0.0.1' is an IP address, and an associated domain is a name"),
      ("https://example.com./abc", "its host 'example.com.' ends in a dot, and no associated domain can"),
      ("https://192.168.0.1.example/abc", nil), ("https://example.c0/abc", nil),
      ("https://1.2.3.x4/abc", nil),
    ] as [(String, String?)])
  func aLinkToAHostThatNoEntryNamesIsNoMatch(url: String, reason: String?) throws {
    let text = #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":"/abc"}]}]}}"#
    let file = try #require(AssociationFile(JSONParser.parse(Array(text.utf8)).root!))
    let matcher = AssociationMatcher(file)
    let link = LinkURL(written: url)
    for scope in [HostScope.exactly(link.host), HostScope("example.com"), HostScope("*.0.0.1")] {
      let isMatch = reason == nil && scope == .exactly(link.host)
      let trace = matcher.trace(link, app: Self.app, host: scope)
      #expect((trace.decision.verdict == .match) == isMatch)
      #expect(matcher.decide(link, app: Self.app, host: scope) == trace.decision)
      var reasoned = ReasonedMatcher(matcher)
      var work = WorkBudget.answer
      let quick = reasoned.trace(link, app: Self.app, host: scope, &work)
      #expect(quick.decision == trace.decision && quick.reason == trace.reason)
      guard let reason else { continue }
      #expect(trace.reason == reason)
      let basis = try #require(matcher.basis(of: trace, link, app: Self.app, host: scope, &work))
      #expect(basis.certainty == .inferred && basis.question == nil)
    }
    #expect((try? AssociatedDomain("applinks:\(link.host)")) == nil || reason == nil)
  }

  private static let hosts: [(String, String?)] = [
    ("a..b.com", "has an empty part between its dots"), (".a.com", "has an empty part between its dots"),
    ("-a.com", "has the label '-a' which begins or ends with a hyphen"),
    ("a.b-.com", "has the label 'b-' which begins or ends with a hyphen"),
    ("a!b.com", "contains '!', which is not allowed in host names"),
    ("\(xs)x.com", "has a label of 64 characters; the limit is 63"),
    ("\(abs)ab.com", "has 255 characters; the limit is 253"),
    ("a_b.com", nil), ("a-b--c.com", nil), ("localhost", nil), ("\(xs).com", nil), ("\(abs)com", nil),
  ]
  private static let xs = String(repeating: "x", count: 63)
  private static let abs = String(repeating: "ab.", count: 83)

  /// What the reader of entries refuses, the matcher refuses too, with the same cause and certainty.
  @Test(arguments: hosts)
  func aHostThatCannotExistIsNamedByNoEntry(host: String, fault: String?) throws {
    let text = #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":"/abc"}]}]}}"#
    let matcher = try AssociationMatcher(#require(AssociationFile(JSONParser.parse(Array(text.utf8)).root!)))
    let link = LinkURL(written: "https://\(host)/abc")
    let scope = HostScope.exactly(link.host)
    let trace = matcher.trace(link, app: Self.app, host: scope)
    #expect((trace.decision.verdict == .match) == (fault == nil))
    #expect(matcher.decide(link, app: Self.app, host: scope) == trace.decision)
    #expect(((try? AssociatedDomain("applinks:\(host)")) != nil) == (fault == nil))
    guard let fault else { return }
    #expect(trace.reason == "no associated domain can name its host '\(host)': it \(fault)")
    var work = WorkBudget.answer
    let basis = try #require(matcher.basis(of: trace, link, app: Self.app, host: scope, &work))
    #expect(basis.certainty == .documented)
  }

  /// E11: what says that it is Punycode and is not is the host of no URL.
  @Test func aLabelThatIsNoPunycodeIsNamedByNoEntry() {
    let fault = "contains U+0080, which is not allowed in host names"
    #expect(AssociatedDomain.unnamed("xn--a.example") == .invalid(fault))
    for host in ["xn--bcher-kva.example", "XN--BCHER-KVA.example", "www.xn--p1ai"] {
      #expect(AssociatedDomain.unnamed(host) == nil)
      #expect((try? AssociatedDomain("applinks:\(host)")) != nil)
    }
  }

  /// What an entry is, is documented; what devices do with such hosts is not.
  @Test(arguments: [
    ("applinks:192.168.0.1", Certainty.inferred), ("applinks:[::1]", .inferred),
    ("applinks:example.com.", .inferred), ("applinks:*.0.0.1", .inferred),
    ("applinks:example.com/a", .documented), ("applinks:example.com:8443", .documented),
  ])
  func howSureItIsThatAnEntryIsSkipped(entry: String, certainty: Certainty) {
    do throws(AssociatedDomainProblem) {
      _ = try AssociatedDomain(entry)
      Issue.record("\(entry) is read")
    } catch {
      #expect(error.certainty == certainty)
    }
  }
}
