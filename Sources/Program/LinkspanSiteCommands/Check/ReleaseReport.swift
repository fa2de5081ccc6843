internal import AppBundle
internal import AppSiteAssociation
import AssociationCheck
internal import LinkspanCommand
internal import LinkspanCore
internal import SiteInput

/// What `check` says of releases: where they take different things from a file, and what does not matter on
/// those that were asked about.
struct ReleaseReport {
  private struct Row {
    var file: String
    var survey: ReleaseSurvey
  }

  /// The releases that the check is about.
  let asked: ReleaseSet
  /// What that leaves out, for the list of what was not checked; nil where somebody chose them.
  let remark: String?
  private let scope: ReleaseScope
  private let rows: [Row]
  private let takeNothing: [Finding]
  private let fileCount: Int
  private let isNamed: Bool
  /// What was left open, for the list of what was not checked.
  let notChecked: [String]

  /// - Parameters:
  ///   - named: What the person or the configuration names; without it what the apps install on counts.
  init(_ site: ParsedSite, _ named: ReleaseSet?, apps: [AppClaims]) {
    let installed = ReleaseSet.installing(apps)
    asked = named ?? installed ?? .standard
    remark =
      named == nil && installed == nil
      ? "releases before \(ReleaseSet.standard.periods[0].first.name): name older ones with '--os', such as ios:12..26"
      : nil
    scope = ReleaseScope(asked)
    var rows: [Row] = []
    var takeNothing: [Finding] = []
    var notChecked: [String] = []
    for file in site.files {
      let source = file.source
      // Where only an app's minimum asks for them, the rules about app and site together tell of old releases.
      if named != nil { takeNothing += scope.findings(in: source) }
      guard let association = source.content.file else { continue }
      let survey = ReleaseSurvey(association, host: file.host, releases: asked)
      if !survey.isComplete {
        notChecked.append(
          "where releases differ about every rule of \(source.text.name): its patterns cost too much to compare"
        )
      }
      if (named == nil && survey.nothingBefore13 != nil) || !survey.differences.isEmpty {
        rows.append(Row(file: source.text.name, survey: survey))
      }
    }
    isNamed = named != nil
    self.rows = rows
    self.takeNothing = takeNothing
    fileCount = site.files.count
    self.notChecked = notChecked
  }

  func applied(to findings: [Finding]) -> [Finding] {
    (findings + takeNothing).compactMap(scope.applied)
  }

  /// Releases that a person names are told of by a finding.
  private func nothingBefore13(_ row: Row) -> String? { isNamed ? nil : row.survey.nothingBefore13 }

  /// Lines under a heading, or nothing when there is nothing to say.
  var text: String {
    if rows.isEmpty { return "" }
    var text = "Releases:\n"
    let modern = rows.count { nothingBefore13($0) != nil }
    if modern > 0 {
      let files = fileCount == 1 ? "this file" : "\(modern) of \(fileCount) files"
      text += "  - iOS 12 and older take nothing from \(files)\n"
    }
    for row in rows {
      for difference in row.survey.differences {
        let others = difference.others == 0 ? "" : " and \(difference.others) more like it"
        text += "  - \(row.file): \(difference.url)\(others), for \(difference.app)\n"
        text += ReleaseTable.text(difference.readings, indent: "      ") + "\n"
      }
    }
    return text
  }

  var json: JSON {
    .array(
      rows.flatMap { row in
        let old = nothingBefore13(row).map { reason in
          let period = asked.periods.first ?? ReleaseSet.standard.periods[0]
          let reading = ReleaseReading(period: period, verdict: .noMatch, reason: reason)
          return Self.json(row.file, app: nil, url: nil, others: 0, [reading])
        }
        return (old.map { [$0] } ?? [])
          + row.survey.differences.map {
            Self.json(row.file, app: $0.app, url: $0.url, others: $0.others, $0.readings)
          }
      })
  }

  private static func json(
    _ file: String, app: String?, url: String?, others: Int, _ readings: [ReleaseReading]
  ) -> JSON {
    .object([
      ("file", .string(file)), ("app", .init(app)), ("url", .init(url)), ("others", .int(others)),
      ("by_release", ReleaseTable.json(readings)),
    ])
  }
}
