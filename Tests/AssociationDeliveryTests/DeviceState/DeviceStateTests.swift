import AssociatedDomains
import AssociationDelivery
import LinkspanCore
import TestSupport
import Testing

/// What a device writes, and what it means (sections 5, 11.2 and 11.3).
@Suite struct DeviceStateTests {
  static let app = "ABCDE12345.com.example.app"

  static func state(_ text: String) -> DeviceState { DeviceStateReader.read(SourceText(name: "a", text)) }

  static func fixture(_ name: String) throws -> DeviceState {
    DeviceStateReader.read(SourceText(name: name, bytes: try Fixtures.bytes("device/\(name)")))
  }

  /// Domain, state and the identifiers of the problems.
  static func answers(_ state: DeviceState) -> [String] {
    DeviceDiagnosis.all(of: state).map { diagnosis in
      ([diagnosis.association.domain, diagnosis.state.rawValue] + diagnosis.problems.map(\.identifier))
        .joined(separator: " ")
    }
  }

  @Test(arguments: [
    ("2023-08-24 10:09:00 +0000", "2023-08-24T10:09:00.000Z"),
    ("2025-01-05 9:03:07 +0000", "2025-01-05T09:03:07.000Z"),
    ("2025-01-05 9:03:07 PM +0000", "2025-01-05T21:03:07.000Z"),
    ("2025-01-05 12:03:07 AM +0000", "2025-01-05T00:03:07.000Z"),
    ("2025-01-05 12:03:07\u{202F}PM +0000", "2025-01-05T12:03:07.000Z"),
    ("2026-11-20 09:00:00.100000+0100", "2026-11-20T08:00:00.000Z"),
    ("2026-11-20T23:30:00-05:30", "2026-11-21T05:00:00.000Z"),
    ("2026-11-20 09:00:00", "2026-11-20T09:00:00.000Z"),
    ("2026-02-30 09:00:00 +0000", nil), ("2025-01-05 13:03:07 PM +0000", nil), ("yesterday", nil), ("", nil),
    ("2026-11-20 09:00:00 CET", nil), ("99999-11-20 09:00:00 +0000", nil),
  ])
  func readsBothFormsOfDates(text: String, moment: String?) {
    #expect(DeviceTime(text).moment.map { "\($0)" } == moment)
  }

  @Test func readsEveryKeyOfAnEntry() throws {
    let state = try Self.fixture("swcutil_show.txt")
    #expect(state.associations.count == 5 && !state.isCut && state.events.isEmpty)
    let first = state.associations[0]
    #expect(first.line == 5 && first.service == "applinks" && first.app == Self.app)
    #expect(first.appVersion == "12.0" && first.domain == "example.com" && first.mode == nil)
    #expect(first.patternCount == 2 && first.flags == [] && first.error == nil && first.retries == nil)
    #expect(first.userApproval == .unspecified && first.siteApproval == .approved)
    #expect(first.others == [])
    let second = state.associations[1]
    #expect(second.mode == "developer" && second.flags == ["developer"] && second.retries == 1)
    #expect(second.error?.causes.map(\.domain) == ["NSCocoaErrorDomain"])
    // The order of the keys has no meaning.
    #expect(state.associations[3].service == "applinks" && state.associations[3].domain == "example.org")
    let setting = try #require(state.settings.first)
    #expect(state.settings.count == 1 && setting.app == "ABCDE12345.com.example.other")
    #expect(setting.service == "applinks" && setting.domain == nil && setting.isEnabled == true)
  }

  @Test(arguments: [0, 1])
  func asManyEntriesAsAreReadCutNothingOff(more: Int) {
    let (limit, isCut) = (DeviceStateReader.entryLimit, more > 0)
    let entries = Self.state(String(repeating: "Domain: a.b\n", count: limit + more))
    #expect(entries.associations.count == limit && entries.isCut == isCut)
    let setting = "{ s = a, a = b, d = c }\n"
    let settings = Self.state(
      "========== SETTINGS ==========\n" + String(repeating: setting, count: limit + more))
    #expect(settings.settings.count == limit && settings.isCut == isCut)
  }

