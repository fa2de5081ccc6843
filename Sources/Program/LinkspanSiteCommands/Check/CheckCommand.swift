internal import AppSiteAssociation
internal import AssociationDelivery
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import RuleCatalogue
internal import ServiceConfiguration
internal import SiteInput

extension Command {
  package static let check = Command(
    name: "check", summary: "Is my association file right, and do my app and all its hosts fit together?",
    operands: "SITE…",
    discussion: """
      SITE is an association file, an assetlinks.json, '-' for standard input, a folder laid out
      HOST/.well-known/apple-app-site-association, or a host to ask over the network. With --app the claims of an
      app are checked against them: which claimed host has no file, which file does not name the app. A file about an
      app may also be a SITE by itself. The kind of a file is recognised by its content, not by its name. Of a bundle
      the entitlements of its signature count, as on a device; entitlements files beside it are compared with them.

      Each finding says for which releases it holds, where these are not all that '--os' names: a rule may be dead only
      where a newer key is read. 'ios:15..26' is a range, both ends included, 'ios:15..' goes up to the newest, and
      'ios:17.4' is that release alone.

      A host is asked as Apple's crawler, as a device and, where they are turned away, as a browser; with
      '--fetch cdn' or 'both' Apple's CDN is asked, and the two are compared.

      --fix corrects what has one safe fix, such as a trailing comma or a misspelt key, in association files,
      assetlinks.json and entitlements, and keeps every other byte. If you name a file of another kind, nothing is
      written (exit status 2); one that lies in a folder that you name is left unchanged, and the output says so.
      The original is kept beside it as NAME.orig, or where that is taken as NAME.orig.2 and so on. A file whose syntax
      cannot be corrected completely stays as it is. With --dry-run nothing is written and the output is the patch. The
      exit status is about what remains.
      """,
    flags: [
      Flag(
        "--app", "APP", repeats: true,
        "An .ipa, .app or .xcarchive; or entitlements, Info.plist, provisioning profile (one of each makes one "
          + "app), Expo's app.json; or an application identifier"),
      Flag("--config", "FILE", "Take SITE, --app and --os, unless given, from a configuration file"),
      Flag("--host", "HOST", "The host of files named one by one"),
      .releases(
        "Report only what matters on these releases",
        standard: "from the app's minimum, or else iOS 15, to the newest"),
      Flag(
        "--format", "FORMAT", choices: CheckFormat.allCases.map { $0.rawValue },
        "text, json, sarif, junit, github or gitlab, its code quality (text)"),
      Flag("--explain", "Say what the findings mean together and what to do about it"),
      Flag("--fix", "Correct what has one safe fix, then check"),
      Flag("--dry-run", "With --fix: print the patch and write nothing"),
      Flag("--no-backup", "With --fix: keep no copy of the original"),
      Flag("--html", "FILE", "Write a report as a page; '-' is standard output"), .force,
    ] + Flag.identity + HostSurvey.flags,
    examples: [
      "linkspan check apple-app-site-association",
      "linkspan check Examples/site --app Examples/app/App.entitlements --app Examples/app/Info.plist",
      "linkspan check Examples/app/App.entitlements",
      "linkspan check example.com --fetch both",
      "linkspan check Examples/site --app build/App.ipa",
    ],
    commonFlags: ["--app", "--os", "--host", "--fetch", "--format", "--fix", "--json", "--help"]
  ) { typed, console throws(LinkspanError) in
    var arguments = typed
    if let path = typed.value("--config") {
      let file = try ConfigurationFile(path)
      arguments = typed.filled(operands: file.sites, "--app", file.apps)
        .filled(operands: [], "--os", file.releases)
    } else if typed.operands.isEmpty, let path = typed.configurationPath(isWanted: true) {
      throw typed.usage("SITE… is missing; '--config \(path)' checks the sites that '\(path)' names")
    }
    let format = try CheckFormat(arguments)
    let page = try arguments.page(of: "linkspan check", besides: format)
    guard arguments.has("--fix") else {
      for flag in ["--dry-run", "--no-backup"] where arguments.has(flag) {
        throw arguments.usage("'\(flag)' goes with '--fix'")
      }
      return try CheckRun(arguments, console, fixed: nil).report(format, page, to: console)
    }
    var fixes = try FixRun(arguments)
    if arguments.has("--dry-run") {
      if page != nil { throw arguments.usage("'--html' does not go with '--dry-run', which prints a patch") }
      guard format == .text || format == .json else {
        throw arguments.usage("'--dry-run' prints a patch, and '--format \(format.rawValue)' cannot hold one")
      }
      return try CheckRun(arguments, console, fixed: fixes).showPatch(of: fixes, format, to: console)
    }
    // A first look, so that nothing is written when the check cannot be made at all.
    _ = try CheckRun(arguments, console, fixed: fixes)
    try fixes.write()
    return try CheckRun(arguments, console, fixed: fixes).report(format, page, to: console)
  }
}

