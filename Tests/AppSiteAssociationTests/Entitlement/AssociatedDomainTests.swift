import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import Testing

@Suite struct AssociatedDomainTests {
  struct Good: CustomTestStringConvertible, Sendable {
    let text: String
    let service: Service
    let host: String
    var isWildcard = false
    var mode: AssociatedDomain.Mode?
    var testDescription: String { text }
  }

  @Test(arguments: [
    Good(text: "applinks:www.example.com", service: .applinks, host: "www.example.com"),
    Good(text: "webcredentials:example.com", service: .webcredentials, host: "example.com"),
    Good(text: "activitycontinuation:example.com", service: .activitycontinuation, host: "example.com"),
    Good(text: "appclips:example.com", service: .appclips, host: "example.com"),
    Good(text: "applinks:*.example.com", service: .applinks, host: "example.com", isWildcard: true),
    Good(text: "applinks:xn--bcher-kva.example", service: .applinks, host: "xn--bcher-kva.example"),
    Good(
      text: "applinks:example.com?mode=developer", service: .applinks, host: "example.com", mode: .developer),
    Good(
      text: "webcredentials:*.example.com?mode=managed", service: .webcredentials, host: "example.com",
      isWildcard: true, mode: .managed),
    Good(
      text: "applinks:example.com?mode=developer+managed", service: .applinks, host: "example.com",
      mode: .developerAndManaged),
    Good(text: "applinks:Example.COM", service: .applinks, host: "example.com"),
    Good(text: "applinks:my_app.example.com", service: .applinks, host: "my_app.example.com"),
    Good(text: "applinks:1.example", service: .applinks, host: "1.example"),
    Good(text: "applinks:localhost", service: .applinks, host: "localhost"),
  ])
  func readsWhatAppleDocuments(row: Good) throws {
    let entry = try AssociatedDomain(row.text)
    #expect(entry.service == row.service)
    #expect(entry.host == row.host)
    #expect(entry.isWildcard == row.isWildcard)
    #expect(entry.mode == row.mode)
    #expect(entry.text == row.text)
    #expect(try AssociatedDomain(entry.canonicalText).canonicalText == entry.canonicalText)
  }

  struct Bad: CustomTestStringConvertible, Sendable {
    /// The entry with its part at fault between « and ».
    let marked: String
    let kind: AssociatedDomainProblem.Kind
    let source: String
    var severity = Finding.Severity.error
    var message: String?
    var help: String?
    var testDescription: String { marked }

    init(
      _ marked: String, _ kind: AssociatedDomainProblem.Kind, _ source: String,
      _ severity: Finding.Severity = .error, message: String? = nil, help: String? = nil
    ) {
      self.marked = marked
      self.kind = kind
      self.source = source
      self.severity = severity
      self.message = message
      self.help = help
    }
  }

  static let services =
    "The services are 'applinks', 'webcredentials', 'appclips', 'activitycontinuation', 'authsrv'."
  static let ignored = "iOS ignores the entry. "

