internal import AppSiteAssociation
internal import AssociatedDomains
internal import AssociationCheck
internal import AssociationDelivery
internal import LinkspanCommand
internal import LinkspanCore

/// What in one association file keeps a link, or every link, from opening an app.
struct FileCauses {
  let name: String
  private let bytes: [UInt8]
  let content: AssociationContent
  let os: OSVersion
  let subject: Subject

  /// What the file is read for: lines to paste name it.
  struct Subject {
    /// The identifier of the app, and the link, where they are known.
    var app: String?
    var link: LinkURL?
    /// Whether the app is an App Clip, which the file lists under 'appclips' and has no rules for (J4).
    var isClip = false
  }

  /// - Parameter name: Where the file comes from.
  init(_ bytes: [UInt8], named name: String, on os: OSVersion, for subject: Subject) {
    self.bytes = bytes
    self.name = name
    self.os = os
    self.subject = subject
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
    if subject.isClip { return notListing(file) }
    guard let links = file.appLinks, links.entries.contains(where: { !$0.applications(on: nil).isEmpty })
    else {
      // That devices drop what is of another type is inferred (6.4).
      let isHidden = content.file?.appLinks?.entries.contains { $0.hidesItsApplication(on: nil) } ?? false
      return FoundCause(
        .noApps, file.dropsValues ? .inferred : isHidden ? .observed : .documented,
        evidence: ["\(name): " + why(file)],
        remedy: "Name the app, with its prefix (J1, J5):\n"
          + Remedy.file(app: subject.app ?? "ABCDE12345.com.example.app", link: subject.link))
    }
    return nil
  }

  private func why(_ file: AssociationFile) -> String {
    guard let links = file.appLinks else { return "there is no 'applinks' object." }
    if content.document.root?["applinks"]?["details"]?.isEntry == true {
      return "'details' is one entry, not an array of entries."
    }
    if links.entries.isEmpty { return "'applinks' has no entry in 'details'." }
    if links.entries.contains(where: { $0.hidesItsApplication(on: nil) }) {
      return "'appIDs' of an entry is empty, so its 'appID' is ignored (J6; sources disagree)."
    }
    return links.entries.contains { $0.appIDs != nil }
      ? "'appIDs' is empty in every entry of 'details'." : "no entry of 'details' has 'appIDs' or 'appID'."
  }

  private var notJSON: FoundCause {
    let first = AssociationSource(SourceText(name: name, bytes: bytes)).rejection
    var evidence: [String] = []
    if let first {
      let place = first.location.start.map { ", line \($0.line), column \($0.column)" } ?? ""
      evidence.append("\(name)\(place): \(first.message)")
    }
    return FoundCause(
      .notJSON, evidence: evidence.isEmpty ? ["\(name) is no JSON object."] : evidence,
      remedy: bytes.isMarkup
        ? "Serve the file at this path, and not the web application's page (R8):\n" + Remedy.location
        : first?.help ?? "Write a JSON object whose keys are services (J1).",
      title: bytes.isMarkup ? "A web page is served instead of the association file." : nil)
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
    if let cause = noIdentifier(named) { return [cause] }
    let traces = named.map { matcher.trace(link, app: $0, host: scope, &work) }
    if let opening = traces.first(where: { $0.decision.verdict == .match }) {
      return misspelled(opening.decision, file).map { [$0] } ?? []
    }
    guard let trace = traces.first else { return [] }
    if let cause = unusable(link, trace) { return [cause] }
    let newest = AssociationMatcher(file)
    let opensToday = named.contains { newest.decide(link, app: $0, host: scope).verdict == .match }
    if opensToday { return [ofRelease(trace.reason)] }
    if traces.contains(where: { $0.decision.verdict == .excluded }) {
      let excluded = traces.first { $0.decision.verdict == .excluded } ?? trace
      return [excludes(link, excluded, file)]
    }
    if let dead = deadRule(for: link, apps: named, scope, file) { return [dead] }
    let entry = trace.closestEntry ?? file.appLinks?.entries.first { Self.names($0, named, on: os) }?.index
    return [
      FoundCause(.noRule, evidence: ["\(name): \(trace.reason)."], remedy: adding(link, to: entry, of: file))
    ]
  }

  private static func names(_ entry: AppLinks.Entry, _ apps: [String], on os: OSVersion) -> Bool {
    entry.applications(on: os).contains(where: apps.contains)
  }

  /// That no entry can name the link's host, so that nothing its server does can help (E1).
  static func unnamedHost(of link: LinkURL) -> FoundCause? {
    guard let unnamed = AssociatedDomain.unnamed(link.host) else { return nil }
    let reason = MatchTrace.Miss.unnamedHost(link.host, unnamed).reason
    return FoundCause(
      .unusableLink, WayCauses.sureness(unnamed.certainty), evidence: [WayCauses.sentence(reason)],
      remedy: "Link to a host name, such as 'www.example.com', and serve the pages and the file there (E1).",
      title: "No app can claim the link's host.")
  }

