import AppSiteAssociation
import AssociatedDomains
package import LinkspanCore

/// A stand-in device's state as `swcutil show` prints it.
///
/// - Source: section 11.2. The banners, the order of sections, the keys, the dates and the form of a
///   setting are published. Not published, and ours: the header's second line, the words of the sections
///   `NETWORK` and `MEMORY USAGE`, and what stands inside the braces of an error. `App Version` and `App PI` are left
///   out, since a stand-in has none; so are services other than `applinks`, which it does not play.
package struct DeviceListing: Sendable {
  /// 80, as the dashes between entries and the banners are long.
  private static let width = 80
  /// Where values begin, as in the published samples.
  private static let column = 22

  private let device: DeviceTraits
  private let records: [AssociationRecord]
  private let start: WallTime
  private let elapsed: Duration

  /// - Parameters:
  ///   - start: The moment at which the story began.
  ///   - elapsed: How long it has gone on.
  package init(_ device: DeviceTraits, _ records: [AssociationRecord], start: WallTime, elapsed: Duration) {
    self.device = device
    self.records = records
    self.start = start
    self.elapsed = elapsed
  }

  /// The listing, each line with its line feed; trailing blanks are removed.
  package var text: String {
    var lines = [
      Self.line("Current time:", date(elapsed)),
      Self.line("Device:", "\(device.name), \(device.os.name) (stand-in)"),
      "", Self.banner("DATABASE"),
    ]
    for (index, record) in records.enumerated() {
      if index > 0 { lines.append(String(repeating: "-", count: Self.width)) }
      lines += entry(record)
    }
    lines += ["", Self.banner("NETWORK"), "(a stand-in keeps no figures)", Self.banner("SETTINGS")]
    for record in records where record.userApproval != .unspecified {
      lines += [
        "{ s = applinks, a = \(record.app), d = \(Self.domain(record)) }: {",
        "    \"com.apple.LaunchServices.enabled\" = \(record.userApproval == .approved ? 1 : 0);", "}",
      ]
    }
    lines += [Self.banner("MEMORY USAGE"), "(a stand-in keeps no figures)"]
    return lines.map { line in
      var line = Substring(line)
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }

  private func entry(_ record: AssociationRecord) -> [String] {
    var lines = [
      Self.line("Service:", record.domain.service.rawValue), Self.line("App ID:", record.app),
      Self.line("Domain:", Self.domain(record)),
    ]
    if record.siteApproval == .approved, let patterns = record.patterns {
      lines.append(Self.line("Patterns:", patterns))
    }
    lines.append(Self.line("User Approval:", record.userApproval.rawValue))
    lines.append(Self.line("Site/Fmwk Approval:", record.siteApproval.rawValue))
    let isDeveloper = record.domain.mode == .developer || record.domain.mode == .developerAndManaged
    lines.append(Self.line("Flags:", isDeveloper ? "developer" : ""))
    if let last = record.lastChecked { lines.append(Self.line("Last Checked:", date(last))) }
    if let next = record.nextCheck { lines.append(Self.line("Next Check:", date(next))) }
    if let error = record.problem?.error { lines.append(Self.line("Error:", error.text)) }
    if record.retries > 0 { lines.append(Self.line("Retries:", "\(record.retries)")) }
    return lines
  }

  /// With its mode, without its service.
  private static func domain(_ record: AssociationRecord) -> String {
    String(record.domain.canonicalText.drop { $0 != ":" }.dropFirst())
  }

  private static func line(_ key: String, _ value: String) -> String {
    key + String(repeating: " ", count: max(1, column - key.utf8.count)) + value
  }

  /// The word centred in equals signs, the odd one behind it.
  private static func banner(_ word: String) -> String {
    let signs = width - word.utf8.count - 2
    return String(repeating: "=", count: signs / 2) + " \(word) "
      + String(repeating: "=", count: signs - signs / 2)
  }

  /// `2023-08-24 10:09:00 +0000`
  private func date(_ moment: Duration) -> String {
    let text = "\(start.advanced(by: moment))"
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) +0000"
  }
}

extension AssociationRecord {
  /// The rules of the stored file for the app, defaults merged in, as objects with commas between.
  fileprivate var patterns: String? {
    guard let file, let links = file.matcher.file.appLinks else { return nil }
    let readsComponents = file.matcher.os?.readsComponents ?? true
    let rules = links.entries.filter { $0.applications(on: file.matcher.os).contains(app) }.flatMap { entry in
      let own: [RuleSettings] =
        if readsComponents, let components = entry.components {
          components.map(\.settings)
        } else {
          entry.paths.map { $0.map(\.settings) } ?? [RuleSettings()]
        }
      return own.map { $0.over(entry.defaults.over(links.defaults)) }
    }
    return rules.map(\.json.text).joined(separator: ", ")
  }
}

extension FetchProblem.PublishedError {
  /// As NSError describes itself: the domain and the code are published (section 11.2).
  fileprivate var text: String {
    switch self {
    case .noUsableCopy: "Error Domain=SWCErrorDomain Code=7 \"(null)\""
    case .notJSON: "Error Domain=NSCocoaErrorDomain Code=3840 \"The data is not JSON.\""
    }
  }
}