  static let bad: [Bad] = [
    Bad("«»", .empty, "E1", message: "The entry is empty.", help: "Remove it."),
    // E1: the service.
    Bad(
      "«applink»:example.com", .unknownService, "E1", message: "'applink' is not a service.",
      help: ignored + "Did you mean 'applinks'?"),
    Bad("«Applinks»:example.com", .unknownService, "E1", help: ignored + "Did you mean 'applinks'?"),
    Bad("«app-links»:example.com", .unknownService, "E1", help: ignored + "Did you mean 'applinks'?"),
    Bad("«aplpinks»:example.com", .unknownService, "E1", help: ignored + "Did you mean 'applinks'?"),
    Bad(
      "«webcredential»:example.com", .unknownService, "E1", help: ignored + "Did you mean 'webcredentials'?"),
    Bad("«appclip»:example.com", .unknownService, "E1", help: ignored + "Did you mean 'appclips'?"),
    Bad("«consulting»:example.com", .unknownService, "E1", help: ignored + services),
    Bad(
      "app« »links:example.com", .blank, "E1",
      help: "Entries cannot contain white space. Write 'applinks:example.com'."),
    Bad(
      "«mnl7s.app.link»", .missingService, "E1", message: "'mnl7s.app.link' has no service.",
      help: "iOS ignores the entry, so no link opens the app. Write 'applinks:mnl7s.app.link'."),
    Bad("«example.com»:8080", .missingService, "E1"),
    Bad("«:»example.com", .missingService, "E1"),
    Bad("«applinks»", .emptyHost, "E1", help: "Write 'applinks:' followed by the host."),
    Bad("«applinks:»", .emptyHost, "E1"),
    Bad("«applinks:*.»", .emptyHost, "E1"),
    Bad("«applinks:?mode=developer»", .emptyHost, "E1"),
    // What follows a user's colon is a password, and no port.
    Bad(
      "applinks:«ann:secret@»example.com", .invalidHost, "E1",
      message: "'applinks:…@example.com' names a user.",
      help: "Only a host may follow the service, so the entry is invalid. Write 'applinks:example.com'."),
    Bad("applinks:«ann:secret@»example.com:443", .invalidHost, "E1"),
    // Blanks.
    Bad("applinks:« »example.com", .blank, "E1"),
    Bad("«  »applinks:example.com", .blank, "E1"),
    Bad("applinks:example.com«\n»", .blank, "E1"),
    Bad("applinks:example.com«\u{A0}»", .blank, "E1"),
    // E2: only the host.
    Bad(
      "applinks:«https://»example.com/a", .scheme, "E2",
      message: "'applinks:https://example.com/a' contains a scheme.",
      help: "Only a host may follow the service, so the entry is invalid. Write 'applinks:example.com'."),
    Bad("applinks:«//»example.com", .scheme, "E2"),
    Bad(
      "«https://»example.com", .scheme, "E1",
      help: "An entry is '<service>:<host>'. Write 'applinks:example.com'."),
    Bad(
      "applinks:example.com«/»", .trailingSlash, "E2", message: "'applinks:example.com/' ends in a slash.",
      help: "With the slash, the entry is invalid. Write 'applinks:example.com'."),
    Bad(
      "applinks:example.com«/a/*»", .path, "E2", message: "'applinks:example.com/a/*' contains a path.",
      help:
        "The association file says which pages open the app, not the entitlement. Write 'applinks:example.com'."
    ),
    Bad("applinks:example.com«?id=1»", .query, "E2"),
    Bad("applinks:example.com«?»", .query, "E2"),
    Bad("applinks:example.com«#top»", .fragment, "E2"),
    // E12: modes.
    Bad(
      "applinks:example.com?mode=«develop»", .mode, "E12", message: "'develop' is not a mode.",
      help: "No device accepts the entry. Did you mean 'developer'?"),
    Bad("applinks:example.com?mode=«Developer»", .mode, "E12"),
    Bad(
      "applinks:example.com?mode=«managed+developer»", .mode, "E12",
      help: "No device accepts the entry. Did you mean 'developer+managed'?"),
    Bad(
      "applinks:example.com?mode=«alternate»", .mode, "E12",
      help: "No device accepts the entry. "
        + "The modes are 'developer', 'managed', 'developer+managed'."),
    Bad("applinks:example.com?mode=«»", .mode, "E12"),
    Bad("applinks:example.com?mode=«developer&a=1»", .mode, "E12"),
    // E3 and W9: ports.
    Bad(
      "applinks:example.com«:8080»", .port, "E3", message: "'applinks:example.com:8080' names a port.",
      help: "An entry with a port never opens the app. Write 'applinks:example.com'."),
    Bad("applinks:example.com«:»", .port, "E3"),
    // E4 and W10: wildcards.
    Bad(
      "applinks:«*»my.com", .wildcardPlace, "E4", message: "The '*' in '*my.com' is in the wrong place.",
      help: "'*' can only be the whole first label; App Store Connect rejects any other (ITMS-90046). "
        + "Write 'applinks:*.my.com'."),
    Bad("applinks:*.«*».com", .wildcardPlace, "E4"),
    Bad(
      "applinks:a.«*».com", .wildcardPlace, "E4",
      help: "'*' can only be the whole first label; App Store Connect rejects any other (ITMS-90046). "
        + "Write '*.' before a domain, such as 'applinks:*.example.com'."),
    Bad("applinks:«*»", .wildcardPlace, "E4"),
    Bad(
      "appclips:«*.»example.com", .wildcardAppClip, "E4",
      message: "'appclips:*.example.com' contains a wildcard, which 'appclips' does not support.",
      help: "List every host in its own entry, such as 'appclips:example.com'."),
    // E19.
    Bad(
      "«*»", .onlyStar, "E19", message: "The entry is only '*', so the app claims no domain.",
      help: "Provisioning profiles have '*' for this key. The tool that re-signed the app used the "
        + "profile's entitlements instead of the app's own, so no link opens the app. Re-sign it with the app's own entitlements, which list each domain."
    ),
    // E11 and W12.
    Bad(
      "applinks:«bücher.example»", .notPunycode, "E11",
      message: "The host 'bücher.example' is not written in Punycode.",
      help: "iOS compares hosts in their ASCII form, so the entry never matches. "
        + "Write 'applinks:xn--bcher-kva.example'."),
    Bad(
      "applinks:*.«BÜCHER.example»", .notPunycode, "E11",
      help: "iOS compares hosts in their ASCII form, so the entry never matches. "
        + "Write 'applinks:*.xn--bcher-kva.example'."),
    // A label that says it is Punycode, and is none.
    Bad(
      "applinks:«xn--a.example»", .invalidHost, "E11",
      message: "The host contains U+0080, which is not allowed in host names.",
      help: "No browser makes a URL of it, so 'applinks:xn--a.example' never matches. "
        + "Write the Punycode of the host's name."),
    Bad("webcredentials:*.«www.xn--a»", .invalidHost, "E11"),
    // Hosts.
    Bad("applinks:example..«.»com", .invalidHost, "E1"),
    Bad("applinks:«.»example.com", .invalidHost, "E1"),
    Bad("applinks:example.com«.»", .trailingDot, "E1"),
    Bad(
      "applinks:exam«!»ple.com", .invalidHost, "E1",
      message: "The host contains '!', which is not allowed "
        + "in host names.",
      help: "No such host can exist, so 'applinks:exam!ple.com' never matches."),
    Bad("applinks:«-a».example.com", .invalidHost, "E1"),
    Bad("applinks:«a-».example.com", .invalidHost, "E1"),
    Bad("applinks:user«@»example.com", .invalidHost, "E1"),
    Bad("applinks:«\(String(repeating: "a", count: 64))».example", .invalidHost, "E1"),
    Bad("applinks:«\(String(repeating: "abcdefghi.", count: 25))abcd»", .invalidHost, "E1"),
    Bad("applinks:«192.168.1.1»", .ipAddress, "E1", .warning),
    Bad("applinks:«[::1]»", .ipAddress, "E1", .warning),
    // Placeholders and build settings.
    Bad(
      "applinks:«<YOUR-DOMAIN>»", .placeholder, "E1", message: "'<YOUR-DOMAIN>' is a placeholder.",
      help: "Write the actual host, such as 'applinks:www.example.com'."),
    Bad("applinks:«YOUR_DOMAIN.com»", .placeholder, "E1"),
    Bad("applinks:«{{host}}»", .placeholder, "E1"),
    Bad("applinks:«links.your-domain.com»", .placeholder, "E1"),
    Bad(
      "«applinks:$(DOMAIN)»", .buildSetting, "E1", .note,
      message: "'applinks:$(DOMAIN)' contains a build setting, which Xcode expands.",
      help: "The expanded value cannot be checked here; check the built app."),
    Bad("«$(SERVICE):example.com»", .buildSetting, "E1", .note),
    Bad("«${DOMAINS}»", .buildSetting, "E1", .note),
  ]

