import AppClips
import HeldURLs
import LinkspanCore
import Testing

/// Which experience a URL opens (AC15, AC16, AC21 to AC24).
@Suite struct InvocationTests {
  static let text = """
    {
      app: { bundle_id: "com.example.app", name: "Example", store_id: 123456789 },
      clip: { bundle_id: "com.example.app.Clip", minimum_os: "15.0", domains: ["example.com"] },
      default: { subtitle: "Order ahead", action: "OPEN", website: "https://example.com" },
      demo: "https://appclip.apple.com/demo?d=7",
      advanced: [
        { url: "https://example.com/shop", title: "Shop", subtitle: "Buy", action: "VIEW" },
        { url: "https://example.com/shop/berlin", title: "Berlin" },
      ],
      testflight: [{ title: "One", url: "https://example.com/test" }],
    }
    """
  static let file = ExperienceFile(SourceText(name: "experiences.json5", text))

  static func invoke(
    _ url: String, _ entrance: Entrance = .qr, os: ClipRelease? = nil, hasApp: Bool = false,
    last: String? = nil,
    in file: ExperienceFile = file
  ) -> Invocation {
    var device = Invocation.Device()
    device.release = os
    device.hasApp = hasApp
    device.lastURL = last
    return Invocation(url, entrance, device, in: file)
  }

  /// AC1, where the file names both.
  @Test(arguments: [
    ("com.example.app.Clip", []), ("com.example.appClip", ["clip.identifier"]),
    ("com.example.app.", ["clip.identifier"]), ("com.example.app", ["clip.identifier"]),
  ])
  func theClipIsOfTheApp(clip: String, rules: [String]) {
    let text = Self.text.replacing("com.example.app.Clip", with: clip)
    #expect(ExperienceFile(SourceText(name: "a", text)).findings.map(\.rule) == rules)
  }

  @Test func aLanguageIsAText() {
    let text =
      "{ clip: { bundle_id: \"a.b\" }, default: {}, advanced: [{ url: \"https://a.example/\", title: \"A\", default_language: 7 }] }"
    let findings = ExperienceFile(SourceText(name: "a", text)).findings
    #expect(findings.map(\.rule) == ["experiences.type"], "\(findings)")
  }

