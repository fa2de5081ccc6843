import Foundation
import LinkspanCore
import TestSupport
import Testing

/// What `linkspan doctor` says besides the cause: evidence that shows the difference, and remedies that help.
@Suite struct DoctorWordTests {
  typealias Answer = DoctorTests.Answer

  /// Asks a host that serves this, about an app with these entitlements.
  func ask(
    _ origin: @escaping HTTPHandler,
    _ entitlements: String = DoctorTests.entitlements("applinks:example.com"),
    link: String = DoctorTests.link, isTrusted: Bool = true, _ flags: String...
  ) throws -> Answer {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try (isTrusted ? certificate : LocalCertificate()).writeAuthority(to: tool)
    let host = try LocalServer(certificate, origin)
    try tool.write(entitlements, to: "App.entitlements")
    return try DoctorTests.ask(
      tool, port: host.port, cdn: nil, [link, "--app", "App.entitlements"] + flags)
  }

  private func evidence(_ answer: Answer) -> String {
    (answer.cause?["evidence"] as? [String] ?? []).joined(separator: "\n")
  }

  private func remedy(_ answer: Answer) -> String { answer.cause?["remedy"] as? String ?? "" }

  @Test func aRuleGoesWhereTheOthersAre() throws {
    let old = #"{"applinks":{"apps":[],"details":[{"appID":"\#(DoctorTests.app)","paths":[RULES]}]}}"#
    let missing = try ask(DoctorTests.serves(old.replacing("RULES", with: #""/help/*""#)))
    #expect(missing.id == "no-rule")
    #expect(remedy(missing) == "Add a rule to 'paths' of the app's entry:\n\"/shop/*\"")
    let excluded = try ask(DoctorTests.serves(old.replacing("RULES", with: #""NOT /shop/*", "*""#)))
    #expect(excluded.id == "rule-excludes" && remedy(excluded).hasSuffix(":\n\"/shop/*\""))
  }

  @Test func aPageInTheFragmentGetsARuleForFragments() throws {
    let answer = try ask(
      DoctorTests.serves(DoctorTests.file()), link: "https://example.com/#/shop/1")
    #expect(answer.id == "no-rule" && remedy(answer).hasSuffix(##"{"/":"/","#":"/shop/*"}"##))
  }

  @Test(arguments: [
    ("ABCDE12345.com.example.App", "differs in upper and lower case"),
    ("ABCDE12345.com.example.app\u{200B}", "a character too many: U+200B"),
    ("ABCDE12345.com.example.app ", "a character too many: U+0020"),
    ("ABCDE12345/com.example.app", "other punctuation"), ("com.example.app", "has no prefix"),
    ("ZZZZZ99999.com.example.app", "has another prefix"),
  ])
  func aNearNameIsPointedAt(_ name: String, _ words: String) throws {
    let answer = try ask(DoctorTests.serves(DoctorTests.file(name)))
    #expect(answer.id == "app-not-listed" && evidence(answer).contains(words), "\(answer.outcome.output)")
  }

  @Test(arguments: [
    ("example.com", "has no service"), ("applinks:example.com:8443", "port"),
    ("applinks:example.com?mode=debug", "mode"), ("applinks: example.com", "white space"),
    ("applinks:$(DOMAIN)", "build setting"),
  ])
  func anEntryThatDoesNotCountIsExplained(_ entry: String, _ words: String) throws {
    let answer = try ask(
      DoctorTests.serves(DoctorTests.file()), DoctorTests.entitlements(entry))
    #expect(answer.id == "entitlement-host" && evidence(answer).contains(words), "\(answer.outcome.output)")
  }

  @Test func aNameOfAVariableInOtherLettersIsCorrected() throws {
    let answer = try ask(
      DoctorTests.serves(DoctorTests.file(DoctorTests.app, #"{"/":"/$(Lang)/*"}"#)),
      link: "https://example.com/en/x")
    #expect(answer.id == "rule-never-matches" && remedy(answer).contains("$(lang)"))
  }

  @Test func developerModeBelievesAnyCertificate() throws {
    let entitlements = DoctorTests.entitlements("applinks:example.com?mode=developer")
    let file = DoctorTests.serves(DoctorTests.file())
    let developer = try ask(
      file, entitlements, isTrusted: false, "--build", "development", "--developer")
    #expect(developer.json["verdict"] as? String == "opens", "\(developer.outcome.output)")
    let plain = try ask(file, isTrusted: false)
    #expect(plain.id == "tls")
  }

  @Test func aTrackersLinkIsAboutThePageBehindIt() throws {
    let tool = try Tool()
    let certificate = try LocalCertificate(["example.com", "click.example.net"])
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { request in
      if request.host == "example.com" { return FetchTests.json(DoctorTests.file()) }
      guard request.target == "/x?to=1" else { return .text(404, "no") }
      return HTTPResponse(status: 302, fields: ["Location": DoctorTests.link])
    }
    try tool.write(DoctorTests.entitlements("applinks:example.com"), to: "App.entitlements")
    let tracker = ["--resolve", "click.example.net:443:127.0.0.1:\(host.port)"]
    for apps in [[], ["--app", "App.entitlements"]] {
      let answer = try DoctorTests.ask(
        tool, port: host.port, cdn: nil, ["https://click.example.net/x?to=1"] + apps + tracker)
      #expect(answer.id == "redirect-chain" && answer.outcome.status == 2, "\(answer.outcome.output)")
      #expect(answer.json["target"] as? String == "https://click.example.net/x?to=1")
      #expect(evidence(answer).contains("redirects to \(DoctorTests.link)"))
    }
    #expect(host.requests.contains { $0.method == "HEAD" && $0.host == "click.example.net" })
    // A host that redirects its file as well is at fault for that.
    let moved = try LocalServer(certificate) { _ in
      HTTPResponse(status: 301, fields: ["Location": "https://www.example.com/"])
    }
    let redirected = try DoctorTests.ask(tool, port: moved.port, cdn: nil, [DoctorTests.link])
    #expect(redirected.id == "redirect", "\(redirected.outcome.output)")
    // A link that leads nowhere is the fault of its own host.
    let other = try DoctorTests.ask(
      tool, port: host.port, cdn: nil, ["https://click.example.net/y"] + tracker)
    #expect(other.id == "status", "\(other.outcome.output)")
  }

  @Test func aPasswordIsNowhere() throws {
    let secret = "https://user:pa55word@example.com"
    let redirect = HTTPResponse(status: 302, fields: ["Location": secret + "/x"])
    let answer = try ask({ _ in redirect }, link: secret + "/shop/1")
    #expect(answer.id == "redirect" && evidence(answer).contains("302 to https://…@example.com/x"))
    #expect(!answer.outcome.output.contains("pa55word"))
    let absent = try ask(DoctorTests.serves(DoctorTests.file()), link: secret + "/shop/1", "--not-installed")
    #expect(absent.id == "app-not-installed" && !absent.outcome.output.contains("pa55word"))
    let tool = try Tool()
    try tool.write(DoctorTests.file(), to: "file")
    for more in [[], ["--json"]] {
      let outcome = try tool.run(["match", secret + "/shop/1", "--file", "file"] + more)
      #expect(outcome.status == 0 && !outcome.output.contains("pa55word"), "\(outcome.errors)")
    }
    try tool.write(secret + "/shop/1", to: "urls")
    for more in [[], ["--json"]] {
      let outcome = try tool.run(["coverage", "--file", "file", "--urls", "urls"] + more)
      #expect(outcome.output.contains("https://…@example.com/shop/1"), "\(outcome.output)")
      #expect(!outcome.output.contains("pa55word"))
    }
    try LocalCertificate().writeAuthority(to: tool)
    let report = try DoctorTests.ask(
      tool, port: 9, cdn: nil, [secret + "/shop/1", "--html", "-"], json: false)
    #expect(report.outcome.output.contains("…@example.com") && !report.outcome.output.contains("pa55word"))
  }
}
