internal import AppSiteAssociation
internal import LinkCoverage
internal import LinkLanguages
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  package static let generate = Command(
    name: "generate", summary: "Write the association file for the routes of my apps, and prove it",
    operands: "CONFIG",
    discussion: """
      CONFIG is JSON5: {apps: [{id: "TEAM.bundle", routes: ["/buy/:id", "/b/*"], exclude: ["/buy/new"]}]}. ':name' is one
      segment that is not empty, a last '*' anything below and the path before it; trailing slashes do not count.
      The library's templates are read too: '/recipes/{id:int}/{tab?}', '/files/{path...}'; and routes of Flask and
      Django ('<int:id>'), Next.js ('[id]', '[...all]'), Rails ('*path'), Spring ('{*path}') and Express (':id?').
      An exclusion wins over every route. A route ends in '#' and a pattern for the fragment, or is an object as an
      association file has it: {route: "/buy/:id", "?": {"ref": "?*"}} or {"/": "/buy-*", "#": "reviews"}. In the place of
      both lists 'rules' has such objects in their order: the first that holds decides. 'webcredentials', 'appclips' and
      'activitycontinuation' list the apps of these services.
      'host' or 'hosts' add the entitlement lines; an app's 'package' and
      'fingerprints' add a statement for Android with the same rules as dynamic components (read only by newer
      releases; the manifest must declare the paths too).

      Apple's '*' also matches '/'. The file holds the fewest rules found whose meaning is proven equal to the request;
      where no rules can say it, the nearest, with what it catches besides. CONFIG has at most \(WorkLimits.requestBytes) bytes and
      \(WorkLimits.routes) routes and exclusions.
      """,
    flags: [
      Flag("--output", "FOLDER", "Write apple-app-site-association, and assetlinks.json, into this folder"),
      .force,
    ],
    examples: ["linkspan generate linkspan.json5", "linkspan generate linkspan.json5 --json"],
    exitStatus: "0 every file means what was asked, 1 one of them differs, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let text = try FileReader.read(arguments.operands[0])
    let request: GenerateRequest
    do throws(GenerateRequest.Problem) {
      request = try GenerateRequest(text)
    } catch {
      throw refusal(error)
    }
    for warning in request.warnings {
      let place = warning.location.start.map { ":\($0.line):\($0.column)" } ?? ""
      console.note(
        "linkspan generate: warning: \(warning.location.file)\(place): \(warning.message) \(warning.help ?? "")"
      )
    }
    let files = try arguments.value("--output").map { folder throws(LinkspanError) in
      try GeneratedFiles(folder, arguments)
    }
    let site = GeneratedSite(request) { console.progress($0) }
    console.progress("")
    let report = GenerateReport(site)
    try files?.write(site)
    if arguments.has("--json") {
      console.print(report.json)
    } else {
      console.printUnbroken(report.text)
    }
    return site.isExact && site.isExactForAndroid ? .yes : .no
  }
}

extension Command {
  /// One mistake with its remedy, or a list of them.
  private static func refusal(_ problem: GenerateRequest.Problem) -> LinkspanError {
    func text(_ finding: Finding) -> String {
      let location = finding.location
      let place = location.start.map { "\(location.file):\($0.line):\($0.column)" } ?? location.file
      return "\(place): \(finding.message)"
    }
    let all = problem.findings
    guard all.count > 1 else {
      return LinkspanError(
        text(all[0]), help: all[0].help ?? "'linkspan generate --help' shows what the file holds.")
    }
    let shown = all.prefix(shownMistakeCount).map { text($0) + ($0.help.map { " \($0)" } ?? "") }
    let rest = all.count - shown.count
    return LinkspanError(
      "'\(all[0].location.file)' has \(all.count) mistakes:",
      helpLines: shown + (rest > 0 ? ["and \(rest) more"] : []))
  }

  /// Our choice: a list that a person reads in one go.
  private static let shownMistakeCount = 50
}

/// What was generated, in the forms that people and programs read.
private struct GenerateReport {
  private let site: GeneratedSite

  init(_ site: GeneratedSite) { self.site = site }

  private static func word(_ isWanted: Bool) -> String { isWanted ? "match" : "noMatch" }

  private static let host = "https://example.com"

  private var sizeBytes: Int { GeneratedFiles.bytes(site.associationFile).count }

  private var fits: Bool { site.fits }