  @Test func theSampleIsRight() { #expect(Self.file.findings.isEmpty, "\(Self.file.findings)") }

  @Test(arguments: [
    ("https://example.com/shop/berlin/1", "https://example.com/shop/berlin"),
    ("https://example.com/shop/bonn", "https://example.com/shop"),
    ("https://EXAMPLE.com:443/shop?a=1", "https://example.com/shop"),
    ("https://example.com/other", "https://example.com"),
  ])
  func theLongestPrefixCounts(_ url: String, _ registered: String) {
    let answer = Self.invoke(url)
    #expect(answer.experience?.address.text == registered)
    #expect(answer.receiver == .clip)
    // What a device holds of it, as for universal links.
    #expect(answer.received == HeldURL(url).text)
    #expect(answer.findings.isEmpty)
  }

  /// Behind one slash a browser finds a host too, but nobody sees what stands before its '@'.
  @Test(arguments: [
    ("https://example.com/a", true), ("https:/example.com/a", true), ("https://u:p@example.com/a", true),
    ("https:/u:p@example.com/a", false), ("https:u:p@example.com/a", false),
    ("https:///u:p@example.com/a", false), ("example.com/a", false), ("https://", false),
    ("https://example.com:65535/a", true), ("https://example.com:65536/a", false),
  ])
  func credentialsStandBehindTwoSlashes(_ url: String, isAddress: Bool) {
    #expect((ClipAddress(url) != nil) == isAddress)
  }

  /// E11: a host with other letters and its Punycode are one host, in the URL and where it is registered.
  @Test(arguments: [
    "https://bücher.example/a", "https://xn--bcher-kva.example/a", "https://B%C3%BCcher.example/a",
  ])
  func aHostIsReadAsDevicesReadIt(_ url: String) {
    for (host, domain) in [("bücher", "xn--bcher-kva"), ("xn--bcher-kva", "xn--bcher-kva")] {
      let text = Self.text.replacing("example.com", with: "\(host).example")
        .replacing("domains: [\"\(host).", with: "domains: [\"\(domain).")
      let file = ExperienceFile(SourceText(name: "e", text))
      #expect(file.findings.isEmpty, "\(file.findings)")
      let answer = Self.invoke(url, in: file)
      #expect(answer.receiver == .clip)
      #expect(answer.received == "https://xn--bcher-kva.example/a")
      #expect(Self.invoke("https://bücher.example/test", .testFlight, in: file).receiver == .clip)
    }
  }

  /// E3, M3: no associated domain can name a port.
  @Test(arguments: [
    "https://example.com:8443/shop", "https://example.com:8443/", "https://example.com:80/shop",
    "https://appclip.apple.com:8443/id?p=com.example.app.Clip",
  ])
  func aPortOpensNoClip(_ url: String) {
    let answer = Self.invoke(url)
    #expect(answer.receiver == .none && answer.reasons.last?.source == "E3", "\(answer.reasons)")
    #expect(Self.invoke("https://example.com:8443/test", .testFlight).receiver == .none)
  }

  /// AC6: what `clip card` says of the host.
  @Test func aHostThatIsNotClaimedOpensNoClip() {
    let file = ExperienceFile(
      SourceText(
        name: "e", Self.text.replacing("domains: [\"example.com\"]", with: "domains: [\"bücher.example\"]")))
    #expect(file.clip.domains == [])
    #expect(file.findings.map(\.rule).contains("entitlement.not-punycode"))
    #expect(Self.invoke("https://example.com/shop", in: file).reasons.last?.source == "AC6")
    #expect(Self.invoke("https://example.com/other", in: file).receiver == .none)
    #expect(Self.invoke("https://example.com/shop", .xcode, in: file).receiver == .clip)
  }

  /// A password is part of what the code receives, and of no answer.
  @Test func aPasswordIsNotShown() {
    let url = "https://ann:geheim@example.com/shopping"
    for file in [
      Self.file,
      ExperienceFile(SourceText(name: "e", Self.text.replacing("//example", with: "//ann:geheim@example"))),
    ] {
      let answer = Self.invoke(url, in: file)
      #expect(answer.receiver == .clip && answer.received == url)
      #expect(answer.json.text.contains("https://…@example.com/shopping"))
      #expect(!answer.json.text.contains("geheim"), "\(answer.json.text)")
      #expect(!file.findings.map { $0.text() }.joined().contains("geheim"))
    }
    for start in ["https:", "https:/", "https:///", "HTTPS:\\\\"] {
      #expect(Self.invoke(start + "example.com/shop").receiver == .clip)
      let answer = Self.invoke(start + "ann:geheim@example.com/shop")
      #expect(answer.receiver == .none && !answer.json.text.contains("geheim"), "\(answer.json.text)")
    }
    #expect(Self.invoke("ftp://ann:geheim@example.com").reasons.first?.text.contains("geheim") == false)
  }

  @Test func anotherHostIsNeverTaken() {
    for url in [
      "https://example.com.evil.org/shop", "https://example.org/shop", "http://example.com/shop", "mailto:a",
    ] {
      #expect(Self.invoke(url).receiver == .none, "\(url)")
    }
  }

  static let boundaries: [(url: String, characters: String?, segments: String?, normalized: String?)] = [
    (
      "https://example.com/shopping", "https://example.com/shop", "https://example.com", "https://example.com"
    ),
    (
      "https://example.com/Shop/berlin", "https://example.com", "https://example.com",
      "https://example.com/shop/berlin"
    ),
    (
      "https://example.com/shop/%62erlin", "https://example.com/shop", "https://example.com/shop",
      "https://example.com/shop/berlin"
    ),
  ]

  @Test(arguments: boundaries)
  func anUndocumentedBoundaryIsAWarning(_ url: String, _ one: String?, _ two: String?, _ three: String?) {
    let answer = Self.invoke(url)
    #expect(answer.findings.map(\.rule) == ["clip.prefix-boundary"])
    #expect(answer.readings == [.characters: one, .segments: two, .normalized: three])
  }

  /// AC15: the website's default experience is what is left where no registered URL fits.
  @Test func aReadingNamesTheExperienceThatItLeaves() throws {
    let help = try #require(Self.invoke("https://example.com/Shop/berlin").findings.first?.help)
    #expect(
      help.hasPrefix(
        "Read character by character: website https://example.com; at the end of a word only: website "
          + "https://example.com; without case, encoding, last slash and order: advanced "
          + "https://example.com/shop/berlin. "), "\(help)")
    // An App Clip Code opens no default experience.
    let code = Self.invoke("https://example.com/Shop/berlin", .appClipCode)
    #expect(
      code.readings == [.characters: nil, .segments: nil, .normalized: "https://example.com/shop/berlin"])
  }

  /// Section 9.1: the entrance, then the kinds that it opens.
  static let entrances: [(entrance: Entrance, kinds: [Bool])] = [
    (.banner, [false, true, false, true]), (.messages, [true, true, true, true]),
    (.qr, [true, true, true, true]),
    (.nfc, [true, true, true, true]), (.appClipCode, [false, false, true, true]),
    (.maps, [false, false, false, true]), (.spotlight, [true, true, true, true]),
    (.richLink, [true, true, true, true]), (.otherApp, [true, true, true, false]),
  ]

  @Test(arguments: entrances) func everyEntranceOpensItsKinds(_ entrance: Entrance, _ kinds: [Bool]) {
    let urls = [
      "https://appclip.apple.com/id?p=com.example.app.Clip&key=1", "https://example.com/a",
      "https://appclip.apple.com/demo?d=7", "https://example.com/shop",
    ]
    let own: [Experience.Kind] = [.standard, .website, .demo, .advanced]
    let opened = zip(urls, own).map { Self.invoke($0, entrance).experience?.kind == $1 }
    #expect(opened == kinds)
  }

  /// AC15: from another app an advanced experience does not open, and the default one of its website does.
  @Test func anEntranceWithoutAdvancedExperiencesOpensTheWebsites() {
    let answer = Self.invoke("https://example.com/shop/berlin", .otherApp)
    #expect(answer.receiver == .clip && answer.experience?.kind == .website, "\(answer.reasons)")
    #expect(answer.received == "https://example.com/shop/berlin" && answer.findings.isEmpty)
    let alone = ExperienceFile(
      SourceText(name: "e", Self.text.replacing(", website: \"https://example.com\"", with: "")))
    #expect(Self.invoke("https://example.com/shop", .otherApp, in: alone).reasons.last?.source == "AC15")
    #expect(Self.invoke("https://example.com/shop", .otherApp, in: alone).receiver == .none)
  }

  @Test(arguments: [
    ("17", "iOS 17.0"), ("ios:16.4.1", "iOS 16.4"), ("+17", nil), ("17.+2", nil), ("17.", nil), ("", nil),
    ("-1", nil),
  ])
  func aReleaseHasDigitsAndDots(_ text: String, _ release: String?) {
    #expect(ClipRelease(text)?.description == release)
  }

  @Test func appleLinksNeedTheirRelease() {
    let link = "https://appclip.apple.com/id?p=com.example.app.Clip"
    #expect(Self.invoke(link, os: ClipRelease("16.3")).receiver == .none)
    #expect(Self.invoke(link, os: ClipRelease("16.4")).receiver == .clip)
    #expect(Self.invoke(link, .otherApp, os: ClipRelease("16.4")).receiver == .none)
    #expect(Self.invoke(link, .otherApp, os: ClipRelease("17.0")).receiver == .clip)
    #expect(Self.invoke("https://appclip.apple.com/id?p=com.example.other").receiver == .none)
    #expect(Self.invoke("https://example.com/shop", os: ClipRelease("14.5")).receiver == .none)
  }

  /// Section 8: what the code is given.
  static let deliveries: [(entrance: Entrance, received: String?, hasCard: Bool)] = [
    (.qr, "https://example.com/shop/9", true), (.maps, "https://example.com/shop", true),
    (.siri, "https://example.com/shop", true), (.appLibrary, "https://example.com/last", false),
    (.spotlight, "https://example.com/last", true), (.notification, nil, false), (.appSwitcher, nil, false),
    (.xcode, "https://example.com/shop/9", false),
  ]

  @Test(arguments: deliveries)
  func whatTheCodeReceives(_ entrance: Entrance, _ received: String?, _ hasCard: Bool) {
    let answer = Self.invoke("https://example.com/shop/9", entrance, last: "https://example.com/last")
    #expect(answer.received == received)
    #expect((answer.card != nil) == hasCard)
  }

  /// AC15; a run from Xcode brings what the scheme says (AC21).
  @Test func aDemoLinkBringsNoParameters() {
    let link = "https://appclip.apple.com/demo?d=7&x=1"
    #expect(Self.invoke(link).received == "https://appclip.apple.com/demo")
    let run = Self.invoke(link, .xcode, os: ClipRelease("16.0"))
    #expect(run.receiver == .clip && run.received == link)
    let standard = "https://appclip.apple.com/id?p=com.example.app.Clip"
    #expect(Self.invoke(standard, .xcode, os: ClipRelease("16.0")).received == standard)
  }

  /// AC22: what opens a clip again has no URL, and the App Library the last one.
  @Test(arguments: Entrance.allCases.filter { $0.opensAgain })
  func aClipIsOpenedAgainWithoutAURL(_ entrance: Entrance) {
    var device = Invocation.Device()
    device.lastURL = "https://example.com/last"
    let answer = Invocation(again: entrance, device, in: Self.file)
    #expect(answer.receiver == .clip && answer.card == nil && answer.experience == nil)
    #expect(answer.received == (entrance == .appLibrary ? "https://example.com/last" : nil))
    #expect(answer.json.text.contains(#""url":null"#) && answer.reasons.allSatisfy { $0.source == "AC22" })
    device.release = ClipRelease("14.5")
    #expect(Invocation(again: entrance, device, in: Self.file).receiver == .none)
    device.hasApp = true
    #expect(Invocation(again: entrance, device, in: Self.file).receiver == .app)
  }

  @Test func theInstalledAppTakesTheClipsPlace() {
    let answer = Self.invoke("https://example.com/shop", hasApp: true)
    #expect(answer.receiver == .app)
    #expect(answer.card == nil)
    #expect(answer.reasons.last?.source == "AC23")
    // What the clip needs does not matter then: its release, and that it is released.
    #expect(Self.invoke("https://example.com/shop", os: ClipRelease("14.0"), hasApp: true).receiver == .app)
    let none = Self.invoke("https://example.org/", hasApp: true)
    #expect(none.receiver == .none && none.reasons.last?.source == "AC23")
  }

  @Test func localExperiencesGoFirst() {
    let file = ExperienceFile(
      SourceText(
        name: "e",
        Self.text.replacing(
          "testflight:", with: "local: [{ url: \"https://example.com/shop\", title: \"Mine\" }], testflight:")
      ))
    #expect(Self.invoke("https://example.com/shop/berlin", in: file).card?.title == "Mine")
  }

  @Test func testFlightOpensItsOwnOnly() {
    #expect(Self.invoke("https://example.com/test", .testFlight).receiver == .clip)
    #expect(Self.invoke("https://example.com/test", .testFlight).card == nil)
    #expect(Self.invoke("https://example.com/shop", .testFlight).receiver == .none)
  }
}

