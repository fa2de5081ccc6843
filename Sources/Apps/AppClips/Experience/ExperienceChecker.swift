internal import LinkspanCore

/// What experiences of one file say against one another and against the clip.
enum ExperienceChecker {
  /// - Source: Apple, "Configuring App Clip experiences".
  static let titleLimit = 30
  static let subtitleLimit = 56

  /// - Source: Apple, App Store Connect API 4.4.1, `AppClipAdvancedExperienceLanguage`.
  static let languages = [
    "AR", "CA", "CS", "DA", "DE", "EL", "EN", "ES", "FI", "FR", "HE", "HI", "HR", "HU", "ID", "IT", "JA",
    "KO", "MS",
    "NL", "NO", "PL", "PT", "RO", "RU", "SK", "SV", "TH", "TR", "UK", "VI", "ZH",
  ]

  /// - Source: Apple, App Store Connect API 4.4.1, `businessCategory`.
  static let categories = [
    "AUTOMOTIVE", "BEAUTY", "BIKES", "BOOKS", "CASINO", "EDUCATION", "EDUCATION_JAPAN", "ENTERTAINMENT",
    "EV_CHARGER",
    "FINANCIAL_USD", "FINANCIAL_CNY", "FINANCIAL_GBP", "FINANCIAL_JPY", "FINANCIAL_EUR", "FITNESS",
    "FOOD_AND_DRINK",
    "GAS", "GROCERY", "HEALTH_AND_MEDICAL", "HOTEL_AND_TRAVEL", "MUSIC", "PARKING", "PET_SERVICES",
    "PROFESSIONAL_SERVICES", "SHOPPING", "TICKETING", "TRANSIT",
  ]

  static func check(_ file: inout ExperienceFile) {
    // The first experience with each address.
    var places: [Sameness: Int] = [:]
    for (index, experience) in file.experiences.enumerated() {
      file.findings += problems(of: experience, in: file)
      let (same, alike) = (Sameness(same: experience), Sameness(alike: experience))
      if let other = [places[same], places[alike]].compactMap({ $0 }).min() {
        file.findings.append(repetition(of: experience, file.experiences[other], in: file))
      }
      if places[same] == nil { places[same] = index }
      if places[alike] == nil { places[alike] = index }
    }
    if file.clip.bundleIdentifier == nil || !file.experiences.contains(where: { $0.kind == .standard }) {
      file.findings.append(
        Finding(
          rule: "clip.no-default", severity: .warning, at: .init(file: file.source.name),
          message: "The file has no default experience of a named clip.",
          help:
            "App Store Connect requires one for every clip. Add clip: { bundle_id: … } and default: { subtitle: … }.",
          source: "AC15"))
    }
    if let clip = file.clip.bundleIdentifier, let app = file.app.bundleIdentifier,
      !clip.hasPrefix(app + ".") || clip.utf8.count == app.utf8.count + 1
    {
      file.findings.append(
        Finding(
          rule: "clip.identifier", severity: .error, at: .init(file: file.source.name),
          message: "'\(clip)' is no clip of the app '\(app)'.",
          help: "A clip's identifier is its app's with a dot and a word behind it, such as '\(app).Clip'.",
          source: "AC1"))
    }
    file.findings = file.findings.inReadingOrder()
  }

  private static func problems(of experience: Experience, in file: ExperienceFile) -> [Finding] {
    let address = experience.address
    var found: [Finding] = []
    func add(
      _ rule: String, _ severity: Finding.Severity, _ source: String, _ message: String, _ help: String
    ) {
      found.append(
        Finding(
          rule: "clip." + rule, severity: severity, at: file.location(experience.range), message: message,
          help: help, source: source))
    }
    if address.scheme != "https" || address.port != nil {
      add(
        "experience-url", .error, "AC16", "'\(address.shown)' is not an https URL without a port.",
        "Write it as https://example.com/shop.")
    } else if address.hasFragment, experience.kind == .advanced {
      add(
        "experience-url", .warning, "AC17", "The registered URL has a fragment.",
        "Of fragments the documentation says nothing. Register a path or a query.")
    }
    let ownsHost = [.website, .advanced].contains(experience.kind)
    if ownsHost, let domains = file.clip.domains, !domains.contains(address.host) {
      add(
        "experience-host", .error, "AC6", "'\(address.host)' is not among the clip's domains.",
        "Claim 'appclips:\(address.host)' on clip and app and publish its association file, or no URL of the host opens "
          + "the clip. That holds for a link shortener's host as well.")
    }
    if experience.kind == .demo, address.host != "appclip.apple.com" {
      add(
        "demo-link", .error, "AC15", "A demo link is not on '\(address.host)'.",
        "App Store Connect makes it, on appclip.apple.com. Copy it from there.")
    }
    return found
  }

  /// What two experiences of a kind have in common that cannot both be registered.
  private struct Sameness: Hashable {
    let kind: Experience.Kind
    let parts: [String?]
    let items: Set<String>

    init(same experience: Experience) {
      kind = experience.kind
      parts = [experience.address.host, experience.address.rest]
      items = []
    }

    /// Each takes the other's URL, see ``PrefixReading/normalized``.
    init(alike experience: Experience) {
      let address = experience.address
      kind = experience.kind
      parts = [address.scheme, address.host, address.port.map { String($0) }, address.normalizedPath]
      items = address.normalizedItems
    }
  }

  private static func repetition(
    of experience: Experience, _ other: Experience, in file: ExperienceFile
  ) -> Finding {
    let isSame =
      other.address.host == experience.address.host && other.address.rest == experience.address.rest
    let line = file.source.position(at: other.range.lowerBound).line
    return Finding(
      rule: "clip.repeated-experience", severity: isSame ? .error : .warning,
      at: file.location(experience.range),
      message: isSame
        ? "The URL is registered on line \(line) already."
        : "The URL differs from the one on line \(line) by case, percent-encoding, a slash or order only.",
      help: isSame
        ? "Only one experience can take it. Remove one of the two."
        : "Apple does not document whether that tells them apart. Keep one of the two.",
      source: isSame ? "AC16" : "AC17")
  }
}
