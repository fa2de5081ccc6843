import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  /// Our choice: how many of the rules that cover one together are named.
  private static let namedCovers = 5

  static let unreachable = AssociationRule(
    identifier: "aasa.unreachable",
    summary: "Earlier rules leave some URL for each rule to decide.",
    severity: .error, source: "M4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"*"},⟦{"/":"/a/*","exclude":true}⟧]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a/*",⟦"NOT /a/b"⟧]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"},{"/":"/b*"},⟦{"/":"/$(ab)/x"}⟧]}],"substitutionVariables":{"ab":["a","b"]}}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*","exclude":true},{"/":"*"}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"},{"/":"/b*"},{"/":"/$(ab)/x"}]}],"substitutionVariables":{"ab":["a","b","c"]}}}"#,
    ], asksMeaning: true
  ) { file, reading, report in
    guard file.association != nil else { return }
    guard let reachability = reading.reachability(&report.work) else {
      report.leaveUndecided(
        "unreachable rules of \(file.text.name): its apps have more than \(Reachability.ruleLimit) rules in total, "
          + "counted once for each app")
      return
    }
    if !reachability.isComplete {
      report.leaveUndecided(
        "unreachable rules of \(file.text.name), except those after a rule for every URL: comparing all of its rules "
          + "takes more than \(Reachability.stepLimit) steps")
    }
    if reachability.undecidedCount > 0 {
      report.leaveUndecided(
        "whether \(reachability.undecidedCount.counted("rule")) of \(file.text.name) can be reached: the search takes more than its "
          + "bound on work")
    }
    let places = RulePlaces(file)
    var harmless: [Reachability.Place: Int] = [:]
    for (place, (compiled, all)) in reachability.unreachable {
      // What no URL matches has no earlier rule to blame; other checks tell of it.
      guard let rule = places.rule(at: place), let earlier = all.first else { continue }
      let since = reading.beginning(ofDead: place, &report.work)
      let never = since.map { "since \($0.name) this rule is never reached" } ?? "this rule is never reached"
      // Written for releases that know no components, which may still be wanted.
      let isForOldReleases = place.isPath && since?.readsComponents ?? false
      let consequence: String
      let hasOtherEffect = all.contains { $0.isExclusion != compiled.isExclusion }
      guard all.count == 1 else {
        let names = all.map { "entry \($0.entry), rule \($0.rule ?? 0) (\($0.settings.json.text))" }
        report.add(
          rule.node.range, rule.pointer,
          "\(never): together, \(all.count) earlier rules match every URL that it matches: "
            + names.prefix(Self.namedCovers).joined(separator: "; ")
            + (all.count > Self.namedCovers ? "; …" : ""),
          help: hasOtherEffect
            ? "Some of its URLs are decided the other way. Move it before those rules."
            : "It has no effect. Remove it.",
          severity: hasOtherEffect && !isForOldReleases ? .warning : .note,
          related: all.prefix(Self.namedCovers).compactMap { places.rule(at: .init($0))?.node.range })
        continue
      }
      switch (compiled.isExclusion, earlier.isExclusion) {
      case (true, false):
        consequence = "The URLs it should exclude open the app. Move it before that rule."
      case (false, true):
        consequence = "The URLs it should match stay in the browser. Move it before that rule."
      default:
        // Behind one rule the first leftover stands for all.
        harmless[.init(earlier), default: 0] += 1
        if harmless[.init(earlier)]! > 1 { continue }
        consequence = "It has no effect. Remove it, and any other such rule after that rule."
      }
      report.add(
        rule.node.range, rule.pointer,
        "\(never): entry \(earlier.entry), rule \(earlier.rule ?? 0) "
          + "(\(earlier.settings.json.text)) matches every URL that it matches",
        help: consequence,
        // Behind a catch-all the author's mistake is plain; behind a wider pattern the rule may be a leftover.
        severity: isForOldReleases || compiled.isExclusion == earlier.isExclusion
          ? .note : earlier.coversEverything ? .error : .warning,
        related: [earlier].compactMap { places.rule(at: .init($0))?.node.range })
    }
  }
}