  /// That devices cannot ask for the file of a folder with this name (E1).
  static func unnamedFolder(_ name: String) -> FoundCause? {
    guard let unnamed = AssociatedDomain.unnamed(name) else { return nil }
    return FoundCause(
      .unusableLink, WayCauses.sureness(unnamed.certainty),
      evidence: [WayCauses.sentence(unnamed.words(about: name))],
      remedy: "Name the folder like the host that serves the file, such as 'www.example.com' (E1).",
      title: "No app can claim a host of this name.")
  }

  /// That Apple's CDN can reach no host of this name (T9); nil for a name that the public DNS can have.
  static func hostOfOneNetwork(_ host: String) -> FoundCause? {
    guard !AssociatedDomain.isPublicName(host) else { return nil }
    return FoundCause(
      .privateAddress,
      evidence: ["'\(host)' is a name of one network, and Apple's CDN reaches no such host (T9)."],
      remedy: "Use a public host name. For tests, claim this one in a development build:\n"
        + "<string>applinks:\(host)?mode=developer</string>",
      title: "Apple's CDN reaches no host of this name.")
  }

  /// That the link names a port, so that nothing its server does can help (E3).
  static func port(of link: LinkURL) -> FoundCause? {
    guard !link.hasDefaultPort, let port = link.port else { return nil }
    return FoundCause(
      .unusableLink, .inferred, evidence: [WayCauses.sentence(MatchTrace.Miss.port(port).reason)],
      remedy: "Link to '\(link.host)' without a port, and serve the pages and the file there (E3).",
      title: "The link names a port.")
  }

  /// That nothing in a file can help: the link itself is none for apps.
  private func unusable(_ link: LinkURL, _ trace: MatchTrace) -> FoundCause? {
    switch trace.miss {
    case .port: Self.port(of: link)
    case .noURL, .tooLong, .scheme:
      FoundCause(
        .unusableLink, .inferred, evidence: [WayCauses.sentence(trace.reason)],
        remedy: "Write a shorter https link without signs that URLs cannot have.")
    default: nil
    }
  }

  /// That the entry which opens the link has no rules, and something that was meant for them: a key like theirs, or a value
  /// that is no list. Sources disagree on what an entry without rules opens (J10).
  private func misspelled(_ decision: Decision, _ file: AssociationFile) -> FoundCause? {
    guard decision.rule == nil, let index = decision.entry,
      let entry = file.appLinks?.entries.first(where: { $0.index == index })
    else { return nil }
    for member in entry.node.object ?? [] {
      if Self.ruleKeys.contains(member.name), member.value.array == nil {
        return disputed(
          "'\(member.name)' is \(member.value.typeName) and not a list, so the entry has no rules.",
          remedy: "Write a list: \"\(member.name)\": [ … ].",
          title: "The rules of the file are not in a list.")
      }
      guard !Self.otherKeys.contains(member.name), !Self.ruleKeys.contains(member.name),
        let meant = Self.ruleKeys.first(where: { Self.isNear(member.name, to: $0) })
      else { continue }
      return disputed(
        "'\(member.name)' is not a key that devices read, so the entry has no rules.",
        remedy: "Write '\(meant)' for '\(member.name)'.",
        title: "The rules of the file have a misspelled key.")
    }
    return nil
  }

  private static let ruleKeys = ["components", "paths"]
  private static let otherKeys = ["appID", "appIDs", "defaults"]

  private func disputed(_ reason: String, remedy: String, title: String) -> FoundCause {
    var cause = FoundCause(
      .noRule, .inferred,
      evidence: [
        "\(name): \(reason)",
        "Sources disagree on whether an entry without rules opens everything or nothing (J10).",
      ], remedy: remedy, title: title)
    cause.isDisputed = true
    return cause
  }

  /// Whether a key differs from a known one in its case or in few letters.
  private static func isNear(_ name: String, to known: String) -> Bool {
    let word = ASCII.lowercased(name)
    return word == known || Arguments.nearest(to: word, among: [known]) != nil
  }

  /// That the file names other apps.
  func notNamed(_ app: String) -> FoundCause? { content.file.map { notListed([app], $0) } }

  private func notListed(_ apps: [String], _ file: AssociationFile) -> FoundCause {
    let app = apps.first ?? "the app"
    if apps.contains(where: { file.namesForLinks($0, on: nil) }) {
      return ofRelease("\(os.name) reads 'appID' and 'paths', and the file names \(app) by 'appIDs' alone")
    }
    let clips = file.apps[.appclips] ?? []
    if let clip = apps.first, apps.allSatisfy({ clips.contains(exactly: $0) }) {
      return FoundCause(
        .appNotListed, evidence: ["\(name) lists \(clip) under 'appclips', as an App Clip."],
        remedy: "Ask about the app; 'linkspan clip url' says which URLs open its clip (AC15).",
        title: "The app that was named is an App Clip.")
    }
    let others = file.appLinks?.entries.flatMap { $0.applications(on: nil) } ?? []
    var seen: Set<String> = []
    let shown = others.filter { seen.insert($0).inserted }.prefix(3).joined(separator: ", ")
    return FoundCause(
      .appNotListed,
      evidence: [
        "\(name) names \(shown.isEmpty ? "no app" : shown)\(seen.count > 3 ? ", …" : "").",
        "The app is \(app)." + (Self.likeness(of: app, among: others).map { " \($0)" } ?? ""),
      ],
      remedy: naming(app, in: file))
  }

