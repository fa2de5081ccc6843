internal import AppSiteAssociation
internal import AssociatedDomains
import AssociationCheck
package import LinkspanCore

/// Says what is wrong with where the files of a site lie.
package enum SiteChecker {
  package static let rules: [CheckRule] = [
    CheckRule(
      identifier: "site.root-only", summary: "The file is in .well-known.", severity: .error, source: "F3",
      bad: ["example.com/apple-app-site-association"],
      good: ["example.com/.well-known/apple-app-site-association"]),
    CheckRule(
      identifier: "site.no-file", summary: "The folder of a host has a file.", severity: .error, source: "F3",
      bad: ["example.com/.well-known/apple-app-site-association.json"],
      good: [
        "example.com/.well-known/apple-app-site-association", "example.com/.well-known/assetlinks.json",
      ]),
    CheckRule(
      identifier: "site.host-name", summary: "The folder of a host has the host's name.", severity: .error,
      source: "E3", bad: ["example.com:8080/.well-known/apple-app-site-association"],
      good: ["example.com/.well-known/apple-app-site-association"]),
    CheckRule(
      identifier: "site.unreadable", summary: "The files of a host can be read.", severity: .error,
      source: "F3",
      bad: ["example.com/.well-known/apple-app-site-association, a link to a file that is not there"],
      good: ["example.com/.well-known/apple-app-site-association, a file"]),
    CheckRule(
      identifier: "site.copies-differ",
      summary: "The copy at the root says what the one in .well-known says.",
      severity: .warning, source: "F6",
      bad: [
        "example.com/.well-known/apple-app-site-association, from last year\n"
          + "example.com/apple-app-site-association, from today"
      ], good: ["example.com/.well-known/apple-app-site-association"]),
    CheckRule(
      identifier: "site.two-folders", summary: "One folder has the files of a host.", severity: .warning,
      source: "F3",
      bad: [
        "blue/example.com/.well-known/apple-app-site-association\n"
          + "green/example.com/.well-known/apple-app-site-association"
      ], good: ["blue/example.com/.well-known/apple-app-site-association"]),
  ]

  /// - Parameter parsed: The files of the site.
  package static func findings(in site: SiteReader, _ parsed: ParsedSite) -> [Finding] {
    site.emptyFolders.map(finding(of:)) + site.problems.map(finding(of:)) + misplaced(parsed.files)
      + site.repeatedHosts.compactMap(finding(of:)) + misnamed(parsed.files)
  }

  private static func finding(of repeated: SiteReader.RepeatedHost) -> Finding? {
    guard let host = repeated.host else { return nil }
    let folders = repeated.folders.map { "'\($0)'" }.joinedForReading
    return Finding(
      rule: "site.two-folders", severity: .warning, at: .init(file: repeated.folders[1]),
      message: "\(folders) all have files of \(host)",
      help: "A server serves those in the first one and ignores the rest. Keep one of them.", source: "F3")
  }

  private static func misnamed(_ files: [ParsedSite.File]) -> [Finding] {
    var told: Set<String> = []
    return files.compactMap { file in
      guard let host = file.host, let unnamed = AssociatedDomain.unnamed(host), told.insert(host).inserted
      else { return nil }
      // Where the name is an address, or ends in a dot, sources do not say that devices never ask.
      let severity: Finding.Severity = unnamed.certainty == .documented ? .error : .warning
      return Finding(
        rule: "site.host-name", severity: severity, at: .init(file: file.source.text.name),
        message: unnamed.words(about: host),
        help: "Devices ask a host for its file, on port 443 only, and no entitlement can claim this name. "
          + "Name the folder like the host.", source: "E3")
    }
  }

  private static func finding(of problem: SiteReader.HostProblem) -> Finding {
    let error = problem.error
    let why =
      error.place == nil ? error.message : "this \(error.what)\(error.reason.map { ": \($0)" } ?? "")"
    return Finding(
      rule: "site.unreadable", severity: .error, at: .init(file: error.place ?? problem.host),
      message: "'\(problem.host)' was not checked: \(why)",
      help: error.help ?? "Make the file readable, then check again.", source: "F3")
  }

  private static func finding(of folder: SiteReader.EmptyFolder) -> Finding {
    let wanted = folder.path + AssociationLocation.wellKnown.rawValue
    let help =
      folder.nearMiss.map {
        "'\($0)' is there; devices ask for the exact name only. Rename it to '\(wanted)'."
      }
      ?? "No link to this host opens an app. Put the file there, with this name and no ending."
    return Finding(
      rule: "site.no-file", severity: .error, at: .init(file: wanted),
      message: "the host's folder has no association file", help: help, source: "F3")
  }

  private static func misplaced(_ files: [ParsedSite.File]) -> [Finding] {
    files.filter { $0.location == .root }.compactMap { file in
      guard let other = files.first(where: { $0.host == file.host && $0.location == .wellKnown }) else {
        return Finding(
          rule: "site.root-only", severity: .error, at: .init(file: file.source.text.name),
          message: "the file lies at the root and not in .well-known",
          help: "Move it to .well-known: the root is deprecated since 2019 and may stop working.",
          source: "F3")
      }
      guard meaning(file.source) != meaning(other.source) else { return nil }
      return Finding(
        rule: "site.copies-differ", severity: .warning, at: .init(file: file.source.text.name),
        message: "the copy at the root differs from the one in .well-known",
        help: "The one in .well-known counts, so what is only in this one has no effect. Keep one file, in "
          + ".well-known.", source: "F6")
    }
  }

  /// The JSON without its blanks; the text itself when it is none.
  private static func meaning(_ source: AssociationSource) -> [UInt8] {
    let document = source.content.document
    return document.isWellFormed ? document.root?.json.bytes ?? [] : source.text.bytes
  }
}
