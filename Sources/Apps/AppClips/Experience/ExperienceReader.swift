internal import AssociatedDomains
package import LinkspanCore

extension ExperienceFile {
  /// Reads JSON5.
  ///
  /// - Returns: Whatever could be read, with findings for the rest; those of rule `experiences.*` and severity error
  ///   say that the file is not what it should be.
  package init(_ source: SourceText) {
    var reader = ExperienceReader(file: ExperienceFile(source: source))
    reader.read()
    self = reader.file
  }

  /// Apple's link for a clip.
  package static func standardLink(_ clip: String) -> String { "https://appclip.apple.com/id?p=\(clip)" }
}

/// An experience file while it is read.
private struct ExperienceReader: DocumentReading {
  var file: ExperienceFile
  private static let example =
    "{ clip: { bundle_id: \"com.example.app.Clip\" }, advanced: [{ url: \"https://example.com/shop\" }] }"
  private static let cardKeys = ["title", "subtitle", "action", "image", "languages"]

  init(file: ExperienceFile) { self.file = file }

  mutating func report(_ rule: String, at range: Range<Int>, _ message: String, _ help: String) {
    add("experiences." + rule, .error, range, message, help, source: nil)
  }

  mutating func expects(_ choice: DocumentChoice, at range: Range<Int>) {
    file.choices.append((range, choice))
  }

  private mutating func add(
    _ rule: String, _ severity: Finding.Severity, _ range: Range<Int>, _ message: String, _ help: String,
    source: String?
  ) {
    file.findings.append(
      Finding(
        rule: rule, severity: severity, at: file.location(range), message: message, help: help, source: source
      ))
  }

  mutating func read() {
    let document = JSONParser.parse(file.source.bytes, dialect: .json5)
    for error in document.errors {
      report(error.kind.rawValue, at: error.range, error.message + ".", error.help)
    }
    let keys = ["app", "clip", "default", "demo", "advanced", "local", "testflight"]
    guard document.errors.isEmpty, let root = document.root,
      let members = members(root, "an experience file", keys: keys, example: Self.example)
    else { return }
    func value(_ name: String) -> (JSONNode)? { members.last { $0.name == name }?.value }
    if let node = value("app") { readApp(node) }
    if let node = value("clip") { readClip(node) }
    if let node = value("default") { readDefault(node) }
    if let node = value("demo") { readURL(node, .demo, keys: []) }
    for (name, kind) in [
      ("advanced", Experience.Kind.advanced), ("local", .local), ("testflight", .testFlight),
    ] {
      guard let node = value(name) else { continue }
      guard let elements = node.array else {
        wrongType(node, name, wanted: "an array", example: Self.example)
        continue
      }
      let more =
        switch kind {
        case .advanced: Self.cardKeys + ["category", "powered_by", "default_language"]
        case .local: Self.cardKeys + ["bundle_id"]
        default: ["title"]
        }
      for element in elements { readURL(element, kind, keys: more) }
      if kind == .testFlight, elements.count > 3 {
        add(
          "clip.testflight-count", .error, elements[3].range,
          "There are \(elements.count) invocations for TestFlight.",
          "A build has three at most. Remove the others.", source: "AC21")
      }
    }
    ExperienceChecker.check(&file)
  }

  private mutating func readApp(_ node: JSONNode) {
    let keys = ["bundle_id", "name", "store_id"]
    for member in members(node, "the app", keys: keys, example: "app: { bundle_id: \"com.example.app\" }")
      ?? []
    {
      switch member.name {
      case "bundle_id":
        file.app.bundleIdentifier = string(member.value, member.name, example: "\"com.example.app\"")
      case "name": file.app.name = string(member.value, member.name, example: "name: \"Example\"")
      case "store_id":
        let number =
          member.value.int.map(String.init)
          ?? string(member.value, member.name, example: "store_id: 123456789")
        guard let number, !number.utf8.isEmpty, number.utf8.allSatisfy(ASCII.isDigit) else {
          report(
            "number", member.value, "'store_id' is not a number.",
            "It is the number in the app's link in the App Store.")
          continue
        }
        file.app.storeIdentifier = number
      default: continue
      }
    }
  }

