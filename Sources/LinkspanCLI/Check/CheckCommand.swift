internal import AppBundle
internal import AppSiteAssociation
internal import LinkspanCore

extension Command {
  static let check = Command(
    name: "check", summary: "Is my association file right, also together with my app and all its hosts?",
    operands: "SITE…",
    discussion: """
      SITE is an association file, '-' for standard input, a folder laid out
      HOST/.well-known/apple-app-site-association, or a host to ask over the network. With --app the claims of an
      app are checked against them: which claimed host has no file, which file does not name the app.
      A host is asked as Apple's crawler, as a device and, where they are turned away, as a browser; with
      '--fetch cdn' or 'both' Apple's CDN is asked, and the two are compared.
      """,
    flags: [
      Flag(
        "--app", "FILE", repeats: true, "The app's .entitlements or Info.plist; one of each makes one app"),
      Flag("--host", "HOST", "The host of files that are named one by one"),
      Flag("--team", "PREFIX", "The application identifier's prefix, for entitlements from before signing"),
      Flag(
        "--os", "VERSION", repeats: true, "Only what matters for this release, such as ios:17.4 (all of iOS)"),
      Flag("--format", "FORMAT", "text or json (text)"),
    ] + HostChecks.flags,
    examples: [
      "linkspan check apple-app-site-association",
      "linkspan check Examples/site --app Examples/app/App.entitlements --app Examples/app/Info.plist",
      "linkspan check example.com --fetch both",
    ]
  ) { arguments, console throws(CommandError) in
    try CheckRun(arguments, console).report(to: console)
  }
}

private struct CheckRun {
  private let isJSON: Bool
  private let site: SiteReader
  private let hosts: HostChecks
  private let diagnosis: [Diagnosis]
  private let findings: [Finding]
  private let releases: ReleaseReport
  private let notChecked: [String]

  init(_ arguments: Arguments, _ console: Console) throws(CommandError) {
    try arguments.expectOperands(1...Int.max)
    let format = arguments.value("--format") ?? "text"
    guard ["text", "json"].contains(format) else {
      throw arguments.usage("'\(format)' is no format: there are text and json")
    }
    isJSON = format == "json" || arguments.has("--json")
    let host = arguments.value("--host").map { ASCII.lowercased($0) }
    var site = try SiteReader(arguments.operands, host: host)
    let apps = try AppReader.read(arguments.all("--app"))
    hosts = try HostChecks(site.names, arguments, claims: apps, console: console)

    var findings = hosts.findings
    var notChecked = hosts.notChecked
    if site.names.isEmpty || !site.files.isEmpty {
      notChecked.append("how the files are served: status, redirects, content type, certificate, Apple's CDN")
    }
    site.files += hosts.files
    site.emptyHosts += hosts.emptyHosts
    self.site = site
    releases = try ReleaseReport(site, releases: arguments.all("--os"))
    for file in site.files {
      findings += AssociationChecker.findings(in: AssociationSource(file.source))
      if file.location == .root,
        !site.files.contains(where: { $0.host == file.host && $0.location == .wellKnown })
      {
        findings.append(
          Finding(
            rule: "site.root-only", severity: .error, at: .init(file: file.source.name),
            message: "the file lies at the root and not in .well-known",
            help: "Move it to .well-known: the root is deprecated since 2019 and may stop working.",
            source: "F3"))
      }
    }
    for app in apps {
      if let entitlements = app.entitlements { findings += EntitlementChecker.check(entitlements) }
      findings += (app.infoPlist?.findings ?? []) + app.findings
      let joined = JoinedChecker(
        claims: app, hosts: site.hosts, isWholeSite: site.isWholeSite, prefix: arguments.value("--team")
      ).check()
      findings += joined.findings
      notChecked += joined.notChecked
    }
    if apps.isEmpty { notChecked.append("whether an app claims the hosts: no app was given") }
    if site.files.contains(where: { AssociationContent($0.source.bytes).format == .signed }) {
      notChecked.append("signatures: what a signed file holds was read without verifying it")
    }
    let kept = releases.applied(to: findings).inReadingOrder()
    self.findings = kept
    diagnosis = Diagnosis.all(
      findings: kept, origins: hosts.answered.compactMap(\.origin), cdn: hosts.answered.compactMap(\.cdn),
      isAppKnown: !apps.isEmpty)
    self.notChecked = notChecked
  }

  func report(to console: Console) -> ExitStatus {
    if isJSON {
      console.print(
        .object([
          ("type", .string("check")),
          ("findings", .array(findings.map(\.json))),
          ("summary", findings.summaryJSON), ("releases", releases.json),
          ("not_checked", .array(notChecked.map(JSON.string))),
          ("diagnosis", .array(diagnosis.map(\.json))),
          ("asked", .array(hosts.json)),
        ]))
    } else {
      for finding in findings { console.print(finding.text(style: console.style), terminator: "\n") }
      let files =
        site.files.count == 1 ? "1 file" : site.files.isEmpty ? "no file" : "\(site.files.count) files"
      for line in hosts.lines { console.print(line) }
      console.print("\(files): \(Self.counted(findings))")
      console.print(releases.text, terminator: "")
      if !diagnosis.isEmpty { console.print("What this means:") }
      for item in diagnosis { console.print(item.text(style: console.style), terminator: "") }
      console.print("Not checked:")
      for item in notChecked { console.print("  - \(item)") }
    }
    if findings.count(of: .error) > 0 { return .no }
    return hosts.isUnanswered ? .failed : .yes
  }

  private static func counted(_ findings: [Finding]) -> String {
    func words(_ severity: Finding.Severity) -> String? {
      let count = findings.count(of: severity)
      return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let parts = Finding.Severity.allCases.compactMap(words)
    return parts.isEmpty ? "nothing to find fault with" : parts.joined(separator: ", ")
  }
}
