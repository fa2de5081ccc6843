internal import AppClips
internal import HeldURLs
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  static let clipURL = Command(
    name: "clip url",
    summary: "Which card a URL shows, whether clip or app opens, and what its code receives",
    operands: "[URL…]",
    discussion: """
      Answers from a file with the experiences of App Store Connect (JSON5; Documentation/app-clips.md): Apple's link,
      a website, a demo link, advanced and Local Experiences, TestFlight's invocations. Among advanced ones the longest
      prefix of the URL counts. Apple does not document where a prefix may end; if that matters, a warning gives the
      result of each reading.

      A clip that is opened again, from the App Library, a notification or the App Switcher, needs no URL.

      '--scheme' asks for the '_XCAppClipURL' of a scheme of Xcode as well: what the clip receives when it is run from
      there, and whether an experience takes the URL.
      """,
    flags: [
      Flag("--experiences", "FILE", "The experiences (required)"),
      Flag(
        "--from", "ENTRANCE", choices: Entrance.allCases.map { $0.rawValue },
        "Where the person comes from: \(Entrance.allCases.map { $0.rawValue }.joined(separator: ", ")) (qr)"),
      Flag("--os", "VERSION", "The device's release, such as 17.4 (a current one)"),
      Flag("--app-installed", "The full app is on the device"),
      Flag("--last", "URL", "What opened the clip before, for the App Library and Spotlight"),
      Flag("--scheme", "FILE", repeats: true, "An .xcscheme whose '_XCAppClipURL' is asked for"),
    ],
    examples: [
      "linkspan clip url https://example.com/shop/42 --experiences experiences.json5",
      "linkspan clip url https://example.com/shop --experiences experiences.json5 --from banner --os 15.0 --json",
      "linkspan clip url --scheme Clip.xcscheme --experiences experiences.json5",
      "linkspan clip url --from app-switcher --experiences experiences.json5",
    ],
    exitStatus: "0 every URL opens the clip or the app, 1 one doesn't, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    let run = try ClipURLRun(arguments)
    var opensAll = true
    for invocation in run.invocations() {
      opensAll = opensAll && invocation.receiver != .none
      if arguments.has("--json") {
        console.print(invocation.json)
      } else {
        run.print(invocation, on: console)
      }
    }
    return opensAll ? .yes : .no
  }
}

private struct ClipURLRun {
  private struct Opened {
    /// nil for a clip that is opened again.
    var url: String?
    var entrance: Entrance
    /// The scheme in which the URL is switched off.
    var offIn: String?
  }

  private let urls: [Opened]
  private let file: ExperienceFile
  private var device = Invocation.Device()

  init(_ arguments: Arguments) throws(LinkspanError) {
    guard let path = arguments.value("--experiences") else {
      throw arguments.usage("'--experiences' is missing")
    }
    let entrance = arguments.choice("--from", Entrance.self) ?? .qr
    if let version = arguments.value("--os") {
      guard let release = ClipRelease(version) else {
        throw arguments.usage("'--os': expected a version such as 17.4, got '\(version)'")
      }
      device.release = release
    }
    device.hasApp = arguments.has("--app-installed")
    device.lastURL = try arguments.value("--last").map { text throws(LinkspanError) in
      try ExperienceInput.url(text, arguments)
    }
    file = try ExperienceInput.read(path)
    var urls: [Opened] = []
    for operand in arguments.operands {
      urls.append(Opened(url: try ExperienceInput.url(operand, arguments), entrance: entrance))
    }
    for scheme in arguments.all("--scheme") {
      let variables = NamedURLs.ofScheme(try FileReader.bytes(scheme))
      guard !variables.isEmpty else {
        throw LinkspanError(
          "'\(scheme)' has no '_XCAppClipURL'.",
          help:
            "It is an environment variable of the scheme's Run action. Check that it is the clip's scheme.")
      }
      for (url, isEnabled) in variables {
        urls.append(Opened(url: url, entrance: .xcode, offIn: isEnabled ? nil : scheme))
      }
    }
    if urls.isEmpty, entrance.opensAgain { urls.append(Opened(url: nil, entrance: entrance)) }
    guard !urls.isEmpty else { throw arguments.usage("URL is missing") }
    self.urls = urls
  }

  func invocations() -> [Invocation] {
    urls.map { opened in
      guard let url = opened.url else { return Invocation(again: opened.entrance, device, in: file) }
      var invocation = Invocation(url, opened.entrance, device, in: file)
      if let scheme = opened.offIn { invocation.isSwitchedOff(in: scheme) }
      return invocation
    }
  }

  func print(_ invocation: Invocation, on console: Console) {
    let style = console.style
    let verdict =
      switch invocation.receiver {
      case .clip: style.paint("opens the clip", .green)
      case .app: style.paint("opens the app", .green)
      case .none where device.hasApp: style.paint("opens no clip", .red)
      case .none: style.paint("opens neither the clip nor the app", .red)
      }
    let url = invocation.shown.isEmpty ? "no URL" : invocation.shown
    console.print("\(style.bold(url)) (\(invocation.entrance.rawValue)): \(verdict)")
    if let held = invocation.held, held.isChanged {
      console.print("  held as     \(held.text.withoutUserInformation): \(held.summary)")
    }
    if let experience = invocation.experience { console.print("  experience  \(experience.name)") }
    if invocation.receiver == .clip {
      let texts = [invocation.card?.title, invocation.card?.subtitle, invocation.card?.action?.rawValue]
      let shown = texts.compactMap { $0 }.joined(separator: " · ")
      console.print(
        "  card        \(invocation.card == nil ? "none" : shown.isEmpty ? "without texts" : shown)")
    }
    if invocation.receiver != .none {
      console.print("  receives    \(invocation.received?.withoutUserInformation ?? "no URL")")
    }
    for reason in invocation.reasons { console.print("  - \(reason.text) [\(reason.source)]") }
    for finding in invocation.findings { console.print(finding.text(style: style), terminator: "") }
  }
}