  var json: JSON {
    .object([
      ("type", .string("generate")), ("file", site.associationFile), ("exact", .bool(site.isExact)),
      ("reason", .init(fits ? nil : tooLarge)),
      ("decided", .bool(site.apps.allSatisfy { $0.plan.isDecided })),
      ("differences", .array(site.apps.flatMap { Self.json($0.plan.differences, of: $0) })),
      ("shortest", .bool(site.apps.allSatisfy { $0.plan.isShortest })),
      (
        "one_star_per_parameter",
        .array(
          site.apps.flatMap { app in
            app.wide.map { wide in
              JSON.object([
                ("app", .string(app.request.id)), ("route", .string(wide.route.text)),
                ("pattern", .string(wide.pattern)),
                ("also_matches", .array(wide.alsoMatches.map(JSON.string))),
                ("still_opened", .array(wide.stillOpened.map(JSON.string))),
              ])
            }
          })
      ),
      ("assetlinks", site.statements ?? .null),
      (
        "assetlinks_exact", site.statements == nil ? .null : .bool(site.isExactForAndroid)
      ),
      (
        "assetlinks_differences",
        site.statements == nil
          ? .null : .array(site.apps.flatMap { Self.json($0.differencesForAndroid, of: $0) })
      ),
      ("entitlements", .array(site.entitlementLines.map(JSON.string))),
      ("size_bytes", .int(sizeBytes)), ("limit_bytes", .int(GeneratedFiles.sizeLimitBytes)),
    ])
  }

  private static func json(_ differences: [RouteProof.Difference], of app: GeneratedSite.App) -> [JSON] {
    differences.map { difference in
      .object([
        ("url", .string(host + difference.rest)), ("wanted", .string(word(difference.isWanted))),
        ("got", .string(difference.got.rawValue)), ("app", .string(app.request.id)),
        ("rule", .init(difference.rule)), ("route", .init(difference.wanted?.text)),
      ])
    }
  }

  private var tooLarge: String {
    "The file has \(sizeBytes) bytes; devices take at most \(GeneratedFiles.sizeLimitBytes) (R4). Join routes, such as "
      + "with a last '*', or serve some of them on another host."
  }

  var text: String {
    var text = String(decoding: GeneratedFiles.bytes(site.associationFile), as: UTF8.self)
    if !text.hasSuffix("\n") { text += "\n" }
    if !fits {
      text += "\n\(tooLarge)\n"
    }
    if let statements = site.statements {
      text += "\nassetlinks.json:\n" + GeneratedFiles.indented(statements) + "\n"
    }
    if !site.entitlementLines.isEmpty {
      text += "\ncom.apple.developer.associated-domains:\n"
      for line in site.entitlementLines { text += "  <string>\(line.onOneLine)</string>\n" }
    }
    for app in site.apps {
      text += "\n\(app.request.id.onOneLine): "
      if app.plan.isExact {
        text +=
          fits
          ? "proven equal to the request, with \(app.plan.rules.count.counted("rule")).\n"
          : "\(app.plan.rules.count.counted("rule")) for what was asked, in a file that no device takes.\n"
        if !app.plan.isShortest {
          text += "  Fewer rules may be enough: the search for them reached its bound on work.\n"
        }
      } else if !app.plan.isDecided, app.plan.differences.isEmpty {
        text +=
          "not decided whether the rules equal the request: the search takes more than its bound on work.\n"
      } else {
        text += "no rules found that say this; the nearest differ:\n" + Self.text(app.plan.differences)
      }
      if let android = app.androidPlan {
        text +=
          "  Android's components have no variables (D8): the rules of assetlinks.json are others, "
          + (android.isExact
            ? "and say the same.\n"
            : android.differences.isEmpty
              ? "and it is not decided whether they say the same.\n" : "and the nearest differ:\n")
        text += Self.text(android.differences)
      }
      if app.hasInteger { text += "  '{name:int}' is read as 1 to 18 digits, also with leading zeros.\n" }
      for wide in app.wide { text += Self.text(wide) }
    }
    return text
  }

  /// One URL of each kind: of the same line of the request, wanted alike and decided alike.
  private static func text(_ differences: [RouteProof.Difference]) -> String {
    var kinds: [(first: RouteProof.Difference, count: Int)] = []
    for difference in differences {
      let known = kinds.firstIndex { kind in
        kind.first.isWanted == difference.isWanted && kind.first.got == difference.got
          && kind.first.wanted == difference.wanted
      }
      if let known { kinds[known].count += 1 } else { kinds.append((difference, 1)) }
    }
    return kinds.map { kind in
      "  \(host)\(kind.first.rest.onOneLine): wanted \(word(kind.first.isWanted)), got \(kind.first.got.rawValue)"
        + (kind.count > 1 ? ", and \(kind.count - 1) more like it" : "") + "\n"
    }.joined()
  }

  private static func text(_ wide: GeneratedSite.Wide) -> String {
    func list(_ paths: [String]) -> String { paths.map { "'\($0.onOneLine)'" }.joined(separator: ", ") }
    let others = wide.alsoMatches.filter { !wide.stillOpened.contains($0) }
    guard !others.isEmpty else { return "" }
    return
      "  A single pattern '\(wide.pattern.onOneLine)' for \(wide.route.text.onOneLine) would also match \(list(others)), because '*' "
      + "matches '/' too. The components above (since iOS 13) do not open \(others.count > 1 ? "these" : "this").\n"
  }
}
