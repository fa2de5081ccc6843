import AppSiteAssociation
import LinkspanCore
import SimulatedDevices

/// Devices and links.
extension StoryParser {
  private static let deviceExample = "{ iphone: { os: [\"ios:13.7\", \"ios:17.4\"] } }"
  private static let deviceKeys = ["os", "count", "developer", "simulator", "managed", "region", "handoff"]

  mutating func readDevices(_ node: JSONNode) {
    for member in context.named(node, "devices", example: "devices: \(Self.deviceExample)") ?? [] {
      let value = member.value
      guard context.members(value, "a device", keys: Self.deviceKeys, example: Self.deviceExample) != nil
      else { continue }
      guard let os = value["os"] else {
        context.report(
          "missing-key", at: member.nameRange, "The device '\(member.name)' has no 'os'.",
          "Add os: \"ios:17.4\", or a list to get one device for each version.")
        deviceGroups[member.name] = deviceGroups[member.name] ?? []
        continue
      }
      context.checkName(member, reserved: ["all", "cdn", "story"])
      let isSimulator = value["simulator"].flatMap { context.bool($0, "simulator") } ?? false
      let isDeveloper = value["developer"].flatMap { context.bool($0, "developer") } ?? isSimulator
      let management = value["managed"].map { readManagement($0) } ?? (false, [:])
      let region = value["region"].flatMap { node in
        context.string(node, "region", example: "region: \"JP\"").flatMap { context.region($0, node) }
      }
      let count = value["count"].map { context.int($0, "count", in: 1...context.limits.devices) ?? 1 }
      let handoff = value["handoff"].map { handoffSwitches($0) }
      let isList = os.array != nil
      let isGroup = isList || count != nil
      reportEmpty(os, "os")
      for (text, place) in context.strings(os, "os", example: Self.deviceExample) {
        context.expects(.form(Self.versionForm), at: place.range)
        guard let version = version(text, place) else {
          deviceGroups[member.name] = deviceGroups[member.name] ?? []
          continue
        }
        let number = version.description.split(separator: ":").last!
        let base = isList ? "\(member.name)-\(number)" : member.name
        for copy in 1...(count ?? 1) {
          // What is too many is told below; more of them would only cost.
          guard devices.count <= context.limits.devices else { break }
          let name = count == nil ? base : "\(base)-\(copy)"
          if deviceGroups[name] != nil {
            context.report(
              "repeated-device", place, "The device '\(name)' is declared twice.", "Remove one of the two.")
            continue
          }
          deviceGroups[name] = [devices.count]
          if isGroup { deviceGroups[member.name, default: []].append(devices.count) }
          if isList, count != nil { deviceGroups[base, default: []].append(devices.count) }
          var traits = DeviceTraits(
            name: name, os: version, isDeveloper: isDeveloper, isManaged: management.0,
            region: region ?? HostFacts.usualRegion)
          traits.isSimulator = isSimulator
          if let handoff { traits.handoff = handoff }
          traits.managedEntries = management.1
          devices.append(traits)
        }
      }
    }
    if devices.count > context.limits.devices {
      context.report(
        "too-many", node, "The story has more than \(context.limits.devices) devices.",
        "Split the story into several.")
    }
  }

  /// `true` for direct downloads, or an object that says what an administrator has set.
  private mutating func readManagement(_ node: JSONNode) -> (allowsDirect: Bool, entries: [String: [String]])
  {
    if let isManaged = node.bool { return (isManaged, [:]) }
    let example = "managed: { direct_downloads: true, domains: { shop: [\"applinks:example.com\"] } }"
    let members = context.members(
      node, "management", keys: ["direct_downloads", "domains"], example: example)
    var entries: [String: [String]] = [:]
    var allowsDirect = false
    for member in members ?? [] {
      if member.name == "direct_downloads" {
        allowsDirect = context.bool(member.value, member.name) ?? false
      }
      guard member.name == "domains" else { continue }
      for domain in context.named(member.value, "domains", example: example) ?? [] {
        guard let app = apps.first(where: { $0.name == domain.name }) else {
          context.report(
            "unknown-app", at: domain.nameRange, "The story has no app '\(domain.name)'.",
            "Declare it under 'apps'.")
          continue
        }
        entries[app.build.identifier] = context.strings(domain.value, domain.name, example: example).map(\.0)
      }
    }
    return (allowsDirect, entries)
  }