/// What is wrong with an experience file (AC18, AC19, AC21, AC27).
@Suite struct ExperienceFileTests {
  static func rules(_ change: (String, String)) -> [String] {
    let text = InvocationTests.text.replacing(change.0, with: change.1)
    return ExperienceFile(SourceText(name: "e", text)).findings.map(\.rule)
  }

  @Test(arguments: [
    ("title: \"Shop\"", "title: \"\(String(repeating: "a", count: 31))\"", "clip.card-title"),
    ("subtitle: \"Buy\"", "subtitle: \"\(String(repeating: "a", count: 57))\"", "clip.card-subtitle"),
    ("subtitle: \"Buy\"", "subtitle: \"\"", "clip.card-subtitle"),
    ("\"VIEW\"", "\"Look\"", "clip.card-action"),
    ("title: \"Berlin\"", "title: \"B\", category: \"CAFE\"", "clip.category"),
    ("title: \"Berlin\"", "title: \"B\", languages: { DEU: {} }", "clip.language"),
    ("/shop/berlin", "/shop", "clip.repeated-experience"),
    ("/shop/berlin", "/Shop/", "clip.repeated-experience"),
    ("example.com/shop/berlin", "example.org/", "clip.experience-host"),
    ("https://example.com/shop/berlin", "http://example.com/b", "clip.experience-url"),
    ("https://example.com/shop/berlin", "nothing", "clip.experience-url"),
    ("appclip.apple.com", "example.com", "clip.demo-link"),
    ("[\"example.com\"]", "[\"example.com\", \"*.example.com\"]", "entitlement.wildcard-app-clip"),
    ("[\"example.com\"]", "[\"appclips:example.com\", \"example.com:8443\"]", "entitlement.port"),
    ("default:", "advancd:", "experiences.unknown-key"),
    (
      "[{ title: \"One\", url: \"https://example.com/test\" }]",
      "[\"https://a.b/1\", \"https://a.b/2\", \"https://a.b/3\", \"https://a.b/4\"]",
      "clip.testflight-count"
    ), ("title: \"Berlin\"", "", "clip.card-title"), ("name: \"Example\"", "name: 1", "experiences.type"),
  ])
  func findings(_ old: String, _ new: String, _ rule: String) {
    #expect(Self.rules((old, new)).contains(rule), "\(Self.rules((old, new)))")
  }

