internal import LinkspanCore

extension AppLinks {
  /// What of this file one release reads and an older one does not (6.2 to 6.4), as it is written.
  ///
  /// - Parameter deciding: Rules that decided on either side, merged: of the keys of rules only theirs are
  ///   named. nil for every rule of the file.
  package func news(
    from old: OSVersion, to new: OSVersion, deciding: [RuleSettings]? = nil
  ) -> [String] {
    let levels: [RuleSettings] = entries.map { $0.defaults } + [defaults]
    let settings = deciding ?? entries.flatMap { $0.ruleSettings } + levels
    func isNew(_ reads: (OSVersion) -> Bool) -> Bool { reads(new) && !reads(old) }
    var words: [String] = []
    if isNew({ $0.readsComponents }) {
      if entries.contains(where: { $0.components != nil }) { words.append("\"components\"") }
      if entries.contains(where: { $0.appIDs != nil }) { words.append("\"appIDs\"") }
    }
    if isNew({ $0.readsCaseSensitive }), settings.contains(where: { $0.caseSensitive != nil }) {
      words.append("\"caseSensitive\"")
    }
    if isNew({ $0.readsSubstitutionVariables }), settings.contains(where: { $0.usesVariables }) {
      words.append("$(…)")
    }
    if isNew({ $0.readsDefaults }) {
      if settings.contains(where: { $0.percentEncoded != nil }) { words.append("\"percentEncoded\"") }
      if levels.contains(where: { $0 != RuleSettings() }) { words.append("\"defaults\"") }
    }
    return words
  }

  /// Whether two releases, the older one first, take the same from this file.
  fileprivate func isReadAlike(on old: OSVersion, and new: OSVersion) -> Bool {
    old.hasUniversalLinks == new.hasUniversalLinks && old.readsComponents == new.readsComponents
      && (old.readsSubstitutionVariables == new.readsSubstitutionVariables || substitutionVariables.isEmpty)
      && news(from: old, to: new).isEmpty
  }
}

extension ReleaseSet {
  /// The periods of these releases, neighbours joined that take the same from all of the files.
  package func readings(of files: [AssociationFile]) -> [ReleaseRange] {
    joined { old, new in
      files.allSatisfy { $0.appLinks?.isReadAlike(on: old, and: new) ?? true }
    }
  }
}

extension RuleSettings {
  /// Whether some pattern contains `$(…)`.
  var usesVariables: Bool {
    patterns.contains { $0.contains("$(") }
  }
}

extension CompiledRule {
  /// Whether some pattern contains `$(…)`. Items know it themselves: thousands of rules may share them.
  package var usesVariables: Bool {
    if case .items(let items) = query, items.usesVariables { return true }
    var rest = settings
    if case .items = rest.query { rest.query = nil }
    return rest.usesVariables
  }
}
