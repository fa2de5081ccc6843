internal import AppBundle
internal import AppSiteAssociation
internal import LinkspanCore

extension Command {
  static let check = Command(
    name: "check", summary: "Is my association file right, also together with my app and all its hosts?",
    operands: "SITE…",
    discussion: """
      SITE is an association file, an assetlinks.json, '-' for standard input, or a folder laid out
      HOST/.well-known/apple-app-site-association. With --app the claims of an app are checked against them:
      which claimed host has no file, which file does not name the app.
      """,
    flags: [
      Flag(
        "--app", "FILE", repeats: true, "The app's .entitlements or Info.plist; one of each makes one app"),
      Flag("--host", "HOST", "The host of files that are named one by one"),
      Flag("--team", "PREFIX", "The application identifier's prefix, for entitlements from before signing"),
      Flag(
        "--os", "VERSION", repeats: true, "Only what matters for this release, such as ios:17.4 (all of iOS)"),
      Flag("--format", "FORMAT", "text or json (text)"),
    ],
    examples: [
      "linkspan check apple-app-site-association",
      "linkspan check Examples/site --app Examples/app/App.entitlements --app Examples/app/Info.plist",
    ]
  ) { arguments, console throws(CommandError) in
    try CheckRun(arguments).report(to: console)
  }
}

private struct CheckRun {
  private let isJSON: Bool
  private let site: SiteReader
  private let findings: [Finding]
  private let releases: ReleaseReport
  private let notChecked: [String]

  init(_ arguments: Arguments) throws(CommandError) {
    try arguments.expectOperands(1...Int.max)
    let format = arguments.value("--format") ?? "text"
    guard ["text", "json"].contains(format) else {
      throw arguments.usage("'\(format)' is no format: there are text and json")
    }
    isJSON = format == "json" || arguments.has("--json")
    let host = arguments.value("--host").map { ASCII.lowercased($0) }
    site = try SiteReader(arguments.operands, host: host)
    let apps = try AppReader.read(arguments.all("--app"))
    releases = try ReleaseReport(site, releases: arguments.all("--os"))

    var findings: [Finding] = []
    var notChecked = ["how the files are served: status, redirects, content type, certificate, Apple's CDN"]
    for file in site.files {
      findings += AssociationChecker.findings(in: AssociationSource(file.source))
    }
    findings += SiteChecker.findings(in: site)
    for file in site.assetLinks { findings += StatementChecker.findings(in: StatementSource(file.source)) }
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
    self.findings = releases.applied(to: findings).inReadingOrder()
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
        ]))
    } else {
      for finding in findings { console.print(finding.text(style: console.style), terminator: "\n") }
      let count = site.files.count + site.assetLinks.count
      let files = count == 1 ? "1 file" : "\(count) files"
      console.print("\(files): \(Self.counted(findings))")
      console.print(releases.text, terminator: "")
      console.print("Not checked:")
      for item in notChecked { console.print("  - \(item)") }
    }
    return findings.count(of: .error) > 0 ? .no : .yes
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