  @Test(arguments: bad)
  func explainsWhatAppleDoesNotAllow(row: Bad) {
    let text = row.marked.filter { $0 != "«" && $0 != "»" }
    let before = row.marked.utf8.prefix(while: { $0 != 0xC2 }).count
    do throws(AssociatedDomainProblem) {
      let entry = try AssociatedDomain(text)
      Issue.record("read as \(entry)")
    } catch {
      #expect(error.kind == row.kind)
      #expect(error.source == row.source)
      #expect(error.severity == row.severity)
      if let message = row.message { #expect(error.message == message) }
      if let help = row.help { #expect(error.help == help) }
      let bytes = Array(text.utf8)
      let shown =
        String(decoding: bytes[..<error.range.lowerBound], as: UTF8.self) + "«"
        + String(decoding: bytes[error.range], as: UTF8.self) + "»"
        + String(decoding: bytes[error.range.upperBound...], as: UTF8.self)
      if !row.marked.contains("..") { #expect(shown == row.marked, "\(before)") }
    }
  }

  @Test func acceptsTheLongestHostAndLabel() throws {
    let label = String(repeating: "a", count: 63)
    let host = String(repeating: "abcdefghi.", count: 25) + "abc"
    #expect(host.utf8.count == 253)
    #expect(try AssociatedDomain("applinks:\(label).example").host == "\(label).example")
    #expect(try AssociatedDomain("applinks:" + host).host == host)
  }

  @Test func anEntryOfAnyLengthIsAnsweredAtOnce() throws {
    let distinct = String(String.UnicodeScalarView((0x4E00..<0x9FFF).compactMap { UnicodeScalar($0) }))
    for text in ["applinks:" + distinct, distinct, String(repeating: "applinks:a.", count: 100_000)] {
      let error = #expect(throws: AssociatedDomainProblem.self) { try AssociatedDomain(text) }
      #expect(error?.kind == .tooLong)
    }
    let room = 2048 - "applinks:".utf8.count
    for (length, kind) in [(room, AssociatedDomainProblem.Kind.invalidHost), (room + 1, .tooLong)] {
      let error = #expect(throws: AssociatedDomainProblem.self) {
        try AssociatedDomain("applinks:" + String(repeating: "a", count: length))
      }
      #expect(error?.kind == kind)
    }
  }

  @Test func remarksOnWhatIsAllowedAndOdd() throws {
    func remarks(_ text: String) throws -> [String] {
      try AssociatedDomain(text).remarks.map { "\($0.severity.rawValue) \($0.kind.rawValue): \($0.message)" }
    }
    #expect(try remarks("applinks:example.com") == [])
    #expect(
      try remarks("applinks:*.Example.com") == [
        "note upper-case: The host 'Example.com' has upper-case letters."
      ])
    #expect(
      try remarks("applinks:my_app.example.com") == [
        "warning underscore: The host 'my_app.example.com' contains an underscore."
      ])
    #expect(
      try remarks("applinks:intranet") == [
        "warning single-label: 'intranet' is not a fully qualified domain."
      ])
    #expect(
      try remarks("applinks:*.com") == ["error top-level-wildcard: '*.com' claims every host below 'com'."])
    for host in ["localhost", "printer.local", "wiki.internal"] {
      #expect(
        try remarks("applinks:\(host)") == ["warning local-host: '\(host)' is a local network name."])
      #expect(try remarks("applinks:\(host)?mode=developer") == [])
    }
    for host in ["shop.page.link", "abc12.app.goo.gl"] {
      #expect(
        try remarks("applinks:\(host)") == [
          "warning ended-service: '\(host)' belongs to a service that was shut down."
        ])
    }
    #expect(try remarks("authsrv:example.com") == [])
  }

  @Test(arguments: [
    "YOUR_CUSTOM_DOMAIN", "DYNAMIC_LINK_DOMAIN", "CUSTOM_DOMAIN_HERE", "your-custom-domain.com",
    "YourCompany.com",
  ])
  func placeholdersOfAnySpellingAreErrors(host: String) throws {
    #expect(throws: AssociatedDomainProblem.self) { try AssociatedDomain("applinks:\(host)") }
    for text in ["applinks:\(host)", "applinks:*.\(host)?mode=developer"] {
      #expect(try AssociatedDomain(asDevicesRead: text).host == ASCII.lowercased(host))
    }
  }

  @Test(arguments: ["applinks:<YOUR-DOMAIN>", "applinks:{{host}}", "applinks:your-domain.com:80"])
  func aPlaceholderThatIsNoHostIsNoneToDevices(text: String) {
    #expect(throws: AssociatedDomainProblem.self) { try AssociatedDomain(asDevicesRead: text) }
  }

  /// E1: an entry is one service and one domain.
  @Test(arguments: [
    "applinks:a.com applinks:b.com", "applinks:a.com; b.com", "applinks:a.com, b.com",
    "applinks:a.com,applinks:b.com", "applinks:a.com;b.com", "a.com b.com",
  ])
  func severalHostsInOneEntryAreNotJoined(text: String) throws {
    let problem = try #require(throws: AssociatedDomainProblem.self) { try AssociatedDomain(text) }
    #expect(problem.severity == .error && problem.message.contains("has several hosts"))
    #expect(
      problem.help
        == "An entry has one host. Write one entry for each host: 'applinks:a.com', 'applinks:b.com'.")
  }

  @Test(arguments: [
    ("applinks: example.com", "Write 'applinks:example.com'."),
    ("applinks:www. example.com", "Write 'applinks:www.example.com'."),
    ("applinks:a.com and b.com", "Write one entry for each host."),
    ("applinks:https://a.com, https://b.com", "Write one entry for each host."),
    ("webcredentials:a.com b.com", "'webcredentials:a.com', 'webcredentials:b.com'."),
  ])
  func whatIsWrittenInsteadIsAnEntry(text: String, help: String) throws {
    let problem = try #require(throws: AssociatedDomainProblem.self) { try AssociatedDomain(text) }
    #expect(problem.help.hasSuffix(help), "\(problem.help)")
  }
}
