package import LinkspanCore

/// The tag of a page that makes Safari show a banner or a card: read, checked and made.
package struct SmartAppBanner: Sendable {
  package private(set) var findings: [Finding] = []
  /// Of the tag that is there.
  package private(set) var values: [String: String] = [:]
  /// Whether the page has the tag at all.
  package private(set) var isThere = false

  private static let keys = [
    "app-id", "app-clip-bundle-id", "app-clip-display", "app-argument", "affiliate-data",
  ]
  private let page: SourceText

  /// Reads a page.
  ///
  /// - Parameter experiences: What the page's values are compared with; nil to look at the page alone.
  package init(_ page: SourceText, _ experiences: ExperienceFile?) {
    self.page = page
    let all = MarkupTag.all(in: page.bytes)
    let tags = Self.read(all).filter { $0.name == "meta" }
    func content(
      _ key: String, _ attribute: String, in tags: [MarkupTag]
    ) -> [MarkupTag.Attribute] {
      tags.filter { $0.value(attribute).map { ASCII.lowercased($0) } == key }
        .compactMap { tag in tag.attributes.first { $0.name == "content" } }
    }
    let banners = content("apple-itunes-app", "name", in: tags)
    guard let banner = banners.first else {
      if let unread = content("apple-itunes-app", "name", in: all.filter { $0.name == "meta" }).first {
        add(
          "banner-missing", .warning, unread.range,
          "The 'apple-itunes-app' tag is inside an element whose content is no part of the page.",
          "Safari shows no banner. Move it out of <template> or <noscript> into the <head>.")
        return
      }
      let advice =
        experiences.flatMap { Self.tag(for: $0) } ?? "Make it with 'linkspan clip card FILE --tag'."
      add(
        "banner-missing", .warning, nil, "The page has no 'apple-itunes-app' tag.",
        "It shows no banner. Add: \(advice)")
      return
    }
    isThere = true
    if banners.count > 1 {
      add(
        "banner-repeated", .warning, banners[1].range,
        "The page has \(banners.count) 'apple-itunes-app' tags.",
        "Which one counts is documented nowhere. Keep one.")
    }
    read(banner)
    check(banner, experiences)
    if content("og:image", "property", in: tags).isEmpty, content("og:image", "name", in: tags).isEmpty {
      add(
        "page-image", .note, nil, "The page has no 'og:image'.",
        "Messages takes the picture of its preview from it. Add <meta property=\"og:image\" content=\"…\">.")
    }
  }

  /// Elements whose content is no element of the page, in a browser with scripts.
  ///
  /// - Source: WHATWG, HTML, "Parsing HTML documents" (raw text, RCDATA, and the contents of a template).
  private static let inert: Set<String> = [
    "template", "noscript", "title", "textarea", "xmp", "noembed", "noframes",
  ]

  /// The tags that a browser makes elements of.
  private static func read(_ tags: [MarkupTag]) -> [MarkupTag] {
    var open: (name: String, depth: Int)?
    return tags.filter { tag in
      guard let (name, depth) = open else {
        if inert.contains(tag.name) { open = (tag.name, 1) }
        return true
      }
      // Of these only templates have others inside.
      if tag.name == name, name == "template" { open = (name, depth + 1) }
      if tag.name == "/" + name { open = depth == 1 ? nil : (name, depth - 1) }
      return false
    }
  }

  private mutating func add(
    _ rule: String, _ severity: Finding.Severity, _ range: Range<Int>?, _ message: String, _ help: String
  ) {
    findings.append(
      Finding(
        rule: "clip." + rule, severity: severity,
        at: range.map { .init(page, $0) } ?? .init(file: page.name), message: message, help: help,
        source: "AC20"))
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop(while: { $0.isWhitespace }).reversed().drop(while: { $0.isWhitespace }).reversed())
  }

  private mutating func read(_ banner: MarkupTag.Attribute) {
    for part in banner.value.split(separator: ",") {
      guard let equals = part.firstIndex(of: "=") else {
        add(
          "banner-key", .error, banner.range, "'\(Self.trimmed(part))' has no '='.",
          "The content is a list such as: app-id=123456789, app-clip-bundle-id=com.example.app.Clip.")
        continue
      }
      let key = ASCII.lowercased(Self.trimmed(part[..<equals]))
      guard Self.keys.contains(key) else {
        let near = Spelling.nearest(to: key, among: Self.keys)
        add(
          "banner-key", .warning, banner.range, "'\(key)' is not a key of the banner.",
          near.map { "Did you mean '\($0)'?" }
            ?? "Safari passes it over. It may have \(Self.keys.joined(separator: ", ")).")
        continue
      }
      values[key] = Self.trimmed(part[part.index(after: equals)...])
    }
  }

  private mutating func check(_ banner: MarkupTag.Attribute, _ experiences: ExperienceFile?) {
    if let number = values["app-id"] {
      if number.isEmpty || !number.utf8.allSatisfy(ASCII.isDigit) {
        add(
          "banner-app-id", .error, banner.range, "'app-id' is '\(number)'; expected a number.",
          "It is the number in the app's link in the App Store.")
      } else if let own = experiences?.app.storeIdentifier, own != number {
        add(
          "banner-app-id", .error, banner.range, "'app-id' is \(number), and the app's is \(own).",
          "Write \(own).")
      }
    } else {
      add(
        "banner-app-id", .warning, banner.range, "The banner has no 'app-id'.",
        "Where no clip can be shown, as before iOS 14 and on managed devices, there is no banner at all. Add it."
      )
    }
    guard let clip = values["app-clip-bundle-id"] else {
      add(
        "banner-clip", .warning, banner.range, "The banner names no clip.",
        "It offers the app only. Add app-clip-bundle-id=\(experiences?.clip.bundleIdentifier ?? "…").")
      return
    }
    if let own = experiences?.clip.bundleIdentifier, own != clip {
      add(
        "banner-clip", .error, banner.range, "The banner names '\(clip)', and the clip is '\(own)'.",
        "Write '\(own)'.")
    }
    if let display = values["app-clip-display"], display != "card" {
      add(
        "banner-display", .warning, banner.range, "'app-clip-display' is '\(display)'.",
        "Only 'card' is known; it shows the whole card from iOS 15 on.")
    }
    if values["app-argument"] != nil {
      add(
        "banner-argument", .note, banner.range, "'app-argument' does not reach the clip.",
        "The clip receives the page's own URL. What it needs to know belongs there.")
    }
  }

  /// The tag for a page; nil while the file does not name the clip.
  ///
  /// - Parameter isCard: Whether the whole card is to be shown, from iOS 15 on.
  package static func tag(for file: ExperienceFile, isCard: Bool = true) -> String? {
    guard let clip = file.clip.bundleIdentifier else { return nil }
    var parts: [String] = []
    if let number = file.app.storeIdentifier { parts.append("app-id=\(number)") }
    parts.append("app-clip-bundle-id=\(clip)")
    if isCard { parts.append("app-clip-display=card") }
    return "<meta name=\"apple-itunes-app\" content=\"\(parts.joined(separator: ", "))\">"
  }
}

/// The URLs that other files of a project name.
package enum NamedURLs {
  /// What `_XCAppClipURL` is in a scheme of Xcode, and whether it is switched on.
  package static func ofScheme(_ bytes: [UInt8]) -> [(url: String, isEnabled: Bool)] {
    MarkupTag.all(in: bytes).filter { $0.name == "environmentvariable" && $0.value("key") == "_XCAppClipURL" }
      .map { ($0.value("value") ?? "", $0.value("isenabled") != "NO") }
  }
}