  /// The form of a version, as a schema says it; whether there is such a release, the reader knows.
  private static let versionForm =
    #"^(([iI][oO]|[iI][pP][aA][dD][oO]|[mM][aA][cC][oO]|[wW][aA][tT][cC][hH][oO])[sS]:)?0*\d{1,3}(\.0*\d{1,3}){0,2}$"#

  /// The platforms whose way with links is documented enough to be played.
  private static let platforms: [OSVersion.Platform] = [.iOS, .macOS, .watchOS]

  private mutating func version(_ text: String, _ node: JSONNode) -> OSVersion? {
    do {
      let version = try OSVersion(text)
      if Self.platforms.contains(version.platform) { return version }
      context.report(
        "os", node, "'\(text)' cannot be simulated; iOS, macOS and watchOS can.",
        "Write ios:17.4, macos:14.4 or watchos:10.0.")
    } catch {
      context.report(
        "os", node, "'\(text)' is not an OS version: \(error.reason).", "Write a version such as ios:17.4.")
    }
    return nil
  }

  /// A list of URLs, or the path of a file with one a line.
  mutating func readLinks(_ node: JSONNode) {
    guard let path = node.string else {
      for (text, place) in context.strings(node, "links", example: "links: [\"https://example.com/a\"]") {
        _ = link(text, place)
      }
      return
    }
    do {
      guard let bytes = try context.reader.file(path) else {
        context.report(
          "no-file", node, "'\(path)' does not exist.", "Paths are relative to the story's folder.")
        return
      }
      readLinks(String(decoding: bytes, as: UTF8.self), of: path, node)
    } catch {
      context.report(
        "unreadable-file", node, "'\(path)' cannot be read: \(error.reason).",
        "Fix the file, or name another.")
    }
  }

  /// A file may be none of links at all: its first wrong line says so, and the others are counted.
  private mutating func readLinks(_ text: String, of path: String, _ node: JSONNode) {
    var wrong: [(line: Int, message: String)] = []
    var count = 0
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let start = line.drop { index == 0 && $0 == "\u{FEFF}" || $0 == " " || $0 == "\t" }
      let trimmed = String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
      guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
      count += 1
      if let message = Self.fault(ofLink: trimmed) {
        wrong.append((index + 1, message))
      } else {
        _ = link(trimmed, node)
      }
    }
    if count == 0 {
      context.report("no-links", node, "'\(path)' has no link.", "Write one URL a line.")
    }
    guard let first = wrong.first else { return }
    let others = wrong.count - 1
    let more = others == 0 ? "" : " Nor \(others == 1 ? "is" : "are") \(others.counted("other line"))."
    context.report(
      "link", node, "'\(path)', line \(first.line): \(first.message)\(more)",
      "Write one full URL a line, such as https://example.com/path.")
  }

  /// Why a text is no link that a device follows; nil for one that is.
  private static func fault(ofLink text: String) -> String? {
    let url = LinkURL(written: text)
    guard ["http", "https"].contains(url.scheme), !url.host.isEmpty, url.fault == nil else {
      let reason = url.fault.map { ": " + $0 } ?? ""
      return "'\(text.withoutUserInformation)' is not an http or https URL\(reason)."
    }
    return nil
  }

  /// The place of a link in the story; a new one gets the next.
  mutating func link(_ text: String, _ node: JSONNode) -> Int? {
    if let place = linkPlaces[text] { return place }
    if let message = Self.fault(ofLink: text) {
      context.report("link", node, message, "Write the full URL, such as https://example.com/path.")
      return nil
    }
    guard links.count < context.limits.links else {
      if links.count == context.limits.links {
        context.report(
          "too-many", node, "The story has more than \(context.limits.links) links.",
          "Split the story into several.")
      }
      return nil
    }
    linkPlaces[text] = links.count
    links.append(text)
    return links.count - 1
  }
}