private struct CheckRun {
  private let fixes: FixRun?
  /// Whether a report for people says what the findings add up to.
  private let explains: Bool
  private let apps: [String]
  private let site: SiteReader
  private let hosts: HostSurvey
  private let diagnosis: [Diagnosis]
  private let findings: [Finding]
  private let releases: ReleaseReport
  private let notChecked: [String]

  /// - Parameter fixed: Texts that stand for the files they came from.
  init(_ arguments: Arguments, _ console: Console, fixed: FixRun?) throws(LinkspanError) {
    try arguments.expectOperands(1...Int.max)
    fixes = fixed
    explains = arguments.has("--explain")
    let named = arguments.all("--app")
    let host = try arguments.host()
    let mended = fixed?.bytesByName ?? [:]
    var site = try SiteReader(
      arguments.operands, host: host, passesOverProblems: true, isProject: true, takesAppFiles: true
    )
    .replacing(mended)
    try site.refuseIdleHost(isGiven: arguments.has("--host"))
    let bundles = Self.unnamed(site.appBundles, in: named) { $0 }
    let sources = Self.unnamed(site.appFiles, in: named, path: { $0.name })
    let reader = try AppReader(
      arguments, bundles: bundles, beside: sources, replacing: mended, among: site.files.map { $0.source })
    self.apps = sources.map { $0.name } + named + bundles
    let apps = reader.apps
    if let flag = reader.idleFlag { throw arguments.usage("'\(flag)' needs an app; name it with '--app'") }
    hosts = try HostSurvey(site.names, arguments, claims: apps, console: console)

    var findings = hosts.findings + reader.findings
    var notChecked = hosts.notChecked
    let isAboutAppsOnly = site.isAboutAppsOnly
    if site.names.isEmpty || !site.files.isEmpty, !isAboutAppsOnly {
      notChecked.append("how the files are served: status, redirects, content type, certificate, Apple's CDN")
    }
    if !site.skippedFolders.isEmpty {
      notChecked.append("folders whose names are not hosts: \(site.skippedFolders.joinedForReading)")
    }
    site.files += hosts.files
    site.emptyHosts += hosts.emptyHosts
    self.site = site
    let parsed = ParsedSite(site)
    releases = ReleaseReport(parsed, try arguments.releases(), apps: apps)
    notChecked += releases.notChecked
    let found = SiteFindings(of: site, parsed, apps: apps, embedded: reader.embedded, on: releases.asked)
    findings += found.findings
    notChecked += found.notChecked
    if apps.isEmpty, self.apps.isEmpty {
      notChecked.append("whether an app claims the hosts: no app was given")
    }
    if found.hasSignedFiles {
      notChecked.append(
        "signatures: what a signed file holds was read without verifying it; linkspan verify does that")
    }
    if let remark = releases.remark, !parsed.files.isEmpty { notChecked.append(remark) }
    let kept = releases.applied(to: findings).inReadingOrder()
    self.findings = kept
    let isAnswered = !hosts.isUnanswered
    diagnosis = Diagnosis.all(
      findings: kept, origins: hosts.answered.compactMap { $0.origin },
      cdn: hosts.answered.compactMap { $0.cdn },
      isAppKnown: !apps.isEmpty && !isAboutAppsOnly
    ).filter { isAnswered || $0.cause != .nothingWrong }
    self.notChecked = notChecked
  }

