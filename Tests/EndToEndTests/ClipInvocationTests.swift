import Foundation
import TestSupport
import Testing

/// `linkspan clip url`, `card`, `qr`, `ndef` and `code` (AC15 to AC27).
@Suite struct ClipInvocationTests {
  static let example = Fixtures.root.appending(path: "Examples/clip/experiences.json5").path

  @Test func aURLShowsItsCard() throws {
    let outcome = try Tool().run(
      "clip", "url", "https://example.com/shop/berlin/7", "--experiences", Self.example, "--json")
    #expect(outcome.status == 0)
    let answer = try outcome.json()
    #expect(answer["type"] as? String == "clip-url")
    #expect(answer["receiver"] as? String == "clip")
    #expect((answer["card"] as? [String: Any])?["title"] as? String == "Example Berlin")
    #expect(answer["received_url"] as? String == "https://example.com/shop/berlin/7")
  }

  @Test func theAnswerForPeople() throws {
    let outcome = try Tool().run(
      "clip", "url", "https://example.com/shopping", "--experiences", Self.example, "--from", "nfc")
    #expect(outcome.status == 0)
    #expect(outcome.lines.first == "https://example.com/shopping (nfc): opens the clip")
    #expect(outcome.output.contains("card        Example Coffee · Order ahead · VIEW\n"))
    #expect(outcome.output.contains("warning[clip.prefix-boundary]"))
    let other = try Tool().run("clip", "url", "https://example.org/", "--experiences", Self.example)
    #expect(other.status == 1)
    #expect(other.output.contains("No experience is on 'example.org'. [AC16]"))
  }