  private mutating func readClip(_ node: JSONNode) {
    let keys = ["bundle_id", "minimum_os", "released", "domains"]
    let example = "clip: { bundle_id: \"com.example.app.Clip\", minimum_os: \"16.4\" }"
    for member in members(node, "the clip", keys: keys, example: example) ?? [] {
      switch member.name {
      case "bundle_id": file.clip.bundleIdentifier = string(member.value, member.name, example: example)
      case "minimum_os":
        guard let text = string(member.value, member.name, example: "minimum_os: \"16.4\"") else { continue }
        if let release = ClipRelease(text) {
          if release < .first {
            report(
              "version", member.value,
              "The clip's minimum is \(release), and App Clips exist since \(ClipRelease.first).",
              "Write minimum_os: \"14.0\" or later.")
          }
          file.clip.minimumOS = release
        } else {
          report(
            "version", member.value, "'\(text)' is not a release.", "Write it as in minimum_os: \"16.4\".")
        }
      case "released": file.clip.isReleased = bool(member.value, member.name) ?? true
      case "domains":
        file.clip.domains = strings(member.value, member.name, example: "domains: [\"example.com\"]")
          .compactMap { readDomain($0.0, at: $0.1.range) }
      default: continue
      }
    }
  }

  /// The host of an `appclips:` entry; nil for an entry that no host matches, which is told as `check` tells it.
  private mutating func readDomain(_ text: String, at range: Range<Int>) -> String? {
    let service = Service.appclips.rawValue + ":"
    do throws(AssociatedDomainProblem) {
      return try AssociatedDomain(text.hasPrefix(service) ? text : service + text).host
    } catch {
      add(
        "entitlement." + error.kind.rawValue, error.severity, range, error.message, error.help,
        source: error.source)
      return error.severity == .error ? nil : ASCII.lowercased(text)
    }
  }

  private mutating func readDefault(_ node: JSONNode) {
    let example = "default: { subtitle: \"Order ahead\", action: \"OPEN\", image: \"header.png\" }"
    let keys = Self.cardKeys.filter { $0 != "title" } + ["website"]
    guard let members = members(node, "the default experience", keys: keys, example: example) else { return }
    var website: Experience?
    for member in members where member.name == "website" { website = experience(member.value, .website) }
    // Without the clip's identifier the texts are checked all the same, and no link is known.
    let link = file.clip.bundleIdentifier.map(ExperienceFile.standardLink) ?? ExperienceFile.standardLink("")
    let place = node.range.lowerBound..<node.range.lowerBound + 1
    var made = ClipAddress(link).map { [Experience(kind: .standard, address: $0, range: place)] } ?? []
    if let website { made.append(website) }
    for (index, experience) in made.enumerated() {
      var experience = experience
      // Both have one card, whose texts are checked once.
      let known = file.findings
      readCard(members, into: &experience)
      if index > 0 { file.findings = known }
      experience.title = file.app.name
      file.experiences.append(experience)
    }
  }

  /// An experience with a URL, which may also be a string by itself.
  private mutating func readURL(_ node: JSONNode, _ kind: Experience.Kind, keys: [String]) {
    if node.string != nil {
      if let experience = experience(node, kind) { file.experiences.append(experience) }
      return
    }
    // With the keys that the kind has.
    let more = ["title: \"Shop\"", "subtitle: \"Order ahead\""].filter { text in
      keys.contains { text.hasPrefix($0 + ":") }
    }
    let example = "{ " + (["url: \"https://example.com/shop\""] + more).joined(separator: ", ") + " }"
    guard let members = members(node, "an experience", keys: ["url"] + keys, example: example) else { return }
    guard let url = members.last(where: { $0.name == "url" })?.value else {
      report(
        "missing-key", at: node.range.lowerBound..<node.range.lowerBound + 1, "The experience has no 'url'.",
        "Write it as in \(example).")
      return
    }
    guard var experience = experience(url, kind) else { return }
    readCard(members, into: &experience)
    if kind == .advanced, experience.title == nil {
      add(
        "clip.card-title", .error, url.range, "The experience has no title.",
        "An advanced experience has one of its own, of at most \(ExperienceChecker.titleLimit) characters.",
        source: "AC18")
    }
    file.experiences.append(experience)
  }