  /// What is named as a SITE and `--app` does not name as well: each counts once.
  private static func unnamed<Item>(_ items: [Item], in apps: [String], path: (Item) -> String) -> [Item] {
    let named = Set(apps.compactMap(FileReader.resolved))
    return items.filter { !(FileReader.resolved(path($0)).map(named.contains) ?? false) }
  }

  /// - Parameter page: Where '--html' writes.
  func report(
    _ format: CheckFormat, _ page: OutputPlace?, to console: Console
  ) throws(LinkspanError) -> ExitStatus {
    try page?.write(Array(html.utf8), console)
    switch format {
    case .json: console.print(json())
    case .sarif: console.print(collected.sarif)
    case .junit: console.printRaw(collected.junit)
    case .gitlab: console.print(collected.gitLab)
    case .github:
      console.printAnnotations(collected.gitHubAnnotations)
      printSummary(to: console, isForPeople: false)
    case .text:
      if let fixes { console.print(fixes.summary, terminator: "") }
      for finding in findings { console.print(finding.text(style: console.style), terminator: "\n") }
      printSummary(to: console, isForPeople: true)
    }
    // In the text they are among what was fixed, and in the JSON a member.
    if let fixes, format != .text, format != .json {
      for line in fixes.leftUnchanged { console.note(line) }
    }
    return status
  }

  /// The answer of a dry run: what the files would become. What would remain decides the status.
  func showPatch(
    of fixes: FixRun, _ format: CheckFormat, to console: Console
  ) throws(LinkspanError) -> ExitStatus {
    if format == .json {
      console.print(json(patch: fixes.patch))
    } else {
      try console.printPatch(fixes.patch)
      console.note(fixes.summary + "Nothing was written. What would remain: \(findings.counted).")
    }
    return status
  }

  private var status: ExitStatus {
    if findings.count(of: .error) > 0 { return .no }
    return hosts.isUnanswered ? .failed : .yes
  }

  private func json(patch: String? = nil) -> JSON {
    var members: [(String, JSON)] = [
      ("type", .string("check")),
      ("findings", .array(findings.map { $0.json })),
      ("summary", findings.summaryJSON), ("os", releases.asked.whole?.json ?? .null),
      ("releases", releases.json),
      ("not_checked", .array(notChecked.map(JSON.string))),
      ("diagnosis", .array(diagnosis.map { $0.json })), ("asked", .array(hosts.json)),
    ]
    if let fixes {
      members += [
        ("fixed", fixes.json), ("backups", fixes.backupsJSON), ("left_unchanged", fixes.leftUnchangedJSON),
      ]
    }
    if let patch { members.append(("patch", .string(patch))) }
    return .object(members)
  }

  private var subjects: [String] { (site.files + site.assetLinks).map { $0.source.name } + apps }

  private var html: String {
    CheckPage(
      subjects: subjects, findings: findings, diagnosis: diagnosis, notChecked: notChecked,
      counted: findings.counted
    ).html
  }

  private var collected: CheckReport {
    CheckReport(
      tool: ("linkspan", Program.version), files: subjects,
      findings: findings, notChecked: notChecked, rules: FindingRule.all)
  }

  /// - Parameter isForPeople: Whether it may say how to learn more; annotations of a build say what is wrong only.
  private func printSummary(to console: Console, isForPeople: Bool) {
    let ofApps = site.appFiles.count + site.appBundles.count
    let count = site.files.count + site.assetLinks.count + ofApps
    for line in hosts.lines { console.print(line) }
    console.print(
      count == 0
        ? "\(findings.counted); no file retrieved"
        : "\(count.counted("file")): \(findings.counted)")
    console.print(releases.text, terminator: "")
    // What to try when nothing is wrong is the same for everybody: a document has it.
    let causes = diagnosis.filter { $0.cause != .nothingWrong }
    if explains, !causes.isEmpty {
      console.print("What this means:")
      for item in causes { console.print(item.text(style: console.style), terminator: "") }
    } else if !causes.isEmpty, isForPeople {
      console.print("Run again with '--explain' for what this means and what to do.")
    }
    if causes.count < diagnosis.count {
      console.print(
        "No problems in what was checked. If a link still opens the browser, see Documentation/symptoms.md.")
    }
    if notChecked.isEmpty { return }
    console.print("Not checked:")
    for item in notChecked { console.print("  - \(item)") }
  }
}
