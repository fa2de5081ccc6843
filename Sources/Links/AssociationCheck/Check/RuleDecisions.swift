package import AppSiteAssociation
package import LinkspanCore

/// What each rule of a file decides: which of the URLs somebody cares about, or else a URL for example.
package struct RuleDecisions: Sendable {
  package struct Row: Sendable {
    /// The bytes of the rule.
    package var range: Range<Int>
    package var isExclusion: Bool
    /// Places in the list of URLs.
    package var samples: [Int]
    /// What it decides where no URL was named.
    package var example: RuleExamples.Answer
  }

  /// In the order of the file, on the newest release.
  package let rows: [Row]
  /// Whether every URL was decided within the work.
  package let isComplete: Bool

  /// - Parameters:
  ///   - samples: URLs as somebody wrote them; each is decided for the host that it names.
  ///   - host: Of the examples.
  package init(of file: AssociationSource, samples: [String], host: String, _ work: inout WorkBudget) {
    guard let association = file.content.file else {
      rows = []
      isComplete = true
      return
    }
    let matcher = AssociationMatcher(association)
    var decided: [Reachability.Place: [Int]] = [:]
    for (number, text) in samples.enumerated() {
      let url = LinkURL(written: text)
      var places: Set<Reachability.Place> = []
      for app in matcher.applicationsWithOwnRules {
        let decision = matcher.decide(url, app: app, host: .exactly(url.host), &work)
        guard decision.isDecided, let entry = decision.entry else { continue }
        let isPath = file.entries.first { $0.index == entry }?.components == nil
        places.insert(.init(entry: entry, rule: decision.rule, isPath: isPath))
      }
      for place in places { decided[place, default: []].append(number) }
    }
    let examples = RuleExamples(of: association, host: host, on: nil, &work)
    var rows: [Row] = []
    for entry in file.entries {
      let isPath = entry.components == nil
      for rule in isPath ? file.paths(of: entry) : file.components(of: entry) {
        let place = Reachability.Place(entry: entry.index, rule: rule.index, isPath: isPath)
        guard let example = examples.answers[place] else { continue }
        let isExclusion =
          isPath ? rule.node.string?.hasPrefix("NOT ") == true : rule.node["exclude"]?.bool == true
        rows.append(
          Row(
            range: rule.node.range, isExclusion: isExclusion, samples: decided[place] ?? [], example: example)
        )
      }
    }
    self.rows = rows
    isComplete = !work.isExhausted
  }
}