  private mutating func experience(_ node: JSONNode, _ kind: Experience.Kind) -> Experience? {
    guard let text = string(node, "url", example: "url: \"https://example.com/shop\"") else { return nil }
    guard let address = ClipAddress(text) else {
      add(
        "clip.experience-url", .error, node.range, "'\(text.withoutUserInformation)' is no URL.",
        "Write it whole, such as https://example.com/shop.",
        source: "AC16")
      return nil
    }
    return Experience(kind: kind, address: address, range: node.range)
  }

  private mutating func readCard(_ members: [JSONMember], into experience: inout Experience) {
    for member in members {
      let (name, value) = (member.name, member.value)
      switch name {
      case "title", "subtitle":
        guard let text = string(value, name, example: "\(name): \"Order ahead\"") else { continue }
        checkText(text, name, value.range)
        if name == "title" { experience.title = text } else { experience.subtitle = text }
      case "action":
        guard let text = string(value, name, example: "action: \"OPEN\"") else { continue }
        experience.action = CardAction(rawValue: text)
        guard experience.action == nil else { continue }
        add(
          "clip.card-action", .error, value.range, "'\(text)' is not an action of a card.",
          "It is OPEN, VIEW or PLAY.", source: "AC18")
      case "image": experience.image = string(value, name, example: "image: \"header.png\"")
      case "languages": readLanguages(value)
      case "category":
        guard let text = string(value, name, example: "category: \"PARKING\"") else { continue }
        guard !ExperienceChecker.categories.contains(text) else { continue }
        let near = Spelling.nearest(to: text, among: ExperienceChecker.categories)
        add(
          "clip.category", .error, value.range, "'\(text)' is not a business category.",
          near.map { "Did you mean '\($0)'?" }
            ?? "App Store Connect has \(ExperienceChecker.categories.count) of them, such as PARKING.",
          source: "AC27")
      case "default_language":
        guard let text = string(value, name, example: "default_language: \"EN\"") else { continue }
        checkLanguage(text, value.range)
      case "powered_by": _ = bool(value, name)
      case "bundle_id": _ = string(value, name, example: "bundle_id: \"com.example.app.Clip\"")
      default: continue
      }
    }
  }

  private mutating func readLanguages(_ node: JSONNode) {
    let example = "languages: { DE: { title: \"Laden\", subtitle: \"Vorbestellen\" } }"
    for language in named(node, "languages", example: example) ?? [] {
      checkLanguage(language.name, language.nameRange)
      for member in members(language.value, "a language", keys: ["title", "subtitle"], example: example) ?? []
      {
        guard let text = string(member.value, member.name, example: example) else { continue }
        checkText(text, member.name, member.value.range)
      }
    }
  }

  private mutating func checkLanguage(_ name: String, _ range: Range<Int>) {
    guard !ExperienceChecker.languages.contains(name) else { return }
    add(
      "clip.language", .error, range, "'\(name)' is not a language of experiences.",
      "App Store Connect has two capital letters for each: \(ExperienceChecker.languages.joined(separator: " ")).",
      source: "AC27")
  }

  private mutating func checkText(_ text: String, _ name: String, _ range: Range<Int>) {
    let limit = name == "title" ? ExperienceChecker.titleLimit : ExperienceChecker.subtitleLimit
    if text.count > limit {
      add(
        "clip.card-\(name)", .error, range,
        "The \(name) has \(text.count) characters; at most \(limit) are shown.",
        "App Store Connect refuses it. Shorten it by \(text.count - limit).", source: "AC18")
    } else if text.isEmpty {
      add(
        "clip.card-\(name)", .error, range, "The \(name) is empty.", "App Store Connect requires a text.",
        source: "AC18")
    }
  }
}