  /// AC14: a clip for a release without App Clips opens nowhere.
  @Test(arguments: [("13.7", false), ("14.0", true)]) func aClipRunsFromIOS14(minimum: String, isRight: Bool)
  {
    let text = InvocationTests.text.replacing("minimum_os: \"15.0\"", with: "minimum_os: \"\(minimum)\"")
    let source = SourceText(name: "e", text)
    let messages = ExperienceFile(source).findings.map { $0.message }
    let message = "The clip's minimum is iOS 13.7, and App Clips exist since iOS 14.0."
    #expect(messages == (isRight ? [] : [message]))
  }

  @Test(arguments: [30, 56]) func limitsAreReachable(_ count: Int) {
    let name = count == 30 ? "title: \"Shop\"" : "subtitle: \"Buy\""
    let text = String(repeating: "ä", count: count)
    #expect(Self.rules((name, count == 30 ? "title: \"\(text)\"" : "subtitle: \"\(text)\"")) == [])
  }

  @Test func aFindingStandsAtItsPlace() {
    let source = SourceText(name: "e", InvocationTests.text.replacing("\"VIEW\"", with: "\"Look\""))
    let finding = ExperienceFile(source).findings.first
    #expect(finding?.location.start?.line == 7)
  }

  /// The example has no key that the next run would call unknown.
  @Test(
    arguments: [
      ("demo: {}", "experiences.missing-key", "{ url: \"https://example.com/shop\" }."),
      (
        "testflight: [{}]", "experiences.missing-key",
        "{ url: \"https://example.com/shop\", title: \"Shop\" }."
      ),
      ("local: [{}]", "experiences.missing-key", "title: \"Shop\", subtitle: \"Order ahead\" }."),
      ("demo: true", "experiences.type", "{ url: \"https://example.com/shop\" }."),
    ])
  func anExperienceWithoutAURLIsShownOne(_ text: String, _ rule: String, _ help: String) throws {
    let file = ExperienceFile(SourceText(name: "e", "{ clip: { bundle_id: \"a.b.Clip\" }, \(text) }"))
    let finding = try #require(file.findings.first { $0.rule == rule })
    #expect(finding.help?.hasSuffix(help) == true, "\(finding.help ?? "")")
    if rule.hasSuffix("type") { #expect(finding.message == "This is a boolean; expected an object.") }
  }

  @Test func headerImages() {
    let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    func png(_ width: Int, _ height: Int, _ colour: UInt8) -> [UInt8] {
      head + [
        0, 0, UInt8(width >> 8), UInt8(width & 255), 0, 0, UInt8(height >> 8), UInt8(height & 255), 8, colour,
      ]
        + [UInt8](repeating: 0, count: 12)
    }
    func messages(_ bytes: [UInt8]?) -> [String] {
      HeaderImage.findings(bytes, name: "a", at: .init(file: "e")).map(\.message)
    }
    #expect(messages(png(1800, 1200, 2)) == [])
    #expect(messages(png(1800, 1200, 6)) == ["'a' can be transparent."])
    #expect(messages(png(1800, 1200, 4)) == ["'a' can be transparent."])
    #expect(messages(png(600, 400, 2)) == ["'a' has 600 by 400 pixels."])
    #expect(messages([0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 4, 0xB0, 7, 8, 3]) == [])
    #expect(messages([1, 2]) == ["'a' is neither a PNG nor a JPEG."])
    // Of a picture out of a built app, which begins with Xcode's chunk, no size is invented.
    let apple: [UInt8] =
      Array(head[..<8]) + [0, 0, 0, 4] + Array("CgBI".utf8) + Array(repeating: 0, count: 24)
    #expect(messages(apple) == ["'a' is neither a PNG nor a JPEG."])
    #expect(messages(nil) == ["There is no file 'a'."])
    // A transparent colour counts before the data only; the PNG's header is followed by its checksum.
    func chunk(_ name: String) -> [UInt8] { [0, 0, 0, 2] + Array(name.utf8) + [0, 7, 0, 0, 0, 0] }
    let opaque = Array(png(1800, 1200, 0).prefix(33))
    #expect(messages(opaque + chunk("gAMA") + chunk("tRNS") + chunk("IDAT")) == ["'a' can be transparent."])
    #expect(messages(opaque + chunk("gAMA") + chunk("IDAT") + chunk("tRNS")) == [])
  }
}

/// Tags as a browser reads them: nothing is an error, and a page may end anywhere.
@Suite struct MarkupTagTests {
  private func words(_ text: String) -> [String] {
    MarkupTag.all(in: Array(text.utf8)).map { tag in
      ([tag.name] + tag.attributes.map { "\($0.name)=\($0.value)" } + ["\(tag.range)"]).joined(separator: " ")
    }
  }

