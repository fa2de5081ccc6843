internal import AppSiteAssociation
internal import AssociationCheck
internal import AssociationDelivery
internal import LinkspanCore

/// What in one association file keeps a link, or every link, from opening an app.
struct FileCauses {
  private let name: String
  private let bytes: [UInt8]
  private let content: AssociationContent
  private let os: OSVersion

  /// - Parameter name: Where the file comes from.
  init(_ bytes: [UInt8], named name: String, on os: OSVersion) {
    self.bytes = bytes
    self.name = name
    self.os = os
    content = AssociationContent(bytes)
  }

  /// The applications that the file names for links, on this release.
  var applications: [String] { content.file.map { AssociationMatcher($0, os: os).applications } ?? [] }

  /// Why a device drops the file, or takes no app from it.
  var ofFile: FoundCause? {
    if bytes.count > AssociationLocation.maximumFileBytes {
      return FoundCause(
        .tooLarge, evidence: ["\(name) has \(bytes.count) bytes."],
        remedy:
          "Shorten the file to \(AssociationLocation.maximumFileBytes) bytes (R4): replace lists of pages by "
          + "wildcards or substitution variables.")
    }
    guard let file = content.file else { return notJSON }
    guard let links = file.appLinks, links.entries.contains(where: { !$0.applications(on: nil).isEmpty })
    else {
      return FoundCause(
        .noApps, evidence: ["\(name): " + Self.why(file)],
        remedy: "Name the app, with its prefix (J1, J4):\n"
          + Remedy.file(app: "ABCDE12345.com.example.app", link: nil))
    }
    return nil
  }

  private static func why(_ file: AssociationFile) -> String {
    guard let links = file.appLinks else { return "there is no 'applinks' object." }
    return links.entries.isEmpty
      ? "'applinks' has no entry in 'details'." : "no entry of 'details' has 'appIDs' or 'appID'."
  }

  private var notJSON: FoundCause {
    let source = SourceText(name: name, bytes: bytes)
    let first = AssociationChecker.check(AssociationSource(source)).findings
      .first { $0.severity == .error }
    var evidence: [String] = []
    if let first {
      let place = first.location.start.map { ", line \($0.line), column \($0.column)" } ?? ""
      evidence.append("\(name)\(place): \(first.message)")
    }
    let start = bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    let isPage = start == UInt8(ascii: "<")
    return FoundCause(
      .notJSON, evidence: evidence.isEmpty ? ["\(name) is no JSON object."] : evidence,
      remedy: isPage
        ? "Serve the file at this path, and not the web application's page (R8):\n" + Remedy.location
        : first?.help ?? "Write a JSON object whose keys are services (J1).",
      title: isPage ? "A web page is served instead of the association file." : nil)
  }

  // MARK: - One link

  /// Why no rule of the file opens the app for the link.
  ///
  /// - Parameters:
  ///   - apps: Identifiers of the apps that may open; empty when nobody knows, and then every app of the file may.
  ///   - work: For all comparisons.
  func causes(
    of link: LinkURL, apps: [String], scope: HostScope, _ work: inout WorkBudget
  ) -> [FoundCause] {
    guard let file = content.file else { return [] }
    let matcher = AssociationMatcher(file, os: os)
    let named = apps.isEmpty ? matcher.applications : apps.filter { file.namesForLinks($0, on: os) }
    guard !named.isEmpty else { return [notListed(apps, file)] }
    let traces = named.map { matcher.trace(link, app: $0, host: scope, &work) }
    guard !traces.contains(where: { $0.decision.verdict == .match }), let trace = traces.first else {
      return []
    }
    let newest = AssociationMatcher(file)
    let opensToday = named.contains { newest.decide(link, app: $0, host: scope).verdict == .match }
    if opensToday { return [ofRelease(trace.reason)] }
    if traces.contains(where: { $0.decision.verdict == .excluded }) {
      let excluded = traces.first { $0.decision.verdict == .excluded } ?? trace
      return [
        FoundCause(
          .ruleExcludes, evidence: ["\(name): \(excluded.reason)."],
          remedy:
            "Remove or narrow that exclusion, or put a rule for the link before it (the first rule that "
            + "holds decides):\n" + Remedy.rule(for: link))
      ]
    }
    if let dead = deadRule(for: link, apps: named, scope, file) { return [dead] }
    return [
      FoundCause(
        .noRule, evidence: ["\(name): \(trace.reason)."],
        remedy: "Add a rule to 'components' of the app's entry:\n" + Remedy.rule(for: link))
    ]
  }

  /// That the file names other apps.
  func notNamed(_ app: String) -> FoundCause? { content.file.map { notListed([app], $0) } }

  private func notListed(_ apps: [String], _ file: AssociationFile) -> FoundCause {
    let app = apps.first ?? "the app"
    if apps.contains(where: { file.namesForLinks($0, on: nil) }) {
      return ofRelease("\(os.name) reads 'appID' and 'paths', and the file names \(app) by 'appIDs' alone")
    }
    let others = file.appLinks?.entries.flatMap { $0.applications(on: nil) } ?? []
    var seen: Set<String> = []
    let shown = others.filter { seen.insert($0).inserted }.prefix(3).joined(separator: ", ")
    return FoundCause(
      .appNotListed,
      evidence: [
        "\(name) names \(shown.isEmpty ? "no app" : shown)\(seen.count > 3 ? ", …" : "").",
        "The app is \(app).",
      ],
      remedy: "Add the identifier that the app is signed with to 'appIDs' (J4):\n\"appIDs\": [\"\(app)\"]")
  }