  /// How a name in the file differs from the app's, where that is easily overlooked.
  private static func likeness(of app: String, among others: [String]) -> String? {
    func letters(_ text: String) -> [UInt8] {
      Array(ASCII.lowercased(text).utf8.filter { ASCII.isLetter($0) || ASCII.isDigit($0) })
    }
    func bundle(_ text: String) -> Substring { text.drop { $0 != "." }.dropFirst() }
    for other in others {
      if ASCII.lowercased(other) == ASCII.lowercased(app) {
        return "'\(other)' differs in upper and lower case."
      }
      if letters(other) == letters(app), other.unicodeScalars.count > app.unicodeScalars.count {
        let strange = other.unicodeScalars.first { !app.unicodeScalars.contains($0) }
        let code = strange.map { String($0.value, radix: 16, uppercase: true) }
        return code.map { "The file's has a character too many: U+\($0.count < 4 ? "00" + $0 : $0)." }
          ?? "'\(other)' has other punctuation."
      }
      if letters(other) == letters(app) { return "'\(other)' has other punctuation." }
      if other == bundle(app) { return "The file's has no prefix." }
      if bundle(other) == bundle(app) {
        return "The file's has another prefix, which is usually the Team ID."
      }
    }
    return nil
  }

  /// That the file does not list the App Clip; nil where it does, or where nobody knows which clip is meant.
  private func notListing(_ file: AssociationFile) -> FoundCause? {
    let listed = file.apps[.appclips] ?? []
    guard let clip = subject.app else {
      guard listed.isEmpty else { return nil }
      return FoundCause(
        .noApps, evidence: ["\(name) lists no App Clip under 'appclips'."],
        remedy: "List the clip, with its prefix, beside 'applinks' (J4, J5):\n"
          + Remedy.section(clip: "ABCDE12345.com.example.app.Clip"),
        title: "The association file lists no App Clip.")
    }
    guard !listed.contains(exactly: clip) else { return nil }
    let isAmongApps = file.namesForLinks(clip, on: nil)
    return FoundCause(
      .appNotListed,
      evidence: [
        "\(name) lists \(listed.isEmpty ? "no App Clip" : listed.prefix(3).joined(separator: ", ")) under 'appclips'.",
        "The clip is \(clip)."
          + (isAmongApps
            ? " 'applinks' lists it, which is for apps."
            : Self.likeness(of: clip, among: listed).map { " \($0)" } ?? ""),
      ],
      remedy: "List the identifier that the clip is signed with, beside 'applinks' (J4, J5):\n"
        + Remedy.section(clip: clip),
      title: "The association file does not list this App Clip.")
  }

  func ofRelease(_ reason: String) -> FoundCause {
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
    let entries = (file.appLinks?.entries ?? []).filter {
      $0.applications(on: os).contains(where: apps.contains)
    }
    let own = Set(entries.map { $0.index })
    let lists = content.document.root?["applinks"]?["substitutionVariables"]?.json
    let mending = RuleMending(of: file)
    for rule in AssociationMatcher(file, os: os).allRules
    where own.contains(rule.entry) && rule.settings.exclude != true {
      for mended in mending.forms(of: rule.settings)
      where Self.opens(link, by: mended.settings, lists, app: apps[0], scope) {
        return neverMatches(rule.settings, mended)
      }
    }
    return nil
  }

  func neverMatches(_ rule: RuleSettings, _ mended: RuleMending.Form) -> FoundCause {
    FoundCause(
      .ruleNeverMatches, .inferred, evidence: ["\(name): the rule \(rule.json.text) \(mended.reason)."],
      remedy: "Write the rule as a device compares it:\n" + mended.settings.json.text,
      title: mended.isRare ? "The rule for the link practically never matches." : nil)
  }

  private static func opens(
    _ link: LinkURL, by rule: RuleSettings, _ lists: JSON?, app: String, _ scope: HostScope
  ) -> Bool {
    let entry = JSON.object([("appIDs", .array([.string(app)])), ("components", .array([rule.json]))])
    let members = (lists.map { [("substitutionVariables", $0)] } ?? []) + [("details", .array([entry]))]
    let text = JSON.object([("applinks", .object(members))]).text
    guard let file = AssociationContent(Array(text.utf8)).file else { return false }
    return AssociationMatcher(file).decide(link, app: app, host: scope).verdict == .match
  }
}

extension MatchTrace {
  /// The entry of the rule that came closest.
  fileprivate var closestEntry: Int? {
    if case .noRuleHolds(let step)? = miss { return step.entry }
    return nil
  }
}
