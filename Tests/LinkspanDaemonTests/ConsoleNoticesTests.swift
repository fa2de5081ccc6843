import LinkspanConsole
import LinkspanCore
import Testing

@testable import LinkspanDaemon

/// What every page of the console says beside the hosts.
@Suite struct ConsoleNoticesTests {
  private static let now = WallTime("2026-09-14T08:00:00Z")!

  private static func term(_ file: String, _ hosts: [String], from: Int64, to: Int64) -> CertificateTerm {
    CertificateTerm(
      file: file, hosts: hosts, begins: now.advanced(by: .seconds(from)), ends: now.advanced(by: .seconds(to))
    )
  }

  /// Spec of associated domains, T1 and D2: a device takes nothing over a certificate that has ended or has not begun.
  @Test func aCertificateIsToldWithItsFileNamesAndDates() {
    let year = Int64(365 * 86_400)
    let terms = [
      Self.term("ended.pem", ["a.example", "*.a.example"], from: -year, to: -1),
      Self.term("later.pem", ["b.example"], from: 1, to: year),
      Self.term("soon.pem", ["c.example"], from: -year, to: 1),
      Self.term("good.pem", ["d.example"], from: -year, to: year),
    ]
    let notes = CertificateTerm.notes(on: terms, at: Self.now)
    #expect(
      notes.map(\.text) == [
        "ended.pem: a certificate for a.example, *.a.example expired at \(terms[0].ends),"
          + " so devices refuse what is served with it; renew it and send SIGHUP",
        "later.pem: a certificate for b.example is not valid before \(terms[1].begins), so devices"
          + " refuse what is served with it; use one that is valid now, or correct this machine's clock, and send SIGHUP",
        "soon.pem: warning: a certificate expires at \(terms[2].ends); renew it and send SIGHUP",
      ])
    #expect(notes.map(\.isProblem) == [true, true, false])
  }

  /// T11: 'check' said so of a server whose dry run said nothing.
  @Test func aCertificateThatDevicesRefuseIsAWarning() {
    let year = WallTime(milliseconds: Self.now.milliseconds + 365 * 86_400_000)
    let term = CertificateTerm(
      file: "short.pem", hosts: ["a.example"], begins: Self.now, ends: year,
      refusal: "its RSA key has 1024 bits, fewer than 2048 (T11)", missingIssuer: "CN=R3")
    let notes = CertificateTerm.notes(on: [term], at: Self.now)
    #expect(
      notes.map(\.text) == [
        "short.pem: warning: iOS 13 and later refuse a certificate for a.example, since its RSA key has 1024 bits, fewer than"
          + " 2048 (T11); renew it and send SIGHUP",
        "short.pem: warning: the certificate of its issuer, 'CN=R3', is not behind it, and devices that do not know that one"
          + " refuse what is served with it; put the whole chain into the file, and send SIGHUP",
      ])
    #expect(notes.map(\.isProblem) == [false, false])
    var state = OperatorState.Snapshot()
    state.certificates = [term]
    #expect(
      ServeRun.notices(state, "/nothing", nil, at: Self.now).map(\.text) == [
        "The certificate 'short.pem' is refused by iOS 13 and later: its RSA key has 1024 bits, fewer than 2048 (T11)."
      ])
  }

  /// Devices may know another certificate of an issuer that is not the own one's, as of a root that an older one has signed.
  @Test func anExpiredIntermediateIsAWarning() {
    let year = WallTime(milliseconds: Self.now.milliseconds + 365 * 86_400_000)
    let past = WallTime(milliseconds: Self.now.milliseconds - 1)
    let soon = WallTime(milliseconds: Self.now.milliseconds + 1)
    func term(_ file: String, _ end: WallTime) -> CertificateTerm {
      CertificateTerm(file: file, hosts: [], begins: past, ends: year, othersEnd: end)
    }
    let terms = [term("crossed.pem", past), term("soon.pem", soon), term("good.pem", year)]
    let notes = CertificateTerm.notes(on: terms, at: Self.now)
    #expect(
      notes.map(\.text) == [
        "crossed.pem: warning: a certificate behind the server's own expired at \(past), and devices that know no other of"
          + " that name refuse what is served with it; replace it or take it out, and send SIGHUP",
        "soon.pem: warning: a certificate expires at \(soon); renew it and send SIGHUP",
      ])
    #expect(notes.map(\.isProblem) == [false, false])
    var state = OperatorState.Snapshot()
    state.certificates = terms
    #expect(
      ServeRun.notices(state, "/nothing", nil, at: Self.now).map(\.text) == [
        "The certificate 'crossed.pem' has one behind it that expired on 2026-09-14.",
        "The certificate 'soon.pem' has one behind it that ends on 2026-09-14.",
      ])
  }

  /// One that is kept for old devices hid when the own one ends, in the log, the metric and its alerts.
  @Test func anExpiredIntermediateHidesNothing() {
    let (past, soon) = (Self.now.advanced(by: .seconds(-1)), Self.now.advanced(by: .seconds(86_400)))
    let later = soon.advanced(by: .seconds(86_400))
    func term(_ othersEnd: WallTime?) -> CertificateTerm {
      CertificateTerm(file: "a.pem", hosts: [], begins: past, ends: later, othersEnd: othersEnd)
    }
    #expect(term(past).nextEnd(at: Self.now) == later)
    #expect(term(soon).nextEnd(at: Self.now) == soon)
    #expect(term(nil).nextEnd(at: Self.now) == later)
    let texts = CertificateTerm.notes(on: [term(past)], at: Self.now).map(\.text)
    #expect(texts.count == 2 && texts[0].contains("expires at \(later)"), "\(texts)")
  }

  /// Spec of associated domains, T1: TLS shows the first certificate for a name that none has, and a device refuses it.
  @Test func hostsThatNoCertificateIsForAreNamed() {
    let terms = [
      Self.term("a.pem", ["a.example"], from: -1, to: 60),
      Self.term("b.pem", ["*.b.example", "xn--bcher-kva.example"], from: -1, to: 60),
    ]
    let covered = ["a.example", "www.b.example", "xn--bcher-kva.example", "127.0.0.1", "[::1]"]
    #expect(CertificateTerm.warning(terms, ofHosts: covered) == nil)
    #expect(CertificateTerm.warning([], ofHosts: ["c.example"]) == nil, "what is shown is not known")
    #expect(
      CertificateTerm.warning(terms, ofHosts: covered + ["b.example"])
        == "warning: no certificate is for b.example, so devices refuse what is served there; add one")
    let hosts = ["b.example", "x.www.b.example", "www.a.example", "single", "c.example"]
    let shown = "b.example, x.www.b.example, www.a.example and 2 more"
    #expect(CertificateTerm.hostsWithout(terms, of: hosts) == shown)
    var state = OperatorState.Snapshot()
    (state.hosts, state.certificates) = (hosts, [])
    func notices() -> [String] { ServeRun.notices(state, "/nothing", nil, at: Self.now).map(\.text) }
    #expect(notices().isEmpty)
    let year = Int64(365 * 86_400)
    state.certificates = [Self.term("a.pem", ["a.example"], from: -1, to: year)]
    state.hosts = ["a.example", "c.example"]
    #expect(notices() == ["No certificate is for c.example."])
    // The throwaway one is for all hosts, in several pieces.
    state.certificates = [Self.term("throwaway", ["a.example"], from: -1, to: year)]
    #expect(notices().isEmpty)
  }

  @Test func oneThatAValidOneReplacesIsNoProblem() {
    let year = Int64(365 * 86_400)
    let old = Self.term("old.pem", ["a.example", "b.example"], from: -year, to: -1)
    for (hosts, isProblem) in [(["b.example", "a.example"], false), (["a.example"], true)] {
      let notes = CertificateTerm.notes(
        on: [old, Self.term("new.pem", hosts, from: -1, to: year)], at: Self.now)
      #expect(notes.map(\.isProblem) == [isProblem])
      #expect(notes[0].text.contains("take this one out") == !isProblem, "\(notes[0].text)")
    }
  }

  @Test func theConsoleNamesCertificatesThatAreNotValid() {
    var state = OperatorState.Snapshot()
    let year = Int64(365 * 86_400)
    state.certificates = [
      Self.term("ended.pem", [], from: -year, to: -86_400), Self.term("later.pem", [], from: 60, to: year),
      Self.term("soon.pem", [], from: -year, to: 86_400), Self.term("good.pem", [], from: -year, to: year),
    ]
    #expect(
      ServeRun.notices(state, "/nothing", nil, at: Self.now).map(\.text) == [
        "The certificate 'ended.pem' expired on 2026-09-13.",
        "The certificate 'later.pem' is not valid before 2026-09-14T08:01:00.000Z.",
        "The certificate 'soon.pem' ends on 2026-09-15.",
      ])
  }

  private static func notices(_ registryProblem: String?) -> [String] {
    ServeRun.notices(OperatorState.Snapshot(), "/nothing", registryProblem, at: now).map(\.text)
  }

  /// A form would wait for the lock, and nothing on the page would say why.
  @Test func aRegistryThatTakesNoChangesIsAmongThem() {
    #expect(
      Self.notices("Another process keeps it locked.") == [
        "The registry takes no changes: Another process keeps it locked."
      ])
    #expect(Self.notices(nil).isEmpty)
  }
}