  private func ofRelease(_ reason: String) -> FoundCause {
    FoundCause(
      .formatOfRelease, evidence: ["\(name): \(reason.hasSuffix(".") ? reason : reason + ".")"],
      remedy: os.readsComponents
        ? "Write the rule without what \(os.name) does not read: 'caseSensitive', 'percentEncoded' and variables "
          + "came with iOS 13.5, 'defaults' with iOS 14."
        : "Add the old form beside the new one for releases before iOS 13 (J6):\n"
          + #""apps": [], and in the entry: "appID": "PREFIX.bundle", "paths": ["/shop/*"]"#)
  }

  // MARK: - A rule that was meant for the link

  /// The rule that would match the link if it were written as a device compares it.
  private func deadRule(
    for link: LinkURL, apps: [String], _ scope: HostScope, _ file: AssociationFile
  ) -> FoundCause? {
    for entry in file.appLinks?.entries ?? [] where entry.applications(on: os).contains(where: apps.contains)
    {
      let rules = (entry.components ?? []).map(\.settings) + (entry.paths ?? []).map(\.settings)
      for settings in rules where settings.exclude != true {
        guard let path = settings.path else { continue }
        for mended in Self.mended(path) where mended != path {
          let rule = Self.rule(path: mended, of: path)
          guard Self.opens(link, by: rule, app: apps[0], scope) else { continue }
          return FoundCause(
            .ruleNeverMatches, .inferred,
            evidence: ["\(name): the rule \"\(path)\" matches no URL of a device."],
            remedy: "Write the rule as a device compares it:\n" + rule)
        }
      }
    }
    return nil
  }

  /// The rule as it should be: a query that was written into the path is one of its own.
  private static func rule(path: String, of written: String) -> String {
    var members: [(String, JSON)] = [("/", .string(path))]
    if written.hasPrefix(path + "?") {
      let items = written.dropFirst(path.count + 1).split(separator: "&").compactMap {
        item -> (String, JSON)? in
        let parts = item.split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? (String(parts[0]), .string(String(parts[1]))) : nil
      }
      members.append(("?", .object(items)))
    }
    return JSON.object(members).text
  }

  private static func opens(_ link: LinkURL, by rule: String, app: String, _ scope: HostScope) -> Bool {
    let text =
      #"{"applinks":{"details":[{"appIDs":["# + JSON.string(app).text + #"],"components":["# + rule + "]}]}}"
    guard let file = AssociationContent(Array(text.utf8)).file else { return false }
    return AssociationMatcher(file).decide(link, app: app, host: scope).verdict == .match
  }

  /// What the writer of a path pattern that matches nothing may have meant.
  private static func mended(_ path: String) -> [String] {
    var forms: [String] = []
    let url = LinkURL(path)
    if ["http", "https"].contains(url.scheme) { forms.append(url.text(of: url.path)) }
    let trimmed = String(path.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    forms.append(trimmed)
    // A host in front of the path.
    if !trimmed.hasPrefix("/"), let slash = trimmed.firstIndex(of: "/") {
      forms.append(String(trimmed[slash...]))
    }
    // A query in the path, where a single '?' stands for a letter.
    if let mark = trimmed.firstIndex(of: "?"), trimmed[mark...].contains("=") {
      forms.append(String(trimmed[..<mark]))
    }
    if let mark = trimmed.firstIndex(of: "#") { forms.append(String(trimmed[..<mark])) }
    let encoded = ASCII.percentEncoded(trimmed.utf8) { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 }
    return forms + [encoded]
  }

  // MARK: - No link

  /// Why no rule of the file can open any app; nil when one can.
  func causeForEveryLink(_ work: inout WorkBudget) -> FoundCause? {
    guard let file = content.file, let links = file.appLinks else { return nil }
    let matcher = AssociationMatcher(file, os: os)
    guard !matcher.applications.isEmpty else {
      return ofRelease(links.hasAppsKey ? "no entry is read" : "\(os.name) reads no entry")
    }
    let dead = Reachability(of: file, on: os, &work).map { Set($0.unreachable.map(\.place)) } ?? []
    let living = matcher.allRules.contains { rule in
      rule.settings.exclude != true
        && !dead.contains { $0.entry == rule.entry && $0.rule == rule.rule }
        && Self.canMatch(rule.settings)
    }
    if living { return nil }
    let onlyExcludes = matcher.allRules.allSatisfy { $0.settings.exclude == true }
    if onlyExcludes, !matcher.allRules.isEmpty {
      return FoundCause(
        .ruleExcludes, evidence: ["\(name): every rule is an exclusion."],
        remedy: "Add a rule that opens pages behind the exclusions (P1):\n" + Remedy.rule(for: nil))
    }
    if matcher.allRules.isEmpty {
      return FoundCause(
        .noRule, evidence: ["\(name): the entries have no rules."],
        remedy: "Add rules to 'components' of the app's entry:\n" + Remedy.rule(for: nil))
    }
    return FoundCause(
      .ruleNeverMatches, evidence: ["\(name): no rule that opens pages can match a URL."],
      remedy: "Run 'linkspan check' on the file: it says of each rule why it never matches.")
  }

  /// Whether some URL of a device has a path as the rule wants it: their letters are ASCII without blanks (section 7), and a
  /// path ends before '#' (P11).
  private static func canMatch(_ settings: RuleSettings) -> Bool {
    guard let path = settings.path, settings.percentEncoded ?? true else { return true }
    return !path.contains("://") && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
  }
}
