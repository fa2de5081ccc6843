internal import AppSiteAssociation
package import HeldURLs
package import LinkspanCore

/// One URL at one entrance, and what comes of it: which card, app or clip, and what the code receives.
package struct Invocation: Sendable {
  package enum Receiver: String, Sendable {
    case app, clip
    /// Nothing of ours: the URL goes to the browser, or nowhere.
    case none
  }

  /// The state of the device.
  package struct Device: Sendable {
    package var release: ClipRelease?
    package var hasApp = false
    /// The URL with which the clip was opened before.
    package var lastURL: String?

    package init() {}
  }

  /// Empty for a clip that is opened again, without a URL.
  package let url: String
  /// The URL that a device holds; nil where it makes none of the text.
  package let held: HeldURL?
  package let entrance: Entrance
  package private(set) var receiver = Receiver.none
  package private(set) var experience: Experience?
  /// nil where no card is shown.
  package private(set) var card: Experience?
  /// What `NSUserActivity.webpageURL` is; nil where the clip gets none.
  package private(set) var received: String?
  /// Why, in order, each with the number of its rule.
  package private(set) var reasons: [(text: String, source: String)] = []
  package private(set) var findings: [Finding] = []
  /// The URL of the experience that each reading of "begins with" leads to, where they differ; nil for none.
  package private(set) var readings: [PrefixReading: String?] = [:]

  private let file: ExperienceFile

  package init(_ url: String, _ entrance: Entrance, _ device: Device, in file: ExperienceFile) {
    self.url = url
    held = ClipAddress(url) == nil ? nil : HeldURL(url)
    self.entrance = entrance
    self.file = file
    resolve(device)
  }

  /// A clip on the device that a person opens again, at an entrance that ``Entrance/opensAgain``: no URL leads there, so
  /// no experience is looked for.
  ///
  /// - Source: Apple, "Responding to invocations" (AC22).
  package init(again entrance: Entrance, _ device: Device, in file: ExperienceFile) {
    precondition(entrance.opensAgain, "every other entrance brings a URL")
    url = ""
    held = nil
    self.entrance = entrance
    self.file = file
    if device.hasApp {
      takesTheClipsPlace()
    } else if isTooOld(device) {
      return
    } else {
      receiver = .clip
      because("It opens the clip that is on the device again, without a card.", "AC22")
    }
    deliver(device)
  }

  /// The URL as answers show it.
  package var shown: String { url.withoutUserInformation }

  /// For a '_XCAppClipURL' that the scheme has switched off: Xcode does not hand it over.
  ///
  /// - Parameter scheme: The scheme's file.
  package mutating func isSwitchedOff(in scheme: String) {
    received = nil
    findings.append(
      Finding(
        rule: "clip.scheme-disabled", severity: .note, at: .init(file: scheme),
        message: "'_XCAppClipURL' is switched off.", help: "Xcode then starts the clip without a URL.",
        source: "AC21"))
  }

  private mutating func because(_ text: String, _ source: String) { reasons.append((text, source)) }

  private mutating func resolve(_ device: Device) {
    guard let address = ClipAddress(url), address.scheme == "https" || address.scheme == "http" else {
      because("'\(shown)' is not a web address.", "AC16")
      return
    }
    if !device.hasApp, isTooOld(device) { return }
    guard let found = pick(address, device) else {
      if device.hasApp {
        because(
          "No experience is for this URL. The app, which is installed, may open it as a universal link.",
          "AC23")
      }
      return
    }
    experience = found
    if device.hasApp {
      takesTheClipsPlace()
    } else {
      guard file.clip.isReleased || [.local, .testFlight].contains(found.kind) || entrance == .xcode else {
        because(
          "The file has 'released: false': until it is, a Local Experience, TestFlight or Xcode opens the clip.",
          "AC24")
        experience = nil
        return
      }
      receiver = .clip
      card = entrance.showsCard ? found : nil
      if card == nil { because("This entrance shows no card.", entrance == .testFlight ? "AC21" : "AC22") }
    }
    deliver(device)
  }

  private mutating func takesTheClipsPlace() {
    receiver = .app
    because("The app is installed, so it takes the clip's place.", "AC23")
  }

  /// Whether the clip does not run on the device's release.
  private mutating func isTooOld(_ device: Device) -> Bool {
    guard let release = device.release, release < file.clip.minimumOS else { return false }
    because("The clip runs from \(file.clip.minimumOS) on, and the device has \(release).", "AC14")
    return true
  }

  private mutating func deliver(_ device: Device) {
    switch entrance.delivery {
    case .invoked:
      // Xcode hands over what the scheme says, a demo link with its parameters too (AC21).
      guard experience?.kind == .demo, entrance != .xcode else {
        received = held?.text
        return
      }
      received = ClipAddress(url)?.withoutQuery
      because("Parameters of a demo link do not reach the clip.", "AC15")
    case .registered:
      received = experience?.address.held
      because("This entrance brings the registered URL, not a longer one.", "AC22")
    case .last:
      received = device.lastURL.map { HeldURL($0).text }
      because("This entrance brings the URL of the last time.", "AC22")
    case .nothing: because("This entrance brings no URL.", "AC22")
    }
  }

  // MARK: - Which experience

  private mutating func pick(_ address: ClipAddress, _ device: Device) -> Experience? {
    if address.scheme == "http" {
      because("Invocations are https; '\(shown)' is not.", "AC16")
      return nil
    }
    if entrance == .xcode {
      because("A scheme gives its '_XCAppClipURL' to the clip as it is.", "AC21")
    }
    let local = longest(.local, address)
    if entrance.opens(.local) != .no, let local {
      because("A Local Experience takes precedence over registered ones: '\(local.address.shown)'.", "AC21")
      if entrance.opens(.local) == .limited {
        note("Of Local Experiences at this entrance nothing is documented.", "AC21")
      }
      return local
    }
    if entrance == .testFlight {
      let found = file.experiences.first {
        $0.kind == .testFlight && $0.address.rest == address.rest && $0.address.isOnHost(of: address)
      }
      because(
        found == nil
          ? "It is not one of TestFlight's invocations." : "It is one of TestFlight's invocations.",
        "AC21")
      return found
    }
    if let port = address.port {
      because("No associated domain can name the port \(port), so it opens no clip.", "E3")
      return nil
    }
    if address.link.isAppleClipLink { return pickAppleLink(address, device) }
    if entrance.opens(.advanced) == .no, let website = openedWebsite(address) {
      return takes(
        website,
        "This entrance opens no advanced experience; the default experience is on this website.", "AC15")
    }
    if let advanced = longest(.advanced, address) {
      return takes(
        advanced, "It begins with the registered '\(advanced.address.shown)', the longest that fits.", "AC16")
    }
    guard let website = website(address) else {
      let hosts = Set(file.experiences.map { $0.address.host })
      because(
        hosts.contains(address.host)
          ? "No registered URL is the beginning of it." : "No experience is on '\(address.host)'.", "AC16")
      return nil
    }
    return takes(website, "The default experience is on this website.", "AC15")
  }

  private func website(_ address: ClipAddress) -> Experience? {
    file.experiences.first { $0.kind == .website && $0.address.isOnHost(of: address) }
  }

  /// The default experience on the URL's website, where the entrance opens it.
  private func openedWebsite(_ address: ClipAddress) -> Experience? {
    entrance.opens(.website) == .no ? nil : website(address)
  }

  private mutating func pickAppleLink(_ address: ClipAddress, _ device: Device) -> Experience? {
    if let demo = file.experiences.first(where: {
      $0.kind == .demo && $0.address.path == address.path
        && $0.address.queryItems.allSatisfy(address.queryItems.contains)
    }) {
      return takes(demo, "It is the demo link.", "AC15")
    }
    guard let standard = file.experiences.first(where: { $0.kind == .standard }), address.path == "/id",
      let clip = file.clip.bundleIdentifier, address.queryValue("p") == clip
    else {
      because("It is Apple's link of another clip.", "AC24")
      return nil
    }
    let needed = entrance == .otherApp ? ClipRelease(major: 17, minor: 0) : ClipRelease(major: 16, minor: 4)
    if entrance != .xcode, let release = device.release, release < needed {
      because("Apple's link opens clips at this entrance from \(needed) on.", "AC24")
      return nil
    }
    return takes(standard, "It is Apple's link of the clip.", "AC24")
  }

  /// The experience, unless the entrance does not open its kind.
  private mutating func takes(_ experience: Experience, _ reason: String, _ source: String) -> Experience? {
    because(reason, source)
    let needsDomain = [.website, .advanced].contains(experience.kind) && entrance != .xcode
    if needsDomain, let domains = file.clip.domains, !domains.contains(experience.address.host) {
      because("'\(experience.address.host)' is not among the clip's domains.", "AC6")
      return nil
    }
    switch entrance.opens(experience.kind) {
    case .yes: return experience
    case .limited:
      note(
        "At this entrance an experience of the kind '\(experience.kind.rawValue)' works in part only.", "AC15"
      )
      return experience
    case .no:
      because("This entrance does not open an experience of the kind '\(experience.kind.rawValue)'.", "AC15")
      return nil
    }
  }

  /// The experience of a kind that the documented rule picks; where other readings of it pick another one, that is told.
  private mutating func longest(_ kind: Experience.Kind, _ address: ClipAddress) -> Experience? {
    let all = file.experiences.filter { $0.kind == kind }
    func pick(_ reading: PrefixReading) -> Experience? {
      all.filter { reading.takes($0.address, address) }.reduce(nil as Experience?) { best, next in
        best.map { $0.address.rest.utf8.count >= next.address.rest.utf8.count ? $0 : next } ?? next
      }
    }
    let picks = PrefixReading.allCases.map { (reading: $0, experience: pick($0)) }
    let main = pick(.characters)
    guard picks.contains(where: { $0.experience?.range != main?.range }) else { return main }
    var words: [String] = []
    for (reading, picked) in picks {
      // Where no registered URL fits, the website's default experience is left (AC15).
      let experience = picked ?? (kind == .advanced ? openedWebsite(address) : nil)
      readings.updateValue(experience.map { $0.address.text }, forKey: reading)
      let rule =
        switch reading {
        case .characters: "character by character"
        case .segments: "at the end of a word only"
        case .normalized: "without case, encoding, last slash and order"
        }
      words.append("\(rule): \(experience?.name ?? "none")")
    }
    findings.append(
      Finding(
        rule: "clip.prefix-boundary", severity: .warning,
        at: (main ?? picks.compactMap { $0.experience }.first).map { file.location($0.range) }
          ?? .init(file: file.source.name),
        message: "Which experience takes '\(shown)' depends on how a prefix is compared.",
        help:
          "Read \(words.joined(separator: "; ")). Apple documents none of these; the first is taken here. Register "
          + "URLs that end in a slash, or write the link as it is registered.", source: "AC17"))
    return main
  }

  private mutating func note(_ message: String, _ source: String) {
    findings.append(
      Finding(
        rule: "clip.limited-entrance", severity: .note, at: .init(file: file.source.name), message: message,
        help: "Try it on a device before you rely on it.", source: source))
  }
}

extension Invocation {
  /// One answer of `linkspan clip url --json`.
  package var json: JSON {
    .object(
      [
        ("type", .string("clip-url")), ("url", url.isEmpty ? .null : .string(shown)),
        ("entrance", .string(entrance.rawValue)),
        ("receiver", .string(receiver.rawValue)), ("experience", experience?.json ?? .null),
        ("card", card?.json ?? .null), ("received_url", .init(received?.withoutUserInformation)),
        (
          "reasons",
          .array(reasons.map { .object([("text", .string($0.text)), ("source", .string($0.source))]) })
        ),
        (
          "readings",
          readings.isEmpty
            ? .null
            : .object(
              PrefixReading.allCases.map {
                ($0.rawValue, .init((readings[$0] ?? nil)?.withoutUserInformation))
              })
        ), ("findings", .array(findings.map { $0.json })),
      ] + (held?.members ?? []))
  }
}

extension Experience {
  /// The experience as answers have it.
  package var json: JSON {
    .object([
      ("kind", .string(kind.rawValue)), ("url", .string(address.shown)), ("title", .init(title)),
      ("subtitle", .init(subtitle)), ("action", .init(action?.rawValue)), ("image", .init(image)),
    ])
  }
}
