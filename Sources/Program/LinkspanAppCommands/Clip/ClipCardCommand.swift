internal import AppClips
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  static let clipCard = Command(
    name: "clip card",
    summary: "Check the cards of a clip and the banners of its pages; draw a card, make the tag",
    operands: "EXPERIENCES",
    discussion: """
      Checks a file of experiences (JSON5; Documentation/app-clips.md): texts against their limits, actions, languages,
      categories, header images, hosts against the clip's domains, repeated URLs, TestFlight's three. With '--page' also
      the 'apple-itunes-app' tag of pages, which shows the banner, against the file.
      """,
    flags: [
      Flag("--page", "FILE", repeats: true, "An HTML page whose banner is checked"),
      Flag("--tag", "Print the tag for the page, and nothing else"),
      Flag("--svg", "OUT", "Write a picture of a card to this file; '-' is standard output"),
      Flag("--url", "URL", "The experience whose card is drawn (the first)"),
      .force,
    ],
    examples: [
      "linkspan clip card experiences.json5 --page site/index.html",
      "linkspan clip card experiences.json5 --tag",
      "linkspan clip card experiences.json5 --url https://example.com/shop --svg card.svg",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let file = try ExperienceInput.read(arguments.operands[0])
    if arguments.has("--tag") {
      guard let tag = SmartAppBanner.tag(for: file) else {
        throw LinkspanError(
          "'\(arguments.operands[0])' does not name the clip.",
          help: "Add clip: { bundle_id: \"com.example.app.Clip\" }.")
      }
      if arguments.has("--json") {
        console.print(.object([("type", .string("clip-tag")), ("tag", .string(tag))]))
      } else {
        console.printRaw(tag, terminator: "\n")
      }
      return .yes
    }
    let output = try arguments.output("--svg", .vector(of: "linkspan clip card"))
    var findings = file.findings + (try ExperienceInput.imageFindings(file))
    for page in arguments.all("--page") {
      let text = try FileReader.read(page)
      guard ByteOrderMark.removed(from: text.bytes[...]) != nil else {
        throw LinkspanError.inUTF16("'\(page)'")
      }
      findings += SmartAppBanner(text, file).findings
    }
    try output?.write(picture(in: file, arguments), console)
    findings = findings.inReadingOrder()
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("clip-card")), ("experiences", .array(file.experiences.map(\.json))),
          ("tag", .init(SmartAppBanner.tag(for: file))), ("findings", .array(findings.map(\.json))),
          ("summary", findings.summaryJSON),
        ]))
    } else {
      for experience in file.experiences {
        let texts = [experience.title, experience.subtitle, experience.action?.rawValue].compactMap(\.self)
        console.print("\(console.style.bold(experience.name))")
        if !texts.isEmpty { console.print("  \(texts.joined(separator: " · "))") }
      }
      for finding in findings { console.print(finding.text(style: console.style), terminator: "") }
    }
    return findings.count(of: .error) > 0 ? .no : .yes
  }

  private static func picture(
    in file: ExperienceFile, _ arguments: Arguments
  ) throws(LinkspanError) -> [UInt8] {
    let wanted = arguments.value("--url")
    let address = wanted.flatMap { ClipAddress($0) }
    let cards = file.experiences.filter { $0.kind != .testFlight }
    guard let card = cards.first(where: { card in wanted == nil || address.map(card.address.isSame) == true })
    else {
      throw LinkspanError(
        wanted.map { "No experience is registered for '\($0)'." }
          ?? "The file has no experience with a card.",
        help: "Registered are: \(cards.map(\.address.shown).joined(separator: ", ")).")
    }
    return Array(CardPicture(card, appName: file.app.name).svg.utf8)
  }
}