  @Test func saysWhatEachEntryMeans() throws {
    #expect(
      Self.answers(try Self.fixture("swcutil_show.txt")) == [
        "example.com works",
        "example.com notApproved device.not-json",
        "www.example.com notApproved device.no-usable-copy device.late-check",
        "example.org userChoseBrowser device.browser-chosen",
        "*.example.net notChecked device.not-checked",
      ])
    #expect(
      Self.answers(try Self.fixture("swcutil_show-localized.txt")) == [
        "example.com userChoseBrowser device.browser-chosen",
        "www.example.com notApproved device.not-approved device.given-up",
      ])
  }

  static func entry(_ lines: String...) -> String {
    "Service: applinks\nApp ID: \(app)\nDomain: example.com\nSite/Fmwk Approval: denied\n"
      + "Last Checked: 2026-11-20 09:00:00 +0000\n" + lines.joined(separator: "\n")
  }

  static let causes: [(text: String, problem: String, certainty: Certainty)] = [
    (entry(), "not-approved", .documented),
    (
      entry("Error: The operation couldn’t be completed. (SWCErrorDomain error 7.)"), "no-usable-copy",
      .observed
    ),
    (
      entry("Error: Error Domain=NSURLErrorDomain Code=-1001 \"The request timed out.\" UserInfo={}"),
      "no-answer", .inferred
    ),
    (entry("Error: Error Domain=NSURLErrorDomain Code=-1003 \"x\""), "no-such-host", .inferred),
    (entry("Error: Error Domain=NSURLErrorDomain Code=-1009 \"x\""), "offline", .inferred),
    (entry("Error: Error Domain=NSURLErrorDomain Code=-1202 \"x\""), "certificate", .observed),
    (entry("Error: Error Domain=NSURLErrorDomain Code=-1011 \"x\""), "no-connection", .inferred),
    (
      entry(
        "Error: Error Domain=X Code=1 \"x\" UserInfo={NSUnderlyingError=0x1 {Error Domain=SWCErrorDomain Code=7}}"
      ),
      "no-usable-copy", .observed
    ),
    (entry("Error: Error Domain=SWCErrorDomain Code=99 \"x\""), "unknown-error", .inferred),
    (entry("Error: SWCERR00301 Timeout"), "refused-by-cdn", .observed),
    // The log knows more than the entry.
    (
      entry(
        "Error: Error Domain=SWCErrorDomain Code=7 \"x\"",
        "swcd: Domain: example.com denied because the CDN told us to stop with HTTP status 404: SWCERR00202 x"
      ),
      "refused-by-cdn", .observed
    ),
  ]

  /// R1: after about eight attempts the device waits for its regular check.
  @Test(arguments: [(0, false), (1, false), (7, false), (8, true), (9, true)])
  func manyFailuresAreToldApart(retries: Int, isGivenUp: Bool) {
    let state = Self.state(Self.entry("Retries: \(retries)"))
    #expect(state.associations.first?.retries == retries)
    #expect((Self.answers(state).first?.contains("device.given-up") == true) == isGivenUp)
  }

  /// V1: a check that is repeated within a day is no news.
  @Test(arguments: [
    ("2026-11-21 08:59:59 +0000", false), ("2026-11-21 09:00:00 +0000", false),
    ("2026-11-21 09:00:01 +0000", true),
  ])
  func aNextCheckWithinADayIsNoProblem(next: String, isLate: Bool) {
    let state = Self.state(Self.entry("Next Check: \(next)"))
    #expect(state.associations.first?.nextCheck?.moment != nil)
    #expect((Self.answers(state).first?.contains("device.late-check") == true) == isLate)
  }

  @Test(arguments: [(1, 1), (16, 16), (17, 16)])
  func sixteenCausesOfAnErrorAreRead(count: Int, read: Int) {
    let nested = (0..<count).map { "Error Domain=A Code=\($0) {" }.joined()
    #expect(DeviceError(nested).causes.map(\.code) == Array(0..<read))
    let told = (0..<count).map { "Not done. (A error \($0).) " }.joined()
    #expect(DeviceError(told).causes.map(\.code) == Array(0..<read))
  }

  @Test(
    arguments: [
      ("(A error 7.)", ["A 7"]), ("(A error 7.) (A error 7.)", ["A 7"]), ("(A error)", []),
      ("(A fault 7)", []),
      ("(A error x)", []), ("Domain=A Code=-1", ["A -1"]), ("Domain=A  Code=5", ["A 5"]),
      ("Domain=A Code=", []),
      ("Domain=A, and then Code=5", []), ("Code=5", []), ("", []),
      ("Domain=A Code=1 (A error 1.) (B error 2.)", ["A 1", "B 2"]),
    ] as [(String, [String])])
  func anErrorSaysItsCauses(text: String, causes: [String]) {
    #expect(DeviceError(text).causes.map { "\($0.domain) \($0.code)" } == causes)
  }

  /// Lines of twenty signs or more stand between the parts and the entries.
  @Test(arguments: [("-", 20, true), ("-", 19, false), ("=", 20, true), ("=", 19, false)])
  func aLineOfSignsEndsAnEntry(sign: String, count: Int, isEnd: Bool) {
    let line = String(repeating: sign, count: count)
    let state = Self.state(Self.entry() + "\n" + line + "\nApp Version: 12.0\n")
    #expect((state.associations.first?.appVersion == nil) == isEnd)
  }

  @Test(arguments: causes) func namesTheCause(text: String, problem: String, certainty: Certainty) throws {
    let diagnosis = try #require(DeviceDiagnosis.all(of: Self.state(text)).first)
    #expect(diagnosis.problems.first?.identifier == "device." + problem)
    #expect(diagnosis.problems.first?.certainty == certainty)
  }

  @Test(arguments: [
    ("example.com?mode=developer", "", ["not-checked", "developer-mode-off"]),
    ("example.com?mode=developer", "developer", ["not-checked"]),
    ("example.com?mode=managed", "managed", ["not-checked", "managed"]),
  ])
  func modesCountOnSomeDevicesOnly(domain: String, flags: String, problems: [String]) throws {
    let state = Self.state("Service: applinks\nApp ID: a\nDomain: \(domain)\nFlags: \(flags)\n")
    let diagnosis = try #require(DeviceDiagnosis.all(of: state).first)
    #expect(diagnosis.problems.map(\.identifier) == problems.map { "device." + $0 })
  }

  @Test(
    arguments: [
      (app, nil, nil), (app, "example.com", nil),
      (
        app, "example.edu",
        "The device has no entry for \(app) and 'example.edu'; its entries are for *.example.net, example.com, example.org, "
          + "www.example.com."
      ),
      (
        "ZZZZZ12345.com.example.app", nil,
        "The device has no entry for ZZZZZ12345.com.example.app, but one for \(app), which has a different prefix."
      ),
      ("ABCDE12345.com.example.none", nil, "The device has no entry for ABCDE12345.com.example.none."),
    ] as [(String, String?, String?)])
  func saysThatAnAppIsMissing(app: String, domain: String?, message: String?) throws {
    let state = try Self.fixture("swcutil_show.txt")
    #expect(DeviceDiagnosis.absence(of: app, domain: domain, in: state)?.message == message)
  }

  @Test func readsTheLog() throws {
    let events = try Self.fixture("swcd.log").events
    #expect(events.map(\.line) == [1, 2, 3, 4, 5, 6, 8])
    #expect(
      events.map(\.kind) == [
        .download(route: "cdn"), .download(route: "cdn"),
        .refusedByCDN(status: 404, reason: "SWCERR00101 Bad HTTP Response: 403 Forbidden"),
        .redirectRefused(
          from: "https://example.net/.well-known/apple-app-site-association", to: "http://example.net/login"),
        .download(route: ".wk"), .certificateRefused(code: -6754),
        .added(service: "applinks", app: Self.app),
      ])
    #expect(
      events.map(\.domain) == [
        "www.example.com", "www.example.com", "www.example.com", "example.net", "dev.example.com",
        "dev.example.com", "example.com",
      ])
    #expect(events[0].time?.moment.map { "\($0)" } == "2026-11-20T08:00:00.000Z")
  }

  @Test func toleratesOtherLineEndsUnknownKeysAndCutEntries() throws {
    let crlf = Self.state("Service: applinks\r\nApp ID: a\r\nDomain: b.c\r\nSomething New: 5\r\n")
    #expect(crlf.associations.first?.domain == "b.c")
    #expect(crlf.associations.first?.others == ["Something New"])
    let twice = Self.state("Service: applinks\nApp ID: a\nService: webcredentials\nApp ID: b\n")
    #expect(twice.associations.map(\.app) == ["a", "b"])
    let folded = Self.state("Service: applinks\nPatterns: {\"/\":\n  \"/a\"}\nDomain: b.c")
    #expect(folded.associations.first?.patternCount == 1)
    #expect(Self.state("").isEmpty && Self.state("Dear reader: hello\n\nBest: me").isEmpty)
  }

  /// Whatever bytes come: no crash, and every problem says what to do.
  @Test(arguments: ["swcutil_show.txt", "swcutil_show-localized.txt", "swcd.log"])
  func mutatedFilesAreReadAllTheSame(name: String) throws {
    let original = try Fixtures.bytes("device/\(name)")
    let words = [
      "\r\n", "Service:", "====", "----", "{ s = ", "Error Domain=", "Code=", "(", "SWCERR", "'", "+",
    ]
    for seed in UInt64(0)..<300 {
      var generator = SeededGenerator(seed: seed)
      var bytes = original
      for _ in 0..<generator.draw(1...8) {
        let place = Int(generator.draw(0...Int64(bytes.count - 1)))
        switch generator.draw(0...3) {
        case 0: bytes[place] = UInt8(generator.draw(0...255))
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int(generator.draw(1...40))))
        case 2: bytes.insert(contentsOf: words[Int(generator.draw(0...10))].utf8, at: place)
        default: bytes.removeLast(bytes.count - place)
        }
        if bytes.isEmpty { bytes = [0x20] }
      }
      let state = DeviceStateReader.read(SourceText(name: "\(seed)", bytes: bytes))
      for diagnosis in DeviceDiagnosis.all(of: state) {
        #expect(diagnosis.problems.isEmpty == (diagnosis.state == .works), "seed \(seed)")
        #expect(
          diagnosis.problems.allSatisfy { !$0.help.isEmpty && $0.message.hasSuffix(".") }, "seed \(seed)")
      }
    }
  }

  @Test func everyBeginningIsRead() throws {
    let bytes = try Fixtures.bytes("device/swcutil_show.txt")
    for length in bytes.indices {
      let state = DeviceStateReader.read(SourceText(name: "a", bytes: Array(bytes[..<length])))
      #expect(DeviceDiagnosis.all(of: state).count == state.associations.count)
    }
  }
}