  @Test(
    arguments: [
      ("", []), ("<", []), ("<1", []), ("a<b>c", ["b 1..<4"]), ("<a", ["a 0..<2"]), ("<a ", ["a 0..<3"]),
      ("<a/", ["a 0..<3"]), ("<a b", ["a b= 0..<4"]), ("<a b=", ["a b= 0..<5"]), ("<a b='c", ["a b=c 0..<7"]),
      ("<a b='c'", ["a b=c 0..<8"]), ("<a b=c", ["a b=c 0..<6"]), ("<a b=c>", ["a b=c 0..<7"]),
      ("</a>", ["/a 0..<4"]), ("<A B = \"&lt;&#65;&#x42;&no;\" C/>", ["a b=<AB&no; c= 0..<32"]),
      ("<!-- <a> --><b>", ["b 12..<15"]), ("<!-- <a>", []),
      ("<script><a></SCRIPT><b>", ["script 0..<8", "/script 11..<20", "b 20..<23"]),
      ("<style><a>", ["style 0..<7"]),
    ] as [(String, [String])])
  func aTextEndsAnywhere(text: String, tags: [String]) { #expect(words(text) == tags) }
}

/// The tag of a page (AC20).
@Suite struct SmartAppBannerTests {
  private func rules(_ content: String) -> [String] {
    let page = SourceText(
      name: "p.html",
      "<!-- <meta name='apple-itunes-app'> --><script>'<meta name=\"apple-itunes-app\" content=\"\">'</script>"
        + "<META property=og:image content=a.png><meta content=\"\(content)\" name='Apple-iTunes-App'>")
    return SmartAppBanner(page, InvocationTests.file).findings.map(\.rule)
  }

