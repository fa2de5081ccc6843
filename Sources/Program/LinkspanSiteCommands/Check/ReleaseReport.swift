internal import AppSiteAssociation
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

  private let scope: ReleaseScope
  private let rows: [Row]
  private let takeNothing: [Finding]
  private let fileCount: Int
  /// What was left open, for the list of what was not checked.
  let notChecked: [String]

  init(_ site: ParsedSite, releases: [String]) throws(LinkspanError) {
    var asked: [OSVersion] = []
    for text in releases { asked.append(try OSVersion.read(text)) }
    scope = ReleaseScope(asked)
    var rows: [Row] = []
    var takeNothing: [Finding] = []
    var notChecked: [String] = []
    for file in site.files {
      let source = file.source
      takeNothing += scope.findings(in: source)
      guard let association = source.content.file else { continue }
      let survey = ReleaseSurvey(association, host: file.host, releases: asked)
      if !survey.isComplete {
        notChecked.append(
          "where releases of iOS differ about every rule of \(source.text.name): its patterns cost too much to compare"
        )
      }
      if survey.nothingBefore13 != nil || !survey.differences.isEmpty {
        rows.append(Row(file: source.text.name, survey: survey))
      }
    }
    self.rows = rows
    self.takeNothing = takeNothing
    fileCount = site.files.count
    self.notChecked = notChecked
  }

  func applied(to findings: [Finding]) -> [Finding] {
    (findings + takeNothing).compactMap(scope.applied)
  }

  /// Lines under a heading, or nothing when there is nothing to say.
  var text: String {
    if rows.isEmpty { return "" }
    var text = "Releases:\n"
    let modern = rows.count { $0.survey.nothingBefore13 != nil }
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
        let old = row.survey.nothingBefore13.map { reason in
          let period = ReleasePeriod.iOS[0]
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