  @Test func aSchemeIsAskedFor() throws {
    let tool = try Tool()
    try tool.write(
      #"<EnvironmentVariable key = "_XCAppClipURL" value = "https://example.com/shop" isEnabled = "NO">"#,
      to: "Clip.xcscheme")
    let outcome = try tool.run("clip", "url", "--scheme", "Clip.xcscheme", "--experiences", Self.example)
    #expect(outcome.status == 0)
    #expect(outcome.lines.first == "https://example.com/shop (xcode): opens the clip")
    #expect(outcome.output.contains("note[clip.scheme-disabled]"))
    // What is switched off, the clip does not get.
    #expect(outcome.output.contains("  receives    no URL\n"))
    let answer = try tool.run(
      "clip", "url", "--scheme", "Clip.xcscheme", "--experiences", Self.example, "--json"
    )
    .json()
    #expect(answer["received_url"] is NSNull)
    #expect(
      (answer["findings"] as? [[String: Any]])?.map { $0["rule"] as? String } == ["clip.scheme-disabled"])
  }

  /// A text that is no URL is refused wherever one is asked for.
  @Test(arguments: [
    ["url", "https://example.com/shop", "--experiences", example, "--from", "app-library", "--last", "shop"],
    ["ndef", "shop", "--read", "tag.bin"], ["code", "shop"], ["code", "tel:+4930"],
  ])
  func whatIsNoURLIsRefused(words: [String]) throws {
    let tool = try Tool()
    _ = try tool.run("clip", "ndef", "https://example.com/a", "-o", "tag.bin")
    let outcome = try tool.run(["clip"] + words)
    #expect(outcome.status == 2, "\(outcome.output)")
    #expect(outcome.errors.contains("a URL; write"), "\(outcome.errors)")
  }

  /// The dump and the URL are compared as a device holds both.
  @Test(arguments: [
    ("d1010c55046578616d706c652e636f6d", "https://example.com", 0),
    ("d1010c55044558414d504c452e636f6d", "https://example.com/", 0),
    ("d1010f55046578616d706c652e636f6d2fc3bc", "https://example.com/\u{FC}", 0),
    ("d1010e55046578616d706c652e636f6d2f41", "https://example.com/a", 1),
  ])
  func aTagHoldsTheURL(hex: String, url: String, status: Int32) throws {
    let tool = try Tool()
    try tool.write(hex, to: "tag.txt")
    let outcome = try tool.run("clip", "ndef", url, "--read", "tag.txt")
    #expect(outcome.status == status, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains(", and not ") == (status == 1))
  }

  @Test func cardsPagesAndTags() throws {
    let tool = try Tool()
    let tag = try tool.run("clip", "card", Self.example, "--tag")
    #expect(
      tag.output
        == "<meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-clip-bundle-id=com.example.app.Clip, app-clip-display=card\">\n"
    )
    try tool.write(tag.output, to: "a.html")
    let good = try tool.run("clip", "card", Self.example, "--page", "a.html", "--svg", "card.svg", "--json")
    #expect(good.status == 0)
    #expect(
      (try good.json()["findings"] as? [[String: Any]])?.map { $0["rule"] as? String } == ["clip.page-image"])
    #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/card.svg"))
    try tool.write("{ default: { action: 'Go' } }", to: "bad.json5")
    let bad = try tool.run("clip", "card", "bad.json5")
    #expect(bad.status == 1)
    #expect(bad.output.contains("bad.json5:1:22: error[clip.card-action]: 'Go' is not an action of a card."))
    try tool.write("{ advancd: [] }", to: "typo.json5")
    #expect(try tool.run("clip", "card", "typo.json5").errors.contains("Did you mean 'advanced'?"))
  }

  /// Its tags would be read as letters with zeros between them, so that the page had none.
  @Test func aPageInUTF16IsRefused() throws {
    let tool = try Tool()
    let tag = try tool.run("clip", "card", Self.example, "--tag").output
    try tag.data(using: .utf16)?.write(to: tool.folder.appending(path: "p.html"))
    let outcome = try tool.run("clip", "card", Self.example, "--page", "p.html")
    #expect(outcome.status == 2 && outcome.errors.contains("'p.html' is in UTF-16"), "\(outcome.errors)")
  }

  @Test func qrCodesInThreeForms() throws {
    let tool = try Tool()
    let url = "https://example.com/shop"
    let text = try tool.run("clip", "qr", url)
    #expect(text.status == 0)
    #expect(text.lines.allSatisfy { $0.count == text.lines[0].count })
    #expect(try tool.run("clip", "qr", url, "-o", "a.png").output == "")
    let png = try Data(contentsOf: tool.folder.appending(path: "a.png"))
    #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(try tool.run("clip", "qr", url, "--format", "svg").output.hasPrefix("<svg "))
    #expect(try tool.run("clip", "qr", url, "--json").json()["modules"] as? Int == 25)
    #expect(try tool.run("clip", "qr", url, "--format", "png").errors.contains("a PNG wants '--output'"))
    let long = "https://example.com/" + String(repeating: "a", count: 3000)
    #expect(try tool.run("clip", "qr", long).errors.contains("more than a QR code of this correction holds"))
    #expect(try tool.run("clip", "qr", "shop").errors.contains("'shop' is not a URL"))
  }

  /// A name that ends like another picture's would hold what no program expects there.
  @Test(arguments: [
    ["a.jpg"], ["a.JPG", "--format", "png"], ["a.svg", "--format", "png"], ["a.png", "--format", "text"],
    ["a.png", "--format", "svg"], ["a.pdf"],
  ])
  func aPictureHasItsOwnEnding(words: [String]) throws {
    let tool = try Tool()
    let outcome = try tool.run(["clip", "qr", "https://example.com/a", "-o"] + words)
    #expect(outcome.status == 2 && outcome.errors.contains("ends in '."), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: words[0]).path))
    let card = try tool.run("clip", "card", Self.example, "--svg", "a.png")
    #expect(card.status == 2 && card.errors.contains("would hold SVG"), "\(card.errors)")
  }

  /// AC22: no URL is needed where a clip is opened again; AC23.
  @Test func aClipIsOpenedAgainWithoutAURL() throws {
    let tool = try Tool()
    let again = try tool.run("clip", "url", "--experiences", Self.example, "--from", "app-switcher")
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.lines.first == "no URL (app-switcher): opens the clip")
    #expect(again.output.contains("  receives    no URL\n"))
    let asked = try tool.run("clip", "url", "--experiences", Self.example, "--from", "nfc")
    #expect(asked.status == 2 && asked.errors.contains("URL is missing"))
    let none = try tool.run(
      "clip", "url", "https://example.org/", "--experiences", Self.example, "--app-installed")
    #expect(none.status == 1 && none.lines.first?.hasSuffix(": opens no clip") == true, "\(none.output)")
  }

  @Test func tagsAreWrittenAndRead() throws {
    let tool = try Tool()
    let outcome = try tool.run("clip", "ndef", "https://example.com/a", "-o", "tag.bin", "--json")
    #expect(try outcome.json()["message_hex"] as? String == "d1010e55046578616d706c652e636f6d2f61")
    #expect(try tool.run("clip", "ndef", "--read", "tag.bin").output == "https://example.com/a\n")
    #expect(try tool.run("clip", "ndef", "https://example.com/a", "--read", "tag.bin").status == 0)
    #expect(try tool.run("clip", "ndef", "https://example.com/b", "--read", "tag.bin").status == 1)
    let both = try tool.run("clip", "ndef", "https://example.com/a", "--read", "tag.bin", "-o", "copy.bin")
    #expect(
      both.status == 2 && both.errors.contains("'--output' does not go with '--read'"), "\(both.errors)")
    try tool.write("\u{FEFF}d1010e5504 6578616d706c652e 636f6d2f61\r\n", to: "marked.txt")
    #expect(try tool.run("clip", "ndef", "--read", "marked.txt").output == "https://example.com/a\n")
    try tool.write("03 12 D1 01 0E 55 04", to: "cut.txt")
    #expect(try tool.run("clip", "ndef", "--read", "cut.txt").status == 2)
  }

  /// What iOS opens from a tag without a host is written as it is read.
  @Test(arguments: [("tel:+49301234", "d1010a55052b3439333031323334"), ("MAILTO:a@b.example", nil)])
  func tagsHoldNumbersAndAddresses(_ uri: String, _ hex: String?) throws {
    let tool = try Tool()
    let outcome = try tool.run("clip", "ndef", uri, "-o", "tag.bin")
    #expect(outcome.status == 0, "\(outcome.errors)")
    if let hex { #expect(outcome.output.contains(hex)) }
    #expect(!outcome.output.contains("clip.ndef-scheme"))
    #expect(try tool.run("clip", "ndef", uri, "--read", "tag.bin").status == 0)
    #expect(try tool.run("clip", "ndef", "tel:").errors.contains("'tel:' is not a URL"))
  }

  /// What is no ASCII is written as a browser asks for it: devices before iOS 17 make no URL of anything else (E11).
  @Test func codesAndTagsCarryASCII() throws {
    let tool = try Tool()
    let typed = "https://bücher.example/ä?q=ö"
    let held = "https://xn--bcher-kva.example/%C3%A4?q=%C3%B6"
    let tag = try tool.run("clip", "ndef", typed, "-o", "tag.bin")
    #expect(tag.errors.contains("written as \(held)"))
    #expect(try tool.run("clip", "ndef", "--read", "tag.bin").output == "\(held)\n")
    #expect(try tool.run("clip", "ndef", typed, "--read", "tag.bin").status == 0)
    let code = try tool.run("clip", "qr", typed, "--json").json()
    #expect(code["url"] as? String == held)
    #expect((code["normalised"] as? [String: Any])?["to"] as? String == held)
    #expect(try tool.run("clip", "qr", typed).output == tool.run("clip", "qr", held).output)
  }

  /// A password is in codes and tags, and in no answer about them.
  @Test func aPasswordIsNotPrinted() throws {
    let tool = try Tool()
    let url = "https://ann:geheim@example.com/shop"
    try tool.write("SVG File Name,URL\na.svg,\(url)\n", to: "codes.csv")
    try tool.write(#"<svg data-payload="https://bob:geheim@example.com/shop"/>"#, to: "a.svg")
    #expect(try tool.run("clip", "ndef", url, "-o", "tag.bin").status == 0)
    for command in [
      ["code", url], ["code", "a.svg"], ["code", "http://ann:geheim@example.com"],
      ["url", url, "--experiences", Self.example],
      ["url", "ftp://ann:geheim@a", "--experiences", Self.example],
      ["url", url, "--experiences", Self.example, "--from", "app-library", "--last", url],
      ["ndef", "--read", "tag.bin"], ["ndef", "https://ann:geheim@example.com/", "--read", "tag.bin"],
      ["ndef", "app://ann:geheim@example.com/"], ["codes", "codes.csv", "--pictures", "."],
      ["qr", "https://ann:geheim@EXAMPLE.com/", "--json"], ["qr", "https://ann:geheim@exa mple.com/"],
      ["qr", "https:/ann:geheim@example.com/"], ["card", Self.example, "--url", url, "--svg", "-"],
    ] {
      for form in [[], ["--json"]] where form.isEmpty || !command.contains("--json") && !command.contains("-")
      {
        let outcome = try tool.run(["clip"] + command + form)
        let text = outcome.output + outcome.errors
        #expect(
          !text.contains("geheim"), "\(command): \(text)")
      }
    }
  }

  @Test func aPartOfABudgetThatDoesNotExistIsRefused() throws {
    let tool = try Tool()
    try tool.write(InspectTests.info, to: "Payload/App.app/Info.plist")
    try InspectTests.pack(tool, "App.ipa")
    #expect(try tool.run("clip", "size", "App.ipa", "--max", "font=1KB").status == 0)
    let outcome = try tool.run("clip", "size", "App.ipa", "--max", "bogus=1KB")
    #expect(outcome.status == 2 && outcome.errors.contains("the part 'bogus', which 'App.ipa' does not have"))
    try tool.write("{bogus: 1}", to: "budget.json5")
    #expect(try tool.run("clip", "size", "App.ipa", "--budget", "budget.json5").status == 2)
  }

  /// One key has one form, whatever command prints it.
  @Test func theMinimumReleaseIsWrittenAsInInspect() throws {
    let tool = try Tool()
    try tool.write(InspectTests.info, to: "Payload/App.app/Info.plist")
    try InspectTests.pack(tool, "App.ipa")
    func minimum(_ words: String...) throws -> String? {
      try tool.run(words + ["--json"]).json()["minimum_os"] as? String
    }
    let inspected = try minimum("inspect", "App.ipa")
    #expect(try inspected == "16.0" && minimum("clip", "size", "App.ipa") == inspected)
    #expect(try minimum("clip", "size", "App.ipa", "--minimum-os", "16.4") == "16.4")
  }

  @Test func codesAreHeldToTheirRules() throws {
    let tool = try Tool()
    try tool.write(#"<svg data-payload="https://example.com/shop"/>"#, to: "code.svg")
    let good = try tool.run("clip", "code", "code.svg", "--experiences", Self.example, "--json")
    #expect(good.status == 0)
    #expect(try good.json()["verdict"] as? String == "undecided")
    let bad = try tool.run("clip", "code", "https://example.com/a(b)")
    #expect(bad.status == 1)
    #expect(bad.output.contains("error[clip.code-character]"))
    try tool.write(#"<svg data-payload="https://example.com/other"/>"#, to: "other.svg")
    #expect(
      try tool.run("clip", "code", "other.svg", "--experiences", Self.example).output.contains(
        "clip.code-not-registered"))
  }

  @Test func inspectHoldsAClipToItsRules() throws {
    let tool = try Tool()
    try tool.write(InspectTests.info, to: "Payload/App.app/Info.plist")
    let clip = InspectTests.info.replacing("com.example.app", with: "com.example.appclip").replacing(
      "</dict></plist>", with: "<key>NSAppClip</key><dict/></dict></plist>")
    try tool.write(clip, to: "Payload/App.app/AppClips/Clip.app/Info.plist")
    try InspectTests.pack(tool, "App.ipa")
    let outcome = try tool.run("inspect", "App.ipa")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("error[clip.identifier]"))
    #expect(outcome.output.contains("warning[clip.unavailable-key]"))
  }

  /// Every carrier says that everybody could read them, and no text shows them.
  @Test func aUserInAURLOfACodeIsTold() throws {
    let tool = try Tool()
    let url = "https://user:secret@example.com/a"
    for command in ["qr", "ndef"] {
      let json = try tool.run("clip", command, url, "--json").json()
      let findings = try #require(json["findings"] as? [[String: Any]])
      #expect(findings.map { $0["rule"] as? String } == ["clip.carrier-credentials"], "\(command)")
      let text = try tool.run("clip", command, url)
      #expect((text.output + text.errors).contains("warning[clip.carrier-credentials]"), "\(command)")
      #expect(!(text.output + text.errors).contains("secret"))
    }
    let fine = try tool.run("clip", "qr", "https://example.com/a", "--json").json()
    #expect((fine["findings"] as? [Any])?.isEmpty == true)
  }
}