  @Test(arguments: [
    ("app-id=123456789, app-clip-bundle-id=com.example.app.Clip, app-clip-display=card", [] as [String]),
    (" APP-ID = 123456789 ,app-clip-bundle-id=com.example.app.Clip", []),
    ("app-clip-bundle-id=com.example.app.Clip", ["clip.banner-app-id"]),
    ("app-id=1, app-clip-bundle-id=com.example.app.Clip", ["clip.banner-app-id"]),
    ("app-id=abc, app-clip-bundle-id=com.example.app.Clip", ["clip.banner-app-id"]),
    ("app-id=123456789", ["clip.banner-clip"]),
    ("app-id=123456789, app-clip-bundle-id=com.example.app", ["clip.banner-clip"]),
    (
      "app-id=123456789, app-clip-bundle-id=com.example.app.Clip, app-clip-display=full",
      ["clip.banner-display"]
    ),
    ("app-id=123456789, app-clip-bundle-id=com.example.app.Clip, app-argument=a", ["clip.banner-argument"]),
    ("app-id=123456789, app-clip-bundle-id=com.example.app.Clip, card", ["clip.banner-key"]),
    ("app-id=123456789, app-clip-bundle-id=com.example.app.Clip, app-clip-dislay=card", ["clip.banner-key"]),
  ])
  func checks(_ content: String, _ expected: [String]) { #expect(rules(content) == expected) }

  @Test func aPageWithoutItIsTold() {
    let page = SourceText(name: "p", "<title>a</title>")
    let findings = SmartAppBanner(page, InvocationTests.file).findings
    #expect(findings.map(\.rule) == ["clip.banner-missing"])
    #expect(findings[0].help?.hasSuffix(SmartAppBanner.tag(for: InvocationTests.file) ?? "-") == true)
  }

  /// What a browser makes no element of is no banner (AC20).
  @Test(arguments: [
    ("<template>TAG</template>", false), ("<noscript>TAG</noscript>", false),
    ("<template><template></template>TAG</template>", false), ("<title>TAG</title>", false),
    ("<template></template>TAG", true), ("<template><template></template></template>TAG", true),
    ("<noscript><img></noscript>TAG", true), ("<textarea><template></textarea>TAG", true),
  ])
  func aTagInsideATemplateIsNone(_ text: String, _ isRead: Bool) {
    let tag = SmartAppBanner.tag(for: InvocationTests.file) ?? ""
    let page = SourceText(
      name: "p", text.replacing("TAG", with: tag) + "<meta property='og:image' content='a'>")
    let found = SmartAppBanner(page, InvocationTests.file).findings
    #expect(found.map(\.rule) == (isRead ? [] : ["clip.banner-missing"]), "\(found)")
    #expect(found.allSatisfy { $0.help?.contains("<template>") == true && $0.location.start != nil })
  }

  /// A page may end anywhere: in a tag, behind a name, its '=' or a quote.
  @Test func aPageThatBreaksOffIsRead() {
    let whole =
      "<!-- a --><p><meta name = 'apple-itunes-app' content='app-id=123456789, "
      + "app-clip-bundle-id=com.example.app.Clip' hidden><script>'a'</script><style>a</style></p>"
    let end = whole.utf8.count - "><script>'a'</script><style>a</style></p>".utf8.count
    for count in 0...whole.utf8.count {
      let page = SourceText(name: "p.html", String(decoding: Array(whole.utf8.prefix(count)), as: UTF8.self))
      let found = SmartAppBanner(page, InvocationTests.file).findings.map(\.rule)
      // There is a banner from its 'content' on.
      #expect(found.contains("clip.banner-missing") == (count < 52), "\(count)")
      if count >= end { #expect(!found.contains("clip.banner-clip"), "\(count)") }
    }
  }

  @Test func theMadeTagIsRight() {
    let tag = SmartAppBanner.tag(for: InvocationTests.file) ?? ""
    let page = SourceText(name: "p", tag + "<meta property='og:image' content='a'>")
    #expect(SmartAppBanner(page, InvocationTests.file).findings.isEmpty)
  }

  @Test func schemesNameTheirURL() {
    let scheme = """
      <EnvironmentVariables><EnvironmentVariable key = "_XCAppClipURL" value = "https://example.com/?a=1&amp;b=2"
        isEnabled = "YES"></EnvironmentVariable></EnvironmentVariables>
      """
    let found = NamedURLs.ofScheme(Array(scheme.utf8))
    #expect(found.map(\.url) == ["https://example.com/?a=1&b=2"])
    #expect(found.map(\.isEnabled) == [true])
  }
}
