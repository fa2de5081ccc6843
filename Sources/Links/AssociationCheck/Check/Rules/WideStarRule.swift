import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let wideStar = AssociationRule(
    identifier: "aasa.wide-star",
    summary: "A '*' between two slashes is meant to match several segments: '*' also matches '/'.",
    severity: .note, source: "P1",
    bad: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"/*/*"⟧]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/users/*/album"⟧}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/users/*/*/album","exclude":true},{"/":"/users/*/album"},{"/":"/help/*"}]}]}}"#
    ], asksMeaning: true
  ) { file, reading, report in
    guard let association = file.association else { return }
    let matcher = AssociationMatcher(association, os: reading.os)
    // Applications with the same rules answer alike.
    let applications = matcher.applicationsWithOwnRules
    var work = WorkBudget(steps: min(Self.stepLimit, report.work.steps))
    defer { _ = report.work.spend(Self.stepLimit - max(0, work.steps)) }
    for pattern in file.patterns where pattern.component == .path && pattern.settings.exclude != true {
      guard let path = pattern.settings.path, !path.holds("$("), let deeper = Self.deeper(path) else {
        continue
      }
      let url = LinkURL("https://example.com\(deeper.example)")
      // Only a URL that opens an app shows it: an exclusion before the rule may limit it already.
      let app = applications.first {
        matcher.decide(url, app: $0, host: .exactly("example.com"), &work).verdict == .match
      }
      guard !work.isExhausted else {
        return report.leaveUndecided(
          "whether '*' matches several segments in every rule of \(file.text.name): the search takes more than its bound on "
            + "work")
      }
      guard app != nil else { continue }
      report.add(
        pattern.node.range, pattern.pointer,
        "'\(path)' matches more than one segment for its '*': it also matches '\(deeper.example)'",
        help:
          "If that page is not meant to open the app, put {\"/\": \"\(deeper.pattern)\", \"exclude\": true} before this rule "
          + "(components, since iOS 13). 'linkspan generate' writes rules that match single segments.")
    }
  }

  /// Our choice: about a tenth of a second.
  private static let stepLimit = 10_000_000

  /// What a pattern with a star between two slashes matches besides one segment: a path, and the pattern of such paths.
  private static func deeper(_ path: String) -> (example: String, pattern: String)? {
    let rooted = path.hasPrefix("/") || path.hasPrefix("*") ? path : "/" + path
    var segments = rooted.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let star = segments.indices.dropLast().first(where: { $0 > 0 && segments[$0] == "*" }),
      !segments.contains("") || segments.firstIndex(of: "") == 0
    else { return nil }
    var names = ["a", "b", "c", "d", "e", "f"][...]
    var example = segments
    example.insert("*", at: star)
    for index in example.indices where example[index].contains("*") || example[index].contains("?") {
      example[index] =
        example[index] == "*"
        ? names.popFirst() ?? "x"
        : example[index].filter { $0 != "*" }
          .replacing("?", with: "x")
    }
    segments.insert("*", at: star)
    if segments.last == "*" { segments[segments.count - 1] = "?*" }
    return (example.joined(separator: "/"), segments.joined(separator: "/"))
  }
}
